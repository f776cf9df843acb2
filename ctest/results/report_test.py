# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""report_test.py MAKE_SAMPLE REPORT: what report.py writes."""
import csv
import json
import re
import shutil
import sys
import unittest
import unittest.mock
from pathlib import Path

import h5py
import matplotlib.image
import numpy as np

from report_sample import WithSample, report  # first: it says where reporting is
from reporting import derive, page, style, timeline_figure  # noqa: E402
from reporting.cases import Cases  # noqa: E402
from reporting.data import Results  # noqa: E402
from reporting.report import Report  # noqa: E402
from reporting.split_figure import draw_split, measured_parts  # noqa: E402
from reporting.sweep_figure import draw_sweep  # noqa: E402


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


class States(WithSample):
    """On a machine with two states the page names them, and only samples of one state count."""

    def test_two_states(self):
        before = derive.median(derive.samples(Results(self.sample)), 1)

        def add(file):
            shape = file["sweep/measured"].shape[:2]
            counted = np.ones(shape, "i8")
            counted[:, :3] = 0
            file["sweep/measured"][:, :3] *= 10
            file["sweep/counted"][...] = counted
            for name in file["states"]:
                del file["states"][name]
            file["states/round_trip"] = [55e-9, 330e-9]
            file["states/samples"] = [shape[0] * 2, shape[0] * 2]
            file["states/scored"], file["states/dropped"] = 1, shape[0]
        self.change(add)
        after = derive.median(derive.samples(Results(self.sample)), 1)
        self.assertTrue((abs(after / before - 1) < 0.05).all(), after / before)
        done = report(self.sample, "-o", self.folder / "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        page = (self.folder / "out" / "sample.html").read_text()
        self.assertIn("55 ns, 330 ns", page)
        self.assertIn("Tables and figures are of the state 330 ns.", page)


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
            is_bucketed = file["sweep/strategy"].asstr()[()] == "bucketed"
            bucketed, caps = (file[f"sweep/{name}"][()][is_bucketed] for name in ("measured_median", "bucket_bytes"))
        worst = f"({1 - bucketed.min() / bucketed.max():.1%}) against {caps[bucketed.argmax()] / 2**20:g} MiB, the worst cap run"
        common = f"({1 - bucketed.min() / bucketed[caps == 25 * 2**20][0]:.1%}) against 25 MiB, PyTorch's default"
        said = self.intervals(1.0, 1.0)
        self.assertIn(worst + ".", said)
        self.assertIn(common + ", and ", said)
        self.assertIn(worst + " (within the noise).", self.intervals(0.5, 2.0))

    def test_says_nothing_of_one_cap(self):
        self.change(lambda file: file["sweep/strategy"].__setitem__(slice(4, None), "optimal"))
        self.assertNotIn("Choosing", self.answer())
        self.assertIn("best measured bucket size", self.answer())

    def test_the_legend_tells_the_caps_that_were_run_from_all_caps(self):
        legend = [text.get_text() for text in draw_sweep(Results(self.sample)).axes[0].get_legend().get_texts()]
        self.assertEqual(sum("of those run: " in text for text in legend), 2, legend)
        self.assertIn("best of all caps, by the model, 95 %", legend)


class Notes(WithSample):
    def notes(self, name, group, text):
        self.change(lambda file: file[group].attrs.modify(name, text))
        return Report([Results(self.sample)], self.folder, None).notes()

    def test_say_why_there_is_no_score_and_that_phases_drifted(self):
        self.assertIn("There is no model error: too noisy.", self.notes("why_no_model_error", "fom", "too noisy"))
        self.assertIn("There is no regret: two caps.", self.notes("why_no_regret", "fom", "two caps"))
        self.assertIn("T_compute drifted by +8.0 %.", self.notes("drift", "phases", "T_compute drifted by +8.0 %"))
        self.assertNotIn("There is no", self.notes("why_no_model_error", "fom", "").split("There is no regret")[0])


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

    def notes(self, change):
        """What the page says above the figures where the second file differs by `change`."""
        other = self.folder / "other.h5"
        shutil.copy(self.sample, other)
        with h5py.File(other, "r+") as file:
            change(file)
        return Report([Results(self.sample), Results(other)], self.folder, None).notes()

    def test_says_that_the_machines_differ(self):
        def on_another(file):
            file["provenance"].attrs.modify("device_kind", "an accelerator")
            file["provenance/host"][...] = ["node7", "node8"]
        said = self.notes(on_another)
        self.assertIn("The machines differ: replay on node1 (sample.h5); an accelerator on node7, node8 (other.h5).", said)
        self.assertNotIn("the same work", said)
        said = self.notes(lambda file: file["provenance/host"].__setitem__(slice(None), "node2"))
        self.assertIn("replay on node1 (sample.h5); replay on node2 (other.h5)", said)
        self.assertNotIn("The machines differ", self.notes(lambda file: None))

    def test_says_that_the_work_differs(self):
        changes = {f"model {name}": lambda file, name=name: file["model"].attrs.__setitem__(name, 7)
                   for name in ("preset", "shape", "precision", "batch", "sequence")}
        changes |= {f"sweep {name}": lambda file, name=name: file["sweep"].attrs.__setitem__(name, 7)
                    for name in ("ranks", "compute_mode", "backend", "copies", "wire")}
        changes["the buckets of equal cases"] = lambda file: file["sweep/buckets"].__setitem__(4, 99)
        for what, change in changes.items():
            said = self.notes(change)
            self.assertIn(f"The files differ in {what}: their times are not those of the same work.", said)
            self.assertNotIn("The machines differ", said)
        self.assertNotIn("differ", self.notes(lambda file: None))

    def test_one_rank_is_no_ranks(self):
        self.change(lambda file: file["sweep"].attrs.modify("ranks", 1))
        self.assertIn("gpt2-large, 1 rank, replay", Results(self.sample).title())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
