# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""readme_test.py ROOT DDPROXY KOKKOS_DIR MPIEXEC DOCUMENT...: runs every command of the documents' sh blocks in a copy of the project.

Compares each output that a document shows after `$ COMMAND` with what the command prints: words, columns and rows, but not figures (pasted.py).
Does not run commands that take minutes: scripts/setup, scripts/test, and scripts/run without an input. Runs scripts/gate with two rounds, which decide
nothing, and the twins with two samples instead of five. In place of a build it only configures and lists the targets, and the commands use the ddproxy of
this build. A build for CUDA is configured only if scripts/setup has built a Kokkos for it. The launcher of this build replaces mpirun in the commands. The
scripts must find this launcher themselves."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

import h5py

from pasted import after_prompt, word_faults

root, ddproxy, kokkos, mpiexec, *documents = sys.argv[1:]
# The files that the commands of a document must leave.
MADE = {
    "README.md": ["out/tiny.h5", "out/tiny.json", "results.html"],
    "docs/guides/buying.md": ["offers.json", "out/offer-b.html", "out/offer-b-against.png", "step-offers.json"],
    "docs/guides/node.md": ["node-trace.json", "out/node.html"],
    "docs/guides/nightly.md": ["gate.xml", "nights"],
    "docs/guides/pytorch.md": [],
}
# The attribute `command` that results files of a document must have.
COMMANDS = {"README.md": {"results.h5": "run", "layers.h5": "layers", "allreduce.h5": "allreduce", "collectives.h5": "collectives", "sweep.h5": "sweep"},
            "docs/guides/buying.md": {"offer-a.h5": "run", "offer-b.h5": "run", "step-a.h5": "step", "step-b.h5": "step"},
            "docs/guides/node.md": {"node.h5": "run"}}
SHOWN = {"README.md": 1, "docs/guides/buying.md": 2, "docs/guides/node.md": 2, "docs/guides/pytorch.md": 2}  # number of outputs after `$ COMMAND`
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
    with open(f"{folder}/build/CMakeCache.txt", "w") as cache:  # the scripts read one line of it
        cache.write(f"MPIEXEC_EXECUTABLE:FILEPATH={mpiexec}\n")
    for twin in glob.glob(f"{folder}/inputs/gpt2-large-*a100x*.toml"):
        with open(twin) as file:
            text = file.read()
        assert "samples = 5\n" in text, twin
        with open(twin, "w") as file:
            file.write(text.replace("samples = 5\n", "samples = 2\n", 1))
    if os.path.exists(f"{root}/{CUDA_ROOT}"):
        os.makedirs(f"{folder}/.deps")
        shutil.copy2(f"{root}/{CUDA_ROOT}", f"{folder}/{CUDA_ROOT}")


def run(command, folder):
    """Runs a command, which must succeed. Returns its standard output and its standard error. Returns None if the command is not run here."""
    if command in WHOLE:
        return print("not run here:", command)
    if "cuda" in command and not os.path.exists(f"{folder}/{CUDA_ROOT}"):
        return print("no Kokkos for CUDA here:", command)
    command = re.sub("^mpirun ", f"{mpiexec} ", command)
    if command.startswith("cmake -S"):
        command = command.replace("-B build", "-B configured")
    elif command.startswith("cmake --build --preset"):
        command += " --target help"
    elif command.startswith("cmake --build"):
        command = command.replace("build build --target ddproxy", "build configured --target help")
    elif command.startswith("scripts/gate"):  # a verdict would depend on the noise of this machine
        command += " --rounds 2 --allow-undecided"
    elif command.startswith("scripts/run"):  # without building, because the program exists
        command = "sed -i 's/^build build.*//; s/^scripts.setup//' scripts/run && " + command
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, (command, done.stdout[-2000:], done.stderr[-2000:])
    print("fine:", command)
    return done.stdout, done.stderr


def text_of(document):
    with open(f"{root}/{document}") as file:
        return file.read()


def commands_of(document, shown):
    """Returns the commands of the sh blocks, and then those of the outputs in `shown` that are not among them."""
    commands = [line for block in re.findall(r"```sh\n(.*?)```", text_of(document), re.S) for line in block.splitlines()]
    assert commands and (document != "README.md" or WHOLE < set(commands)), (document, commands)
    return [*commands, *(pasted.commands[0] for pasted in shown if pasted.commands[0] not in commands)]


def check_shown(document, shown, outputs):
    faults = [fault for pasted in shown for fault in word_faults(pasted, *outputs[pasted.commands[0]], document)]
    assert not faults, "\n".join([f"{document} shows another output than the commands print; # stands for a figure:", *faults])
    assert len(shown) == SHOWN.get(document, 0), (document, [pasted.commands for pasted in shown])


def check_made(document, folder):
    for made in MADE[document]:
        assert os.path.exists(f"{folder}/{made}"), (document, made)
    for made, command in COMMANDS.get(document, {}).items():
        with h5py.File(f"{folder}/{made}") as file:
            assert file.attrs["command"] == command, (made, file.attrs["command"])


assert documents and set(documents) <= set(MADE), documents
with tempfile.TemporaryDirectory() as folder:
    copy_of_project(folder)
    for document in documents:
        shown = after_prompt(text_of(document))
        outputs = {command: run(command, folder) for command in commands_of(document, shown)}
        check_shown(document, shown, outputs)
        check_made(document, folder)
