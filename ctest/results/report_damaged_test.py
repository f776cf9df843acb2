# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""report_damaged_test.py MAKE_SAMPLE REPORT: tests how report.py draws interrupted runs, and rejects files that it cannot draw."""
import functools
import os
import random
import resource
import subprocess
import sys
import time
import unittest
import unittest.mock

import h5py
import numpy as np

from report_sample import REPORT, WithSample, report  # must come first: it adds the folder of reporting to the path
from reporting import reading  # noqa: E402
from reporting.data import Results  # noqa: E402
from reporting.errors import ReportError  # noqa: E402


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

    def test_draws_a_run_that_was_killed_before_its_first_round(self):
        """The file has the plans, and the samples of the calibration. Its sweep has no sample and no prediction, and no table has medians."""
        def kill(file):
            file.attrs.modify("complete", 0)
            for name, data in list(file["sweep"].items()):
                if data.dtype.kind == "f" and name not in ("measured", "compute", "backward_end", "arrival", "comm_alone"):
                    del file["sweep"][name]
                elif data.dtype.kind == "f":
                    data[...] = np.nan
            for name in ("layers/ready", "allreduce/median", "allreduce/p99", "allreduce/algbw", "allreduce/busbw", "calibration/kappa", "calibration/gamma",
                         "calibration/alpha", "calibration/beta", "score", "timeline", "memory", "states", "phases", "fom", "step"):
                del file[name]
        self.change(kill)
        done = report(self.sample)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (0, 1), done.stderr)
        self.assertIn("interrupted", done.stderr)
        self.assertFalse([line for line in done.stdout.splitlines() if line.endswith("-sweep.png")], "nothing of the sweep was measured")

    def test_takes_the_medians_of_an_interrupted_run_from_its_samples(self):
        whole = self.table("sweep")
        self.change(lambda file: [file["sweep"].__delitem__(n) for n in ("measured_median", "exposed", "tail", "slowdown")])
        self.change(lambda file: file.attrs.modify("complete", 0))
        table = self.table("sweep")
        np.testing.assert_allclose(table["T_ms"], whole["T_ms"])
        np.testing.assert_allclose(table["E_ms"], whole["E_ms"])

    def test_refuses_files_that_are_missing_or_not_results_files(self):
        text = self.folder / "text.h5"
        text.write_text("not HDF5")
        self.assertIn("cannot be read as HDF5", self.refused(text))
        self.assertIn("there is no such file", self.refused(self.folder / "none.h5"))
        self.assertIn("is a folder", self.refused(self.folder))
        self.sample.unlink()
        h5py.File(self.sample, "w").close()
        self.assertIn("not a results file of ddproxy", self.fault())

    def test_refuses_another_schema_version(self):
        self.change(lambda file: file.attrs.modify("schema_version", 2))
        self.assertIn("schema version 2, but this program reads version 1; read the file with results/report.py (installed: ddproxy-report) of the version", self.fault())

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

    def test_refuses_times_of_zero(self):
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
                ("/sweep/measured", np.ones(4), "/sweep/measured has the shape (4,), but it should have a length for each of [case, sample, rank]"),
                ("/sweep/measured", np.full((10, 5, 2), "soon", h5py.string_dtype()), "/sweep/measured holds text, not numbers"),
                ("/sweep/measured", np.ones((10, 5, 2), complex), "/sweep/measured holds complex128, not numbers"),
                ("/sweep/exposed", np.ones(9), "/sweep/exposed has the length 9 along the dimension case, but /sweep/measured has 10"),
                ("/sweep/measured", np.ones((10, 0, 2)), "/sweep/measured has the length 0 along the dimension sample"),
                ("/sweep/strategy", np.ones(10), "/sweep/strategy holds float64, not text"),
                ("/timeline/count", np.ones(9, int), "/timeline/count has the length 9 along the dimension case"),
                ("/sweep/floor", np.ones(2), "/sweep/floor has the shape (2,)"),
                ("/layers/flops", h5py.Empty("f8"), "/layers/flops holds")):
            with self.subTest(path=path, text=text):
                self.sample.write_bytes(kept)
                self.replace(path, values)
                self.assertIn(text, self.fault())

    def test_refuses_numbers_in_every_dataset_of_text(self):
        kept = self.sample.read_bytes()
        with h5py.File(self.sample) as file:
            texts = [f"/{group}/{name}" for group in ("sweep", "provenance", "layers", "timeline", "score") for name in file[group]
                     if h5py.check_string_dtype(file[group][name].dtype) and name not in ("uuid", "pci_bus", "compute_source", "visible_devices", "peers")]
            shapes = {path: file[path].shape for path in texts}
        self.assertGreater(len(texts), 12, texts)
        for path in texts:
            with self.subTest(path=path):
                self.sample.write_bytes(kept)
                self.replace(path, np.ones(shapes[path]))
                self.assertIn(f"{path} holds float64, not text", self.fault())
        self.assertIn(f"sample.h5: {path} holds float64, not text", self.refused(self.sample))

    def test_refuses_ragged_ranges_whose_end_overflows(self):
        def far(file):
            file["timeline/first"][-1] = 2**63 - 2
            file["timeline/count"][-1] = 2**62
        self.change(far)
        self.assertIn("/timeline/first and /timeline/count point outside", self.refused(self.sample))

    def test_refuses_a_link_that_leads_nowhere(self):
        kept = self.sample.read_bytes()
        for path in ("sweep/measured", "sweep", "sweep/another"):
            for link in (h5py.SoftLink("/not/there"), h5py.ExternalLink("not-there.h5", "/sweep")):
                self.sample.write_bytes(kept)
                self.replace_link(path, link)
                self.assertIn(f"/{path} cannot be opened: the link leads nowhere", self.refused(self.sample))

    def test_escapes_control_characters_of_a_text(self):
        self.change(lambda file: file["sweep/name"].__setitem__(0, b"\x1b[31mnaive"))
        done = report(self.sample, "-o", self.folder / "out", "--csv")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for path in (self.folder / "out").glob("sample*.[hc]*"):
            self.assertNotIn(b"\x1b", path.read_bytes(), path)
        self.assertIn("\\x1B[31mnaive", (self.folder / "out" / "sample.html").read_text())

    def replace_link(self, path, link):
        def put(file):
            if path in file:
                del file[path]
            file[path] = link
        self.change(put)

    def test_refuses_a_dataset_that_claims_more_than_memory_holds(self):
        def claim(file):
            del file["sweep/measured"]
            file.create_dataset("sweep/measured", (10, 2**36, 2), "f8", chunks=(1, 1024, 2))
        self.change(claim)
        self.assertIn("/sweep/measured says it has 1374389534720 values", self.refused(self.sample))

    def test_refuses_values_that_cannot_be_drawn(self):
        kept = self.sample.read_bytes()
        for path, value, text in (("/sweep/measured", np.inf, "infinite"), ("/sweep/predicted", -np.inf, "infinite"),
                                  ("/layers/seconds", np.inf, "infinite"), ("/timeline/end", np.nan, "missing values (NaN)"),
                                  ("/timeline/first", 10**9, "point outside of the"), ("/timeline/first", -5, "point outside of the"),
                                  ("/plans/count", 10**9, "point outside of the"), ("/allreduce/bytes", 0, "not above 0"), ("/collectives/bytes", 0, "not above 0"),
                                  ("/sweep/bucket_bytes", 0, "of a bucketed case is not above 0")):
            with self.subTest(path=path, value=value):
                self.sample.write_bytes(kept)
                self.change(lambda file: file[path].__setitem__(-1, value))
                self.assertIn(text, self.fault())

    def test_refuses_a_cap_of_0_of_an_added_strategy(self):
        self.change(lambda file: file["sweep/strategy"].__setitem__(-1, "late_caps"))
        Results(self.sample)
        self.change(lambda file: file["sweep/bucket_bytes"].__setitem__(-1, 0))
        self.assertIn("/sweep/bucket_bytes of a case with a cap is not above 0", self.fault())

    def test_reports_a_fault_in_one_line_and_writes_no_files(self):
        self.replace("/sweep/measured", np.ones(4))
        self.assertIn("sample.h5: /sweep/measured has the shape (4,)", self.refused(self.sample))
        self.assertEqual(list(self.folder.iterdir()), [self.sample])

    def test_refuses_a_figure_of_merit_that_is_text(self):
        self.change(lambda file: file["fom"].attrs.__setitem__("tokens_per_s", "many"))
        self.assertIn("/fom", self.refused(self.sample))

    def test_names_the_file_that_does_not_fit_on_the_disk(self):
        """A limit of the file size simulates a full disk. With one limit no picture fits, with the other limit the page does not fit."""
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


