#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""bench_norms_test.py BENCH_NORMS: runs the rows of width 1280 and checks the contents of each row, not the times."""
import json
import subprocess
import sys

told = subprocess.run([sys.argv[1], "--benchmark_filter=/1280", "--benchmark_min_time=0.01", "--benchmark_format=json"], capture_output=True, text=True,
                      check=True).stdout
rows = {row["name"].split("/")[0]: row for row in json.loads(told)["benchmarks"]}
assert set(rows) == {f"{norm} forward{more}" for norm in ("layernorm", "rmsnorm") for more in ("", " and backward")}, set(rows)
for name, row in rows.items():
    assert row["copy"] > 0 and row["median"] > 0 and abs(row["fraction"] / (row["bytes/s"] / row["copy"]) - 1) < 1e-3, row
