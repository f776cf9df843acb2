#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""links_test.py MODEL FULL INPUT: the program MODEL holds neither Kokkos nor MPI nor a device's libraries; FULL shows that the
test sees them. Both predict the same."""
import re
import subprocess
import sys

FORBIDDEN = re.compile(r"kokkos|libmpi|libcuda|libnccl|libcublas|\bMPI_|libopen-(pal|rte)", re.IGNORECASE)


def found(program):
    """What the program needs at run time, or has inside, and must not."""
    needed = subprocess.run(["readelf", "--dynamic", "--wide", program], capture_output=True, text=True, check=True)
    libraries = re.findall(r"\(NEEDED\).*\[(.*)\]", needed.stdout)
    symbols = subprocess.run(["nm", "--demangle", program], capture_output=True, text=True, check=True).stdout
    return sorted({match.group() for text in (*libraries, symbols) for match in FORBIDDEN.finditer(text)})


model, full = found(sys.argv[1]), found(sys.argv[2])
if not full:
    sys.exit(f"{sys.argv[2]} seems to need neither Kokkos nor MPI: this test sees nothing")
if model:
    sys.exit(f"{sys.argv[1]} must do without {', '.join(model)}")

said = [subprocess.run([program, "predict", sys.argv[3]], capture_output=True, text=True) for program in sys.argv[1:3]]
if said[0].returncode != 0 or not said[0].stdout or said[0].stdout != said[1].stdout:
    sys.exit(f"the two programs do not predict the same: {said}")
