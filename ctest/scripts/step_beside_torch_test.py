# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""step_beside_torch_test.py SCRIPT STEP_WORKER: tests wrong calls, and the numbers that the script derives from times. If this Python has torch, also
compares ddproxy with PyTorch for the smallest model. Without torch, ends with exit code 77."""
import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import tempfile

SCRIPT, WORKER = (os.path.abspath(path) for path in sys.argv[1:])
sys.path.insert(0, os.path.dirname(SCRIPT))
loader = importlib.machinery.SourceFileLoader("step_beside_torch", SCRIPT)
script = importlib.util.module_from_spec(importlib.util.spec_from_loader("step_beside_torch", loader))
loader.exec_module(script)


def run(*words):
    return subprocess.run([sys.executable, "-B", SCRIPT, *words], capture_output=True, text=True)


def expect_refused(told, words):
    assert told.returncode == 2 and told.stderr.strip().split("\n")[-1].count(words) == 1, (told.returncode, told.stderr)


def write_program(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(f"#!{sys.executable}\n{text}")
    os.chmod(path, 0o755)
    return path


# The ratio of a phase is the time of ddproxy over that of the PyTorch program (eager or compiled) that is faster in this phase. The ends of the
# interval are the second smallest and the second largest of 11 ratios.
own = [[2.0, 4.0, 1.0, 7.0 + 0.1 * turn] for turn in range(11)]
eager, compiled = [[4.0, 2.0, 1.0, 14.0]] * 11, [[2.5, 5.0, 2.0, 15.0]] * 11
assert script.ratio_with_interval([own, eager, compiled], 0) == (0.8, 0.8, 0.8)
assert script.ratio_with_interval([own, eager, compiled], 1) == (2.0, 2.0, 2.0)
middle, low, high = script.ratio_with_interval([own, eager, compiled], 3)
assert (low, middle, high) == (7.1 / 14, 7.5 / 14, 7.9 / 14), (low, middle, high)

# A machine that is slow for half of the turns slows both programs, so the ratio of a turn does not change. Only `scatter` changes it, in the first and in
# the last turn. The ratio of the medians would be 1.
paces, scatter = [1, 8] * 5 + [1], [0.5, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2.0]
own, peer = [[2.0 * pace * s] for pace, s in zip(paces, scatter)], [[4.0 * pace] for pace in paces]
assert script.ratio_with_interval([own, peer, peer], 0) == (0.5, 0.5, 0.5)

expect_refused(run(WORKER, "--turns", "1"), "--turns must be at least 2")
expect_refused(run(WORKER, "--python", "/bin/false"), "/bin/false cannot import torch; name an interpreter that has it with --python")
for words, line in ((["huge", "1", "2", "3"], "there is no preset \"huge\""), (["tiny", "2", "256", "64"], "")):
    told = subprocess.run([WORKER, *words], input="\n", capture_output=True, text=True,
                          env={**os.environ, "OMP_PROC_BIND": "false"})  # without it Kokkos prints advice
    assert told.returncode == 2 and told.stderr.startswith("step_worker: ") and line in told.stderr and told.stderr.count("\n") == 1, told

# A program takes the place of Python, and reports a model of another size.
with tempfile.TemporaryDirectory() as folder:
    other = 'import sys\nif sys.argv[1] != "-c":\n    print(\'{"torch": "none", "parameters": 1}\', flush=True)\n    sys.stdin.read()\n'
    told = run(WORKER, "--python", write_program(folder, "python", other), "--models", "tiny", "--tokens", "16", "--threads", "1")
    assert told.returncode == 1 and "has 118528 parameters in ddproxy and 1 in PyTorch" in told.stderr, told

try:
    import torch  # noqa: F401
except ImportError:
    sys.exit(77)
told = run(WORKER, "--models", "tiny", "--tokens", "16", "--threads", "1", "--turns", "3")
assert told.returncode == 0, told.stderr
lines = told.stdout.strip().split("\n")
assert [line.split("|")[4].strip() for line in lines[2:]] == ["forward", "backward", "update", "step"], lines
