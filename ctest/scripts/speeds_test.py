# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""speeds_test.py SCRIPTS: tests that speeds() finds a planted kappa and gamma. It gets times of compute and of collectives that run at these shares of
their speeds while both run, as the two fluids of docs/model.md do."""
import sys
import unittest

sys.path.insert(0, sys.argv.pop(1))
from torch_recording.speeds import TARGET_SECONDS, alone_seconds, rebalanced, sizes, speeds  # noqa: E402


def beside(compute, collective, kappa, gamma):
    """Returns the times in seconds at which compute and the collectives end, if both begin at 0. They run at the speeds kappa and gamma until one of them
    ends; then the other continues at full speed."""
    both = min(compute / kappa, collective / gamma)
    return both + compute - kappa * both, both + collective - gamma * both


class Speeds(unittest.TestCase):
    def test_speeds_finds_the_planted_kappa_and_gamma(self):
        for kappa in (0.3, 0.8, 1.0):
            for gamma in (0.05, 0.4, 1.0):
                for collective in (0.5, 1.0, 3.0):
                    found = speeds(1.0, collective, *beside(1.0, collective, kappa, gamma))
                    self.assertAlmostEqual(found[0], kappa)
                    self.assertAlmostEqual(found[1], gamma)

    def test_noise_that_speeds_up_is_no_contention(self):
        self.assertEqual(speeds(1.0, 1.0, 0.9, 0.95), (1.0, 1.0))

    def test_gamma_uses_the_median_times_of_the_table(self):
        # ten calls of 0.1 s, the median of the table, take twice as long next to compute; 0.3 s is an outlier
        alone = alone_seconds([(4096, [0.3, 0.1, 0.1])])
        self.assertEqual(speeds(2.0, 10 * alone[4096], 2.0, 2.0), (1.0, 0.5))

    def test_times_of_the_table_do_not_decrease_with_size(self):
        self.assertEqual(alone_seconds([(8, [2.0]), (16, [1.0, 9.0, 1.0]), (32, [3.0])]), {8: 2.0, 16: 2.0, 32: 3.0})

    def test_rebalanced_makes_compute_and_collectives_end_together(self):
        repetitions, calls = 1, 1
        for _ in range(4):  # a product of 2 ms and a call of 1 ms, at a half and a fifth of their speeds
            ends = beside(2e-3 * repetitions, 1e-3 * calls, 0.5, 0.2)
            repetitions, calls = rebalanced(repetitions, calls, 1e-3 * calls, *ends)
        compute, collective = beside(2e-3 * repetitions, 1e-3 * calls, 0.5, 0.2)
        self.assertLess(abs(compute / collective - 1), 0.15)
        self.assertGreater(compute, 0.5 * TARGET_SECONDS)
        self.assertEqual(rebalanced(1, 1, 1.0, 1.0, 100.0), (10, 1))  # little progress: at least a tenth of the call is assumed to have run with compute

    def test_sizes_rise_from_the_smallest_gradient_and_are_whole_elements(self):
        found = sizes(20, 10**9)
        self.assertEqual((found[0], found[-1], len(found)), (20, 64 * 2**20, 6))
        self.assertTrue(all(size % 4 == 0 for size in found))
        self.assertEqual(sizes(8, 8), [8])


unittest.main()
