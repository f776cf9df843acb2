# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""report_test.py MAKE_SAMPLE REPORT: tests what report.py writes."""
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

from report_sample import WithSample, page_of_sample, report  # must come first: it adds the folder of reporting to the path
from reporting import derive, findings, lead, notes, page, perfetto, style, timeline_figure  # noqa: E402
from reporting.compare_figure import in_time  # noqa: E402
from reporting.cases import Cases  # noqa: E402
from reporting.data import Results  # noqa: E402
from reporting.report import Report  # noqa: E402
from reporting.split_figure import draw_split, measured_parts  # noqa: E402
from reporting.sweep_figure import draw_sweep  # noqa: E402
from reporting.tables import tables_of  # noqa: E402


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
        self.assertIn("No bucketed case was measured, so there is no best bucket size.", page)
        self.assertFalse((self.folder / "out" / "sample-sweep.png").exists())


class States(WithSample):
    """If the machine had two states, the page must name them, and only the samples of one state may count."""

    def test_the_page_names_both_states_and_uses_the_samples_of_one_state(self):
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
        self.assertIn("Tables and figures use only the samples of the state 330 ns.", page)


class Page(WithSample):
    """Runs report.py once for three files, of which the sample is the newest."""

    def test_a_report_of_three_files_writes_figures_tables_and_a_page(self):
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
        self.assertEqual({p.stem[7:] for p in pictures}, {"sweep", "step", "samples", "split", "layers", "allreduce", "collectives", "timeline", "against",
                                                              "history"})
        for picture in pictures:
            pixels = matplotlib.image.imread(picture)
            self.assertGreater(min(pixels.shape[:2]), 300)
            self.assertGreater(len(np.unique(pixels.reshape(-1, pixels.shape[2]), axis=0)), 50)

    def check_tables(self, out):
        tables = json.loads((out / "sample-tables.json").read_text())
        self.assertEqual(set(tables), {"sweep", "layers", "allreduce", "collectives", "terms", "score", "step", "lanes", "kinds", "memory", "ranks", "ratios"})
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
        """The shares of measured - ideal, with the share that is not explained, must add up to 100 %. If measured - ideal is within the noise, a case has no shares."""
        names = ("contention", "copies", "jitter", "unexplained")
        shares = [s for s in zip(*(terms[f"{name}_percent"] for name in names)) if None not in s]
        self.assertTrue(0 < len(shares) < len(terms["case"]))
        np.testing.assert_allclose([sum(s) for s in shares], 100.0)

    def check_page(self, page):
        """The page must load nothing, have only its own script, refer only to itself, and show the contents of a file as text."""
        self.assertNotRegex(page, r"(src|href)=.?(https?:)?//|<script[^>]|@import|url\((?!#)")
        self.assertEqual(page.count("<script"), 1)
        self.assertIn(f"<script>{perfetto.SCRIPT}</script>", page)
        for heading in ("Timelines", "Every case", "Layers", "All-reduce alone", "Score of the prediction", "Provenance"):
            self.assertIn(f"<h2>{heading}</h2>", page)
        self.assertIn("replay", page)
        identifiers = re.findall(r'\bid="([^"]+)"', page)
        self.assertGreaterEqual(len(re.findall("<svg", page)), 8)
        self.assertEqual(len(identifiers), len(set(identifiers)))
        targets = set(re.findall(r'(?:href="#|url\(#)([^")]+)', page))
        self.assertTrue(targets and targets <= set(identifiers), targets - set(identifiers))


