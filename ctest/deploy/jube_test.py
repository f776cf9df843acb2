# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""jube_test.py ROOT DDPROXY: JUBE runs ddproxy over two numbers of ranks and reads its figures into a table and CSV."""
import csv
import math
import pathlib
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).parent))
import tool  # noqa: E402

ROOT, DDPROXY = pathlib.Path(sys.argv[1]), sys.argv[2]
ENVIRONMENT = {"DDPROXY": DDPROXY}


def rows_of(folder):
    """Runs the benchmark in a folder and returns the rows of the CSV table."""
    jube = tool.find("jube", "install it with apt-get install jube, or pip install jube")
    tool.run(jube, "run", ROOT / "deploy" / "jube" / "ddproxy.xml", "-o", folder / "runs", "--tag", "measured", cwd=folder, env=ENVIRONMENT)
    tool.run(jube, "result", folder / "runs", "-a", cwd=folder, env=ENVIRONMENT)
    (table,) = (folder / "runs").glob("*/result/table.dat")
    return list(csv.DictReader(table.open()))


with tempfile.TemporaryDirectory() as name:
    rows = rows_of(pathlib.Path(name))
    assert [(row["input"], row["ranks"]) for row in rows] == [("tiny", "1"), ("tiny", "2")], rows
    assert rows[0]["valid"] == "single" and rows[1]["valid"] in ("true", "oversubscribed"), rows
    for row in rows:
        for column in ("tokens_per_s[1/s]", "backward_s[s]", "exposed_s[s]", "bucket_mib[MiB]"):
            assert math.isfinite(float(row[column])), (column, row)
        assert math.isclose(float(row["tokens_per_s[1/s]"]), int(row["ranks"]) * 64 / float(row["backward_s[s]"]), rel_tol=1e-3), row
