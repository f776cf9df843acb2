#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""bench_collectives_test.py BENCH_COLLECTIVES MPIEXEC...: runs rows of two message sizes on two ranks and checks the contents of each row, not the times."""
import json
import subprocess
import sys

program, *mpiexec = sys.argv[1:]
told = subprocess.run([*mpiexec, "-n", "2", program, "--largest_mib=1", "--iterations=3", "--benchmark_filter=/(4|64)KiB", "--benchmark_format=json"],
                      capture_output=True, text=True, check=True).stdout
report = json.loads(told)  # rank 0 alone prints a report: two reports would not be valid JSON
assert report["context"]["ranks"] == "2", report["context"]
rows = {row["name"].rsplit("/", 2)[0]: row for row in report["benchmarks"]}
sizes = ("4KiB", "64KiB")
whats = [(what, size) for what in ("bucket", "reduce_scatter", "all_gather", "broadcast", "send_receive") for size in sizes] + [("train of 100", "4KiB")]
wanted = {f"{what}/{call}/{size}" for call in ("blocking", "nonblocking") for what, size in whats} | {f"exchange/nonblocking/{size}" for size in sizes}
wanted |= {f"two_lanes/{polling}/{size}" for polling in ("thread", "poll") for size in sizes}
assert set(rows) == wanted, set(rows) ^ wanted
for name, row in rows.items():
    assert row["plain_us"] > 0 and row["own_us"] > 0 and row["low"] <= row["ratio"] <= row["high"], row
    assert abs(row["ratio"] * row["plain_us"] / row["own_us"] - 1) < 1e-6, row