class Split(WithSample):
    """The parts of the measured bar must add up to the median T, even if the samples scatter."""

    def medians(self, slowdown, tail):
        """Sets the medians of slowdown and tail in each case, as shares of the median T."""
        def write(file):
            total = file["sweep/measured_median"][()]
            file["sweep/slowdown"][...] = slowdown * total
            file["sweep/tail"][...] = tail * total
        self.change(write)

    def parts(self):
        """Checks the sum of the parts in all cases. Returns the parts of the first case, as shares of the median T."""
        results = Results(self.sample)
        for case, median in reversed(list(enumerate(derive.column(results, "measured_median")))):
            parts = dict(measured_parts(results, case))
            self.assertGreaterEqual(min(parts.values()), 0.0)
            self.assertAlmostEqual(sum(parts.values()), median, delta=1e-12)
        return {part: round(seconds / median, 6) for part, seconds in parts.items()}

    def test_the_parts_use_slowdown_and_tail_of_the_table(self):
        self.medians(0.2, 0.3)
        self.assertEqual(self.parts(), {"compute": 0.5, "slowdown": 0.2, "tail": 0.3})

    def test_noise_makes_no_negative_part(self):
        self.medians(0.5, -0.1)
        self.assertEqual(self.parts(), {"compute": 0.5, "slowdown": 0.5, "tail": 0.0})
        self.medians(-0.1, 0.3)
        self.assertEqual(self.parts(), {"compute": 0.7, "slowdown": 0.0, "tail": 0.3})
        self.medians(0.9, 0.3)
        self.assertEqual(self.parts(), {"compute": 0.0, "slowdown": 0.7, "tail": 0.3})
        self.medians(0.1, 1.2)
        self.assertEqual(self.parts(), {"compute": 0.0, "slowdown": 0.0, "tail": 1.0})

    def test_the_slowdown_has_a_label_only_if_it_is_large_enough(self):
        def texts():
            return [t.get_text() for t in draw_split(Results(self.sample)).axes[0].texts]
        self.medians(0.2, 0.3)
        self.assertTrue(texts() and all(re.fullmatch(r"slowdown [\d.]+ m?s", t) for t in texts()), texts())
        self.medians(0.001, 0.3)
        self.assertEqual(texts(), [])

    def test_the_parts_of_a_case_without_samples_add_up_to_zero(self):
        self.change(lambda file: file["sweep/measured_median"].__setitem__(0, np.nan))
        self.assertEqual(np.nansum([seconds for _, seconds in measured_parts(Results(self.sample), 0)]), 0.0)

    def test_if_the_tail_is_unknown_the_parts_are_compute_and_exposed(self):
        self.medians(0.5, np.nan)
        self.assertEqual(set(self.parts()), {"compute", "exposed"})

    def test_t_comm_is_the_median_of_comm_alone_or_else_the_sum_of_costs(self):
        """T_comm is the median of the samples of comm_alone that count. Only in a case without such samples, T_comm is the sum of a(x)."""
        def write(file):
            file["sweep/comm_alone"][0, :] = 0.2
            file["sweep/comm_alone"][0, 0] = 100.0
            file["sweep/comm_alone"][1, :] = np.nan
            file["sweep/comm"][:2] = (0.7, 0.3)
        self.change(write)
        results = Results(self.sample)
        np.testing.assert_allclose(derive.comm_seconds(results)[:2], (0.2, 0.3))
        axes = draw_split(results).axes[0]
        factor = 1.0 if "(s)" in axes.get_xlabel() else 1e3
        np.testing.assert_allclose([axes.patches[1].get_width(), axes.patches[8].get_width()], (0.2 * factor, 0.3 * factor))

    def test_a_part_that_cannot_be_seen_is_not_in_the_legend(self):
        def words():
            return [text.get_text() for text in draw_split(Results(self.sample)).axes[0].get_legend().get_texts()]
        self.medians(0.2, 0.3)
        self.assertEqual(words(), ["compute", "communication", "slowdown", "tail"])
        self.medians(0.0, 0.3)
        self.assertEqual(words(), ["compute", "communication", "tail"])

    def test_the_drawn_bar_ends_at_the_median_of_t(self):
        self.medians(0.5, 0.3)
        axes = draw_split(Results(self.sample)).axes[0]
        ends = [bar.get_x() + bar.get_width() for bar in axes.patches]
        medians = derive.column(Results(self.sample), "measured_median")[:2] * 1e3  # of naive and flat, in ms
        self.assertTrue(all(min(abs(end - median) for end in ends) < 1e-9 for median in medians), (ends, medians))


