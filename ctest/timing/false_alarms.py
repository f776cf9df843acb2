# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""false_alarms.py DDPROXY [--pairs 300] [--samples 15] [--slowdown FACTOR] [--folder DIR]

Measures how often `ddproxy compare` calls a build slower than itself. A pair is two runs of the sweep of the same small twin. The twin has 15 cases of a
few milliseconds, so a run with 15 samples takes one or two seconds. Fails if compare calls more than 1 % of the pairs slower. With --folder the files
stay in this folder, and a further start does not repeat runs that exist.
With --slowdown all times of the second run's twin are multiplied by this factor. The test then counts the slowdowns that are found, and never fails."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).parents[1]))
from small_twin import write_twin  # noqa: E402

SWEEP = """strategies = ["naive", "flat", "per_tensor", "bucketed"]
caps_mib = [0.0001, 0.001, 0.004, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.2, 0.4, 1]
"""


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("ddproxy")
    parser.add_argument("--pairs", type=int, default=300)
    parser.add_argument("--samples", type=int, default=15)
    parser.add_argument("--slowdown", type=float, default=1.0)
    parser.add_argument("--folder")
    return parser.parse_args()


def sweep(ddproxy, folder, side, name):
    if os.path.exists(os.path.join(folder, name)):
        return
    done = subprocess.run([ddproxy, "sweep", f"{side}/twin.toml", "-o", name], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)


def compare(ddproxy, folder, base, new):
    """Returns the exit code of compare and what it printed."""
    done = subprocess.run([ddproxy, "compare", base, new, "--json", "pair.json"], cwd=folder, capture_output=True, text=True)
    assert done.returncode in (0, 1, 5), (done.returncode, done.stdout, done.stderr)
    return done.returncode, done.stdout


def main():
    opts = options()
    folder = opts.folder or tempfile.mkdtemp(prefix="ddproxy-aa-")
    ddproxy = os.path.abspath(opts.ddproxy)
    equal = opts.slowdown == 1.0
    for side, factor in (("a", 1.0), ("b", opts.slowdown)):
        write_twin(pathlib.Path(folder) / side, f"{SWEEP}samples = {opts.samples}\n", compute=factor, allreduce=factor)
    alarms, undecided, start = 0, 0, time.time()
    for k in range(opts.pairs):
        base, new = f"a{k:03}.h5", f"b{k:03}-{opts.slowdown:g}.h5"
        sweep(ddproxy, folder, "a", base)
        sweep(ddproxy, folder, "b", new)
        code, text = compare(ddproxy, folder, base, new)
        alarms += code == 1
        undecided += code == 5
        if (code == 1) == equal:
            print(f"pair {k}, load {os.getloadavg()[0]:.1f}: {text}", flush=True)
    what = "alarms in" if equal else f"slowdowns by {opts.slowdown:g} found in"
    print(f"{alarms} {what} {opts.pairs} pairs, {undecided} undecided; {time.time() - start:.0f} s; load {os.getloadavg()[0]:.1f}")
    sys.exit(equal and alarms > opts.pairs / 100)


if __name__ == "__main__":
    main()
