# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""torch_link.py ROOT DDPROXY_MODEL [--python PYTHON] [--rhos 0.5,1,2] [--runs 5] [--samples N] [--batch N] [--table FILE] [--keep DIR] [--report]

Tests the prediction of sharded steps of PyTorch, with FSDP2 and with DDP and ZeroRedundancyOptimizer. Two ranks train on the CPU with Gloo over loopback,
whose rate tc limits. scripts/record-sharded-torch.py records the collectives that PyTorch really calls, predicts the step from measurements in which nothing
overlapped, and measures the step. The model is the default GPT-2 of that script. A first run without a limit measures T_compute. From it follows the rate at
which rho, the time of an all-reduce of all gradients / T_compute, has the wanted value. PYTHON is an interpreter that has torch. The test fails if the error
of T or of the bytes on the link exceeds its bound below. The bytes must be those that the calls send. Exits with 77 if PYTHON has no torch, or if no network
namespace can be made."""
import argparse
import json
import os
import shutil
import subprocess
import sys

import whole_steps as steps

STEP_BOUND = 0.10  # largest error of T, in each point of each run
LINK_BOUND = 0.05  # largest difference of the bytes on the link from those of the recorded calls
# Bytes that two ranks send for a call, both together, as a multiple of its full size. Gloo carries out a reduce-scatter as an all-reduce.
SENT = {"all_reduce": 2, "reduce_scatter": 2, "all_gather": 1, "broadcast": 1}
WIDEST = 0.10  # largest (half-width of the interval of T) / T; with a wider interval a point decides nothing


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("root")
    parser.add_argument("ddproxy", help="ddproxy-model")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--rhos", default="0.5,1,2")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--samples", type=int, default=9)
    parser.add_argument("--batch", type=int, default=8, help="sequences of a rank in a step")
    parser.add_argument("--table")
    parser.add_argument("--keep")
    parser.add_argument("--report", action="store_true")
    return parser.parse_args()


def record(opts, *more, mbit=None):
    """Runs record-sharded-torch.py and returns its recording."""
    link = [f"{opts.root}/scripts/slow-link", f"{mbit}mbit"] if mbit else []
    command = [opts.python, f"{opts.root}/scripts/record-sharded-torch.py", "--batch", str(opts.batch), "--model-program", opts.ddproxy, "-o", "recording", *more]
    done = subprocess.run([*link, *command], capture_output=True, text=True, env={**os.environ, "GLOO_SOCKET_IFNAME": "lo"})
    if done.returncode == 77:
        print(done.stderr)
        sys.exit(77)
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
    with open("recording/sharded.json", encoding="utf-8") as file:
        return json.load(file)


def rates_of(opts):
    """Returns {rho: the rate in Mbit/s}."""
    unlimited = record(opts, "--methods", "fsdp2", "--samples", "2", "--passes", "5")
    on_link = 2 * (steps.RANKS - 1) * 4 * unlimited["parameters"]
    return {rho: max(1, round(8 * on_link / (float(rho) * unlimited["methods"][0]["alone_s"]) / 1e6)) for rho in opts.rhos.split(",")}


def link_complaints(where, found):
    """Returns a complaint if the number of bytes on the link is not the number that the recorded calls send."""
    if found["link_bytes"] is None:
        return [f"{where}: the bytes on the link are not known"]
    expected = sum(SENT[verb] * total for verb, (_, total) in found["verbs"].items())
    error = found["link_bytes"] / expected - 1
    if abs(error) <= LINK_BOUND:
        return []
    return [f"{where}: {found['link_bytes']:.0f} bytes on the link, but the calls send {expected:.0f}: {error:+.1%}, more than {LINK_BOUND:.0%}"]


def complaints(run, rho, found):
    """Returns why a point fails."""
    where = f"run {run}, rho {rho}, {found['method']}"
    return link_complaints(where, found) + time_complaints(where, found)


def time_complaints(where, found):
    """Returns a complaint if T is not known well enough, or if its prediction is wrong."""
    if not (found["high_s"] - found["low_s"]) / 2 <= WIDEST * found["measured_s"]:
        return [f"{where}: undecided: T is known within {(found['high_s'] - found['low_s']) / 2 / found['measured_s']:.0%} only"]
    error = found["predicted_s"] / found["measured_s"] - 1
    return [] if abs(error) <= STEP_BOUND else [f"{where}: T: error {error:+.1%}, more than {STEP_BOUND:.0%}"]


def line_of(run, rho, mbit, found, parameters):
    verbs = ", ".join(f"{calls} {verb}, {total / 1e6:.1f} MB" for verb, (calls, total) in found["verbs"].items())
    moved = f"{found['link_bytes'] / (4 * parameters):.2f}" if found["link_bytes"] is not None else "unknown"
    return (f"| {run} | {found['method']} | {mbit} | {rho} | {verbs} | {moved} | {1e3 * found['alone_s']:.1f} | {1e3 * found['measured_s']:.1f} "
            f"| {1e3 * (found['high_s'] - found['low_s']) / 2:.1f} | {1e3 * found['predicted_s']:.1f} | {found['predicted_s'] / found['measured_s'] - 1:+.1%} |")


def series(opts, report):
    """Measures all runs and returns the complaints."""
    rates = rates_of(opts)
    columns = ["run", "method", "Mbit/s", "rho", "calls of a step, full sizes", "bytes on the link / 4 Ψ", "alone ms", "T ms", "+-", "predicted ms", "error"]
    report.say(f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|")
    failed = []
    for run in range(1, opts.runs + 1):
        for rho, mbit in rates.items():
            recording = record(opts, "--samples", str(opts.samples), mbit=mbit)
            for found in recording["methods"]:
                report.say(line_of(run, rho, mbit, found, recording["parameters"]))
                failed += complaints(run, rho, found)
            if opts.keep:
                shutil.copy("recording/sharded.json", f"{opts.keep}/torch-rho{rho}-run{run}.json")
    return failed


def main():
    opts = options()
    if not shutil.which(opts.python):
        print(f"--python {opts.python}: there is no such program")
        return 2
    opts.python = os.path.abspath(shutil.which(opts.python))
    if subprocess.run([opts.python, "-c", "import torch.distributed.fsdp"], capture_output=True).returncode != 0:
        print(f"{opts.python} has no torch with FSDP; name an interpreter that has it with --python")
        return 77
    return steps.run_series(opts, series)


if __name__ == "__main__":
    sys.exit(main())
