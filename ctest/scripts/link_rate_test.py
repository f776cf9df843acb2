# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""link_rate_test.py SCRIPTS: compares the link rate that scripts/run chooses with a calculation by hand, and tests that files without layer times are
refused."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(sys.argv.pop(1)) / "lib" / "link_rate.py"
# 250 million parameters are 1 GB of gradients. Two ranks send 1 GB each, so 16 Gbit pass the link.
LAYERS = {"tables": {"model": {"numel": [1e8, 1.5e8]}, "layers": {"ready": [0.5, 4.0]}}}


class LinkRate(unittest.TestCase):
    def rate(self, text, ranks=2, rho=2.0):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "layers.json"
            path.write_text(text)
            return subprocess.run([sys.executable, SCRIPT, path, str(ranks), str(rho)], capture_output=True, text=True)

    def test_makes_an_all_reduce_take_rho_times_the_backward_pass(self):
        self.assertEqual(self.rate(json.dumps(LAYERS)).stdout, "2000\n")  # 16 Gbit in 2 * 4 s
        self.assertEqual(self.rate(json.dumps(LAYERS), rho=0.5).stdout, "8000\n")
        self.assertEqual(self.rate(json.dumps(LAYERS), ranks=4).stdout, "6000\n")  # four ranks send 1.5 GB each

    def test_refuses_files_without_layer_times(self):
        for text in ("", "{}", '{"tables": []}', json.dumps({"tables": {**LAYERS["tables"], "layers": {"ready": [0.0]}}})):
            done = self.rate(text)
            self.assertEqual(done.returncode, 2, text)
            self.assertIn("has no layer times of `ddproxy layers`", done.stderr)


if __name__ == "__main__":
    unittest.main()
