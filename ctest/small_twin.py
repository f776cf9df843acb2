# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the inputs of small twins (simulated machines) for tests. In a twin of write_twin(), tables give the times of compute and of all-reduces.
Its backward pass takes 4.5 ms without communication."""

INPUT = """[model]
preset = "tiny"
[step]
batch = 1
sequence = 32
[compute]
mode = "replay"
times = "times.csv"
[allreduce]
backend = "replay"
table = "allreduce.csv"
ranks = 8
[sweep]
"""
REPLAYED = 'backend = "replay"\ntable = "allreduce.csv"\nranks = 8\n'
MACHINE = "[machine]\npeak_flops = 1e9\nbandwidth = 1e9\n"
COMPUTE_MS = {"lm_head": 1, "ln_f": 0.2, "h.1": 1.5, "h.0": 1.5, "embedding": 0.3}
ALLREDUCE_US = {128: 30, 16384: 60, 262144: 400, 1048576: 1500}  # by bytes, in microseconds


def write_twin(folder, sweep, compute=1.0, allreduce=1.0):
    """Writes twin.toml and its tables to the pathlib.Path `folder`. `sweep`: the lines of [sweep]. `compute` and `allreduce` multiply the times."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "twin.toml").write_text(INPUT + sweep)
    (folder / "times.csv").write_text("layer,ms\n" + "".join(f"{layer},{ms * compute:.17g}\n" for layer, ms in COMPUTE_MS.items()))
    (folder / "allreduce.csv").write_text("bytes,us\n" + "".join(f"{size},{us * allreduce:.17g}\n" for size, us in ALLREDUCE_US.items()))


def write_step_twin(folder, samples, allreduce=REPLAYED):
    """Writes twin.toml of a twin for `ddproxy step`, and its table of all-reduces. The roofline of [machine] gives the times of compute; a step
    takes 28 ms. `allreduce`: the lines of [allreduce], for instance 'backend = "mpi"\\n' for real all-reduces."""
    folder.mkdir(parents=True, exist_ok=True)
    text = INPUT.replace('times = "times.csv"\n', "").replace(REPLAYED, allreduce)
    (folder / "twin.toml").write_text(f'{text}strategies = ["bucketed"]\ncaps_mib = [0.1]\nsamples = {samples}\n{MACHINE}')
    (folder / "allreduce.csv").write_text("bytes,us\n" + "".join(f"{size},{us}\n" for size, us in ALLREDUCE_US.items()))