class Headline(WithSample):
    def answer(self):
        results = Results(self.sample)
        return f"{lead.gain(results)} {lead.answer(results)}"

    def intervals(self, low, high):
        def write(file):
            file["sweep/ci_low"][...], file["sweep/ci_high"][...] = (file["sweep/measured_median"][()] * f for f in (low, high))
        self.change(write)
        return self.answer()

    def bucketed(self):
        with h5py.File(self.sample) as file:
            is_bucketed = file["sweep/strategy"].asstr()[()] == "bucketed"
            return tuple(file[f"sweep/{name}"][()][is_bucketed] for name in ("measured_median", "bucket_bytes"))

    def make_best(self, cap, factor):
        """Changes T of this bucket size to the given multiple of the smallest T."""
        def write(file):
            totals = file["sweep/measured_median"][()]
            totals[file["sweep/bucket_bytes"][()] == cap * 2**20] = totals.min() * factor
            file["sweep/measured_median"][...] = totals
        self.change(write)

    def test_the_gain_against_25_mib_comes_first(self):
        self.make_plans_differ()
        self.make_best(16, 0.5)
        times, caps = self.bucketed()
        share = f"Best bucket size: 16 MiB. 25 MiB, PyTorch's default, takes {(times[caps == 25 * 2**20][0] - times.min()) * 1e3:.2f} ms ("
        self.assertTrue(self.intervals(1.0, 1.0).startswith(share), self.answer())
        self.assertIn(f"({derive.percent(times[caps == 25 * 2**20][0] / times.min() - 1)}) longer than 16 MiB. With 16 MiB, backward", self.answer())
        self.assertTrue(self.intervals(0.1, 2.0).startswith(
            "No bucket size is faster than the others beyond the noise, so 25 MiB, PyTorch's default, is good enough. 16 MiB has the smallest T, but in this run "
            "only a T above "), self.answer())
        self.assertIn("with a single sample, it is not known", self.intervals(np.nan, np.nan))
        self.make_best(25, 0.5)
        self.assertIn("Best bucket size: 25 MiB, PyTorch's default. No other bucket size that was run has a smaller T.", self.answer())
        self.change(lambda file: file["sweep/bucket_bytes"].__setitem__(6, 26 * 2**20))
        self.assertIn("Best bucket size: 26 MiB. 25 MiB, PyTorch's default, was not run", self.answer())

    def test_sizes_that_are_as_fast_as_25_mib_are_named(self):
        """The cases 3 to 9 have the caps 1, 4, 16, 25, 64, 256 and 1024 MiB. The title of the figure must name the same sizes."""
        self.make_plans_differ()
        self.make_best(25, 0.5)

        def end(*as_fast):
            self.change(lambda file: [file["sweep/over_best_low"].__setitem__(k, 0.99 if k in as_fast else 1.01) for k in range(3, 10)])
            return lead.gain(Results(self.sample)).removeprefix("Best bucket size: 25 MiB, PyTorch's default. No other bucket size that was run has a smaller T")
        self.assertEqual(end(6), ".")
        self.assertEqual(end(5, 6), "; 16 MiB is as fast within the noise.")
        self.assertIn("Best bucket size: 16 MiB or 25 MiB (no difference beyond the noise)", lead.finding(Results(self.sample)))
        self.assertEqual(end(5, 6, 7), "; 16 MiB and 64 MiB are as fast within the noise.")
        self.assertEqual(end(3, 6), "; 1 other size is as fast within the noise.")
        self.assertEqual(end(3, 4, 5, 6), "; 3 other sizes are as fast within the noise.")

    def test_the_gain_is_the_first_text_of_the_page(self):
        text = page_of_sample()
        self.assertLess(text.index('class="gain"'), text.index("With "))
        self.assertRegex(text, r'</h1><div class="first"><div><p class="gain">Best bucket size: ')
        with h5py.File(self.sample) as file:
            self.assertIn(f"<dt>T at the best bucket size (ms)</dt><dd>{file['fom'].attrs['backward_s'] * 1e3:.2f}</dd>", text)
        figure = text.index("<figure")
        self.assertLess(text.index('class="facts"'), figure)
        self.assertEqual(text.find("<figure", figure + 1), text.index("<figure", text.index('class="figures"')), "only one figure must be in the first block")

    def test_gives_the_difference_between_the_best_and_the_worst_size(self):
        times, caps = self.bucketed()
        worst = f"{caps[times.argmax()] / 2**20:g} MiB, takes {(times.max() - times.min()) * 1e3:.2f} ms ({derive.percent(times.max() / times.min() - 1)}) longer"
        self.assertIn(worst + ".", self.intervals(1.0, 1.0))
        self.assertIn(worst + " (within the noise).", self.intervals(0.5, 2.0))

    def test_names_no_worst_size_if_only_one_size_was_run(self):
        self.change(lambda file: file["sweep/strategy"].__setitem__(slice(4, None), "optimal"))
        self.assertNotIn("worst", self.answer())
        self.assertIn("Best bucket size", self.answer())

    def test_the_legend_distinguishes_sizes_that_were_run_from_all_sizes(self):
        legend = [text.get_text() for text in draw_sweep(Results(self.sample)).axes[0].get_legend().get_texts()]
        self.assertEqual(sum(" best bucket size, of those that were run: " in text for text in legend), 2, legend)
        self.assertIn("95 % interval of the predicted best bucket size\n(over all sizes, also those that were not run)", legend)

    def test_marks_each_of_the_predicted_best_sizes(self):
        marks = [line for line in draw_sweep(Results(self.sample)).axes[0].lines if line.get_label().startswith("predicted best bucket size")]
        self.assertEqual([len(line.get_xdata()) for line in marks], [5])  # 1, 4, 16, 25 and 64 MiB make the same buckets


