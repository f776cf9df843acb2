# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Functions and a fixture that the tests of report.py share. Each of these tests has the arguments MAKE_SAMPLE REPORT."""
import functools
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
    """Runs report.py with these arguments. Returns the ended process, with its output."""
    return subprocess.run([sys.executable, "-B", REPORT, *map(str, arguments)], capture_output=True, text=True)


@functools.cache
def page_of_sample():
    """Returns the page of the unchanged sample. To make a page takes seconds, so all tests of a program share this page."""
    with tempfile.TemporaryDirectory() as folder:
        sample = Path(folder) / "sample.h5"
        subprocess.run([MAKE_SAMPLE, sample], check=True)
        done = report(sample)
        assert done.returncode == 0, done.stderr
        return Path(done.stdout.splitlines()[0]).read_text()


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

    def make_plans_differ(self):
        """Gives the first bucket of each case a size of its own. In the sample the caps from 1 to 64 MiB make the same buckets."""
        def write(file):
            for case, first in enumerate(file["plans/first"][()]):
                file["plans/bytes"][first] += 4 * (case + 1)
        self.change(write)

    def table(self, name):
        return next(t for t in tables_of(Results(self.sample)) if t.name == name).values()
