# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""night_test.py ROOT DDPROXY: the nightly job of deploy/spack/ci must decide, keep its state and write its artefacts.

The builds run twins, so that no verdict depends on the speed of this machine. A slower build is a program that runs ddproxy with slower tables."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

sys.path.append(str(pathlib.Path(__file__).parents[1]))
from small_twin import write_twin  # noqa: E402

ROOT, DDPROXY = pathlib.Path(sys.argv[1]), sys.argv[2]
NIGHT = ROOT / "deploy" / "spack" / "ci" / "night"
PAGE = NIGHT.with_name("history_page.py")
SWEEP = 'strategies = ["naive", "bucketed"]\ncaps_mib = [0.1, 1]\nsamples = 4\n'


def write_build(folder, script):
    folder.mkdir()
    (folder / "ddproxy").write_text("#!/bin/bash\n" + script)
    (folder / "ddproxy").chmod(0o755)
    return folder


def write_pythons(folder):
    """Returns two sets of environment variables. With the first, no Python can import matplotlib. The second also names a Python that can."""
    (folder / "matplotlib").mkdir(parents=True)
    (folder / "matplotlib" / "__init__.py").write_text('raise ImportError("libfreetype.so.6: cannot open shared object file")\n')
    (folder / "python").write_text(f'#!/bin/sh\nunset PYTHONPATH\nexec {sys.executable} "$@"\n')
    (folder / "python").chmod(0o755)
    return {"PYTHONPATH": str(folder)}, {"PYTHONPATH": str(folder), "DDPROXY_PYTHON": str(folder / "python")}


def write_spack(folder, build):
    """Writes a program that stands for Spack, in which `build` is installed. Returns the PATH on which it is. Its `spack test run` ends
    with the exit code in the environment variable TEST_CODE."""
    folder.mkdir()
    (folder / "spack").write_text('#!/bin/sh\nshift 2  # -C SCOPE\ncase "$1" in\n  location) echo ' + str(build) + ";;\n  find) echo /abc123 ;;\n"
                                  '  test) echo "tested $7"; exit "$TEST_CODE" ;;\nesac\n')
    (folder / "spack").chmod(0o755)
    return f"{folder}:/usr/bin:{os.environ['PATH']}"


class Nights:
    """Runs nights in a folder, which keeps their state."""

    def __init__(self, folder):
        self.folder = folder
        self.words = ["--state", folder / "state", "--artifacts", folder / "artifacts", "--input", folder / "equal" / "twin.toml"]

    def run(self, code, build, *words, rounds=7, **variables):
        """Runs a night. Returns what it printed."""
        done = subprocess.run([NIGHT, "--new", build, *self.words, *words, "--", "--ranks", "1", "--rounds", str(rounds)], capture_output=True,
                              text=True, check=False, env={**os.environ, "PATH": "/usr/bin:" + os.environ["PATH"], "DDPROXY_PYTHON": "", **variables})
        assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
        return done.stdout + done.stderr

    def state(self, name):
        return (self.folder / "state" / name).read_text().strip()

    def measured(self):
        """Returns how often scripts/gate has measured."""
        return len(list(self.artifact("rounds").iterdir()))

    def artifact(self, name):
        return self.folder / "artifacts" / name


def check_dashboard(nights, status):
    """Test.xml must say how the gate ended, and have the ratio as a measurement."""
    (path,) = nights.artifact("dashboard/Testing").glob("*/Test.xml")
    tests = {test.find("Name").text: test for test in xml.etree.ElementTree.parse(path).iter("Test") if test.find("Name") is not None}
    assert tests.keys() == {"gate", "history"} and tests["gate"].get("Status") == status, path.read_text()
    measured = [float(item.find("Value").text) for item in tests["gate"].iter("NamedMeasurement") if item.get("name") == "new over last good"]
    assert measured == [json.loads(nights.artifact("gate.json").read_text())["compare"]["ratio"][0]]