class Notes(WithSample):
    def notes(self, name, group, text):
        self.change(lambda file: file[group].attrs.modify(name, text))
        return notes.as_html([Results(self.sample)])

    def test_say_why_there_is_no_score_and_that_phases_drifted(self):
        self.assertIn("The model error is not known: too noisy.", self.notes("why_no_model_error", "fom", "too noisy"))
        self.assertIn("The cost of following the prediction (regret) is not known: two caps.", self.notes("why_no_regret", "fom", "two caps"))
        self.assertIn("T_compute drifted by +8.0 %.", self.notes("drift", "phases", "T_compute drifted by +8.0 %"))
        self.assertNotIn("The model error is not known", self.notes("why_no_model_error", "fom", ""))


    def test_say_what_is_simulated(self):
        for compute, backend, said, absent in (("replay", "replay", "This is a simulated machine (a twin).", "real."), ("replay", "mpi", "The all-reduces are real.", "twin"),
                                               ("kernels", "replay", "Compute is real.", "twin"), ("kernels", "mpi", "", "simulated")):
            self.change(lambda file: [file["sweep"].attrs.modify(name, mode) for name, mode in (("compute_mode", compute), ("backend", backend))])
            results = Results(self.sample)
            text = notes.as_html([results])
            self.assertIn(said, text)
            self.assertNotIn(absent, text)
            ranks = next(table for table in tables_of(results) if table.name == "ranks")
            self.assertEqual("This is the machine on which the twin ran, not the simulated one." in ranks.note, compute == backend == "replay")

    def test_a_contradiction_is_a_warning(self):
        self.change(lambda file: file["sweep/contradictions"].__setitem__(0, "one term is larger"))
        self.assertIn('<p class="warning">Warning: one term is larger</p>', notes.as_html([Results(self.sample)]))

    def test_an_advice_on_the_kernels_of_blas_is_a_warning(self):
        for advice, said in (("set OPENBLAS_CORETYPE=HASWELL", '<p class="warning">set OPENBLAS_CORETYPE=HASWELL.</p>'), ("", "")):
            self.change(lambda file: file["provenance"].attrs.__setitem__("blas_advice", advice))
            text = notes.as_html([Results(self.sample)])
            self.assertIn(said, text)
            self.assertEqual("OPENBLAS" in text, bool(advice))


class FigureOfMerit(WithSample):
    def test_an_unknown_overlap_is_a_dash_and_is_left_out_without_a_sweep(self):
        results = Results(self.sample)
        results.attributes["/fom", "overlap"] = np.float64("nan")
        self.assertIn("<dt>overlap</dt><dd>\u2013</dd>", Report([results], self.folder, None).facts())
        for name in [name for name in results.values if name.startswith("/sweep/")]:
            del results.values[name]
        facts = Report([results], self.folder, None).facts()
        self.assertNotIn("overlap", facts)
        self.assertIn("<dt>valid</dt>", facts)


class Words(WithSample):
    def test_only_the_words_that_the_page_uses_are_explained(self):
        found = re.findall("<dt>(.*?)</dt>", page.words(Results(self.sample), '<p title="busbw">a tail</p><svg><!-- kappa --><path d="regret"/></svg><p>a round, T_compute</p>'))
        self.assertEqual(found, ["T_compute", "tail", "round", "kappa, gamma"])

    def test_a_changed_preset_is_explained(self):
        self.change(lambda file: file["model"].attrs.modify("preset", "gpt2-large (changed)"))
        results = Results(self.sample)
        self.assertEqual(re.findall("<dt>(.*?)</dt>", page.words(results, f"<h1>{results.title()}</h1>")), ["(changed)", "replay"])


