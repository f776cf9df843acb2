#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""sensitivity_test.py PROGRAM INPUTS SCRIPT: the script must draw the program's tables and reject files that are no such tables."""
import importlib.util
import pathlib
import subprocess
import sys
import tempfile

if importlib.util.find_spec("matplotlib") is None:
    sys.exit(77)
PROGRAM, INPUTS, SCRIPT = sys.argv[1:]


def draw(table, figure):
    return subprocess.run([sys.executable, "-B", SCRIPT, table, "-o", figure], capture_output=True, text=True)


with tempfile.TemporaryDirectory() as name:
    table, figure = pathlib.Path(name) / "s.csv", pathlib.Path(name) / "s.png"
    twin = pathlib.Path(INPUTS) / "gpt2-large-a100x8.toml"
    subprocess.run([PROGRAM, "predict", twin, "--sensitivity", "--csv", table], capture_output=True, check=True)
    done = draw(table, figure)
    assert done.returncode == 0, done.stderr
    assert figure.read_bytes().startswith(b"\x89PNG") and 10_000 < figure.stat().st_size < 300_000, figure.stat()
    sys.path.insert(0, str(pathlib.Path(SCRIPT).parent))
    import sensitivity  # noqa: E402
    rows = [{"value": "1", "low_mib": "0.001", "high_mib": "50"}, {"value": "2", "low_mib": "1", "high_mib": ""}, {"value": "4", "low_mib": "1", "high_mib": "50"}]
    axes = sensitivity.plt.figure().subplots()
    sensitivity.draw_best(axes, rows)
    marks = [(line.get_xdata()[0], line.get_ydata()[0], line.get_marker()) for line in axes.lines if line.get_gid() == "cut"]
    assert marks == [(1.0, sensitivity.LOWEST, "v"), (2.0, sensitivity.HIGHEST, "^")], marks
    table.write_text("bytes,seconds\n1,2\n")
    done = draw(table, figure)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "no column" in done.stderr, done.stderr
    done = draw(pathlib.Path(name) / "none.csv", figure)
    assert done.returncode == 2 and "none.csv" in done.stderr, done.stderr
