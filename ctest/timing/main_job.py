# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""main_job.py ROOT [--runs 5] [--keep DIR] [--report DIR]

Runs scripts/run --runs times in a row, in the folder ROOT of a checkout, and prints a row for each run of the two real inputs. Fails if a bound is not
kept. Each run of gpt2-slice-link must be valid and keep bounds of rho, of the model_error, of the regret, and of T of naive and flat. Its worst cap must
be slower than the best one beyond the 95 % interval. Each run of gpt2-large-cpu must be valid and keep the bound of naive and flat. The median of its
model_error over the runs has a bound, too; a model_error of nan counts as the largest. Each run of scripts/run must end within LONGEST seconds, unless it
built ddproxy, and the ranks of gpt2-large-cpu together must stay below MEMORY bytes. --keep stores the JSON files and the time of each run in DIR/1, DIR/2
and so on. --report judges such a folder and runs nothing.

T of naive and flat is compared with T_compute plus T_comm of the same round. Each of the two cases has a figure: the median of its relative differences,
without sign. The column "naive, flat" has the larger figure. The column "ratio of medians" has (median T) / (median prediction) - 1, without sign, of the
case for which it is larger. The median predictions are in /sweep/same_round. This ratio mixes rounds, so it has no bound.
"""
import argparse
import json
import math
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

SLICE, WHOLE = "gpt2-slice-link", "gpt2-large-cpu"
RHO, ERROR, REGRET, SAME_ROUND, MEDIAN_ERROR = (1, 2), 0.10, 0.02, 0.05, 0.15
LONGEST, MEMORY = 12 * 60, 16 * 2**30  # seconds, bytes
TIME = "time.json"  # file in the folder of a run


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--report", type=pathlib.Path)
    return parser.parse_args()


def run(root, folder):
    """Runs scripts/run once. Copies its JSON files to `folder`, and writes there how long it took and whether it built ddproxy."""
    before, start = built_at(root), time.monotonic()
    subprocess.run(["scripts/run"], cwd=root, check=True, stdout=subprocess.DEVNULL)
    seconds = time.monotonic() - start
    folder.mkdir(parents=True)
    (folder / TIME).write_text(json.dumps({"seconds": seconds, "built": built_at(root) != before}))
    for name in (SLICE, WHOLE):
        shutil.copy(root / "out" / f"{name}.json", folder)


def built_at(root):
    """Returns when the program was built last, or None if it does not exist."""
    program = root / "build" / "ddproxy"
    return program.stat().st_mtime_ns if program.exists() else None


def number(value):
    return math.nan if value is None else float(value)


def largest(values):
    """Returns the largest value. Returns nan if one of them is nan, because max() may then return another one."""
    values = [number(value) for value in values]
    return math.nan if any(map(math.isnan, values)) else max(values)


def paired(sweep, at):
    """Returns the median over the counted samples of case `at` of T / (T_compute + T_comm) - 1. T_compute and T_comm are from the round of the sample. T
    and T_compute are those of the slowest rank. Returns nan if a value is missing or if no sample counts."""
    samples = zip(*(sweep[key][at] for key in ("measured", "compute", "comm_alone", "counted")))
    differences = [largest(total) / (largest(compute) + number(comm)) - 1 for total, compute, comm, counted in samples if counted]
    return statistics.median(differences) if differences and not any(map(math.isnan, differences)) else math.nan


def figures(file):
    """Returns the figures of one run that have a bound, and those that are only printed."""
    document = json.loads(file.read_text())
    fom, sweep = document["fom"], document["tables"]["sweep"]
    case = {name: i for i, name in enumerate(sweep["name"])}
    total, exposed = (sweep[key] for key in ("measured_median", "exposed"))
    naive = case["naive"]
    caps = [i for i, strategy in enumerate(sweep["strategy"]) if strategy == "bucketed"]
    worst = max(caps, key=lambda i: sweep["over_best"][i])
    return {
        "valid": fom["valid"] is True or fom["valid"] == "true",
        "rho": exposed[naive] / (total[naive] - exposed[naive]),
        "error": number(fom["model_error"]),
        "regret": number(fom["regret"]),
        "same_round": largest(abs(paired(sweep, case[name])) for name in ("naive", "flat")),
        "of_medians": largest(abs(total[case[name]] / sweep["same_round"][case[name]] - 1) for name in ("naive", "flat")),
        "best": sweep["name"][min(caps, key=lambda i: total[i])],
        "worst": sweep["name"][worst],
        "ratio": [sweep[key][worst] for key in ("over_best", "over_best_low", "over_best_high")],
    }


def faults_of_slice(f):
    """Returns the bounds that a run of gpt2-slice-link does not keep. A figure that is nan does not keep its bound."""
    kept = {"valid": f["valid"], "rho": RHO[0] <= f["rho"] <= RHO[1], "model_error": f["error"] <= ERROR, "regret": f["regret"] <= REGRET,
            "naive and flat": f["same_round"] <= SAME_ROUND, "minimum": f["ratio"][1] > 1}
    return [name for name, holds in kept.items() if not holds]


def faults_of_whole(f):
    kept = {"valid": f["valid"], "naive and flat": f["same_round"] <= SAME_ROUND}
    return [name for name, holds in kept.items() if not holds]


def resources(folder):
    """Returns the seconds of one run of scripts/run, whether it built ddproxy, and the bytes of all ranks of gpt2-large-cpu. The time is nan if it was not
    stored."""
    file = folder / TIME
    job = json.loads(file.read_text()) if file.exists() else {"seconds": math.nan, "built": False}
    peaks = json.loads((folder / f"{WHOLE}.json").read_text())["tables"]["provenance"]["peak_memory"]
    return {**job, "bytes": sum(map(number, peaks))}


def faults_of_job(r):
    kept = {"time": r["built"] or r["seconds"] <= LONGEST, "memory": 0 < r["bytes"] < MEMORY}
    return [name for name, holds in kept.items() if not holds]


def judge_jobs(folders):
    """Prints time and memory of each run. Returns whether they keep their bounds."""
    print(f"scripts/run (bounds: {LONGEST} s without building, {MEMORY / 2**30:g} GiB)\n run  seconds  memory of {WHOLE}  bounds")
    rows = [resources(folder) for folder in folders]
    for at, r in enumerate(rows, 1):
        faults = faults_of_job(r)
        print(f"{at:4}  {r['seconds']:7.0f}  {r['bytes'] / 2**30:21.2f} GiB  {', '.join(faults) if faults else 'all kept'}"
              f"{', built ddproxy, so the time has no bound' if r['built'] else ''}")
    return not any(map(faults_of_job, rows))


def print_row(number, f, faults):
    ratio, low, high = f["ratio"]
    print(f"{number:4}  {f['rho']:5.2f}  {100 * f['error']:9.2f} %  {100 * f['regret']:5.2f} %"
          f"  {100 * f['same_round']:12.2f} %  {100 * f['of_medians']:14.2f} %  {f['best']:>13}  {f['worst']:>13}"
          f"  {ratio:.3f} [{low:.3f}, {high:.3f}]  {', '.join(faults) if faults else 'all kept'}")


def judge(name, folders, faults_of):
    """Prints a row for each run of one input. Returns the figures of all runs and whether they keep their bounds."""
    print(f"{name}\n run    rho  model_error   regret  {'naive, flat':>14}  {'ratio of medians':>16}  {'best cap':>13}  {'worst cap':>13}"
          "  worst over best        bounds")
    rows = [figures(folder / f"{name}.json") for folder in folders]
    for at, row in enumerate(rows, 1):
        print_row(at, row, faults_of(row))
    return rows, not any(faults_of(row) for row in rows)


def main():
    opts = options()
    with tempfile.TemporaryDirectory() as temporary:
        kept = opts.report or opts.keep or pathlib.Path(temporary)
        if not opts.report:
            for at in range(1, opts.runs + 1):
                run(opts.root, kept / str(at))
        folders = sorted((folder for folder in kept.iterdir() if folder.name.isdigit()), key=lambda folder: int(folder.name))
        assert folders, f"{kept} has no runs"
        _, slice_keeps = judge(SLICE, folders, faults_of_slice)
        wholes, whole_keeps = judge(WHOLE, folders, faults_of_whole)
        job_keeps = judge_jobs(folders)
    median = statistics.median(math.inf if math.isnan(f["error"]) else f["error"] for f in wholes)
    print(f"median of the model_error of {WHOLE}: {100 * median:.2f} % (bound {100 * MEDIAN_ERROR:g} %)")
    return 0 if slice_keeps and whole_keeps and job_keeps and median <= MEDIAN_ERROR else 1


if __name__ == "__main__":
    sys.exit(main())
