# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""model_bounds.py MODEL_BENCH [--repetitions 3]

Runs the benchmarks of the model that have a bound in docs/measurements/model.md, and prints their times. Fails if a time is not below its bound, or if a
benchmark is missing. A time is the median, over the repetitions, of the CPU time of one call. The model runs on one thread, so this time contains no waiting
for other programs."""
import argparse
import json
import re
import subprocess
import sys

BOUNDS = (  # what; pattern of the benchmarks' names; number of these benchmarks; bound of each, ms
    ("predicting 50 caps of GPT-2-large", r"fifty_caps", 1, 5),
    ("the optimal plan of 436 gradients", r"best_of_all_plans/1/[0-9]+/[01]", 6, 5),
    ("the optimal plan of 10,028 gradients", r"best_of_all_plans/23/[0-9]+/[01]", 6, 2000),
    ("the simulation of a step graph with 729 tasks", r"step_graph_simulate/[01]", 2, 5))
MILLISECONDS = {"ns": 1e-6, "us": 1e-3, "ms": 1, "s": 1e3}


def median_times(program, repetitions):
    """Runs the benchmarks. Returns the median CPU time of each, in ms."""
    names = "|".join(pattern for _, pattern, _, _ in BOUNDS)
    done = subprocess.run([program, f"--benchmark_filter=^({names})$", "--benchmark_min_time=0.05", f"--benchmark_repetitions={repetitions}",
                           "--benchmark_format=json"], stdout=subprocess.PIPE, text=True, check=True)
    rows = json.loads(done.stdout or "{}").get("benchmarks", [])  # no output: the filter matches nothing
    return {row["run_name"]: row["cpu_time"] * MILLISECONDS[row["time_unit"]] for row in rows if row.get("aggregate_name") == "median"}


def faults_of(times):
    """Prints each time beside its bound. Yields a message for each time above its bound, and for missing benchmarks."""
    for what, pattern, count, bound in BOUNDS:
        found = {name: ms for name, ms in times.items() if re.fullmatch(pattern, name)}
        if len(found) != count:
            yield (f"{what}: model_bench has {len(found)} benchmarks with a name like {pattern}, not {count}, so the bound of {bound} ms is not checked. "
                   "Correct BOUNDS in ctest/timing/model_bounds.py, or the benchmarks in ctest/model/model_bench.cpp.")
        for name, ms in found.items():
            print(f"{name:30} {ms:9.3f} ms, bound {bound} ms", flush=True)
            if not ms < bound:
                yield (f"{what}: {name} takes {ms:.4g} ms of CPU time, and the bound of docs/measurements/model.md is {bound} ms. Run the test again on a "
                       "quiet machine. If the time stays, compare it with an older version, and make the model faster.")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--repetitions", type=int, default=3)
    opts = parser.parse_args()
    if faults := list(faults_of(median_times(opts.program, opts.repetitions))):
        sys.exit("\n".join(faults))


if __name__ == "__main__":
    main()
