# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""memory_test.py DDPROXY MPIEXEC...: the largest peak memory of a rank must be within 5 % of the prediction of --dry-run, for sweeps and for whole steps
that need 0.5 GiB or more. The results file must hold the same prediction."""
import os
import re
import subprocess
import sys
import tempfile

import h5py

ddproxy, *mpiexec = sys.argv[1:]
SWEEP = """[model]
layers = 6
d_model = 768
heads = 12
vocabulary = 30000
context = 256
[step]
sequence = 96
[allreduce]
{}
[sweep]
strategies = ["flat"]
samples = 1
warmup = 0
"""
# In a reduce-scatter Open MPI allocates memory on rank 0 that the prediction leaves out (docs/measurements/rooms.md). With pieces of 4 MiB this
# memory is much less than 5 % of the peak. `call` is given because choosing a call takes a third of a run.
STEP = """[model]
layers = 4
d_model = 768
heads = 12
vocabulary = 16000
context = 64
[step]
sequence = 32
[shard]
stage = "{}"
[optimizer]
kind = "adamw"
[allreduce]
call = "nonblocking"
piece_mib = 4
[sweep]
samples = 1
warmup = 0
"""


def check(command, text):
    with open("input.toml", "w") as file:
        file.write(text)
    told = subprocess.run([ddproxy, command, "--dry-run", "input.toml"], capture_output=True, text=True, check=True).stdout
    said = subprocess.run([*mpiexec, "-n", "2", ddproxy, command, "input.toml", "-o", "out.h5"], capture_output=True, text=True,
                          check=True).stdout
    with h5py.File("out.h5") as file:
        need, peak = file["provenance/memory_need"][:], file["provenance/peak_memory"][:].max()
    assert abs(float(re.search(r"memory: (\S+) GiB", told)[1]) - need[0] / 2**30) < 0.006, (told, need)
    assert "memory:" not in said, said  # a need and a peak below 1 GiB are stored but not printed
    assert abs(peak / need[0] - 1) < 0.05, (text, need, peak)
    print(f"{command}: predicted {need[0] / 2**20:.1f} MiB, peak {peak / 2**20:.1f} MiB")
    return peak


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    plain = check("sweep", SWEEP.format(""))
    assert check("sweep", SWEEP.format('copies = "in"\nwire = "bf16"')) > 1.3 * plain, "copies take the gradients once more"
    none, zero1, fsdp = (check("step", STEP.format(stage)) for stage in ("none", "zero1", "fsdp"))
    assert none > zero1 > fsdp, (none, zero1, fsdp)
