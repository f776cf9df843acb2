# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""step_link.py ROOT DDPROXY MPIEXEC... [--models gpt2,llama] [--rhos 0.5,1,2] [--runs 5] [--samples N] [--tokens N] [--table FILE] [--keep DIR] [--report]

Tests the prediction of whole steps (`ddproxy step`) with real kernels and real MPI over loopback, whose rate tc limits (scripts/slow-link). Two ranks train a
small GPT-2 and a small Llama. A first run without a limit measures T_compute of each model. From it follows the rate at which rho = T_comm / T_compute has
the wanted value. After it, each run (--runs is their number) measures every model with every rho once. The test judges the prediction `no contention`, which
uses only measurements in which nothing overlapped: it fails if a run does not keep the bounds of whole_steps.py. It also prints the prediction with kappa and
gamma. With --report it only prints. --keep saves the results files in DIR. Exits with 77 if no network namespace can be made."""
import shutil
import sys

import whole_steps as steps

SIZE = {"d_model": 384, "heads": 6, "vocabulary": 4096, "context": 1024, "cap_mib": 4, "burst": "1mb", "call": "auto"}


def measure_run(opts, run, rates, report):
    """Measures every point of one run, and returns the points."""
    points = []
    for (model, rho), mbit in rates.items():
        tables = steps.start(opts, model, opts.samples, mbit)
        points.append(steps.point_of(tables))
        report.say(steps.line_of([run, model], mbit, steps.rho_of(tables), points[-1]))
        if opts.keep:
            shutil.copy("step.h5", f"{opts.keep}/{model}-rho{rho}-run{run}.h5")
    return points


def series(opts, report):
    """Measures all runs, and returns the complaints about the prediction without contention."""
    rates = steps.rates_of(opts)
    report.say(steps.header("run", "model"))
    runs = [measure_run(opts, run, rates, report) for run in range(1, opts.runs + 1)]
    report.say("")
    return [complaint for run, points in enumerate(runs, 1) for complaint in steps.verdicts_of(run, points, report)]


if __name__ == "__main__":
    sys.exit(steps.run_series(steps.parser(samples=9, tokens=2048, size=SIZE).parse_args(), series))