class Finding(WithSample):
    def test_names_the_best_and_the_worst_bucket_size_that_was_run(self):
        results = Results(self.sample)
        totals = derive.column(results, "measured_median")
        caps = [k for k in range(len(totals)) if results["/sweep/strategy"][k] == "bucketed"]
        best, worst = min(caps, key=lambda k: totals[k]), max(caps, key=lambda k: totals[k])
        mib = results["/sweep/bucket_bytes"] / 2.0**20
        self.assertEqual(lead.finding(results), f"Best bucket size: {mib[best]:g} MiB (4 other sizes are as fast, within the noise);\nthe worst size, {mib[worst]:g} MiB, takes {derive.percent(totals[worst] / totals[best] - 1)} longer")

    def test_best_sizes_with_a_slower_size_between_them_are_counted(self):
        """If a size between two equally fast ones is slower beyond the noise, the text must give a number of sizes, not a list."""
        self.make_plans_differ()
        results = Results(self.sample)
        totals = derive.column(results, "measured_median")
        best, order = derive.best_case(results, totals), sorted(derive.bucketed_cases(results, totals), key=lambda k: results["/sweep/bucket_bytes"][k])
        far = order[order.index(best) + (2 if order.index(best) + 2 < len(order) else -2)]
        self.change(lambda file: [file["sweep/over_best_low"].__setitem__(k, 0.99 if k in (best, far) else 1.01) for k in order])
        self.assertIn(" MiB (1 other size is as fast, within the noise);", lead.finding(Results(self.sample)))
        self.assertRegex(lead.gain(Results(self.sample)), r"^Best bucket size: [\d.]+ MiB \(1 other size is as fast, within the noise\)\. 25 MiB")

    def test_a_noise_that_is_larger_than_t_is_not_given_in_per_cent(self):
        for name, value in (("over_best", 2.4), ("over_best_low", 0.9)):
            self.change(lambda file: file[f"sweep/{name}"].__setitem__(slice(None), value))
        self.assertIn("only a T above 2.5 times the best T", lead.finding(Results(self.sample)))

    def test_sizes_that_make_the_same_buckets_are_equally_fast(self):
        """In the sample the sizes from 1 to 64 MiB make the same buckets, and the best size is one of them. So all five must count as equally fast, whatever was
        measured."""
        results = Results(self.sample)
        self.assertEqual([len(derive.same_buckets(results, k)) for k in derive.bucketed_cases(results, derive.column(results, "measured_median"))][0], 5)
        self.change(lambda file: file["sweep/over_best_low"].__setitem__(slice(None), 1.01))
        self.assertIn("4 other sizes are as fast, within the noise", lead.finding(Results(self.sample)))
        self.make_plans_differ()
        self.assertNotIn("as fast", lead.finding(Results(self.sample)))

    def test_names_all_bucket_sizes_that_are_as_fast_as_the_best(self):
        self.make_plans_differ()
        results = Results(self.sample)
        totals, strategy = derive.column(results, "measured_median"), results["/sweep/strategy"]
        caps = sorted((k for k in range(len(totals)) if strategy[k] == "bucketed"), key=lambda k: totals[k])

        def finding(count):
            def overlap(file):  # the interval of the ratio to the best case includes 1 for `count` cases
                for k in caps:
                    file["sweep/over_best_low"][k] = 0.99 if k in caps[:count] else 1.01
            self.change(overlap)
            return lead.finding(Results(self.sample))
        mib = results["/sweep/bucket_bytes"] / 2.0**20
        two = sorted(mib[k] for k in caps[:2])
        self.assertIn(f"Best bucket size: {two[0]:g} MiB or {two[1]:g} MiB (no difference beyond the noise);", finding(2))
        self.assertIn("Best bucket size: 4 MiB, 16 MiB or 25 MiB (no difference beyond the noise);", finding(3))
        self.assertIn(f"Best bucket size: {mib[caps[0]]:g} MiB; ", finding(1))

    def test_says_that_no_size_is_faster_beyond_the_noise(self):
        def wide(file):
            file["sweep/ci_low"][:] = 0.001
            file["sweep/ci_high"][:] = 1000.0
        self.change(wide)
        self.assertRegex(lead.finding(Results(self.sample)), r"^No bucket size is faster beyond the noise\n\(only a T above [\d.]+ times the best T can be seen\)$")

    def test_a_round_that_is_slow_for_all_cases_does_not_count_as_noise(self):
        def slow_rounds(file):
            file["sweep/ci_high"][:] = 1000.0
            for name, value in (("over_best", 1.06), ("over_best_low", 1.05), ("over_best_high", 1.07)):
                file[f"sweep/{name}"][:] = value
        self.change(slow_rounds)
        self.assertIn("Best bucket size: ", lead.finding(Results(self.sample)))
        self.change(lambda file: file["sweep/over_best_low"].__setitem__(slice(None), 0.99))
        self.assertEqual(lead.finding(Results(self.sample)), "No bucket size is faster beyond the noise\n(only differences above 7.0 % can be seen)")  # 1.06 - 0.99

    def test_every_figure_except_the_timeline_has_a_finding(self):
        results = Results(self.sample)
        totals, best = derive.column(results, "measured_median"), derive.best_case(results, derive.column(results, "measured_median"))
        found = {name: findings.of(name, [results]) for name in ("sweep", "split", "samples", "layers", "allreduce", "collectives")}
        self.assertTrue(all(found.values()), found)
        self.assertIn(f", {derive.percent(derive.column(results, 'exposed')[best] / totals[best])} of T is exposed communication", found["split"])
        self.assertIn(f"{results['/allreduce/busbw'].max():.3g} GB/s", found["allreduce"])
        self.assertEqual(findings.of("timeline", [results]), "")

    def test_says_how_two_files_differ(self):
        other = self.folder / "other.h5"
        shutil.copy(self.sample, other)
        with h5py.File(other, "r+") as file:
            for name in ("measured_median", "ci_low", "ci_high"):
                file[f"sweep/{name}"][...] *= 2.0
        files = [Results(self.sample), Results(other)]
        self.assertEqual(findings.of("against", files), "Best T of other: 100.0 % longer than the best T of sample")
        self.assertEqual(findings.of("history", files), "T of bucketed 4 MiB: +100.0 % from the first file to the newest")
        self.assertEqual(findings.of("against", files[:1] * 2), "Best T of sample: 0.0 % longer than the best T of sample, within the noise")
        self.assertEqual(findings.of("history", files[:1] * 2), "T of bucketed 4 MiB: +0.0 % from the first file to the newest, within the noise")

    def test_says_that_the_noise_is_not_known_without_an_interval_of_t(self):
        other = self.folder / "other.h5"
        shutil.copy(self.sample, other)
        with h5py.File(other, "r+") as file:
            file["sweep/measured_median"][...] *= 2.0
            file["sweep/ci_low"][4] = np.nan
        files, unknown = [Results(self.sample), Results(other)], ";\nwithout an interval of T, the noise is not known"
        self.assertEqual(findings.of("history", files), f"T of bucketed 4 MiB: +100.0 % from the first file to the newest{unknown}")
        self.assertEqual(findings.of("against", files), f"Best T of other: 100.0 % longer than the best T of sample{unknown}")

    def test_the_history_uses_the_noise_of_the_case_in_its_title(self):
        """The title is about naive if the newest file lacks the best case. In this newest file naive is case 4, in the other file it is case 0."""
        other = self.folder / "other.h5"
        shutil.copy(self.sample, other)
        with h5py.File(other, "r+") as file:
            file["sweep/name"][[0, 4]] = ["another", "naive"]
            file["sweep/measured_median"][4], file["sweep/ci_low"][4], file["sweep/ci_high"][4] = 50.0, 49.0, 51.0
        self.assertRegex(findings.of("history", [Results(self.sample), Results(other)]), r"^T of naive: \+\d+\.\d % from the first file to the newest$")
        with h5py.File(other, "r+") as file:
            file["sweep/ci_low"][4] = 0.001
        self.assertRegex(findings.of("history", [Results(self.sample), Results(other)]), r"^T of naive: .* to the newest, within the noise$")


