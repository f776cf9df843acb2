# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the tests of report.py, whose arguments are MAKE_SAMPLE REPORT."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import h5py

MAKE_SAMPLE, REPORT = sys.argv[1], sys.argv[2]
sys.path.insert(0, str(Path(REPORT).parent))
from reporting.data import Results  # noqa: E402
from reporting.tables import tables_of  # noqa: E402


def report(*arguments):
    return subprocess.run([sys.executable, "-B", REPORT, *map(str, arguments)], capture_output=True, text=True)


class WithSample(unittest.TestCase):
    def setUp(self):
        self.folder_of_test = tempfile.TemporaryDirectory()
        self.folder = Path(self.folder_of_test.name)
        self.sample = self.folder / "sample.h5"
        subprocess.run([MAKE_SAMPLE, self.sample], check=True)

    def tearDown(self):
        self.folder_of_test.cleanup()

    def change(self, action):
        with h5py.File(self.sample, "r+") as file:
            action(file)

    def table(self, name):
        return next(t for t in tables_of(Results(self.sample)) if t.name == name).values()