def check_first_night(folder, build):
    """The first night must test a build of Spack, and must not accept it if a test fails."""
    path, nights = write_spack(folder / "spack", build), Nights(folder / "tested")
    assert "spack test run failed; see " in nights.run(4, "ddproxy@main", PATH=path, TEST_CODE="1")
    assert not any(path.is_file() for path in (folder / "tested/state").rglob("*")), "a build whose tests fail must leave no state"
    output = nights.run(0, "ddproxy@main", PATH=path, TEST_CODE="0")
    assert "tested /abc123" in output and "is the first build" in output, output
    assert nights.state("reference") == nights.state("last-good") == "/abc123"


def check_messages(folder):
    """The help must be the head of the script. If a page cannot be written, the message must be one line."""
    for word in ("-h", "--help"):
        done = subprocess.run([NIGHT, word], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "") and done.stdout.startswith("night --new BUILD ") and "Exit codes" in done.stdout and "set -euo" not in done.stdout, done
    done = subprocess.run([sys.executable, PAGE, folder / "state/nights", "-o", folder / "nowhere/page.html"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (4, f"history_page.py: {folder}/nowhere/page.html could not be written: No such file or directory\n"), done


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_twin(folder / "equal", SWEEP)
        write_twin(folder / "slow", SWEEP, compute=1.5)
        build = write_build(folder / "build", f'exec {DDPROXY} "$@"\n')
        faster = write_build(folder / "faster", f'exec {DDPROXY} "$@"\n')
        slower = write_build(folder / "slower", f'exec {DDPROXY} "${{@/equal/slow}}"\n')
        broken = write_build(folder / "broken", f'[ $1 = compare ] && exec {DDPROXY} "$@"; exit 127\n')
        without_matplotlib, with_named_python = write_pythons(folder / "pythons")
        check_first_night(folder, build)
        nights = Nights(folder)
        assert "is the first build" in nights.run(0, slower)
        assert nights.state("reference") == nights.state("last-good") == str(slower)
        output = nights.run(0, build, **without_matplotlib)
        assert "it is now the last good build" in output
        assert output.count("no Python can import matplotlib (tried: python3, /usr/bin/python3); name one that can in DDPROXY_PYTHON\n") == 1, output
        assert "Traceback" not in output and not nights.artifact("history.html").exists(), output
        assert nights.state("reference") == str(slower) and nights.state("last-good") == str(build)
        check_dashboard(nights, "passed")
        assert nights.measured() == 1, "the last good build was the reference build, so one measurement answers both questions"
        assert len(list((folder / "state" / "nights").glob("*.night.json"))) == 1
        output = nights.run(1, slower, **with_named_python)
        assert f"{slower} is slower than the last good build {build}" in output and nights.state("last-good") == str(build)
        check_dashboard(nights, "failed")
        assert nights.measured() == 1 + 2, "the last good build was not the reference build, so the night needs two measurements"
        for name in ("gate.xml", "history.xml"):
            assert xml.etree.ElementTree.parse(nights.artifact(name)).find("testsuite/testcase") is not None
        assert json.loads(nights.artifact("history.json").read_text())["history"].keys() >= {"case", "ratio", "seen_after_1", "since", "verdict"}  # the titles of the page need them
        page = nights.artifact("history.html").read_text()
        assert page.count("<svg") == 4 and page.count("<tr>") == 2 and "undecided" in page, page[:2000]
        assert "undecided" in nights.run(5, faster, rounds=2) and nights.state("last-good") == str(build)
        nights.run(4, broken)
        assert nights.state("last-good") == str(build)
        (folder / "state" / "last-good").write_text(str(slower) + "\n")
        assert "could not be written or sent to CDash" in nights.run(4, faster, CDASH_URL="http://127.0.0.1:9/submit.php?project=ddproxy")
        assert nights.state("last-good") == str(faster)
        assert "give --new BUILD and --state FOLDER" in subprocess.run([NIGHT], capture_output=True, text=True, check=False).stderr
        check_messages(folder)
        assert "unknown option --x" in nights.run(2, build, "--x", "y")
        (folder / "state" / "last-good").write_text(str(folder / "nowhere") + "\n")
        assert "which is no build; correct the file" in nights.run(2, build)


main()
