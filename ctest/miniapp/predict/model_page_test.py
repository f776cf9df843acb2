#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""model_page_test.py PROGRAM INPUTS: the first command below the table of "How the best bucket moves" in docs/model.md must write the values of this table,
in the rows that change the latency, the bandwidth or the number of ranks."""
import csv
import re
import shlex
import subprocess
import unittest

from predict_case import INPUTS, PROGRAM, PredictCase

PAGE = (INPUTS.parent / "docs" / "model.md").read_text().split("## How the best bucket moves")[1]
CHANGED = re.compile(r"(latency|bandwidth) x (\S+)$|(\d+) (ranks)$")


def rows_of_page():
    """Yields ((quantity, value), cells) for the rows that change one quantity."""
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and (found := CHANGED.match(cells[0])):
            quantity, scale, ranks, _ = found.groups()
            yield (quantity or "ranks", float(scale or ranks)), cells[1:]


class ModelPage(PredictCase):
    def test_the_table_of_the_page_equals_the_output_of_predict(self):
        command = re.search(r"^    ddproxy (predict (?:.*\\\n)*.*)", PAGE, re.MULTILINE).group(1).replace("\\\n", " ")
        table = self.path("network.csv")
        arguments = [str(table) if word == "network.csv" else word for word in shlex.split(command)]
        subprocess.run([PROGRAM, *arguments], cwd=INPUTS.parent, capture_output=True, check=True)
        with open(table) as file:
            printed = {(row["quantity"], float(row["value"])): row for row in csv.DictReader(file)}
        page = dict(rows_of_page())
        self.assertGreater(len(page), 10)
        for key, (compute, rho, caps, *exposed, calls) in page.items():
            row = printed[key]
            self.assertAlmostEqual(float(rho), float(row["rho"]), delta=0.0051, msg=key)
            low, high = (float(cap) for cap in caps.split("–"))
            self.assertAlmostEqual(low, float(row["low_mib"]), delta=0.01, msg=key)
            self.assertAlmostEqual(high, float(row["high_mib"]), delta=1, msg=key)
            names = ("exposed_best_s", "exposed_25_s", "floor_s", "exposed_plan_s")
            for cell, name in zip([compute, *exposed], ("t_compute_s", *names), strict=True):
                self.assertAlmostEqual(float(cell), 1e3 * float(row[name]), delta=0.051 if name == "t_compute_s" else 0.0051, msg=(key, name))
            self.assertEqual(calls, row["calls"], key)


if __name__ == "__main__":
    unittest.main()
