# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""jube_test.py ROOT DDPROXY: JUBE runs the twins, and a small model on one and on two ranks, and writes the figures of ddproxy into a CSV table."""
import csv
import math
import pathlib
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).parent))
import tool  # noqa: E402

ROOT, DDPROXY = pathlib.Path(sys.argv[1]), sys.argv[2]
ENVIRONMENT = {"DDPROXY": DDPROXY}
TWINS = {"gpt2-large-a100x16-slingshot": 0.18882, "gpt2-large-a100x8": 0.5983}  # the predicted T in seconds, in the order of the table


def rows_of(folder, *options):
    """Runs the benchmark in a new folder and returns the rows of the CSV table."""
    jube = tool.find("jube", "install it with apt-get install jube, or pip install jube")
    folder.mkdir()
    tool.run(jube, "run", ROOT / "deploy" / "jube" / "ddproxy.xml", "-o", folder / "runs", *options, cwd=folder, env=ENVIRONMENT)
    tool.run(jube, "result", folder / "runs", "-a", cwd=folder, env=ENVIRONMENT)
    (table,) = (folder / "runs").glob("*/result/table.dat")
    return list(csv.DictReader(table.open()))


def check_figures(row):
    for column in ("tokens_per_s[1/s]", "backward_s[s]", "exposed_s[s]", "bucket_mib[MiB]"):
        assert math.isfinite(float(row[column])), (column, row)


def check_twins(folder):
    """Runs the benchmark without tags. model_error may be nan where E is small."""
    rows = rows_of(folder)
    assert [(row["input"], row["ranks"], row["valid"]) for row in rows] == [(name, "1", "replay") for name in TWINS], rows
    for row in rows:
        check_figures(row)
        assert math.isclose(float(row["backward_s[s]"]), TWINS[row["input"]], rel_tol=0.02), row
        float(row["model_error"])


def check_measured(folder):
    rows = rows_of(folder, "--tag", "measured")
    assert [(row["input"], row["ranks"]) for row in rows] == [("tiny", "1"), ("tiny", "2")], rows
    assert rows[0]["valid"] == "single" and rows[1]["valid"] in ("true", "oversubscribed"), rows
    for row in rows:
        check_figures(row)
        assert math.isclose(float(row["tokens_per_s[1/s]"]), int(row["ranks"]) * 64 / float(row["backward_s[s]"]), rel_tol=1e-3), row


with tempfile.TemporaryDirectory() as name:
    check_measured(pathlib.Path(name) / "measured")
    check_twins(pathlib.Path(name) / "twins")
