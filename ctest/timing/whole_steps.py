# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Shared by step_link.py and shard_link.py. Runs `ddproxy step` on two ranks, with real kernels and real MPI over loopback, whose rate tc limits
(scripts/slow-link). Judges its predictions. A point is one measurement: a model, a rate of the link and a way to train. torch_link.py uses run_series()."""
import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

RANKS = 2
SEQUENCE = 128
INPUT = """[model]
preset = "{preset}"
layers = 4
d_model = {d_model}
heads = {heads}
d_ff = {d_ff}
vocabulary = {vocabulary}
context = {context}
[step]
batch = {batch}
sequence = {sequence}
[shard]
stage = "{stage}"
[optimizer]
clip = 1.0
[allreduce]
piece_mib = 4
call = "{call}"
[sweep]
caps_mib = [{cap_mib}]
samples = {samples}
"""
MODELS = {"gpt2": {"preset": "gpt2", "d_ff": 4}, "llama": {"preset": "cs336-s", "d_ff": 8 / 3}}  # d_ff in multiples of d_model
STEP_BOUND = 0.05  # largest error of T, in each point of each run
EXPOSED_BOUND = 0.10  # largest mean error of E over the points of a run
LEAST_SHARE = 0.10  # a point counts for the mean error of E if E is at least this share of T
WIDEST = 0.20  # largest mean of (half-width of the interval of E) / E; with wider intervals a run decides nothing
PREDICTIONS = {"no contention": "uncontended", "kappa and gamma": "predicted"}  # name in the table: dataset of /step


def parser(samples, tokens, size):
    """Returns a parser of the options that both scripts have. `samples` and `tokens` are the default values. `size` has other keys of INPUT, and `burst`: the
    bytes that an idle link sends at once, faster than its rate."""
    options = argparse.ArgumentParser()
    options.add_argument("root")
    options.add_argument("ddproxy")
    options.add_argument("mpiexec", nargs="+")
    options.add_argument("--models", default="gpt2,llama")
    options.add_argument("--rhos", default="0.5,1,2")
    options.add_argument("--runs", type=int, default=5)
    options.add_argument("--samples", type=int, default=samples)
    options.add_argument("--tokens", type=int, default=tokens, help="tokens of a rank in a step")
    options.add_argument("--table")
    options.add_argument("--keep")
    options.add_argument("--report", action="store_true")
    options.set_defaults(size=size)
    return options


def start(opts, model, samples, mbit=None, stage="none"):
    """Runs `ddproxy step` and returns the tables of its JSON file. `mbit` is the rate of the link in Mbit/s; None: no limit. Exits with 77 if no network
    namespace can be made."""
    pathlib.Path("input.toml").write_text(
        INPUT.format(**{**opts.size, "preset": MODELS[model]["preset"], "d_ff": round(MODELS[model]["d_ff"] * opts.size["d_model"])},
                     batch=max(1, opts.tokens // SEQUENCE), sequence=SEQUENCE, samples=samples, stage=stage))
    link = [f"{opts.root}/scripts/slow-link", f"{mbit}mbit"] if mbit else []
    done = subprocess.run([*link, *opts.mpiexec, "-n", str(RANKS), opts.ddproxy, "step", "input.toml", "-o", "step.h5", "--json", "step.json"],
                          capture_output=True, text=True, env={**os.environ, "SLOW_LINK_BURST": opts.size["burst"]})
    if done.returncode == 77:
        print(done.stderr)
        sys.exit(77)
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
    return json.loads(pathlib.Path("step.json").read_text())["tables"]


def gradient_bytes(tables):
    return 4 * sum(tables["model"]["numel"])


def alone(tables):
    """Returns T_compute in seconds."""
    return statistics.median(tables["step"]["alone"])


def rate_for(tables, rho):
    """Returns the rate in Mbit/s at which an all-reduce of all gradients takes rho times T_compute. Each of n ranks sends 2 (n - 1) / n times the
    gradients, and all ranks share the rate."""
    on_link = 2 * (RANKS - 1) * gradient_bytes(tables)
    return max(1, round(8 * on_link / (rho * alone(tables)) / 1e6))


def rates_of(opts):
    """Measures T_compute of each model without a limit. Returns {(model, rho): the rate in Mbit/s}."""
    rates = {}
    for model in opts.models.split(","):
        unlimited = start(opts, model, 3)
        rates |= {(model, rho): rate_for(unlimited, float(rho)) for rho in opts.rhos.split(",")}
    return rates


def rho_of(tables):
    """Returns the measured time of an all-reduce of all gradients / T_compute. `tables` must be of a step without sharding."""
    times = dict(zip(tables["allreduce"]["bytes"], tables["allreduce"]["median"]))
    return times[gradient_bytes(tables)] / alone(tables)


def point_of(tables):
    """Returns the measured T and E, the half-widths of their intervals (`T_noise` and `noise`), and T and E of each prediction, all in seconds. Also returns
    the relative errors of the predictions."""
    step = tables["step"]
    rows = {part: i for i, part in enumerate(step["part"])}
    t, e = rows["step"], rows["exposed"]
    point = {"T": step["median"][t], "E": step["median"][e], "noise": half_width(step, e), "T_noise": half_width(step, t)}
    for name, dataset in PREDICTIONS.items():
        point[name] = {"T": step[dataset][t], "E": step[dataset][e]}
        point[name]["T_error"] = point[name]["T"] / point["T"] - 1
        point[name]["E_error"] = point[name]["E"] / point["E"] - 1 if point["E"] > 0 else math.nan
    return point


def half_width(step, row):
    return (step["ci_high"][row] - step["ci_low"][row]) / 2


def mean(values):
    return sum(values) / len(values) if values else math.nan


def judge(points, prediction):
    """Returns the errors of one prediction in the points of one run: `T`, the largest error of T; `E`, the mean error of E over the points with a large E; and
    `beyond`, the mean of what is left of these errors of E after the half-width of the interval is subtracted. All are relative."""
    told = [p for p in points if p["E"] >= LEAST_SHARE * p["T"]]
    return {"T": max(abs(p[prediction]["T_error"]) for p in points),
            "E": mean([abs(p[prediction]["E_error"]) for p in told]),
            "beyond": mean([max(0.0, abs(p[prediction]["E"] - p["E"]) - p["noise"]) / p["E"] for p in told]),
            "half_width": mean([p["noise"] / p["E"] for p in told]), "told": len(told), "points": len(points)}


def complaints(verdict):
    """Returns why a run fails. If the intervals of E are too wide, it fails, too, because then the measured E is too uncertain to judge a prediction."""
    if verdict["told"] == 0:
        return [f"no point has E of at least {LEAST_SHARE:.0%} of T"]
    if not verdict["half_width"] <= WIDEST:
        return [f"undecided: E is known within {verdict['half_width']:.0%} only; a quieter machine or more --samples is needed"]
    failed = [f"T: error {verdict['T']:.1%} > {STEP_BOUND:.0%}"] if not verdict["T"] <= STEP_BOUND else []
    return failed + ([f"E: mean error {verdict['E']:.1%} > {EXPOSED_BOUND:.0%}"] if not verdict["E"] <= EXPOSED_BOUND else [])


def header(*names):
    """Returns the head of a table. `names` are the columns that say which point a row is."""
    columns = [*names, "Mbit/s", "rho", "T ms", "predicted ms", "error", "E ms", "+-", "predicted ms", "error", "with kappa and gamma: error of T", "of E"]
    return f"\n| {' | '.join(columns)} |\n{'|---' * len(columns)}|"


def line_of(names, mbit, rho, p):
    plain, contended = (p[name] for name in PREDICTIONS)
    return (f"| {' | '.join(map(str, names))} | {mbit} | {rho:.2f} | {1e3 * p['T']:.1f} | {1e3 * plain['T']:.1f} | {plain['T_error']:+.1%} "
            f"| {1e3 * p['E']:.1f} | {1e3 * p['noise']:.1f} | {1e3 * plain['E']:.1f} | {plain['E_error']:+.1%} | {contended['T_error']:+.1%} "
            f"| {contended['E_error']:+.1%} |")


def text_of(run, name, verdict):
    return (f"Run {run}, {name}: largest error of T {verdict['T']:.1%}; error of E {verdict['E']:.1%} on average over {verdict['told']} of {verdict['points']} "
            f"points, {verdict['beyond']:.1%} beyond the interval (half-width {verdict['half_width']:.0%}).")


def verdicts_of(run, points, report):
    """Reports the errors of both predictions in one run. Returns the complaints about the prediction without contention."""
    verdicts = {name: judge(points, name) for name in PREDICTIONS}
    for name, verdict in verdicts.items():
        report.say(text_of(run, name, verdict))
    return [f"run {run}: {complaint}" for complaint in complaints(verdicts["no contention"])]


class Report:
    """Prints lines and appends them to the file of --table."""

    def __init__(self, path):
        self.path = path

    def say(self, text):
        print(text, flush=True)
        if self.path:
            with open(self.path, "a") as file:
                file.write(text + "\n")


def run_series(opts, series):
    """Calls series(opts, report) in an empty folder. Prints the complaints that it returns. Returns the exit code."""
    for name in ("root", "ddproxy", "table", "keep"):
        if getattr(opts, name):
            setattr(opts, name, os.path.abspath(getattr(opts, name)))
    if opts.keep:
        os.makedirs(opts.keep, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        failed = series(opts, Report(opts.table))
    print("\n".join(failed) or "all bounds are kept")
    return 1 if failed and not opts.report else 0
