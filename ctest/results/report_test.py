# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""report_test.py MAKE_SAMPLE REPORT: what report.py writes, and how it refuses."""
import csv
import functools
import json
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import h5py
import matplotlib.image
import numpy as np

MAKE_SAMPLE, REPORT = sys.argv[1], sys.argv[2]
sys.path.insert(0, str(Path(REPORT).parent))
from reporting import derive, page, style, timeline_figure  # noqa: E402
from reporting.cases import Cases  # noqa: E402
from reporting.data import ReportError, Results  # noqa: E402
from reporting.report import Report  # noqa: E402
from reporting.split_figure import draw_split, measured_parts  # noqa: E402
from reporting.sweep_figure import draw_sweep  # noqa: E402
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


class NoCaps(WithSample):
    def test_a_sweep_without_caps_has_a_page(self):
        def without(file):
            strategies = file["sweep/strategy"]
            for case, strategy in enumerate(strategies.asstr()):
                if strategy == "bucketed":
                    strategies[case] = "optimal"
                    file["sweep/bucket_bytes"][case] = -1
        self.change(without)
        done = report(self.sample, "-o", self.folder / "out", "--csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        page = (self.folder / "out" / "sample.html").read_text()
        self.assertIn("No bucketed case was measured.", page)
        self.assertFalse((self.folder / "out" / "sample-sweep.png").exists())


class Page(WithSample):
    """One run of report.py for three files, of which the sample is the newest."""

    def test_report(self):
        for k in range(2):
            other = self.folder / f"other{k}.h5"
            shutil.copy(self.sample, other)
            with h5py.File(other, "r+") as file:
                file.attrs.modify("created", f"2026-01-0{k + 1}T00:00:00Z")
                file["sweep/measured"][...] /= k + 2
                file["sweep/measured_median"][...] /= k + 2
        self.change(lambda file: file["model"].attrs.modify("preset", "<script>alert(1)</script>"))
        out = self.folder / "new" / "folder"
        done = report(self.sample, *sorted(self.folder.glob("other*.h5")), "-o", out, "--csv", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.written = [Path(line) for line in done.stdout.splitlines()]
        self.assertEqual(sorted(self.written), sorted(out.iterdir()))
        self.check_pictures()
        self.check_tables(out)
        self.check_page((out / "sample.html").read_text())

    def check_pictures(self):
        pictures = [path for path in self.written if path.suffix == ".png"]
        self.assertEqual({p.stem[7:] for p in pictures}, {"sweep", "split", "layers", "costs", "allreduce", "timeline", "against",
                                                              "history"})
        for picture in pictures:
            pixels = matplotlib.image.imread(picture)
            self.assertGreater(min(pixels.shape[:2]), 300)
            self.assertGreater(len(np.unique(pixels.reshape(-1, pixels.shape[2]), axis=0)), 50)

    def check_tables(self, out):
        tables = json.loads((out / "sample-tables.json").read_text())
        self.assertEqual(set(tables), {"sweep", "layers", "allreduce", "terms", "score", "ranks", "ratios"})
        with h5py.File(self.sample) as file:
            np.testing.assert_allclose(tables["sweep"]["T_ms"], file["sweep/measured_median"][()] * 1e3)
        np.testing.assert_allclose(tables["ratios"]["ratio"], 2.0)
        self.check_terms(tables["terms"])
        with open(out / "sample-sweep.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([r["case"] for r in rows], tables["sweep"]["case"])
        self.assertEqual(rows[0]["overlap"], "")
        self.assertIsNone(tables["sweep"]["overlap"][0])

    def check_terms(self, terms):
        """What explains measured - ideal adds up to it; nothing is said where that is within the noise."""
        names = ("contention", "copies", "jitter", "unexplained")
        shares = [s for s in zip(*(terms[f"{name}_percent"] for name in names)) if None not in s]
        self.assertTrue(0 < len(shares) < len(terms["case"]))
        np.testing.assert_allclose([sum(s) for s in shares], 100.0)

    def check_page(self, page):
        """No network, no script, every reference inside the page, and what a file holds is shown as text."""
        self.assertNotRegex(page, r"(src|href)=.?(https?:)?//|<script|@import|url\((?!#)")
        for heading in ("Timelines", "Every case", "Layers", "All-reduce alone", "Score of the prediction", "Provenance"):
            self.assertIn(f"<h2>{heading}</h2>", page)
        self.assertIn("replay", page)
        identifiers = re.findall(r'\bid="([^"]+)"', page)
        self.assertGreaterEqual(len(re.findall("<svg", page)), 8)
        self.assertEqual(len(identifiers), len(set(identifiers)))
        targets = set(re.findall(r'(?:href="#|url\(#)([^")]+)', page))
        self.assertTrue(targets and targets <= set(identifiers), targets - set(identifiers))


class Split(WithSample):
    """The parts of the measured bar end at the median T, however the samples scatter."""

    def scatter(self, file):
        noise = np.random.default_rng(3)
        total = file["sweep/measured"][()]
        file["sweep/compute"][...] = total * noise.uniform(0.5, 1.2, total.shape)
        file["sweep/backward_end"][...] = total * noise.uniform(0.5, 1.0, total.shape)

    def check_ends(self):
        results = Results(self.sample)
        for case, median in enumerate(derive.median(derive.samples(results), 1)):
            parts = [seconds for _, seconds in measured_parts(results, case)]
            self.assertGreaterEqual(min(parts), 0.0)
            self.assertAlmostEqual(sum(parts), median, delta=1e-12)
        return {part for part, _ in measured_parts(results, 0)}

    def test_of_an_odd_and_of_an_even_number_of_samples(self):
        self.change(self.scatter)
        self.assertEqual(self.check_ends(), {"compute", "slowdown", "tail"})
        self.change(lambda file: file["sweep/measured"].__setitem__((slice(None), 0), np.nan))
        self.check_ends()

    def test_of_no_sample(self):
        self.change(lambda file: file["sweep/measured"].__setitem__(0, np.nan))
        self.assertEqual(np.nansum([seconds for _, seconds in measured_parts(Results(self.sample), 0)]), 0.0)

    def test_without_the_end_of_the_backward_pass(self):
        self.change(lambda file: file["sweep"].__delitem__("backward_end"))
        self.assertEqual(self.check_ends(), {"compute", "exposed"})

    def test_the_bar_is_drawn_as_long(self):
        self.change(self.scatter)
        axes = draw_split(Results(self.sample)).axes[0]
        ends = [bar.get_x() + bar.get_width() for bar in axes.patches]
        medians = derive.median(derive.samples(Results(self.sample)), 1)[:2]  # naive and flat; in seconds
        self.assertTrue(all(min(abs(end - median) for end in ends) < 1e-9 for median in medians), (ends, medians))


class Headline(WithSample):
    def answer(self):
        return page.answer(Results(self.sample))

    def intervals(self, low, high):
        def write(file):
            file["sweep/ci_low"][...], file["sweep/ci_high"][...] = (file["sweep/measured_median"][()] * f for f in (low, high))
        self.change(write)
        return self.answer()

    def test_says_what_the_choice_is_worth_and_whether_that_is_noise(self):
        with h5py.File(self.sample) as file:
            bucketed = file["sweep/measured_median"][()][file["sweep/strategy"].asstr()[()] == "bucketed"]
        share = f"({1 - bucketed.min() / bucketed.max():.1%}) here"
        self.assertIn(share + ".", self.intervals(1.0, 1.0))
        self.assertIn(share + ", which is within the noise.", self.intervals(0.5, 2.0))

    def test_says_nothing_of_one_cap(self):
        self.change(lambda file: file["sweep/strategy"].__setitem__(slice(4, None), "optimal"))
        self.assertNotIn("Choosing", self.answer())
        self.assertIn("best measured bucket size", self.answer())

    def test_the_legend_tells_the_caps_that_were_run_from_all_caps(self):
        legend = [text.get_text() for text in draw_sweep(Results(self.sample)).axes[0].get_legend().get_texts()]
        self.assertEqual(sum("of those run: " in text for text in legend), 2, legend)
        self.assertIn("best of all caps, by the model, 95 %", legend)


class Timeline(WithSample):
    def test_says_what_it_is_of(self):
        self.assertEqual(timeline_figure.title(Results(self.sample), 0), "naive: gpt2-large, 8 ranks, replay (times from tables), last sample")
        with unittest.mock.patch.object(style, "save_png") as saved:
            written = Report([Results(self.sample)], self.folder, None)
            html = written.timelines()
        (figure, path), _ = saved.call_args
        titles = [text.get_text() for text in figure.texts]
        self.assertEqual((path.name, len(titles)), ("sample-timeline.png", 1))
        self.assertIn("replay (times from tables), last sample", titles[0])
        self.assertIn("naive: gpt2-large, 8 ranks, replay (times from tables), last sample. Compute", html)

    def test_what_is_exposed_is_that_samples(self):
        def last_alone(file):
            file["sweep/compute"][0, :-1] = 0.09
            file["sweep/compute"][0, -1] = 0.003
        self.change(last_alone)
        results = Results(self.sample)
        last = results["/timeline/end"][int(results["/timeline/count"][0]) - 1]
        said = [text.get_text() for text in timeline_figure.draw_timeline(results, 0).axes[0].texts]
        self.assertEqual(said, [f"exposed: {(last - 0.003) * 1e3:.3g} ms"])


class Several(WithSample):
    def test_says_what_differs_and_draws_all_caps(self):
        other = self.folder / "other.h5"
        shutil.copy(self.sample, other)
        with h5py.File(other, "r+") as file:
            file["model"].attrs.modify("preset", "another")
            file["sweep/bucket_bytes"][3:] = file["sweep/bucket_bytes"][3:] * 4
        done = report(self.sample, other)
        self.assertEqual(done.returncode, 0, done.stderr)
        page = Path(done.stdout.splitlines()[0]).read_text()
        self.assertIn("differ in model preset:", page)
        files = [Results(p) for p in (self.sample, other)]
        ours, theirs = (Cases(f, files) for f in files)
        self.assertEqual(ours.edges, theirs.edges)
        self.assertLess(max(c.x[c.bucketed].max() for c in (ours, theirs)), ours.edges["flat"])


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
