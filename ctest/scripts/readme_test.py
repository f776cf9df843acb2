# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""readme_test.py ROOT DDPROXY KOKKOS_DIR MPIEXEC: runs every command of README.md's sh blocks in a copy of the project.

Those that take minutes are not run from here: scripts/test is what runs this, and scripts/setup before it; scripts/run with an
input is run. Of scripts/gate two rounds are run, which decide nothing. A build that is asked for is configured, and the program of this build stands in for its result; one for CUDA where
scripts/setup has built a Kokkos for it. The launcher of this build stands in for mpirun; the scripts have to find it by themselves."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import h5py

root, ddproxy, kokkos, mpiexec = sys.argv[1:]
WHOLE = {"scripts/run", "scripts/test", "scripts/setup --cuda 80"}
CUDA_ROOT = ".deps/kokkos-cuda-80-root"
environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "KOKKOS_ROOT": kokkos,
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none", "OMP_NUM_THREADS": "1", "CMAKE_GENERATOR": "Ninja",
               "PATH": "/usr/bin:" + os.environ["PATH"]}


def copy_of_project(folder):
    ignore = shutil.ignore_patterns(".git", "build", "build-*", ".deps", "out")
    shutil.copytree(root, folder, ignore=ignore, dirs_exist_ok=True)
    os.makedirs(f"{folder}/build", exist_ok=True)
    shutil.copy2(ddproxy, f"{folder}/build/ddproxy")
    with open(f"{folder}/build/CMakeCache.txt", "w") as cache:  # of it the scripts read one line
        cache.write(f"MPIEXEC_EXECUTABLE:FILEPATH={mpiexec}\n")
    if os.path.exists(f"{root}/{CUDA_ROOT}"):
        os.makedirs(f"{folder}/.deps")
        shutil.copy2(f"{root}/{CUDA_ROOT}", f"{folder}/{CUDA_ROOT}")


def run(command, folder):
    if command in WHOLE:
        return print("left to others:", command)
    if "cuda" in command and not os.path.exists(f"{folder}/{CUDA_ROOT}"):
        return print("no Kokkos for CUDA here:", command)
    command = re.sub("^mpirun ", f"{mpiexec} ", command)
    if command.startswith("cmake -S"):
        command = command.replace("-B build", "-B configured")
    elif command.startswith("cmake --build --preset"):
        command += " --target help"
    elif command.startswith("cmake --build"):
        command = command.replace("build build --target ddproxy", "build configured --target help")
    elif command.startswith("scripts/gate"):  # a verdict would rest on this machine's noise
        command += " --rounds 2 --allow-undecided"
    elif command.startswith("scripts/run"):  # without the build, which is there
        command = "sed -i 's/^build build.*//; s/^scripts.setup//' scripts/run && " + command
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, (command, done.stdout[-2000:], done.stderr[-2000:])
    print("fine:", command)


text = open(f"{root}/README.md").read()
commands = [line for block in re.findall(r"```sh\n(.*?)```", text, re.S) for line in block.splitlines()]
assert len(commands) > 5 and WHOLE < set(commands), commands
with tempfile.TemporaryDirectory() as folder:
    copy_of_project(folder)
    for command in commands:
        run(command, folder)
    for made in ("out/tiny.h5", "out/tiny.json"):
        assert os.path.exists(f"{folder}/{made}"), made
    for made, command in (("results.h5", "run"), ("layers.h5", "layers"), ("allreduce.h5", "allreduce"), ("collectives.h5", "collectives"), ("sweep.h5", "sweep")):
        with h5py.File(f"{folder}/{made}") as file:
            assert file.attrs["command"] == command, (made, file.attrs["command"])
