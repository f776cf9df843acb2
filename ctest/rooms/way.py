# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""way.py DDPROXY BUILD ROOT MPIEXEC...: checks the way of one gradient in ROOT/docs against the files that a sample enters.

Two ranks run inputs/tiny.toml. Rank 0 runs in gdb, which notes the functions that rank 0 enters from the start of one sample to the start of the next.
The symbols of the libraries in BUILD say from which source each function is. For sources that DDPROXY_UNITY compiles as one file, the line numbers in
the program say it. Each source that rank 0 enters must be named: in an item of the numbered list of docs/architecture.md, or in the list of docs/steps.md,
where a folder stands for all its files. A sample must enter each file that the items up to LAST_STEP name, if the build has this file.
Exit code 77 (skipped): gdb is not installed, or may not trace a process."""
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

WAY = "## The way of one gradient"
NOT_COUNTED = "## Files that a sample also enters"
LAST_STEP = 6  # item of the numbered list; the code of later items runs after the sweep
START = "_ZN7ddproxy6Passes7measureEmNS_6SampleE"  # ddproxy::Passes::measure: one sample
ROOMS = ("model", "kernels", "results", "miniapp")
TRACE = r"""
import gdb
addresses = {int(address, 16): source for address, source in (line.split() for line in open("functions"))}
starts = {int(address, 16): name for address, name in (line.split() for line in open("starts"))}
for setting in ("set pagination off", "set confirm off", "handle SIGUSR1 SIGUSR2 nostop noprint"):
    gdb.execute(setting)
gdb.execute("break main", to_string=True)
gdb.execute("run", to_string=True)
shift = int(gdb.parse_and_eval("(unsigned long)&main")) - next(a for a, name in starts.items() if name == "main")
gdb.execute("delete")
sample = shift + next(a for a, name in starts.items() if name != "main")
gdb.execute(f"break *{sample}", to_string=True)
gdb.execute("continue", to_string=True)
for address in addresses:
    if address + shift != sample:
        gdb.execute(f"tbreak *{address + shift}", to_string=True)
with open("entered", "w") as entered:
    while True:
        gdb.execute("continue", to_string=True)
        at = int(gdb.parse_and_eval("(unsigned long)$pc"))
        if at == sample:
            print("the next sample begins", file=entered)
            break
        print(addresses[at - shift], file=entered)
gdb.execute("kill")
"""


def symbols(path):
    """Yields (address, kind, name, object file) of each symbol that a program or a library defines."""
    for line in subprocess.run(["nm", "-A", "--defined-only", str(path)], capture_output=True, text=True, check=True).stdout.splitlines():
        where, _, rest = line.rpartition(":")
        if len(parts := rest.split()) == 3:
            yield *parts, where.rpartition(":")[2]


def joined_sources(build, root, joined):
    """Returns the sources that the build compiles together as the file `joined`. `joined` is relative to the build, and the sources are relative to root."""
    texts = [path.read_text() for path in (build / joined).parent.glob(f"CMakeFiles/*/Unity/{Path(joined).name}")]
    return {Path(path).relative_to(root).as_posix() for path in re.findall(r'#include "(.*)"', "".join(texts))}


def lines_of(program, addresses):
    """Returns {address: source}, from the debugging information of the program. In it the names of sources begin with /ddproxy in place of the
    project's folder (DdproxyRoom.cmake)."""
    done = subprocess.run(["addr2line", "-e", str(program)], input="\n".join(addresses), capture_output=True, text=True, check=True)
    return dict(zip(addresses, (line.rpartition(":")[0].removeprefix("/ddproxy/") for line in done.stdout.splitlines())))


def defining_sources(build):
    """Returns {symbol: the sources whose object files define it} for the libraries in the build. The paths of sources are relative to the build."""
    sources = collections.defaultdict(set)
    for room in ROOMS:
        for library in (build / room).rglob("lib*.a"):
            for _, kind, name, source in symbols(library):
                if kind in "TtW":
                    sources[name].add((library.parent.relative_to(build) / source.removesuffix(".o")).as_posix())
    return sources


def functions_and_starts(program, sources):
    """Returns (sources of the functions that one source alone defines, names of main and of START), both by address."""
    functions, starts = {}, {}
    for address, kind, name, _ in symbols(program):
        if name in ("main", START):
            starts[address] = name
        if kind in "TtW" and len(sources[name]) == 1 and not name.endswith(".cold") and "_GLOBAL__sub_" not in name:
            functions[address], = sources[name]
    return functions, starts


