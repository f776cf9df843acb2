# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""main_job_test.py TIMING: tests when timing.main_job calls the time or the memory of a run of scripts/run too large. A script that writes the JSON files
at once takes the place of scripts/run."""
import json
import math
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, sys.argv.pop(1))
import main_job

GIB = 2**30
SCRIPT = """#!/bin/sh
mkdir -p build out
[ -e build/ddproxy ] || touch build/ddproxy
echo '{"tables": {"provenance": {"peak_memory": [6.5e9, 7e9]}}}' | tee out/gpt2-slice-link.json >out/gpt2-large-cpu.json
"""


class Resources(unittest.TestCase):
    def faults(self, **changes):
        return main_job.faults_of_job({"seconds": 700.0, "built": False, "bytes": 12 * GIB} | changes)

    def test_time(self):
        self.assertEqual(self.faults(), [])
        self.assertEqual(self.faults(seconds=721), ["time"])
        self.assertEqual(self.faults(seconds=math.nan), ["time"])
        self.assertEqual(self.faults(seconds=3000, built=True), [])

    def test_memory(self):
        for count in (16 * GIB, 17 * GIB, 0, math.nan):
            self.assertEqual(self.faults(bytes=count), ["memory"])

    def test_a_run_is_timed(self):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            (root / "scripts").mkdir()
            (root / "scripts/run").write_text(SCRIPT)
            (root / "scripts/run").chmod(0o755)
            rows = []
            for run in ("1", "2"):
                main_job.run(root, root / run)
                rows.append(main_job.resources(root / run))
            self.assertEqual([row["built"] for row in rows], [True, False])  # the first one made build/ddproxy
            for row in rows:
                self.assertEqual(row["bytes"], 13.5e9)
                self.assertTrue(0 < row["seconds"] < 60, row)
            (root / "2" / main_job.TIME).unlink()
            self.assertTrue(math.isnan(main_job.resources(root / "2")["seconds"]))


unittest.main()
