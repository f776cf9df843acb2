# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""torch_link_test.py TIMING: checks which measured points timing.torch_link calls wrong. A point is one measurement with FSDP2 or ZeRO-1. The test plants faults
into two points, whose bytes are those of the points in docs/measurements/sharding.md."""
import sys
import unittest

sys.path.insert(0, sys.argv.pop(1))
import torch_link

PSI = 36.3e6  # bytes of all gradients
FSDP2 = {"method": "fsdp2", "verbs": {"all_gather": [9, 64.7e6], "reduce_scatter": [5, PSI]}, "link_bytes": 3.79 * PSI,
         "measured_s": 1.2, "low_s": 1.15, "high_s": 1.25, "predicted_s": 1.14}
ZERO1 = FSDP2 | {"method": "zero1", "verbs": {"broadcast": [52, PSI], "all_reduce": [3, PSI]}, "link_bytes": 3.00 * PSI}


class Complaints(unittest.TestCase):
    def complaint(self, found, **changes):
        """Returns the only complaint about a point with these changes."""
        complaints = torch_link.complaints(1, "0.5", found | changes)
        self.assertEqual(len(complaints), 1, complaints)
        return complaints[0]

    def test_the_measured_points_cause_no_complaint(self):
        for found in (FSDP2, ZERO1):
            self.assertEqual(torch_link.complaints(1, "0.5", found), [])

    def test_link_bytes_more_than_5_percent_off_or_unknown_are_a_complaint(self):
        for found, right in ((FSDP2, 64.7e6 + 2 * PSI), (ZERO1, 3 * PSI)):
            for share in (0.94, 1.06):
                self.assertRegex(self.complaint(found, link_bytes=share * right), f"run 1, rho 0.5, {found['method']}: .* bytes on the link, but the calls send .*: [+-]6.0%, more than 5%")
            for share in (0.96, 1.04):
                self.assertEqual(torch_link.complaints(1, "0.5", found | {"link_bytes": share * right}), [])
        # Too few bytes: PSI for the reduce-scatters. Gloo carries out a reduce-scatter as an all-reduce, so together they send 2 PSI.
        self.assertIn("bytes on the link", self.complaint(FSDP2, link_bytes=64.7e6 + PSI))
        self.assertIn("are not known", self.complaint(FSDP2, link_bytes=None))

    def test_a_wrong_or_undecided_prediction_of_the_step_is_a_complaint(self):
        self.assertIn("T: error -11.0%", self.complaint(FSDP2, predicted_s=1.068))
        self.assertIn("undecided", self.complaint(FSDP2, low_s=1.0, high_s=1.4, predicted_s=9))


unittest.main()
