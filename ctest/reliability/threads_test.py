# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""threads_test.py DDPROXY MPI_FAULTS INPUTS MPIEXEC...: which thread level ddproxy asks MPI for, and what it does if MPI provides less.

Two communication lanes with blocking MPI calls need MPI_THREAD_MULTIPLE. If MPI provides only MPI_THREAD_SERIALIZED, ddproxy must refuse such an input
with one line and the exit code 2. The other commands tried here must ask for MPI_THREAD_SERIALIZED only, and must run with it."""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

DDPROXY, FAULTS, INPUTS = (str(Path(name).resolve()) for name in sys.argv[1:4])
MPIEXEC = sys.argv[4:]
RANKS = 2


def run(command, source, level="", **changes):
    """Runs a command on an input of the project. `changes`: the line to add to each named section. Returns the finished process, the levels that the ranks
    asked for, and the levels that this MPI provides. `level`: the highest level that is reported to the ranks; "": that of MPI."""
    text = (Path(INPUTS) / source).read_text()
    for section, line in changes.items():
        text = text.replace(f"[{section}]\n", f"[{section}]\n{line}\n")
    Path("input.toml").write_text(text)
    files = {"MPI_FAULTS_LEVELS": Path("levels").resolve(), "MPI_FAULTS_PROVIDED": Path("provided").resolve()}
    for file in files.values():
        file.unlink(missing_ok=True)
    environment = {**os.environ, "LD_PRELOAD": FAULTS, "MPI_FAULTS_LEVEL": level, **{name: str(file) for name, file in files.items()}}
    done = subprocess.run([*MPIEXEC, "-n", str(RANKS), DDPROXY, command, "input.toml", "-o", "out.h5"], env=environment, capture_output=True, text=True)
    return done, *(file.read_text().split() for file in files.values())


def two_blocking_lanes(level):
    return run("step", "step-gpt2-zero1.toml", level, shard="lanes = 2", allreduce='call = "blocking"')


def assert_refused(done):
    lines = [line for line in done.stderr.splitlines() if line.startswith("ddproxy: ")]
    assert done.returncode == 2 and len(lines) == 1, done
    assert "[shard] lanes, group: several lanes with [allreduce] call" in lines[0] and "MPI_THREAD_MULTIPLE" in lines[0], lines


def refuses_two_blocking_lanes_without_multiple():
    done, levels, _ = two_blocking_lanes("serialized")
    assert_refused(done)
    assert levels == ["multiple"] * RANKS, levels
    done, levels, provided = two_blocking_lanes("")  # the same run, but with the level that MPI provides
    assert levels == ["multiple"] * RANKS and len(provided) == RANKS, (levels, provided)
    if provided == ["multiple"] * RANKS:
        assert done.returncode == 0, done
    else:
        assert_refused(done)


def asks_only_for_serialized_otherwise():
    for command, source, changes in (("run", "tiny.toml", {}), ("step", "step-tiny.toml", {"allreduce": 'call = "blocking"'}),
                                     ("step", "step-gpt2-zero1.toml", {"shard": "lanes = 2", "allreduce": 'call = "nonblocking"'})):
        done, levels, _ = run(command, source, "serialized", **changes)
        assert done.returncode == 0, (command, source, done)
        assert levels == ["serialized"] * RANKS, (command, source, levels)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    refuses_two_blocking_lanes_without_multiple()
    asks_only_for_serialized_otherwise()
