# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Chooses the processors on which the ranks of scripts/gate run, and the launcher that starts them."""
import functools
import os
import re
import subprocess

from gate_runs.failure import RUN_FAILED, USAGE, Failed


def core_lists(ranks, threads):
    """Returns two strings, the arguments of --compute-cores and --communication-cores: the cores of each rank.

    If there are enough cores, each rank has cores of its own for compute and for communication. Otherwise a rank communicates on the first
    core of the next rank. With inputs/gate.toml and two ranks that core is idle: rank 0 computes, and rank 1 only takes part in all-reduces.
    Raises Failed if there are too few cores for compute."""
    cores = sorted(os.sched_getaffinity(0))
    needed = ranks * threads
    if needed > len(cores):
        raise Failed(USAGE, f"ranks: {ranks}, threads of each: {threads}; they need {needed} cores, but this process may use {len(cores)}; give fewer "
                            "(--ranks, --threads)")
    own = [cores[r * threads:(r + 1) * threads] for r in range(ranks)]
    spare = cores[needed:]
    helpers = spare[:ranks] if len(spare) >= ranks else [own[(r + 1) % ranks][0] for r in range(ranks)]
    return ",".join("+".join(map(str, cores)) for cores in own), ",".join(map(str, helpers))


def launcher_of_build(folder):
    """Returns the launcher that CMake found for a build folder, or mpirun."""
    try:
        text = (folder / "CMakeCache.txt").read_text(errors="replace")
    except OSError:
        return "mpirun"
    found = re.search(r"^MPIEXEC_EXECUTABLE:\w+=(.+)$", text, re.MULTILINE)
    return found[1] if found else "mpirun"


@functools.cache
def launcher_of(ranks, folder):
    """Returns the first words of the command that runs `ranks` ranks of the build in this folder. Returns no words for one rank, which needs no
    launcher. The launcher is MPIEXEC if that is set, else the launcher of the build. Open MPI is told not to bind ranks to cores, because the
    program does so itself. Raises Failed if the launcher cannot be started."""
    if ranks == 1:
        return []
    program = os.environ.get("MPIEXEC") or launcher_of_build(folder)
    try:
        version = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    except OSError as error:
        raise Failed(RUN_FAILED, f"{program}: {error.strerror}; put the launcher of MPI on PATH, or set MPIEXEC") from error
    is_open_mpi = re.search("Open MPI|OpenRTE|PRTE|prte", version)
    return [program, *(["--bind-to", "none", "--oversubscribe"] if is_open_mpi else []), "-n", str(ranks)]
