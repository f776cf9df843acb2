# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""shard_link.py ROOT DDPROXY MPIEXEC... [--models gpt2,llama] [--rhos 0.5,1,2] [--runs 5] [--samples N] [--tokens N] [--table FILE] [--keep DIR] [--report]

Tests the prediction of sharded steps; step_link.py tests that of steps without sharding. Two ranks train a small GPT-2 and a small Llama with data
parallelism (ddp), with ZeRO-1 and with FSDP, on links of the same rates. rho is the time of an all-reduce of all gradients / T_compute, measured with ddp.
In each run the points of all methods together must keep the bounds of whole_steps.py. The prediction must also put two methods into the right order if their
measured T differ beyond noise, that is, if the 95 % intervals do not overlap. A run without such a pair fails, because it decides nothing about the order.
The test judges the prediction `no contention`, which uses only measurements in which nothing overlapped. The options are those of step_link.py."""
import itertools
import shutil
import sys
import time

import whole_steps as steps

# A point spends most of its time on the tables: of the collectives, of kappa and of gamma. This time grows with that of a collective of all gradients, so
# the model is small. `call` is not "auto", because "auto" needs further measurements. There are many tokens for each parameter, so compute takes long, and
# the wanted rho needs a slow link. On a slow link the transfers take little processor time. The burst is the number of bytes that an idle link sends at once,
# faster than its rate. The units are small, so the burst has to be small, too. With a larger burst, a message after a pause would be faster than the messages
# of the tables, which follow each other without a pause.
SIZE = {"d_model": 128, "heads": 2, "vocabulary": 512, "context": 128, "cap_mib": 0.5, "burst": "96kb", "call": "nonblocking"}
METHODS = {"ddp": "none", "zero1": "zero1", "fsdp": "fsdp"}  # name in the table: [shard] stage. ddp comes first, because it gives rho


def measure_methods(opts, run, at, mbit, report):
    """Measures all methods with one model at one rate. `at` is (model, rho). Returns {method: point}."""
    points = {}
    for method, stage in METHODS.items():
        tables = steps.start(opts, at[0], opts.samples, mbit, stage)
        if method == "ddp":
            rho = steps.rho_of(tables)
        points[method] = steps.point_of(tables)
        report.say(steps.line_of([run, at[0], method], mbit, rho, points[method]))
        if opts.keep:
            shutil.copy("step.h5", f"{opts.keep}/{at[0]}-{method}-rho{at[1]}-run{run}.h5")
    return points


def differing_pairs(points):
    """Returns the pairs (slower, faster) of methods whose measured intervals of T do not overlap."""
    found = []
    for a, b in itertools.combinations(points, 2):
        slower, faster = (a, b) if points[a]["T"] > points[b]["T"] else (b, a)
        if points[slower]["T"] - points[faster]["T"] > points[slower]["T_noise"] + points[faster]["T_noise"]:
            found.append((slower, faster))
    return found


def order_complaints(run, groups, prediction, report):
    """Reports in how many pairs of methods the prediction has the order right. `groups` is {(model, rho): {method: point}}. Returns the complaints."""
    pairs = [(at, pair) for at, points in groups.items() for pair in differing_pairs(points)]
    wrong = [(at, (slower, faster)) for at, (slower, faster) in pairs
             if not groups[at][slower][prediction]["T"] > groups[at][faster][prediction]["T"]]
    report.say(f"Run {run}, {prediction}: the order is right in {len(pairs) - len(wrong)} of {len(pairs)} pairs of methods that differ beyond noise.")
    if not pairs:
        return [f"run {run}: undecided: no two methods differ beyond noise"]
    return [f"run {run}, {at[0]}, rho {at[1]}: {slower} is slower than {faster}, but is predicted to be faster" for at, (slower, faster) in wrong]


def series(opts, report):
    """Measures all runs, and returns the complaints about the prediction without contention."""
    begin = time.monotonic()
    rates = steps.rates_of(opts)
    report.say(steps.header("run", "model", "method"))
    runs = []
    for run in range(1, opts.runs + 1):
        runs.append({at: measure_methods(opts, run, at, mbit, report) for at, mbit in rates.items()})
    report.say(f"\n{opts.runs} runs took {(time.monotonic() - begin) / 60:.1f} minutes.")
    failed = []
    for run, groups in enumerate(runs, 1):
        points = [point for methods in groups.values() for point in methods.values()]
        failed += steps.verdicts_of(run, points, report) + order_complaints(run, groups, "no contention", report)
        order_complaints(run, groups, "kappa and gamma", report)
    return failed


if __name__ == "__main__":
    sys.exit(steps.run_series(steps.parser(samples=6, tokens=2048, size=SIZE).parse_args(), series))
