#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""links_test.py MODEL FULL INPUT: the program MODEL must not contain or load Kokkos, MPI or libraries of a device, directly or through other
libraries, and must work where they are absent. FULL, the program with all commands, shows that the test can find them. Both programs must
predict the same. FULL of a device build cannot start without the driver of the device."""
import re
import subprocess
import sys

FORBIDDEN = re.compile(r"\bKokkos::|libkokkos|libmpi|libcuda|libnccl|libcublas|libhip|\bMPI_|libopen-(pal|rte)", re.IGNORECASE)


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def found(program):
    """Returns the matches of FORBIDDEN, sorted, in the names of the libraries that a program loads and in its symbols."""
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "--dynamic", "--wide", program))
    loaded = output("ldd", program).splitlines()
    symbols = output("nm", "--demangle", program)
    return sorted({match.group() for text in (*needed, *loaded, symbols) for match in FORBIDDEN.finditer(text)})


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


model_program, full_program, model_input = sys.argv[1:]
model, full = found(model_program), found(full_program)
if not full:
    sys.exit(f"{full_program} seems to need neither Kokkos nor MPI, so this test cannot show that it finds them")
if model:
    sys.exit(f"{model_program} must do without {', '.join(model)}")

predicted = run(model_program, "predict", model_input)
if predicted.returncode != 0 or not predicted.stdout:
    sys.exit(f"{model_program} does not predict: {predicted}")
planned = run(model_program, "run", model_input, "--dry-run")
if planned.returncode != 0 or "memory:" not in planned.stdout:
    sys.exit(f"{model_program} does not plan: {planned}")

also_predicted = run(full_program, "predict", model_input)
if "libcuda.so.1" in also_predicted.stderr:
    print(f"{full_program} cannot start without the driver, as expected: {also_predicted.stderr.strip()}")
elif also_predicted.stdout != predicted.stdout:
    sys.exit(f"the two programs do not predict the same: {predicted} {also_predicted}")
