#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""bench_kernels_test.py BENCH_KERNELS: runs five operators of the benchmark on 64 tokens and checks the contents of each row, not the times."""
import json
import subprocess
import sys

told = subprocess.run([sys.argv[1], "--benchmark_filter=^(mlp.act|attn.c_proj|swiglu|rope|adamw) .*/64/", "--benchmark_min_time=0.01", "--benchmark_format=json"],
                      capture_output=True, text=True, check=True).stdout
report = json.loads(told)
for peak in ("peak sgemm GFLOP/s", "peak triad GB/s", "peak update GB/s"):
    assert float(report["context"][peak]) > 0, peak
rows = {row["name"].split("/")[0]: row for row in report["benchmarks"]}
both = {f"{name} {way}" for name in ("mlp.act", "attn.c_proj", "swiglu", "rope") for way in ("forward", "backward")}
assert set(rows) == both | {"adamw update"}, set(rows)
for name, row in rows.items():
    done = "bytes/s" if row["flops/s"] == 0 else "flops/s"
    assert row["peak"] > 0 and (done == "flops/s") == name.startswith("attn.c_proj"), row
    assert abs(row["fraction"] / (row[done] / row["peak"]) - 1) < 1e-3, row
