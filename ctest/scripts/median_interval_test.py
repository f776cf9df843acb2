# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""median_interval_test.py SCRIPTS: tests the 95 % intervals of torch_recording.median_interval. Compares them with tables of the sign test, with
Student's formula, with the intervals that median_intervals.csv has, and with known medians."""
import csv
import math
import pathlib
import random
import re
import sys
import unittest

sys.path.insert(0, sys.argv.pop(1))
from torch_recording.median_interval import FEWEST, median_interval, paired_ratio  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]


class MedianInterval(unittest.TestCase):
    def test_has_the_ranks_of_the_sign_test(self):
        # {n: rank of the lower end}: the critical values of the two-sided sign test at 5 %, which statistical tables have, plus 1
        for count, rank in {6: 1, 8: 1, 9: 2, 11: 2, 12: 3, 15: 4, 20: 6, 25: 8, 30: 10, 50: 18}.items():
            values = list(range(1, count + 1))
            random.Random(count).shuffle(values)
            self.assertEqual(median_interval(values), ((count + 1) / 2, rank, count + 1 - rank), count)

    def test_three_values_have_the_interval_of_students_t_distribution(self):
        middle, low, high = median_interval([1.0, 2.0, 6.0])
        self.assertEqual(middle, 2.0)
        half = 0.95 / math.sqrt(2 * 0.975 * 0.025) * math.sqrt(7.0) / math.sqrt(3)
        self.assertAlmostEqual(low, 3 - half)
        self.assertAlmostEqual(high, 3 + half)

    def test_equals_the_intervals_in_median_intervals_csv(self):
        """The test model.statistics compares the C++ implementation with the same rows."""
        with open(ROOT / "ctest/model/median_intervals.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
        self.assertGreater(len(rows), 10)
        for row in rows:
            expected = [float(row[name]) for name in ("median", "low", "high")]
            for got, want in zip(median_interval(map(float, row["values"].split())), expected):
                self.assertAlmostEqual(got, want, 8, row["values"])

    def test_needs_as_many_values_as_the_other_implementations(self):
        """The model, the scripts and the report each have a constant: the least number of values for an interval of the median. These constants must be equal."""
        limits = {"model/statistics/median_interval.hpp": r"fewest_for_an_interval = (\d+);", "results/reporting/intervals.py": r"^FEWEST = (\d+)\b"}
        for path, pattern in limits.items():
            found = re.findall(pattern, (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)
            self.assertEqual(found, [str(FEWEST)], path)

    def test_the_interval_of_one_value_is_unknown(self):
        middle, low, high = median_interval([4.0])
        self.assertEqual(middle, 4.0)
        self.assertTrue(math.isnan(low) and math.isnan(high))

    def test_takes_thousands_of_values(self):
        _, low, high = median_interval(range(5001))
        self.assertEqual((low, high), (2430, 2570))  # 2500 +- 1.96 * sqrt(5001) / 2, rounded outwards

    def test_contains_a_skewed_median_in_95_to_98_percent_of_draws(self):
        drawn, held = random.Random(1), 0
        for _ in range(2000):
            _, low, high = median_interval([drawn.expovariate(1) for _ in range(12)])
            held += low <= math.log(2) <= high
        self.assertGreater(held, 0.95 * 2000)
        self.assertLess(held, 0.98 * 2000)  # 96.1 % on average: the ranks 3 and 10 of 12


class PairedRatio(unittest.TestCase):
    def test_does_not_change_if_both_series_are_slowed_equally(self):
        pace = [1.0, 5.0, 1.0, 2.0, 1.0, 9.0, 1.0]
        self.assertEqual(paired_ratio([3 * p for p in pace], [2 * p for p in pace]), (1.5, 1.5, 1.5))

    def test_is_the_median_of_the_ratios_and_not_the_ratio_of_the_medians(self):
        middle, low, high = paired_ratio([1.0, 2.0, 30.0], [1.0, 1.0, 10.0])
        self.assertEqual(middle, 2.0)
        self.assertTrue(low < middle < high)


unittest.main()
