#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""sensitivity_test.py PROGRAM INPUTS SCRIPT: SCRIPT (results/sensitivity.py) must draw the table that PROGRAM (ddproxy-model) writes with
`predict --sensitivity`, and must reject other files."""
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


def row_of(quantity, value, low, high, best, common):
    """Returns a row of the table in which T_compute is 1 s. `best` and `common` are E with the best cap and with 25 MiB, in seconds."""
    return {"quantity": quantity, "value": value, "t_compute_s": "1", "low_mib": low, "high_mib": high, "exposed_best_s": best, "exposed_25_s": common}


def check_findings():
    """The title must say how much longer T is with 25 MiB than with the best cap in the worst row. It must name the two rows whose best caps lie furthest apart,
    or the caps that are among the best in all rows."""
    rows = [row_of("bytes", "0.5", "0.001", "18.02", "0.25", "0.26"), row_of("latency", "16", "325.3", "", "0.6", "1"), row_of("ranks", "64", "5", "31.28", "9", "9.9")]
    assert sensitivity.finding({"any": rows}) == ("Keeping 25 MiB makes T up to 25.0 % longer than the best cap does (network latency x 16).\nThe best caps range from "
                                                  "at most 18 MiB (bytes of the gradients x 0.5) to at least 325 MiB (network latency x 16)."), sensitivity.finding({"any": rows})
    same = [row_of("ranks", "64", "5", "31.28", "9", "9.001"), row_of("model", "474.7", "6.25", "", "1", "1")]
    assert sensitivity.finding({"ranks": same[:1], "model": same[1:]}) == ("Keeping 25 MiB makes T less than 0.1 % longer than the best cap does.\n"
                                                                          "Caps that are always among the best: 6.25–31.3 MiB."), sensitivity.finding({"any": same})
    apart = [row_of("model", "474.7", "1", "2", "1", "1"), row_of("bandwidth", "2", "3", "4", "1", "1"), row_of("bytes", "2", "0.5", "100", "1", "1")]
    assert "range from 1–2 MiB (gradients of 474.7 MiB) to 3–4 MiB (network bandwidth x 2)." in sensitivity.finding({"any": apart})


def check_titles(quantities):
    """The finding must be the title, with the text of --title below it. Each panel with the line at 25 MiB must name this line in its legend."""
    figure = sensitivity.draw(quantities, "a machine")
    texts = [text.get_text() for text in figure.texts]
    assert texts == [f"{sensitivity.finding(quantities)}\na machine", sensitivity.CAPTION], texts
    assert len(quantities) == 4 and "stand inside each other" not in texts[0] and "stand inside each other" in texts[1], texts
    for axes in figure.axes[1::2]:
        assert [text.get_text() for text in axes.get_legend().get_texts()] == ["25 MiB, PyTorch's default"], axes


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
    line = next(line for line in axes.lines if line.get_linestyle() == "--")
    assert list(line.get_ydata()) == [25, 25] and line.get_label() == "25 MiB, PyTorch's default", line
    check_findings()
    check_titles(sensitivity.read(table))
    table.write_text("bytes,seconds\n1,2\n")
    done = draw(table, figure)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "no column" in done.stderr, done.stderr
    done = draw(pathlib.Path(name) / "none.csv", figure)
    assert done.returncode == 2 and "none.csv" in done.stderr, done.stderr
