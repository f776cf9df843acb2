# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Finds the tools that the tests of deploy/ run, and runs them."""
import os
import shutil
import subprocess
import sys

ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none"}


def find(name, advice, root=None):
    """Returns the path of a program on PATH, or in bin/ of the folder that the environment variable `root` names. Ends the test as skipped if
    there is none. `advice` says how to install it."""
    folder = os.environ.get(root) if root else None
    program = shutil.which(name, path=f"{folder}/bin") if folder else None
    program = program or shutil.which(name)
    if not program:
        print(f"skipped: {name} is not on PATH; {advice}")
        sys.exit(77)
    return program


def run(*words, code=0, **options):
    """Runs a command and returns what it printed. Stops the test if its exit code is not `code`."""
    environment = {**ENVIRONMENT, **options.pop("env", {})}
    done = subprocess.run(list(map(str, words)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, env=environment, **options)
    assert done.returncode == code, f"{words}\nexit code {done.returncode}, expected {code}\n{done.stdout}"
    return done.stdout
