# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""earlier_files_test.py MAKE_SAMPLE REPORT DDPROXY_MODEL: compare, the report and its reader open files of earlier versions. One file is stored:
ddproxy wrote it at 7955e08 (2026-11-24, schema 1). The test makes the others: it gives a sample the names that earlier versions used. For these files the
results must be the same as for the sample with the present names."""
import gzip
import json
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

import h5py
import numpy as np

from report_sample import WithSample, report  # must come first: it adds the folder of reporting to the path
from reporting.data import EARLIER_NAMES, Results  # noqa: E402

MODEL = sys.argv[3]
# Names of datasets in files of earlier versions, and the present names; SCALES has the names of dimension scales
EARLIER = {"/allreduce/chunk_bytes": "/allreduce/piece_bytes", "/allreduce/chunk_seconds": "/allreduce/piece_seconds", "/score/order": "/score/pairs_in_order"}
SCALES = {"/allreduce/chunk": "/allreduce/piece", "/allreduce/chunk_sample": "/allreduce/piece_sample"}
# Groups and datasets that files of earlier versions do not have
LATER = ("collectives", "step", "memory", "sweep/over_best", "sweep/over_best_low", "sweep/over_best_high", "sweep/bucket_alone", "timeline/live_bytes_start", "timeline/live_bytes_end")


def remove_later(path):
    with h5py.File(path, "r+") as file:
        for name in LATER:
            del file[name]


def rename(path):
    """Gives a file the earlier names, and two datasets that only earlier versions wrote."""
    with h5py.File(path, "r+") as file:
        for earlier, name in (EARLIER | SCALES).items():
            file.move(name, earlier)
        file["sweep/last_bucket"] = file["sweep/comm"][()]
        file["score/floor"] = 0.01


class EarlierFile(WithSample):
    def setUp(self):
        super().setUp()
        remove_later(self.sample)
        self.other, self.earlier = self.folder / "other.h5", self.folder / "earlier.h5"
        shutil.copy(self.sample, self.other)
        with h5py.File(self.other, "r+") as file:  # makes it another run: compare warns if both sides have the same run
            file.attrs.modify("created", "2026-01-01T00:00:00Z")
        shutil.copy(self.other, self.earlier)
        rename(self.earlier)

    def compared(self, *files):
        """Runs `ddproxy compare` on the files. Returns the exit code, the warnings, and the content of the JSON file, with FILE in place of the names of the files."""
        out = self.folder / "compared.json"
        done = subprocess.run([MODEL, "compare", *map(str, files), "--allow-undecided", "--json", out], capture_output=True, text=True)
        self.assertTrue(out.exists(), done)
        text = out.read_text()
        out.unlink()
        for file in files:
            text = text.replace(str(file), "FILE")
        return done.returncode, done.stderr, json.loads(text)

    def test_is_compared_like_the_present_file(self):
        expected = self.compared(self.sample, self.other)
        self.assertEqual((expected[0], expected[1]), (0, ""))
        self.assertEqual(len(expected[2]["compare"]), 10)
        self.assertEqual(self.compared(self.sample, self.earlier), expected)
        self.assertEqual(self.compared(self.earlier, self.sample), self.compared(self.other, self.sample))

    def tables_of_report(self, path):
        done = report(path, "-o", self.folder / path.stem, "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue((self.folder / path.stem / f"{path.stem}.html").exists())
        return json.loads((self.folder / path.stem / f"{path.stem}-tables.json").read_text())

    def test_has_the_same_tables_in_the_report(self):
        expected = self.tables_of_report(self.other)
        self.assertEqual(len(expected["score"]["pairs_in_order"]), 2)
        self.assertEqual(self.tables_of_report(self.earlier), expected)

    def test_is_read_under_the_present_names(self):
        self.assertEqual(EARLIER_NAMES, EARLIER)
        before, after = Results(self.other), Results(self.earlier)
        for earlier, name in EARLIER.items():
            self.assertNotIn(earlier, after.values)
            np.testing.assert_array_equal(after.values[name], before.values[name])
            self.assertEqual(after.units[name], before.units[name])

# The file that `mpirun -n 2 ddproxy run inputs/tiny.toml` wrote at 7955e08. The command line and the list of environment variables in the file were shortened.
STORED = Path(__file__).parent / "early-7955e08.h5.gz"


class StoredFile(WithSample):
    def setUp(self):
        super().setUp()
        self.early = self.folder / "early.h5"
        self.early.write_bytes(gzip.decompress(STORED.read_bytes()))
        with h5py.File(self.early) as file:
            self.assertEqual((file.attrs["schema_version"], file.attrs["ddproxy_version"]), (1, "0.1.0"))
            names, times = file["sweep/name"].asstr()[:], file["sweep/measured"][:]  # seconds, [case, sample, rank]
        self.medians = dict(zip(names, np.median(times.max(axis=2), axis=1), strict=True))

    def test_is_compared(self):
        out = self.folder / "compared.json"
        done = subprocess.run([MODEL, "compare", self.early, self.early, "--allow-undecided", "--json", out], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done)
        table = json.loads(out.read_text())["compare"]
        for case, base, new in zip(table["case"], table["base_s"], table["new_s"], strict=True):
            self.assertAlmostEqual(base, self.medians[case], delta=1e-12)
            self.assertEqual(base, new)
        self.assertEqual(set(table["case"]), set(self.medians))

    def test_has_a_report(self):
        done = report(self.early, "-o", self.folder / "page", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        page = (self.folder / "page" / "early.html").read_text()
        table = json.loads((self.folder / "page" / "early-tables.json").read_text())["sweep"]
        for case, median in self.medians.items():
            self.assertIn(case, page)
            self.assertAlmostEqual(table["T_ms"][table["case"].index(case)], 1e3 * median, delta=1e-9)

    def test_is_read_by_the_reader(self):
        results = Results(self.early)
        self.assertTrue(results.complete)
        self.assertEqual(results.attribute("/fom", "valid"), "true")
        np.testing.assert_array_equal(np.median(results.values["/sweep/measured"].max(axis=2), axis=1), list(self.medians.values()))


unittest.main(argv=sys.argv[:1])
