# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tests the tables of whole steps in the report: report_step_test.py MAKE_SAMPLE REPORT"""
import sys
import unittest

from report_sample import WithSample, report  # must come first: it adds the folder of reporting to the path
from reporting import step_figure  # noqa: E402
from reporting.data import Results  # noqa: E402


class Steps(WithSample):
    def only_steps(self):
        """Removes what a file of `ddproxy step` does not have."""
        def remove(file):
            for group in ("sweep", "score", "plans", "timeline", "memory", "layers", "states", "gate", "phases", "fom"):
                file.pop(group, None)
            file.attrs["command"] = "step"
        self.change(remove)

    def test_parts_are_in_milliseconds_with_the_error_of_the_prediction(self):
        table = self.table("step")
        self.assertEqual(table["part"], ["forward", "exposed", "step"])
        self.assertAlmostEqual(table["median_ms"][2], 1100)
        self.assertAlmostEqual(table["error_percent"][2], 5)
        self.assertAlmostEqual(table["error_percent"][1], 10)
        self.assertEqual(table["first_ms"][1], None)
        self.assertAlmostEqual(table["uncontended_ms"][2], 1045)

    def test_a_file_of_an_earlier_version_has_no_second_prediction(self):
        self.change(lambda file: file.pop("step/uncontended"))
        table = self.table("step")
        self.assertNotIn("uncontended_ms", table)
        self.assertAlmostEqual(table["predicted_ms"][2], 1155)

    def test_shares_of_kinds_add_up_without_the_sum_row(self):
        table = self.table("kinds")
        self.assertEqual(table["kind"][-1], "matrix products")
        for name in ("forward_percent", "backward_percent", "step_percent"):
            self.assertAlmostEqual(sum(table[name][:-1]), 100)
        self.assertAlmostEqual(table["step_percent"][-1], 45)
        self.assertAlmostEqual(table["forward_percent"][-1], 75)

    def test_a_page_of_a_file_of_steps(self):
        self.only_steps()
        page = self.folder / "sample.html"
        done = report(self.sample)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = page.read_text()
        for words in ("Whole steps", "Optimizer adamw, clip 1; 2 micro-batches, gradients are averaged in the last micro-batch", "Global batch: 64 sequences",
                      "Share of compute in a step", "predicted, no contention (ms)", "8 ranks, compute: kernels, all-reduce: mpi"):
            self.assertIn(words, text)
        self.assertNotIn("recompute</td>", text)
        self.assertNotIn("holds no sweep", text)
        for words in ("A whole step takes 1.100 s (95 % interval: 1.000 s to 1.200 s). Of this, E = 100 ms is exposed communication.",
                      "The model predicts 1.155 s, which is 5.0 % too long."):
            self.assertIn(words, text)
        self.assertTrue((self.folder / "sample-step.png").exists())
        self.assertLess(text.index("Whole steps</h2>"), text.index("Ranks</h2>"))

    def test_a_step_that_is_predicted_too_short(self):
        def shorten(file):
            file["step/predicted"][3] = 0.88
        self.change(shorten)
        self.assertEqual(step_figure.finding(Results(self.sample)), "9.1 % of a step is exposed communication;\nthe step is predicted 20.0 % too short")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
