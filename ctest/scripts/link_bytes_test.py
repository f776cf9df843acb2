# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""link_bytes_test.py SCRIPTS: tests when scripts/lib/link_bytes.py says that a run did not use the limited link. The bytes are calculated by hand."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(sys.argv.pop(1)).resolve() / "lib" / "link_bytes.py"
# Three samples; the fourth was not taken. In each sample each of the two ranks sends 1 MiB of gradients, so the samples send 6 MiB.
RESULT = {"tables": {"model": {"numel": [2**17, 2**17]}, "sweep": {"measured": [[[0.1, 0.2], [0.1, 0.1]], [[0.3, 0.2], [None, None]]]}}}


class LinkBytes(unittest.TestCase):
    def check(self, passed, result=json.dumps(RESULT), ranks=2):
        with tempfile.TemporaryDirectory() as folder:
            here = pathlib.Path(folder)
            (here / "run.json").write_text(result)
            (here / "bytes.txt").write_text(passed)
            done = subprocess.run([sys.executable, SCRIPT, "run.json", str(ranks), "bytes.txt"], cwd=here, capture_output=True, text=True)
            self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1), done.stderr)
            return done.returncode, done.stderr

    def test_at_least_half_of_the_bytes_means_that_the_link_was_used(self):
        code, line = self.check(str(6 * 2**20))
        self.assertEqual((code, line), (0, "ddproxy: 6 MiB passed the limited link, and the samples send 6 MiB\n"))
        self.assertEqual(self.check(str(3 * 2**20))[0], 0)

    def test_less_than_half_of_the_bytes_means_that_the_link_was_not_used(self):
        code, line = self.check(str(3 * 2**20 - 1))
        self.assertEqual(code, 4)
        self.assertIn("the link was NOT used by this MPI: only 3 MiB passed the limited link, and the samples send 6 MiB. Do not use run.json", line)
        self.assertEqual(self.check(str(4 * 2**20), ranks=4)[0], 4)  # four ranks send 18 MiB

    def test_files_without_the_needed_numbers_are_refused(self):
        for passed, result in (("", json.dumps(RESULT)), ("12", ""), ("12", "{}"), ("12", '{"tables": []}')):
            code, line = self.check(passed, result)
            self.assertEqual(code, 2)
            self.assertIn("run.json or bytes.txt does not have what the check of the link needs", line)


if __name__ == "__main__":
    unittest.main()