def write_functions(program, build, root):
    """Writes the addresses of the functions that one source alone defines to the file `functions`, and those of main and of START to `starts`. Returns all
    sources of the build.
    Of sources that are compiled as one file, only functions that a source itself contains are written: a function from a header can belong to any of them."""
    sources = defining_sources(build)
    functions, starts = functions_and_starts(program, sources)
    files = set().union(*sources.values())
    joined = {file: joined_sources(build, root, file) for file in files if Path(file).name.startswith("unity_")}
    assert all(joined.values()), joined
    in_joined = {address: functions.pop(address) for address, file in list(functions.items()) if file in joined}
    found = {address: path for address, path in lines_of(program, list(in_joined)).items() if path in joined[in_joined[address]]}
    assert found or not joined, "the program has no line numbers for the sources that DDPROXY_UNITY joins"
    functions |= found
    for name, rows in (("functions", functions), ("starts", starts)):
        Path(name).write_text("".join(f"{address} {what}\n" for address, what in rows.items()))
    return files - set(joined) | set().union(*joined.values())


def entered_files(program, root, mpiexec):
    Path("trace.py").write_text(TRACE)
    command = [program, "run", str(root / "inputs/tiny.toml"), "-o", "out.h5"]
    traced = ["gdb", "-q", "-batch", "-x", "trace.py", "--args", *command]
    done = subprocess.run([*mpiexec, "-n", "1", *traced, ":", "-n", "1", *command], capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    lines = Path("entered").read_text().splitlines() if Path("entered").exists() else []
    if not lines and re.search(r"ptrace|not permitted", done.stdout + done.stderr):
        print("skipped: gdb may not trace a process here")
        sys.exit(77)
    assert lines and lines[-1] == "the next sample begins", (done.stdout[-2000:], done.stderr[-2000:])
    return set(lines[:-1])


def section_of(text, heading):
    return text.partition(f"\n{heading}\n")[2].partition("\n## ")[0]


def named_files(architecture, steps):
    """Returns ({item of the numbered list of `architecture`: its files}, files and folders that the list of `steps` names). The arguments are the texts of
    the two documents. A name without a folder stands for files of this name in all folders."""
    numbered = re.findall(r"^(\d+)\. (.*)$", section_of(architecture, WAY), re.MULTILINE)
    counted = {int(number): set(re.findall(r"`([\w/]+\.cpp)`", line)) for number, line in numbered}
    return counted, set(re.findall(r"`([\w/]+(?:\.cpp|/))`", section_of(steps, NOT_COUNTED)))


def is_named(file, names):
    return any(file.startswith(name) if name.endswith("/") else f"/{file}".endswith(f"/{name}") for name in names)


def faults(entered, texts, built):
    """Yields what is wrong. A sample need not enter a source that this build does not have; a build without BLAS, for instance, lacks one."""
    steps, others = named_files(*texts)
    counted = set().union(*steps.values())
    for file in sorted(entered):
        if not is_named(file, counted | others):
            yield f"a sample enters {file}, which neither docs/architecture.md (the way of one gradient) nor docs/steps.md names"
    for name in sorted(set().union(*(names for number, names in steps.items() if number <= LAST_STEP))):
        if not any(is_named(file, {name}) for file in entered) and any(is_named(file, {name}) for file in built):
            yield f"no sample enters {name}, which docs/architecture.md names on the way of one gradient"


def check_that_faults_are_found():
    text = f"\n{WAY}\n\n1. `a/b.cpp` and `c.cpp`\n7. `d.cpp`\n\n## Next\n", f"\n{NOT_COUNTED}\n\n- `e/` and `f.cpp`.\n\n## Next\n`h.cpp`"
    built = {"a/b.cpp", "x/c.cpp", "x/h.cpp", "e/g.cpp", "y/f.cpp", "z/d.cpp"}
    assert not list(faults({"a/b.cpp", "x/c.cpp", "e/g.cpp", "y/f.cpp"}, text, built))
    assert ["enters x/h.cpp" in fault for fault in faults({"a/b.cpp", "x/c.cpp", "x/h.cpp"}, text, built)] == [True]
    assert ["no sample enters c.cpp" in fault for fault in faults({"a/b.cpp", "e/g.cpp"}, text, built)] == [True]
    assert not list(faults({"a/b.cpp"}, text, built - {"x/c.cpp"}))


def main():
    program, build, root = (Path(name).resolve() for name in sys.argv[1:4])
    check_that_faults_are_found()
    if not shutil.which("gdb"):
        print("skipped: gdb is not installed")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        built = write_functions(program, build, root)
        entered = entered_files(str(program), root, sys.argv[4:])
    assert len(entered) > 20, entered
    texts = [(root / "docs" / name).read_text() for name in ("architecture.md", "steps.md")]
    if found := list(faults(entered, texts, built)):
        sys.exit("\n".join(found))
    print(f"a sample enters {len(entered)} files of the product")


main()
