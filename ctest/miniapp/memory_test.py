# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""memory_test.py DDPROXY MPIEXEC...: the peak memory of a rank must be within 5 % of the prediction of --dry-run, for a model of 0.6 GiB."""
import os
import re
import subprocess
import sys
import tempfile

import h5py

ddproxy, *mpiexec = sys.argv[1:]
INPUT = """[model]
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


def check(allreduce):
    with open("input.toml", "w") as file:
        file.write(INPUT.format(allreduce))
    told = subprocess.run([ddproxy, "run", "--dry-run", "input.toml"], capture_output=True, text=True, check=True).stdout
    text = subprocess.run([*mpiexec, "-n", "2", ddproxy, "sweep", "input.toml", "-o", "out.h5"], capture_output=True, text=True,
                          check=True).stdout
    with h5py.File("out.h5") as file:
        need, peak = file["provenance/memory_need"][:], file["provenance/peak_memory"][:].max()
    assert abs(float(re.search(r"memory: (\S+) GiB", told)[1]) - need[0] / 2**30) < 0.006, (told, need)
    assert "memory:" not in text, text  # below 1 GiB it is stored but not printed
    assert abs(peak / need[0] - 1) < 0.05, (allreduce, need, peak)
    print(f"{allreduce!r}: predicted {need[0] / 2**20:.1f} MiB, peak {peak / 2**20:.1f} MiB")
    return peak


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    plain = check("")
    assert check('copies = "in"\nwire = "bf16"') > 1.3 * plain, "copies take the gradients once more"
