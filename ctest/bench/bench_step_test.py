#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""bench_step_test.py BENCH_STEP: runs the steps of the smallest model and checks the contents of the row, not the times."""
import json
import math
import subprocess
import sys

told = subprocess.run([sys.argv[1], "--benchmark_filter=of tiny/", "--benchmark_format=json"], capture_output=True, text=True, check=True).stdout
(row,) = json.loads(told)["benchmarks"]
assert row["name"].startswith("step of tiny/layers 2/vocabulary 256/32"), row["name"]
for phase in ("forward_s", "backward_s", "update_s"):
    assert 0 < row[phase] < row["step_s"], (phase, row)
assert row["parameters"] == 256 * 64 + 32 * 64 + 2 * (12 * 64 * 64 + 13 * 64) + 2 * 64, row["parameters"]
# All steps have the same tokens, so the updates lower the loss below log(256), the loss if all 256 tokens are equally probable.
assert 0 < row["loss"] < math.log(256) - 0.01, row["loss"]
