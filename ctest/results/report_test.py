# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""report_test.py MAKE_SAMPLE REPORT: what report.py writes, and how it refuses."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import matplotlib.image
import numpy as np

MAKE_SAMPLE, REPORT = sys.argv[1], sys.argv[2]


def report(*arguments):
    return subprocess.run([sys.executable, "-B", REPORT, *map(str, arguments)], capture_output=True, text=True)


class Report(unittest.TestCase):
    def setUp(self):
        self.folder_of_test = tempfile.TemporaryDirectory()
        self.folder = Path(self.folder_of_test.name)
        self.sample = self.folder / "sample.h5"
        subprocess.run([MAKE_SAMPLE, self.sample], check=True)

    def tearDown(self):
        self.folder_of_test.cleanup()

    def refused(self, *arguments):
        done = report(*arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done.stderr

    def change(self, action):
        with h5py.File(self.sample, "r+") as file:
            action(file)

    def test_writes_a_picture_and_prints_its_path(self):
        done = report(self.sample, "-o", self.folder / "new" / "folder")
        self.assertEqual(done.returncode, 0, done.stderr)
        pictures = [line for line in done.stdout.split() if line.endswith(".png")]
        self.assertTrue(pictures)
        for picture in pictures:
            pixels = matplotlib.image.imread(picture)
            self.assertGreater(min(pixels.shape[:2]), 300)
            self.assertGreater(len(np.unique(pixels.reshape(-1, pixels.shape[2]), axis=0)), 50)

    def test_warns_of_an_interrupted_run(self):
        self.change(lambda file: file.attrs.modify("complete", 0))
        done = report(self.sample)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("interrupted", done.stderr)

    def test_draws_with_missing_values(self):
        def lose(file):
            file["sweep/predicted"][...] = np.nan
            file["sweep/measured"][9] = np.nan
            file["sweep/measured_median"][9] = np.nan
            del file["sweep/ci_low"]

        self.change(lose)
        done = report(self.sample)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_refuses_what_is_no_results_file(self):
        text = self.folder / "text.h5"
        text.write_text("not HDF5")
        self.assertIn("cannot be read as HDF5", self.refused(text))
        self.assertIn("no such file", self.refused(self.folder / "none.h5"))
        h5py.File(self.folder / "other.h5", "w").close()
        self.assertIn("no ddproxy results file", self.refused(self.folder / "other.h5"))

    def test_refuses_another_schema_version(self):
        self.change(lambda file: file.attrs.modify("schema_version", 2))
        self.assertIn("schema version 2", self.refused(self.sample))

    def test_names_the_dataset_that_is_lost(self):
        self.change(lambda file: file.__delitem__("sweep/measured_median"))
        self.assertIn("/sweep/measured_median", self.refused(self.sample))

    def test_refuses_a_folder_that_cannot_be_written(self):
        self.assertIn("sample.h5", self.refused(self.sample, "-o", self.sample))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
