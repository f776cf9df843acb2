# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""main_job_test.py TIMING: tests when timing.main_job calls the time or the memory of a run of scripts/run too large, and when it calls T of naive and
flat different from its prediction. A script that writes the JSON files at once takes the place of scripts/run."""
import contextlib
import io
import json
import math
import pathlib
import statistics
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

    def test_too_long_or_unknown_time_is_a_fault_unless_the_run_built(self):
        self.assertEqual(self.faults(), [])
        self.assertEqual(self.faults(seconds=721), ["time"])
        self.assertEqual(self.faults(seconds=math.nan), ["time"])
        self.assertEqual(self.faults(seconds=3000, built=True), [])

    def test_too_much_or_unknown_memory_is_a_fault(self):
        for count in (16 * GIB, 17 * GIB, 0, math.nan):
            self.assertEqual(self.faults(bytes=count), ["memory"])

    def test_a_run_records_its_time_its_memory_and_whether_it_built(self):
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


SUMS = (1.0, 1.1, 1.2, 1.3, 1.4)  # T_compute + T_comm of each round, in seconds; the machine becomes slower from round to round


def document(naive, flat=SUMS):
    """Returns the JSON of a run with naive, flat and one bucketed case. The arguments are T of naive and of flat in the rounds of SUMS. A sixth round
    does not count."""
    totals = [list(naive), list(flat), list(SUMS)]
    sweep = {
        "name": ["naive", "flat", "bucketed/8"], "strategy": ["naive", "flat", "bucketed"],
        "measured": [[[t - 0.1, t] for t in row] + [[9.0, 9.0]] for row in totals],
        "compute": [[[s - 0.4, s - 0.5] for s in SUMS] + [[1.0, None]] for _ in totals],
        "comm_alone": [[0.4] * 5 + [None] for _ in totals], "counted": [[1] * 5 + [0] for _ in totals],
        "measured_median": [statistics.median(row) for row in totals], "same_round": [statistics.median(SUMS)] * 3,
        "exposed": [0.4] * 3, "over_best": [1.0] * 3, "over_best_low": [1.0] * 3, "over_best_high": [1.0] * 3}
    return {"fom": {"valid": "true", "model_error": 0.01, "regret": 0.0}, "tables": {"sweep": sweep}}


class NaiveAndFlat(unittest.TestCase):
    WITHIN_BY_MEDIANS = (1.1, 1.21, 1.32, 1.1, 1.2)  # T / sum is 1.1, 1.1, 1.1, 0.85 and 0.86; the medians of T and of the sum are both 1.2
    WITHIN_BY_PAIRS = (1.3, 1.4, 1.2, 1.3, 1.4)  # T / sum is 1.3, 1.27, 1, 1 and 1; the medians of T and of the sum are 1.3 and 1.2

    def judged(self, planted):
        """Returns the figures of a planted file, the bounds that it does not keep, and what judge() prints."""
        with tempfile.TemporaryDirectory() as name, contextlib.redirect_stdout(io.StringIO()) as printed:
            (pathlib.Path(name) / "planted.json").write_text(json.dumps(planted))
            rows, _ = main_job.judge("planted", [pathlib.Path(name)], main_job.faults_of_whole)
        return rows[0], main_job.faults_of_whole(rows[0]), printed.getvalue()

    def test_the_differences_within_rounds_decide_and_not_the_medians(self):
        for naive, difference, of_medians, faults in ((self.WITHIN_BY_MEDIANS, 0.1, 0, ["naive and flat"]), (self.WITHIN_BY_PAIRS, 0, 1 / 12, [])):
            for planted in (document(naive), document(SUMS, naive)):  # the larger figure counts, whether it is that of naive or of flat
                row, found, _ = self.judged(planted)
                self.assertAlmostEqual(row["same_round"], difference)
                self.assertAlmostEqual(row["of_medians"], of_medians)
                self.assertEqual(found, faults)

    def test_a_difference_below_0_counts_too(self):
        for factor, faults in ((0.96, []), (0.94, ["naive and flat"])):
            row, found, _ = self.judged(document([factor * s for s in SUMS]))
            self.assertAlmostEqual(row["same_round"], 1 - factor)
            self.assertEqual(found, faults)

    def test_the_difference_and_the_ratio_of_medians_are_printed(self):
        heading, line = self.judged(document(self.WITHIN_BY_PAIRS))[2].splitlines()[1:3]
        self.assertIn("naive, flat  ratio of medians", heading)
        end = heading.index("ratio of medians") + len("ratio of medians")
        self.assertTrue(line[:end].endswith("0.00 %            8.33 %"), line)

    def test_missing_values_are_a_fault(self):
        for case in (0, 1):
            for key, value in (("comm_alone", None), ("measured", [1.0, None]), ("compute", [None, 0.5])):
                planted = document(SUMS)
                planted["tables"]["sweep"][key][case][2] = value
                self.assertEqual(self.judged(planted)[1], ["naive and flat"], (case, key))
        planted = document(SUMS)
        planted["tables"]["sweep"]["counted"][1] = [0] * 6
        self.assertEqual(self.judged(planted)[1], ["naive and flat"])


unittest.main()
