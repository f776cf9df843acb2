#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""links_test.py MODEL FULL: the program MODEL holds neither Kokkos nor MPI nor a device's libraries; FULL shows that the
test sees them."""
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
