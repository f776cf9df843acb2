# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""report_damaged_test.py MAKE_SAMPLE REPORT: how report.py refuses what it cannot draw."""
import functools
import resource
import subprocess
import sys
import unittest

import h5py
import numpy as np

from report_sample import REPORT, WithSample, report  # first: it says where reporting is
from reporting.data import ReportError, Results  # noqa: E402


class Damaged(WithSample):
    def refused(self, *arguments):
        done = report(*arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        return done.stderr

    def fault(self):
        with self.assertRaises(ReportError) as caught:
            Results(self.sample)
        return str(caught.exception)

    def test_draws_an_interrupted_run_with_missing_values(self):
        def lose(file):
            file.attrs.modify("complete", 0)
            file["sweep/predicted"][...] = np.nan
            file["sweep/measured"][9] = np.nan
            file["sweep/measured_median"][9] = np.nan
            for name in ("sweep/ci_low", "layers", "allreduce/busbw", "score", "timeline", "provenance/host"):
                del file[name]

        self.change(lose)
        done = report(self.sample)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.assertIn("interrupted", done.stderr)

    def test_takes_the_medians_of_an_interrupted_run_from_its_samples(self):
        whole = self.table("sweep")
        self.change(lambda file: [file["sweep"].__delitem__(n) for n in ("measured_median", "exposed", "tail", "slowdown")])
        self.change(lambda file: file.attrs.modify("complete", 0))
        table = self.table("sweep")
        np.testing.assert_allclose(table["T_ms"], whole["T_ms"])
        np.testing.assert_allclose(table["E_ms"], whole["E_ms"])

    def test_refuses_what_is_no_results_file(self):
        text = self.folder / "text.h5"
        text.write_text("not HDF5")
        self.assertIn("cannot be read as HDF5", self.refused(text))
        self.assertIn("no such file", self.refused(self.folder / "none.h5"))
        self.assertIn("is a folder", self.refused(self.folder))
        self.sample.unlink()
        h5py.File(self.sample, "w").close()
        self.assertIn("no ddproxy results file", self.fault())

    def test_refuses_another_schema_version(self):
        self.change(lambda file: file.attrs.modify("schema_version", 2))
        self.assertIn("schema version 2", self.fault())

    def test_names_the_dataset_that_is_lost(self):
        kept = self.sample.read_bytes()
        for name in ("sweep", "sweep/name", "sweep/measured", "sweep/predicted", "layers/seconds", "allreduce/seconds", "plans/bytes",
                     "timeline/end", "provenance/command_line"):
            self.sample.write_bytes(kept)
            self.change(lambda file: file.__delitem__(name))
            self.assertIn("has lost the dataset /" + name, self.fault())
        self.sample.write_bytes(kept)
        self.change(lambda file: file["fom"].attrs.__delitem__("valid"))
        self.assertIn("/fom", self.fault())
        self.assertEqual(list(self.folder.glob("*.png")), [])

    def test_refuses_times_that_are_none(self):
        self.change(lambda file: file["sweep/measured"].write_direct(np.zeros(file["sweep/measured"].shape)))
        self.assertIn("/sweep/measured", self.refused(self.sample))

    def replace(self, path, values):
        def put(file):
            del file[path]
            file[path] = values
        self.change(put)

    def test_refuses_datasets_of_another_kind_or_shape(self):
        kept = self.sample.read_bytes()
        for path, values, text in (
                ("/sweep/measured", np.ones(4), "/sweep/measured has the shape (4,), not a length for each of [case, sample, rank]"),
                ("/sweep/measured", np.full((10, 5, 2), "soon", h5py.string_dtype()), "/sweep/measured holds text, not numbers"),
                ("/sweep/measured", np.ones((10, 5, 2), complex), "/sweep/measured holds complex128, not numbers"),
                ("/sweep/exposed", np.ones(9), "/sweep/exposed has 9 along case, /sweep/measured has 10"),
                ("/sweep/measured", np.ones((10, 0, 2)), "/sweep/measured has nothing along sample"),
                ("/sweep/strategy", np.ones(10), "/sweep/strategy holds float64, not text"),
                ("/timeline/count", np.ones(9, int), "/timeline/count has 9 along case"),
                ("/sweep/floor", np.ones(2), "/sweep/floor has the shape (2,)"),
                ("/layers/flops", h5py.Empty("f8"), "/layers/flops holds")):
            with self.subTest(path=path, text=text):
                self.sample.write_bytes(kept)
                self.replace(path, values)
                self.assertIn(text, self.fault())

    def test_refuses_values_that_cannot_be_drawn(self):
        kept = self.sample.read_bytes()
        for path, value, text in (("/sweep/measured", np.inf, "infinite"), ("/sweep/predicted", -np.inf, "infinite"),
                                  ("/layers/seconds", np.inf, "infinite"), ("/timeline/end", np.nan, "not there (NaN)"),
                                  ("/timeline/first", 10**9, "point outside of the"), ("/timeline/first", -5, "point outside of the"),
                                  ("/plans/count", 10**9, "point outside of the"), ("/allreduce/bytes", 0, "not above 0"),
                                  ("/sweep/bucket_bytes", 0, "of a bucketed case is not above 0")):
            with self.subTest(path=path, value=value):
                self.sample.write_bytes(kept)
                self.change(lambda file: file[path].__setitem__(-1, value))
                self.assertIn(text, self.fault())

    def test_says_each_fault_in_one_line(self):
        self.replace("/sweep/measured", np.ones(4))
        self.assertIn("sample.h5: /sweep/measured has the shape (4,)", self.refused(self.sample))
        self.assertEqual(list(self.folder.iterdir()), [self.sample])

    def test_refuses_a_figure_of_merit_that_is_text(self):
        self.change(lambda file: file["fom"].attrs.__setitem__("tokens_per_s", "many"))
        self.assertIn("/fom", self.refused(self.sample))

    def test_names_the_file_that_the_disk_has_no_room_for(self):
        """A limit on the size of files stands for the full disk: with one no picture fits, with the other the page does not."""
        for room, name in ((16 * 1024, r"sample-\w+.png"), (400 * 1024, "sample.html")):
            out = self.folder / str(room)
            limit = functools.partial(resource.setrlimit, resource.RLIMIT_FSIZE, (room, room))
            done = subprocess.run([sys.executable, "-B", REPORT, self.sample, "-o", out], capture_output=True, text=True, preexec_fn=limit)
            self.assertEqual((done.returncode, len(done.stderr.strip().splitlines())), (4, 1), done.stderr)
            self.assertRegex(done.stderr, f"report.py: .*/{name}: cannot be written: File too large; make room")
            self.assertEqual([p for p in out.iterdir() if p.suffix != ".png"], [])

    def test_refuses_a_folder_that_cannot_be_written(self):
        self.assertIn("sample.h5", self.refused(self.sample, "-o", self.sample))

    def test_refuses_a_reference_that_is_no_table(self):
        self.assertIn("bytes,seconds", self.refused(self.sample, "--reference", REPORT))
        table = self.folder / "table.csv"
        for row in ("1,nan", "-2,3", "8,1e-5,0"):
            table.write_text(f"bytes,seconds,ranks\n1024,1e-5,2\n{row}\n")
            self.assertIn("table.csv:3", self.refused(self.sample, "--reference", table))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
