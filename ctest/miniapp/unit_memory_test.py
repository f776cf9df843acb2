# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""unit_memory_test.py DDPROXY MPIEXEC...: a unit of FSDP that is larger than memory is wrong input (exit code 2) in `step`, `step --dry-run`, `predict` and
`memory`. A step whose units fit, but which needs more memory than is free, is a failure at run time (exit code 4)."""
import os
import subprocess
import sys
import tempfile

ddproxy, *mpiexec = sys.argv[1:]
BASE = """[model]
layers = LAYERS
d_model = WIDTH
heads = 32
vocabulary = 256
context = 8
tied = false
[step]
batch = 1
[optimizer]
kind = "adamw"
[shard]
SHARD
[allreduce]
ALLREDUCE
"""
FSDP, WHOLE = 'stage = "fsdp"', 'stage = "fsdp"\nunit = "whole"'
MPI, REPLAY = 'backend = "mpi"', 'backend = "replay"\ntable = "table.csv"\nranks = 8\n[compute]\nmode = "replay"'
LAYER = 12 * 4096**2 + 13 * 4096  # parameters of a layer
ROOT = (256 + 8 + 256 + 2) * 4096  # both embeddings, the head and the last norm
MACHINE = "[machine]\npeak_flops = 1e14\nbandwidth = 1e12\nmemory = "


def write(shard, layers=2, width=4096, allreduce=MPI, memory=None):
    with open("input.toml", "w") as file:
        text = BASE.replace("LAYERS", str(layers)).replace("WIDTH", str(width)).replace("SHARD", shard).replace("ALLREDUCE", allreduce)
        file.write(text + (f"{MACHINE}{memory}\n" if memory else ""))
    return "input.toml"


def call(*arguments, ranks=1):
    launcher = [*mpiexec, "-n", str(ranks)] if ranks > 1 else []
    return subprocess.run([*launcher, ddproxy, *map(str, arguments)], capture_output=True, text=True)


def ended(code, parts, *arguments, ranks=1):
    done = call(*arguments, ranks=ranks)
    lines = [line for line in done.stderr.splitlines() if line.startswith("ddproxy: ")]
    assert done.returncode == code and len(lines) == 1 and all(part in lines[0] for part in parts), (code, parts, arguments, done)


def a_device_of_the_input():
    """A unit that is one byte larger than the memory of the device must be refused. A unit that has exactly this size
    must be accepted. The unit is a layer or the whole model."""
    layer, whole = 4 * LAYER, 4 * (2 * LAYER + ROOT)
    with open("table.csv", "w") as file:
        file.write("bytes,seconds\n1000,1e-4\n1000000000,1e-2\n")
    for shard, size, words in ((FSDP, layer, ('unit = "layer": each rank has to gather layer ',)), (WHOLE, whole, ("the whole model as one unit", 'set unit = "layer"'))):
        for allreduce in (REPLAY, MPI):
            large = write(shard, allreduce=allreduce, memory=size - 1)
            parts = (*words, "input.toml: [shard]", f"{size / 1e9:.4g} GB", "a device ([machine] memory)")
            ended(2, parts, "step", large, "--dry-run")
            ended(2, parts, "memory", large, "--ranks", 8)
            if allreduce == REPLAY:
                ended(2, parts, "step", large, "-o", "out.h5")
                ended(2, parts, "predict", large)
        enough = write(shard, allreduce=REPLAY, memory=size)
        for arguments in (("step", enough, "--dry-run"), ("predict", enough), ("memory", enough, "--ranks", 8)):
            done = call(*arguments)
            assert done.returncode == 0, (arguments, done)
    ended(2, ("a device (--device-gb)",), "memory", enough, "--ranks", 8, "--device-gb", 0.5)
    # Both calls must be accepted: with zero1 no unit is gathered, and in bf16 the unit fits.
    for arguments in (("--shard", "zero1", "--device-gb", 0.5), ("--precision", "bf16", "--device-gb", 1.2)):
        done = call("memory", enough, "--ranks", 8, *arguments)
        assert done.returncode == 0, (arguments, done)


def a_table_of_shardings_leaves_out_the_unit():
    done = call("predict", write('stage = "none"', allreduce=REPLAY, memory=4 * LAYER), "--shard", "fsdp")
    assert done.returncode == 0 and "unit layer" in done.stdout and "unit whole" not in done.stdout, done
    done = call("predict", write('stage = "none"', allreduce=REPLAY, memory=4 * LAYER - 1), "--shard", "all")
    rows = [line for line in done.stdout.splitlines() if line.startswith("fsdp")]
    assert done.returncode == 0 and rows and all("not predicted: " in row and "gather layer" in row for row in rows), done


def this_machine():
    """A unit that is larger than the memory of this machine must be refused. The unit is the whole model and has 206 TB."""
    large = write(WHOLE, layers=1000, width=65536)
    parts = ("the whole model as one unit", "this machine", 'set unit = "layer"')
    ended(2, parts, "step", large, "-o", "out.h5", ranks=2)
    ended(2, parts, "step", large, "--dry-run")
    # A dry run compares the unit with [machine] memory. A run compares it with the memory of this machine.
    large = write(WHOLE, layers=1000, width=65536, memory=1e18)
    ended(2, parts, "step", large, "-o", "out.h5", ranks=2)
    done = call("step", large, "--dry-run")
    assert done.returncode == 0, done


def units_that_fit_in_a_step_that_does_not():
    ended(4, ("not enough memory",), "step", write(FSDP, layers=1000), "-o", "out.h5", ranks=2)
    ended(2, ("there is only one rank",), "step", write(WHOLE, layers=1000, width=65536), "-o", "out.h5")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    a_device_of_the_input()
    a_table_of_shardings_leaves_out_the_unit()
    this_machine()
    units_that_fit_in_a_step_that_does_not()