class Timeline(WithSample):
    def test_says_which_sample_and_which_cases_it_shows(self):
        page = page_of_sample()
        self.assertIn("This is the last sample of naive.", page)
        self.assertEqual(page.count("Each figure shows compute and communication on rank 0 in the last sample of each case in the figure."), 1)
        with unittest.mock.patch.object(style, "save_png") as saved:
            html = Report([Results(self.sample)], self.folder, None).timelines()
        (figure, path), _ = saved.call_args
        titles = [text.get_text() for text in figure.texts]
        self.assertEqual((path.name, len(titles)), ("sample-timeline.png", 1))
        self.assertRegex(titles[0], r"^Exposed communication of the last sample:\n.* of T with bucketed 4 MiB and\n.* of T with bucketed 25 MiB\n"
                                    r"gpt2-large, 8 ranks, simulated \(replay\)$")
        self.assertIn("This is the last sample of naive.", html)

    def test_the_title_of_one_case_counts_the_buckets_that_end_after_compute(self):
        """In the sample, bucket k of naive ends after (2 k + 2) x 10 ms, and the last one of 19 after 380 ms."""
        for alone, said in ((0.285, "25.0 % of T is\nexposed communication; 5 of 19 buckets end"), (0.361, "5.0 % of T is\nexposed communication; 1 of 19 buckets ends"),
                            (0.5, "0.0 % of T is\nexposed communication; 0 of 19 buckets end")):
            self.change(lambda file: file["sweep/compute"].__setitem__((0, -1), alone))
            self.assertEqual(timeline_figure.finding(Results(self.sample), [0]), f"Last sample of naive: {said} after T_compute")

    def test_a_case_without_t_compute_has_its_name_as_title(self):
        self.change(lambda file: file["sweep/compute"].__setitem__(0, np.nan))
        results = Results(self.sample)
        self.assertEqual(timeline_figure.finding(results, [0]), "")
        self.assertEqual([timeline_figure.draw_timelines(results, [case]).axes[0].get_title(loc="left") for case in (0, 4)], ["naive", ""])

    def test_the_pictures_of_the_page_contain_the_titles(self):
        drawn = {}

        def keep(figure, name):
            drawn[name] = [text.get_text() for text in figure.texts]
            return ""
        results = Results(self.sample)
        with unittest.mock.patch.object(style, "save_png"), unittest.mock.patch.object(style, "as_svg", keep):
            Report([results], self.folder, None).timelines()
        self.assertEqual(len(drawn), 1 + len(derive.case_names(results)))
        self.assertEqual(drawn["timeline"], [timeline_figure.finding(results, [4, 6])])
        self.assertRegex(drawn["timeline"][0], r"^Exposed communication of the last sample:\n\S+ % of T with bucketed 4 MiB and\n\S+ % of T with bucketed 25 MiB$")
        for case, name in enumerate(derive.case_names(results)):
            self.assertTrue(drawn[f"timeline{case}"][0].startswith(f"Last sample of {name}: "), drawn)

    def test_two_cases_are_drawn_above_each_other_with_the_same_time_axis(self):
        results = Results(self.sample)
        cases = timeline_figure.compared_cases(results)
        best = derive.best_case(results, derive.column(results, "measured_median"))
        self.assertEqual((len(cases), cases[0]), (2, best))
        figure = timeline_figure.draw_timelines(results, cases)
        upper, upper_memory, lower, _ = figure.axes
        self.assertIn("buffers in use", upper_memory.get_ylabel())
        self.assertEqual(upper.get_xlim(), lower.get_xlim())
        self.assertEqual([a.get_title(loc="left") for a in (upper, lower)], [derive.case_names(results)[c] for c in cases])
        ends = [results["/timeline/end"][int(results["/timeline/first"][c] + results["/timeline/count"][c]) - 1] for c in cases]
        self.assertGreaterEqual(upper.get_xlim()[1], max(ends))  # in seconds

    def test_the_live_buffers_are_drawn_below_the_timeline(self):
        times, live = timeline_figure.live_memory(Results(self.sample), 0)
        events = int(Results(self.sample)["/timeline/count"][0])
        self.assertEqual(len(times), 1 + 2 * events)
        np.testing.assert_allclose(live[:5] / 2.0**20, [0, 64, 32, 96, 64])  # the second event starts when the first one ends: the end comes first in the curve
        axes = timeline_figure.draw_timelines(Results(self.sample), [0]).axes[1]
        self.assertEqual([text.get_text() for text in axes.texts], ["dashed line: allocated memory, 4 GiB"])

    def test_a_file_without_memory_has_no_axes_for_live_buffers(self):
        self.change(lambda file: file.__delitem__("memory"))
        self.assertEqual(len(timeline_figure.draw_timelines(Results(self.sample), [0]).axes), 1)

    def test_memory_that_never_changes_is_not_drawn(self):
        for end in ("start", "end"):
            self.change(lambda file: file[f"timeline/live_bytes_{end}"].__setitem__(slice(None), 2**20))
        self.assertEqual(len(timeline_figure.draw_timelines(Results(self.sample), [0]).axes), 1)
        self.assertNotIn("lower panel", Report([Results(self.sample)], self.folder, None).timelines())

    def exposed_label(self, alone):
        """Sets T_compute of the last sample to the share `alone` of the timeline. Returns the label, its box and the exposed span, in pixels."""
        results = Results(self.sample)
        last = results["/timeline/end"][int(results["/timeline/count"][0]) - 1]
        self.change(lambda file: file["sweep/compute"].__setitem__((0, -1), alone * last))
        figure = timeline_figure.draw_timelines(Results(self.sample), [0])
        figure.canvas.draw()
        axes = figure.axes[0]
        (text,) = axes.texts
        low, high = (axes.transData.transform((x * last * 1e3, 0.0))[0] for x in (alone, 1.0))
        return text, text.get_window_extent(), (low, high)

    def test_the_exposed_label_lies_inside_the_exposed_span(self):
        for alone, angle in ((0.2, 0), (0.9, 90)):
            text, box, (low, high) = self.exposed_label(alone)
            self.assertEqual(text.get_rotation(), angle)
            self.assertTrue(low <= box.x0 and box.x1 <= high, (alone, box, low, high))

    def test_an_exposed_span_too_narrow_for_its_label_has_an_arrow(self):
        text, box, (low, high) = self.exposed_label(0.99)
        self.assertTrue(text.arrow_patch is not None and box.x1 <= high)

    def test_the_exposed_time_uses_t_compute_of_the_last_sample(self):
        def last_alone(file):
            file["sweep/compute"][0, :-1] = 0.09
            file["sweep/compute"][0, -1] = 0.003
        self.change(last_alone)
        results = Results(self.sample)
        last = results["/timeline/end"][int(results["/timeline/count"][0]) - 1]
        said = [text.get_text() for text in timeline_figure.draw_timelines(results, [0]).axes[0].texts]
        self.assertEqual(said, [f"exposed: {(last - 0.003) * 1e3:.3g} ms"])