class Reading(WithSample):
    """If the HDF5 library crashes or hangs, only the child process that reads may end, not the report."""

    def fault(self, work, seconds):
        with self.assertRaises(ReportError) as caught:
            reading.read_in_child(self.sample, seconds, work)
        return str(caught.exception)

    def test_reports_a_child_that_crashes_or_hangs(self):
        self.assertRegex(self.fault(lambda path, answer: os.abort(), 20), r"sample.h5: the HDF5 library crashed .*\(exit code -6\)")
        self.assertIn("sample.h5: reading it took more than 0.2 s", self.fault(lambda path, answer: time.sleep(30), 0.2))

    def test_files_with_random_bytes_are_read_or_rejected_in_one_line(self):
        kept, choose = self.sample.read_bytes(), random.Random(29)
        refused = 0
        for _ in range(25):
            damaged = bytearray(kept)
            for _ in range(20):
                damaged[choose.randrange(len(damaged))] = choose.randrange(256)
            self.sample.write_bytes(damaged)
            try:
                with unittest.mock.patch.object(reading, "SECONDS", 2):
                    Results(self.sample)
            except ReportError as error:
                refused += 1
                self.assertRegex(str(error), r"^[^\n]*sample.h5: [^\n]+$")
        self.assertGreater(refused, 5)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
