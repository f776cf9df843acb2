# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""slow_link.py ROOT DDPROXY MPIEXEC... [--rates LIST] [--rhos LIST] [--samples N] [--table FILE] [--keep DIR] [--report]

Tests the prediction of E with real kernels and real MPI over loopback, whose rate tc limits (scripts/slow-link). For each rate (in Gbit/s; default 2) and
each rho (default 1) it chooses the tokens of a step so that rho, T_comm of the flat plan / T_compute, is about the wanted value. Fails if the errors exceed
the bounds, if the intervals are too wide for a decision, or if too few cases have a large E. With --report it only prints the errors. --keep saves the
results files in DIR. Exits with 77 if no network namespace can be made."""
import argparse
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).parents[2] / "scripts"))
from torch_recording.median_interval import median_interval  # noqa: E402

INPUT = """[model]
layers = 6
d_model = 512
heads = 8
vocabulary = 8192
context = 8192
[step]
batch = {batch}
sequence = {sequence}
[allreduce]
piece_mib = 4
[sweep]
strategies = [{strategies}]
caps_mib = [2, 8, 25, 64]
samples = {samples}
compute_samples = "{compute}"
"""
BOUNDS = {"mean": 0.10, "largest": 0.20, "regret": 0.01, "optimal": 0.0}
WIDEST = 0.20  # largest mean of (half-width of E's interval) / E; with wider intervals any prediction would pass
FEWEST = 3  # least number of cases with E of at least 10 % of T


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("root")
    parser.add_argument("ddproxy")
    parser.add_argument("mpiexec", nargs="+")
    parser.add_argument("--rates", default="2")
    parser.add_argument("--rhos", default="1")
    parser.add_argument("--samples", type=int, default=15)
    parser.add_argument("--table")
    parser.add_argument("--keep")
    parser.add_argument("--report", action="store_true")
    return parser.parse_args()


def start(opts, rate, command, tokens, samples, strategies):
    sequence = min(128, tokens)
    with open("input.toml", "w") as file:
        file.write(INPUT.format(batch=max(1, round(tokens / sequence)), sequence=sequence, samples=samples, compute="round",
                                strategies=", ".join(f'"{s}"' for s in strategies)))
    done = subprocess.run([f"{opts.root}/scripts/slow-link", f"{rate}gbit", *opts.mpiexec, "-n", "2", opts.ddproxy, command,
                           "input.toml", "-o", "link.h5", "--json", "link.json"], capture_output=True, text=True)
    if done.returncode == 77:
        print(done.stderr)
        sys.exit(77)
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
    with open("link.json") as file:
        return json.load(file)["tables"]


def medians(seconds):
    """Returns the sum of the median times of all operations, in seconds, on the slowest rank."""
    return max(sum(map(statistics.median, rank)) for rank in seconds)


def tokens_for(opts, rate, rho):
    """Returns the tokens for a rho. Derives them from the time of the flat all-reduce and from the backward pass at two sizes."""
    flat = start(opts, rate, "allreduce", 128, 2, ["flat"])["allreduce"]["median"][-1]
    few, many = (medians(start(opts, rate, "layers", tokens, 3, ["flat"])["layers"]["seconds"]) for tokens in (128, 512))
    slope = (many - few) / 384
    return max(128, 128 * round((flat / rho - few) / slope / 128 + 1))


def rows(tables):
    sweep = tables["sweep"]
    for i, strategy in enumerate(sweep["strategy"]):
        noise = (sweep["exposed_high"][i] - sweep["exposed_low"][i]) / 2
        yield {"name": sweep["name"][i], "strategy": strategy, "T": sweep["measured_median"][i], "E": sweep["exposed"][i], "noise": noise,
               "predicted": sweep["predicted_exposed"][i], "predicted_T": sweep["predicted"][i],
               "samples": [max(ranks) for ranks in sweep["measured"][i]]}


def telling(cases):
    """Returns the cases with E of at least 10 % of T."""
    return [c for c in cases if c["E"] >= 0.1 * c["T"]]


def slower(case, other):
    """Returns a lower bound on T of `case` - T of `other`, as a share of the median T of `other`, but at least 0. The bound is
    the lower end of the 95 % interval of the differences in the same round."""
    differences = [a - b for a, b in zip(case["samples"], other["samples"])]
    return max(0.0, median_interval(differences)[1]) / statistics.median(other["samples"])


def mean(values):
    return sum(values) / len(values) if values else math.nan


def judge(cases):
    """Returns errors of E and the cost of choosing by the prediction. `mean`, `largest`, `regret` and `optimal` count only the part of an error or
    a cost that exceeds its 95 % interval."""
    told = telling(cases)
    as_is = [abs(c["predicted"] - c["E"]) / c["E"] for c in told]
    errors = [max(0.0, abs(c["predicted"] - c["E"]) - c["noise"]) / c["E"] for c in told]
    bucketed = [c for c in cases if c["strategy"] == "bucketed"]
    best = min(bucketed, key=lambda c: c["T"])
    chosen = min(bucketed, key=lambda c: c["predicted_T"])
    optimal = next(c for c in cases if c["strategy"] == "optimal")
    return {"mean": mean(errors), "largest": max(errors, default=math.nan), "regret": slower(chosen, best), "optimal": slower(optimal, best),
            "mean_as_is": mean(as_is), "largest_as_is": max(as_is, default=math.nan), "half_width": mean([c["noise"] / c["E"] for c in told]),
            "constant": best_constant(told), "default": baseline(told, next(c for c in bucketed if c["name"] == "bucketed/25")["E"]),
            "regret_as_is": chosen["T"] / best["T"] - 1, "optimal_as_is": optimal["T"] / best["T"] - 1, "cases": len(told)}


def baseline(cases, constant):
    return mean([abs(constant - c["E"]) / c["E"] for c in cases])


def best_constant(cases):
    return min((baseline(cases, c["E"]) for c in cases), default=math.nan)


def complaints(verdict):
    if verdict["cases"] < FEWEST:
        return [f"only {verdict['cases']} cases have E of at least 10 % of T"]
    if verdict["half_width"] > WIDEST:
        return [f"undecided: E is known within {verdict['half_width']:.0%} only; a quieter machine or more --samples is needed"]
    return [f"{key} {verdict[key]:.3f} > {bound}" for key, bound in BOUNDS.items() if not verdict[key] <= bound]


def rho_of(tables):
    """Returns T_comm of the flat plan over T_compute."""
    compute = statistics.median(max(sample) for case in tables["sweep"]["compute"] for sample in case)
    return tables["allreduce"]["median"][-1] / compute


def report(opts, rate, tokens, tables, verdict, cases):
    calibration = tables["calibration"]
    lines = [f"\n### {rate} gbit, rho {rho_of(tables):.2f}: {tokens} tokens", "",
             "| KiB | " + " | ".join(f"{b / 1024:.0f}" for b in calibration["bytes"]) + " |", "|---" * (len(calibration["bytes"]) + 1) + "|",
             *(f"| {name} | " + " | ".join(f"{v:.2g}" for v in calibration[name]) + " |" for name in ("kappa", "gamma")), "",
             "| case | T s | E s | +- | predicted E s |", "|---|---|---|---|---|"]
    lines += [f"| {c['name']} | {c['T']:.3f} | {c['E']:.3f} | {c['noise']:.3f} | {c['predicted']:.3f} |" for c in cases]
    lines += ["", "Error of E beyond the interval {mean:.1%} on average, {largest:.1%} at most; as it is {mean_as_is:.1%}, {largest_as_is:.1%} "
              "(half-width of the interval {half_width:.0%}); the best constant {constant:.1%}, E of 25 MiB everywhere {default:.1%}. Regret "
              "{regret:.1%} beyond noise, {regret_as_is:.1%} as it is; optimal over the best bucketed {optimal:.1%}, {optimal_as_is:+.1%}.".format(**verdict)]
    text = "\n".join(lines) + "\n"
    print(text, flush=True)
    if opts.table:
        with open(opts.table, "a") as file:
            file.write(text)


def main():
    opts = options()
    opts.root, opts.ddproxy = os.path.abspath(opts.root), os.path.abspath(opts.ddproxy)
    opts.table = opts.table and os.path.abspath(opts.table)
    opts.keep = opts.keep and os.path.abspath(opts.keep)
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for rate in opts.rates.split(","):
            for rho in map(float, opts.rhos.split(",")):
                tokens = tokens_for(opts, rate, rho)
                samples = opts.samples if rho >= 1 else 2 * opts.samples + 1  # a small E needs more samples
                tables = start(opts, rate, "run", tokens, samples, ["per_tensor", "bucketed", "optimal"])
                cases = list(rows(tables))
                verdict = judge(cases)
                report(opts, rate, tokens, tables, verdict, cases)
                if opts.keep:
                    shutil.copy("link.h5", f"{opts.keep}/{rate}gbit-rho{rho}.h5")
                failed += [f"{rate} gbit, rho {rho}: {complaint}" for complaint in complaints(verdict)]
    print("\n".join(failed) or "all bounds are kept")
    return 1 if failed and not opts.report else 0


if __name__ == "__main__":
    sys.exit(main())