class Several(WithSample):
    def test_names_what_differs_and_uses_the_same_axis_for_all_caps(self):
        other = self.folder / "other.h5"
        shutil.copy(self.sample, other)
        with h5py.File(other, "r+") as file:
            file["model"].attrs.modify("preset", "another")
            file["sweep/bucket_bytes"][3:] = file["sweep/bucket_bytes"][3:] * 4
        done = report(self.sample, other)
        self.assertEqual(done.returncode, 0, done.stderr)
        page = Path(done.stdout.splitlines()[0]).read_text()
        self.assertIn("differ in model preset,", page)
        files = [Results(p) for p in (self.sample, other)]
        ours, theirs = (Cases(f, files) for f in files)
        self.assertEqual(ours.edges, theirs.edges)
        self.assertLess(max(c.x[c.bucketed].max() for c in (ours, theirs)), ours.edges["flat"])

    def notes(self, change):
        """Returns what the page says above the figures if `change` is applied to the second file."""
        other = self.folder / "other.h5"
        shutil.copy(self.sample, other)
        with h5py.File(other, "r+") as file:
            change(file)
        return notes.as_html(in_time([Results(self.sample), Results(other)]))

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
        changes["the buckets of cases with the same name"] = lambda file: file["sweep/buckets"].__setitem__(4, 99)
        for what, change in changes.items():
            said = self.notes(change)
            self.assertIn(f"The files differ in {what}, so they did not do the same work.", said)
            self.assertNotIn("The machines differ", said)
        self.assertNotIn("differ", self.notes(lambda file: None))

    def test_the_title_has_the_singular_for_one_rank(self):
        self.change(lambda file: file["sweep"].attrs.modify("ranks", 1))
        self.assertIn("gpt2-large, 1 rank, simulated", Results(self.sample).title())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
