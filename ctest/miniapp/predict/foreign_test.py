#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""foreign_test.py PROGRAM MAKE_SAMPLE: damaged and forged files must give exit code 2 and one line that names them. In a history they must be
left out."""
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

if importlib.util.find_spec("h5py") is None:
    sys.exit(77)
import h5py  # noqa: E402
import numpy  # noqa: E402

PROGRAM, MAKE_SAMPLE = sys.argv[1:]


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, timeout=60)


def refused(path, *arguments, said=""):
    """Expects exit code 2, one short printable line that names the file, and nothing on standard output."""
    done = run(*arguments)
    line = done.stderr.decode()
    assert done.returncode == 2 and done.stdout == b"", (arguments, done)
    assert line.count("\n") == 1 and line.endswith("\n") and len(line) < 800 and line[:-1].isprintable(), line
    assert str(path) in line and said in line, line


def replaced(file, name, **options):
    """Replaces a dataset. Returns the new dataset, which has no dimension scales."""
    del file[name]
    return file.create_dataset(name, **options)


def wrap_extents(file):
    replaced(file, "sweep/measured", shape=(7, 0x2492492492492493, 8), chunks=(1, 16, 8), dtype="f8")


def claim_many_samples(file):
    old = file["sweep/measured"].shape
    replaced(file, "sweep/measured", shape=(old[0], 2**40, old[2]), chunks=(1, 16, old[2]), dtype="f8")


def claim_a_long_text(file):
    replaced(file, "sweep/name", shape=(2**40,), chunks=(16,), dtype=h5py.string_dtype())


def overflow_a_plan(file):
    """Gives a case a plan that lies outside of the data, and whose first + count overflows. The case must count as one without a plan."""
    file["plans/first"][1] = 2**62 + 2**40
    file["plans/count"][1] = 2**62 + 1


def dangle(name):
    def change(file):
        del file[name]
        file[name] = h5py.SoftLink("/nowhere")
    return change


def dangle_outside(file):
    del file["sweep/measured"]
    file["sweep/measured"] = h5py.ExternalLink("/nowhere.h5", "/x")


def rename(name):
    def change(file):
        file["sweep/name"][1] = name
    return change


def another_type(file):
    replaced(file, "sweep/name", data=numpy.arange(3))


def negative(file):
    file["sweep/name"][1] = "x" * 100000
    file["sweep/measured"][1, 0, 0] = -1.0


REFUSED = {
    "wrapping extents": (wrap_extents, "claims more values"),
    "2^40 samples": (claim_many_samples, "claims more values"),
    "2^40 names": (claim_a_long_text, "claims more values"),
    "a dangling dataset": (dangle("sweep/measured"), "/sweep/measured"),
    "a dangling group": (dangle("provenance"), "/provenance"),
    "a link to another file": (dangle_outside, "/sweep/measured"),
    "a name that is not UTF-8": (rename(b"fl\xff\xfeat"), "'fl\\xFF\\xFEat'"),
    "a name with control bytes": (rename(b"a\x1b[2J\x07"), "\\x1B[2J\\x07"),
    "a long name": (rename("x" * 100000), "bytes more]"),
    "names of another type": (another_type, "/sweep/name"),
    "a long name with a wrong time": (negative, "bytes more]"),
}


def shorten_steps(file):
    replaced(file, "step/measured", data=numpy.ones((3, 2)))


def claim_many_steps(file):
    replaced(file, "step/measured", shape=(4, 2**40), chunks=(1, 16), dtype="f8")


def negative_step(file):
    file["step/measured"][3, 0] = -1.0


def unprintable_part(file):
    file["step/part"][0] = b"for\xff\xfeward"


def slow_down(file):
    file.attrs["created"] = "2026-01-01T00:00:00Z"
    file["step/measured"][...] *= 1.5


REFUSED_STEPS = {
    "2^40 samples of a step": (claim_many_steps, "claims more values"),
    "fewer rows than parts": (shorten_steps, "/step/measured and /step/part differ in length"),
    "a negative step": (negative_step, "cannot have been measured"),
    "a part that is not UTF-8": (unprintable_part, "'for\\xFF\\xFEward'"),
    "steps that lead nowhere": (dangle("step/measured"), "/step/measured"),
    "parts of another type": (lambda file: replaced(file, "step/part", data=numpy.arange(4)), "/step/part"),
}


def damaged(whole, path, change):
    shutil.copy(whole, path)
    with h5py.File(path, "r+") as file:
        change(file)
    return path


def check_refused(folder, whole, forged):
    for number, (what, (change, said)) in enumerate(forged.items()):
        bad = damaged(whole, folder / f"bad{number}.h5", change)
        for arguments in ([whole, bad], ["--json", folder / "out.json", bad, whole], ["--rank-machines", whole, bad]):
            refused(bad, "compare", *arguments, said=said)
        assert not (folder / "out.json").exists(), what
        bad.unlink()


def check_results_files(folder, whole):
    check_refused(folder, whole, REFUSED)
    steps = folder / "steps.h5"
    subprocess.run([MAKE_SAMPLE, steps, "step"], check=True)
    slower = damaged(steps, folder / "slower.h5", slow_down)
    done = run("compare", steps, slower, "--allow-undecided")
    assert done.returncode in (0, 1) and b"\nstep " in done.stdout, done
    check_refused(folder, steps, REFUSED_STEPS)
    steps.unlink()
    slower.unlink()
    loop = folder / "loop.h5"
    loop.symlink_to(loop)
    refused(loop, "compare", whole, loop, said="symbolic links")
    loop.unlink()
    harmless = damaged(whole, folder / "overflow.h5", overflow_a_plan)
    done = run("compare", whole, harmless, "--allow", "sweep", "--allow-undecided")
    assert done.returncode in (0, 1), done
    harmless.unlink()


def check_outputs_stay_well_formed(folder, whole):
    """Control characters of a host, a label or a file name must not reach the terminal or JUnit unescaped. JSON must be UTF-8."""
    def change(file):
        file["provenance"].attrs["device_kind"] = "chip\x1b[31m"
        file.attrs["label"] = "offer\x07"
        file["provenance/host"][...] = b"h\xff\x01"
    other = damaged(whole, folder / "other.h5", change)
    odd = pathlib.Path(os.fsdecode(bytes(folder) + b"/odd\xff\x1b.h5"))
    shutil.copy(other, odd)
    outputs = [folder / name for name in ("o.json", "o.xml", "o.csv")]
    writing = [word for option, path in zip(("--json", "--junit", "--csv"), outputs) for word in (option, path)]
    for code, *arguments in ((0, "--rank-machines", whole, odd), (0, odd, other, "--allow-undecided"), (2, "--rank-machines", odd, other)):
        done = run("compare", *arguments, *writing)
        assert done.returncode == code, done
        if code == 0:
            json.loads(outputs[0].read_bytes().decode())
            xml.etree.ElementTree.parse(outputs[1])
        for text in (done.stdout, done.stderr):
            assert text.decode().replace("\n", "").isprintable(), text
    for path in (*outputs, odd, other):
        path.unlink()


def check_history(folder, whole):
    """A bad night must be named, and the other nights must be used. If the newest night is bad, the result must be undecided, unless the night before
    it shows a slowdown. If no night can be read, the exit code must be 2."""
    nights = folder / "nights"
    nights.mkdir()
    for day in range(20):
        path = nights / f"n{day:02}.h5"
        shutil.copy(whole, path)
        with h5py.File(path, "r+") as file:
            file.attrs["created"] = f"2026-03-{day + 1:02}T00:00:00Z"
            file["sweep/measured"][...] *= 1 + 0.001 * (day % 3)
        os.utime(path, (1e9 + day, 1e9 + day))
    expected = run("compare", "--history", nights).returncode
    assert expected == 0, run("compare", "--history", nights)
    (nights / "n05.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(1000))
    os.utime(nights / "n05.h5", (1e9 + 5, 1e9 + 5))
    done = run("compare", "--history", nights)
    assert done.returncode == 0 and b"warning: left out of the history: " in done.stderr and b"n05.h5: " in done.stderr, done
    os.truncate(nights / "n19.h5", 5000)
    done = run("compare", "--history", nights)
    assert done.returncode == 5 and b"n19.h5, cannot be read" in done.stdout, done
    with h5py.File(nights / "n18.h5", "r+") as file:
        file["sweep/measured"][...] *= 2
    assert run("compare", "--history", nights).returncode == 1
    for day in range(19):
        (nights / f"n{day:02}.h5").write_text("text")
    refused("n00.h5", "compare", "--history", nights, said="0 files of 20 can be read")
    for name in ("a.h5", "b.night.json", "c.night.json"):
        os.mkfifo(nights / name)
    refused("b.night.json", "compare", "--history", nights, said="cannot be opened for reading")


def check_inputs(folder):
    """TOML and CSV files must be refused if they are deeply nested, too long, unprintable, or symbolic links to themselves. So must /dev/zero."""
    path = folder / "input.toml"
    for text in ("a = " + "[" * 40000 + "]" * 40000, "a" + ".a" * 40000 + " = 1\n", "[a" + ".a" * 40000 + "]\n",
                 "a = " + "{a = " * 40000 + "1" + "}" * 40000, 'a."="' + '."="' * 40000 + " = 1\n",
                 "[a]\nb = [\n" + "{ c = [ # ]]]}\n" * 4000, "a = '''\n'''\nb = " + "[" * 20000,
                 "#" * 2**20 + "\n", "[model]\npreset = \"" + "x" * 100000 + "\"\n", "[model]\n" + "y" * 100000 + " = 1\n",
                 "[model]\npreset = \"tiny\"\n[allreduce]\nwire = \"" + "v" * 100000 + "\"\n", "[" + "z" * 100000 + "]\n", "[model]\npreset = \"\\u001b[2J\"\n", "\0" * 1000):
        path.write_text(text)
        for arguments in (["predict", path], ["run", path, "--dry-run"]):
            refused(path, *arguments)
    path.unlink()
    path.symlink_to(path)
    refused(path, "predict", path)
    refused("/dev/zero", "predict", "/dev/zero", said="1 MiB")
    table = folder / "table.csv"
    for text in (b"name,numel,seconds\n" + b"x" * 100000 + b",1,y\n", b"name,numel,seconds\na,1," + b"7" * 100000 + b"\n",
                 b"z" * 100000 + b"\n1\n", b"name,numel,seconds\nb\xff\x1b,1,1\n"):
        table.write_bytes(text)
        refused(table, "predict", "--gradients", table, "--allreduce", table, "--ranks", "2")
    table.unlink()
    table.symlink_to(table)
    refused(table, "predict", "--gradients", table, "--allreduce", table, "--ranks", "2")
    refused("/dev/zero", "predict", "--gradients", "/dev/zero", "--allreduce", "/dev/zero", "--ranks", "2", said="64 MiB")
    refused("\\x1B[2J", "predict", folder / "\x1b[2J.toml", said="cannot be opened")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        whole = folder / "whole.h5"
        subprocess.run([MAKE_SAMPLE, whole], check=True)
        check_results_files(folder, whole)
        check_outputs_stay_well_formed(folder, whole)
        check_history(folder, whole)
        check_inputs(folder)


main()
