# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""report_figures_test.py MAKE_SAMPLE REPORT: tests what the figures show, and what the page says about impossible values."""
import base64
import gzip
import json
import re
import subprocess
import sys
import unittest
import unittest.mock
import warnings

import h5py
import numpy as np

from report_sample import MAKE_SAMPLE, REPORT, WithSample, report  # must come first: it adds the folder of reporting to the path
from reporting import broken_axis, command, costs_figure, derive, findings, intervals, lead, page, perfetto, plausible, split_figure, style, tables, timeline_figure  # noqa: E402
from reporting.allreduce_figure import draw_allreduce  # noqa: E402
from reporting.cases import Cases  # noqa: E402
from reporting.collectives_figure import draw_collectives  # noqa: E402
from reporting.compare_figure import draw_against  # noqa: E402
from reporting.data import Results  # noqa: E402
from reporting.samples_figure import draw_samples  # noqa: E402
from reporting.sweep_figure import draw_sweep  # noqa: E402


def legend(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


class Sweep(WithSample):
    """Naive and flat must not decide the range of the axis for the caps."""

    def test_limits_interrupt_the_axis_if_cases_are_far_above_the_caps(self):
        lower, upper = broken_axis.limits([598.3, 603.5], [619.6, 639.9])
        self.assertGreater(upper[0], lower[1] + 4)
        self.assertLess(upper[0], 619)
        lower, upper = broken_axis.limits([10.0, 11.0, 12.0], [40.0, 50.0, 10.5])
        self.assertTrue(lower[0] < 10.0 and 12.0 < lower[1] < 13.0, lower)
        self.assertTrue(13.0 < upper[0] < 40.0 and upper[1] > 50.0, upper)
        self.assertIsNone(broken_axis.limits([10.0, 12.0], [12.1])[1])
        self.assertIsNone(broken_axis.limits([0.40, 0.51], [0.59])[1])  # the caps have more than half of one axis
        self.assertIsNotNone(broken_axis.limits([10.0, 10.01], [10.1])[1])  # on one axis they would have a tenth
        self.assertLess(broken_axis.limits([10.0, 12.0], [], 9.5)[0][0], 9.5)
        self.assertGreater(broken_axis.limits([10.0, 12.0], [], 2.0)[0][0], 9.0)

    def test_segments_do_not_overlap(self):
        """If T of the cases with a cap is 10 to 12, a value above 14 is far away. 14.05 and 14.1 are in the margin of the lower segment, so they belong to this
        segment. The last pair of values is one case, measured near the caps and predicted far away."""
        for beside, largest, is_broken in (([13.95, 14.05], 14.05, False), ([13.9, 14.1, 40.0], 14.1, True), ([[13.0], [40.0]], 40.0, False)):
            lower, upper = broken_axis.limits([10.0, 12.0], beside)
            self.assertEqual(upper is not None, is_broken, beside)
            self.assertTrue(lower[0] < 10.0 and lower[1] > largest and (upper is None or lower[1] < upper[0] < 40.0), (beside, lower, upper))

    def test_all_values_of_a_case_lie_in_one_segment(self):
        random, broken = np.random.default_rng(1), 0
        for _ in range(500):
            beside = random.uniform(9.0, random.choice([13.0, 16.0, 60.0]), (2, 3))
            lower, upper = broken_axis.limits(random.uniform(10.0, 12.0, 4), beside)
            segments = [lower] if upper is None else [lower, upper]
            broken += len(segments) - 1
            self.assertTrue(upper is None or upper[0] > lower[1], (lower, upper))
            for values in beside.T:
                self.assertEqual([all(low <= v <= high for v in values) for low, high in segments].count(True), 1, (values, segments))
        self.assertTrue(50 < broken < 450, broken)

    def total_with(self, ends):
        """Sets T of naive, flat and per_tensor. `ends` are multiples of the range of T over the caps, counted from the smallest T of a cap. Returns the axes of T,
        and the three T in the unit of the axes."""
        results = Results(self.sample)
        caps = [derive.column(results, name)[results["/sweep/strategy"] == "bucketed"] for name in ("measured_median", "predicted")]
        totals = np.min(caps) + np.array(ends) * np.ptp(caps)

        def write(file):
            for name in ("measured_median", "predicted"):
                file[f"sweep/{name}"][:3] = totals
            for name in ("ci_low", "ci_high"):
                file[f"sweep/{name}"][...] = file["sweep/measured_median"][...]
        self.change(write)
        factor, _ = style.time_scale(np.max(derive.column(Results(self.sample), "measured_median")))
        return draw_sweep(Results(self.sample)).subfigs[0].axes, factor * totals

    def test_the_axis_is_interrupted_only_below_the_slowest_cases(self):
        """1.99 is near the caps, and 2.01 is far from them but in the margin of 1.99."""
        (axes,), totals = self.total_with((1.99, 2.01, 0.5))
        self.assertGreater(axes.get_ylim()[1], max(totals))
        (upper, lower), totals = self.total_with((9.0, 9.5, 0.5))
        self.assertGreater(upper.get_ylim()[0], lower.get_ylim()[1])
        self.assertTrue(upper.get_ylim()[0] < totals[0] and totals[1] < upper.get_ylim()[1] and totals[2] < lower.get_ylim()[1], totals)
        caption = command.Report([Results(self.sample)], self.folder, None).caption("sweep", "", True)
        self.assertTrue(caption.endswith("Where the vertical axis is interrupted, the slowest cases without a bucket size are drawn in an upper segment."), caption)

    def test_a_much_slower_strategy_has_its_own_segment(self):
        def slow(file):
            for name in ("measured_median", "ci_low", "ci_high", "predicted"):
                file[f"sweep/{name}"][0] *= 20.0
        self.change(slow)
        results = Results(self.sample)
        upper, lower = draw_sweep(results).axes[:2]
        totals = derive.column(results, "measured_median")  # the largest is above 1 s, so the axis is in seconds
        caps = totals[results["/sweep/strategy"] == "bucketed"]
        self.assertTrue(upper.get_ylim()[0] < totals[0] < upper.get_ylim()[1])
        low, high = lower.get_ylim()
        self.assertTrue(low < caps.min() and caps.max() < high < totals[0])
        self.assertLess((high - low) / np.ptp(caps), 2.0)

    def test_the_best_bucket_size_is_named(self):
        results = Results(self.sample)
        lower = next(a for a in draw_sweep(results).axes if a.texts)
        best = derive.best_case(results, derive.column(results, "measured_median"))
        self.assertTrue(lower.texts[0].get_text().startswith(f"best: {results['/sweep/bucket_bytes'][best] / 2**20:g} MiB, "))

    def test_an_interval_that_the_axis_cuts_is_marked(self):
        for low, high, word in ((0.5, 1e3, "above"), (-1e3, 0.5, "below")):
            self.change(lambda file: file["sweep/exposed_low"].__setitem__(4, low))
            self.change(lambda file: file["sweep/exposed_high"].__setitem__(4, high))
            exposed = [a for a in draw_sweep(Results(self.sample)).axes if a.get_legend()][-1]
            self.assertIn(f"the interval extends {word} the axis", legend(exposed))

    def test_the_legend_explains_a_curve_that_cannot_be_seen(self):
        def exposed():
            return [text for axes in draw_sweep(Results(self.sample)).axes if axes.get_legend() for text in legend(axes)]
        self.change(lambda file: file["sweep/uncontended"].__setitem__(slice(None), file["sweep/predicted_exposed"][...]))
        self.assertIn("predicted without contention: the same as predicted", exposed())
        self.change(lambda file: file["sweep/uncontended"].__setitem__(slice(None), -1e3))
        self.assertIn("predicted without contention, below this axis", exposed())


class AddedCaps(WithSample):
    """A further strategy with caps has its own line. Only the cases of `bucketed` decide the best bucket size. In the sample file case 0 is naive, and the
    cases 3 to 9 are bucketed with 1, 4, 16, 25, 64, 256 and 1024 MiB."""

    def add(self, *cases):
        """Gives these cases to the strategy late_caps, and makes their T 10 % smaller."""
        def write(file):
            for case in cases:
                file["sweep/strategy"][case], file["sweep/name"][case] = "late_caps", f"late_caps/{case}"
                for name in ("measured_median", "ci_low", "ci_high", "predicted"):
                    file[f"sweep/{name}"][case] *= 0.9
        self.change(write)
        return Results(self.sample)

    def test_an_added_strategy_has_its_own_positions(self):
        cases = Cases(self.add(4, 7))
        self.assertEqual({name: list(line) for name, line in cases.added_lines().items()}, {"late_caps": [4, 7]})
        self.assertEqual(list(cases.line()), [3, 5, 6, 8, 9])
        self.assertEqual([cases.x[4], cases.x[7]], [2.0, 6.0])
        self.assertNotIn("late_caps", cases.edges)
        self.assertEqual(cases.caps, [1, 4, 16, 25, 64, 256, 1024])
        self.assertEqual(list(cases.beside()), [0, 1, 2])

    def test_an_added_strategy_has_its_own_line(self):
        axes = [axes for axes in draw_sweep(self.add(4, 7)).axes if axes.get_legend()]
        self.assertEqual(len(axes), 2)
        for part in axes:
            drawn = {str(drawn.get_label()).split(":")[0]: list(drawn.lines[0].get_xdata()) for drawn in part.containers}
            self.assertEqual(drawn["late_caps, measured"], [2.0, 6.0])
            self.assertEqual(drawn["bucketed, measured"], [np.log2(cap) for cap in (1, 16, 25, 256, 1024)])
            self.assertEqual([list(line.get_xdata()) for line in part.lines if line.get_label() == "late_caps, predicted"], [[2.0, 6.0]])
            self.assertIn("bucketed, predicted", legend(part))

    def test_the_best_case_is_the_best_bucketed_case(self):
        results = self.add(4, 7)
        totals, caps = derive.column(results, "measured_median"), results["/sweep/bucket_bytes"] / 2**20
        self.assertIn(np.argmin(totals), (4, 7))
        best = min((3, 5, 6, 8, 9), key=lambda case: totals[case])
        self.assertEqual(derive.best_case(results, totals), best)
        self.assertIn(f"With {caps[best]:g} MiB, backward pass", lead.answer(results))
        marked = [text for axes in draw_sweep(results).axes if axes.get_legend() for text in legend(axes) if text.startswith("measured best bucket size")]
        self.assertEqual(marked, [f"measured best bucket size, of those that were run: {caps[best]:g} MiB"])

    def test_the_legend_does_not_name_bucketed_without_an_added_strategy(self):
        words = [text for axes in draw_sweep(Results(self.sample)).axes if axes.get_legend() for text in legend(axes)]
        self.assertIn("predicted", words)
        self.assertFalse([text for text in words if text.startswith("bucketed, ")], words)

    def test_an_added_strategy_is_drawn_without_bucketed_cases(self):
        results = self.add(*range(3, 10))
        words = [text for axes in draw_sweep(results).axes if axes.get_legend() for text in legend(axes)]
        self.assertTrue([text for text in words if text.startswith("late_caps, measured")], words)
        self.assertFalse([text for text in words if "best bucket size, of those" in text], words)
        self.assertEqual(lead.answer(results), "No bucketed case was measured, so there is no best bucket size.")

    def test_naive_is_at_the_edge_even_if_the_file_gives_it_a_cap(self):
        self.change(lambda file: file["sweep/bucket_bytes"].__setitem__(0, 4 * 2**20))
        cases = Cases(Results(self.sample))
        self.assertEqual(cases.x[0], cases.edges["naive"])
        self.assertEqual(cases.added_lines(), {})

    def test_a_comparison_has_a_line_for_each_file_and_strategy(self):
        results = self.add(4, 7)
        self.assertEqual(legend(draw_against([results, results]).axes[0]), ["sample", "sample: late_caps"] * 2)


class SweepTable(WithSample):
    def test_the_note_says_how_e_is_predicted_again(self):
        def note():
            return next(table.note for table in tables.tables_of(Results(self.sample)) if table.name == "sweep")
        self.assertNotIn("re-predicted E", note())
        self.change(lambda file: file["sweep/same_round_exposed"].__setitem__(4, 0.1))
        self.assertIn('The column "re-predicted E" has the median of these predictions. A change of the machine after the calibration has no influence on them.', note())


class Band(WithSample):
    """The 95 % band of the predicted T. If it covers the whole height of the axes, it looks like an interval of bucket sizes. So it must not be drawn, and the legend
    must give its ends."""

    def total(self, low, high):
        """Sets the ends of the band to `low` and `high` times the predicted T. Returns the axes of T."""
        def write(file):
            predicted = file["sweep/predicted"][()]
            file["sweep/predicted_low"][...], file["sweep/predicted_high"][...] = low * predicted, high * predicted
        self.change(write)
        return draw_sweep(Results(self.sample)).axes[0]

    def bands(self, axes):
        """Returns how many filled curves the axes have. The interval of the best bucket size is not one of them."""
        return sum(type(drawn).__name__ in ("PolyCollection", "FillBetweenPolyCollection") for drawn in axes.collections)

    def test_a_narrow_band_is_drawn(self):
        axes = self.total(0.99, 1.01)
        self.assertEqual(self.bands(axes), 1)
        self.assertFalse(any("not drawn" in text for text in legend(axes)), legend(axes))

    def test_a_band_that_is_narrower_than_the_line_is_only_named(self):
        axes = self.total(1.0, 1.0 + 1e-7)
        self.assertEqual(self.bands(axes), 0)
        self.assertIn("95 % band of the predicted T: narrower than the line", legend(axes))

    def test_a_band_that_fills_the_axis_is_only_named(self):
        axes = self.total(-100.0, 100.0)
        self.assertEqual(self.bands(axes), 0)
        (said,) = [text for text in legend(axes) if "95 % band" in text]
        self.assertRegex(said, r"95 % band of the predicted T \(-\S+ to \S+ m?s\):\nlarger than this axis, so it is not drawn")


class SimplerPredictions(WithSample):
    """The page must say whether a simpler prediction is better than the model."""

    def note(self, **errors):
        def write(file):
            for name, error in errors.items():
                row = list(file["score/predictor"].asstr()[()]).index(name)
                file["score/mean_error"][row] = error
        self.change(write)
        return next(t for t in tables.tables_of(Results(self.sample)) if t.name == "score").note

    def test_the_table_says_that_the_constant_is_better(self):
        self.assertNotIn("larger than that of", self.note(model=0.01, constant=0.02))
        self.assertIn("the mean error of the model (1.2 %) is larger than that of constant (0.7 %).", self.note(model=0.012, constant=0.007))
        self.assertNotIn("larger than that of", self.note(model=np.nan))

    def test_names_all_predictions_that_are_better(self):
        said = tables.worse_than_simpler({"model": (0.012, 0.004), "constant": (0.007, 0.0), "pytorch_default": (0.010, 0.0), "uncontended": (0.04, 0.0)})
        self.assertIn("larger than that of constant (0.7 %) and pytorch_default (1.0 %).", said)
        self.assertIn("take one E from the measurement", said)
        self.assertNotIn("contention", said)
        self.assertNotIn("within the noise", said)
        said = tables.worse_than_simpler({"model": (0.012, 0.0), "constant": (0.02, 0.0), "uncontended": (0.003, 0.0)})
        self.assertRegex(said, r"larger than that of uncontended \(0\.3 %\)\. The contention .*within the noise of E\.$")
        self.assertNotIn("take one E from the measurement", said)

    def test_names_the_cap_nearest_to_25_mib(self):
        self.assertIn("\"pytorch_default\" stands for the choice of PyTorch: it predicts, for all bucket sizes, the E measured at 25 MiB.", self.note(model=0.01))
        self.change(lambda file: file["sweep/bucket_bytes"].__setitem__(6, 26 * 2**20))
        self.assertIn("the E measured at 26 MiB, the cap nearest to 25 MiB (on a log scale).", self.note(model=0.01))

    def test_best_constant_has_the_smallest_mean_error(self):
        exposed, totals = np.array([1.0, 2.0, 10.0]), np.array([20.0, 20.0, 20.0])
        best = derive.best_constant(exposed, totals)

        def error(constant):
            return np.abs(constant - exposed) / np.maximum(exposed, 0.005 * totals)
        self.assertEqual(best, 1.0)
        self.assertTrue(all(error(best).mean() <= error(c).mean() + 1e-12 for c in np.linspace(0.5, 11.0, 50)))


class Numbers(unittest.TestCase):
    def test_sizes_and_numbers_are_short(self):
        self.assertEqual([style.size(s) for s in (525.444 * 2**20, 1000 * 2**10, 512, 2**30)], ["525.4 MiB", "1000 KiB", "512 B", "1 GiB"])
        self.assertEqual([style.number(v) for v in (4662.4, 456.2, 0.01234)], ["4662", "456", "0.0123"])


class Samples(WithSample):
    def test_every_sample_is_drawn(self):
        results = Results(self.sample)
        axes = draw_samples(results).axes[0]
        drawn = np.concatenate([line.get_xdata() for line in axes.lines if line.get_label() == "sample"])
        expected = (derive.samples(results) / derive.column(results, "measured_median")[:, None] - 1.0) * 100.0
        np.testing.assert_allclose(np.sort(drawn), np.sort(expected.ravel()), atol=1e-9)

    def test_samples_of_another_state_are_marked_as_left_out(self):
        self.change(lambda file: file["sweep/counted"].__setitem__((slice(None), 0), 0))
        axes = draw_samples(Results(self.sample)).axes[0]
        self.assertTrue(any("left out" in text for text in legend(axes)), legend(axes))

    def test_the_outermost_samples_have_ticks(self):
        """A sample just beyond the linear part of the axis must have a tick, too. No two ticks may be too close."""
        for seconds in (1.2, 3.0, 50.0):
            self.change(lambda file: file["sweep/measured"].__setitem__((3, 0), seconds))
            axes = draw_samples(Results(self.sample)).axes[0]
            if axes.get_xscale() == "linear":
                continue
            ticks = axes.get_xticks()
            self.assertIn(axes.dataLim.xmax, ticks)
            places = axes.transAxes.inverted().transform(axes.transData.transform([(tick, 0.0) for tick in ticks]))[:, 0]
            self.assertGreater(np.diff(places).min(), 0.05, ticks)
        self.assertEqual(axes.get_xscale(), "symlog")

    def test_an_outlier_does_not_hide_other_samples(self):
        self.change(lambda file: file["sweep/measured"].__setitem__((3, 0), 50.0))
        axes = draw_samples(Results(self.sample)).axes[0]
        self.assertEqual(axes.get_xscale(), "symlog")
        low, high = axes.get_xlim()
        self.assertTrue(low < axes.dataLim.xmin and axes.dataLim.xmax < high, (low, high, axes.dataLim))
        axes.figure.canvas.draw()
        boxes = [label.get_window_extent() for label in axes.get_xticklabels()]
        texts = [label.get_text() for label in axes.get_xticklabels()]
        self.assertIn("0", texts)
        self.assertFalse([text for text in texts if "e" in text], "a number has an exponent")
        self.assertTrue(all(a.x1 < b.x0 for a, b in zip(boxes, boxes[1:])), "the numbers of the axis lie on each other")


class Repetition(WithSample):
    """A column with the same value in every row, or with no value, must become a sentence above the table."""

    def shown(self):
        return page.noted_table(next(t for t in tables.tables_of(Results(self.sample)) if t.name == "sweep"))

    def test_a_value_that_all_rows_share_becomes_a_sentence(self):
        self.assertRegex(self.shown(), r"Sampling of all cases ended because the number of samples was reached\. T low and T high are the ends of an interval: range from minimum to maximum of 5 samples\.")
        self.assertNotIn("<th>why sampling ended</th>", self.shown())
        self.change(lambda file: file["sweep/stopped_by"].__setitem__(0, "target"))
        self.assertIn("<th>why sampling ended</th>", self.shown())

    def test_a_column_without_values_is_left_out(self):
        self.assertIn("<th>slowdown (ms)</th>", self.shown())
        self.change(lambda file: file["sweep/slowdown"].__setitem__(slice(None), np.nan))
        self.assertRegex(self.shown(), "These columns are left out, because no row has a value: [^.]*slowdown")
        self.assertNotIn("<th>slowdown (ms)</th>", self.shown())


class Intervals(WithSample):
    """The sample file has five samples per case, so its intervals go from minimum to maximum."""

    def label(self):
        results = Results(self.sample)
        return intervals.label(results), tables.sweep_table(results).values()["interval"][3], legend(draw_sweep(results).axes[0])

    def test_a_range_is_not_called_an_interval(self):
        label, cell, names = self.label()
        self.assertEqual((label, cell), ("range from minimum to maximum", "range from minimum to maximum of 5 samples"))
        self.assertIn("measured: median and range from minimum to maximum", names)
        self.assertFalse([n for n in names if n.startswith("measured") and "95 %" in n], names)

    def test_five_samples_have_students_interval_if_it_is_not_the_range(self):
        self.change(lambda file: file["sweep/ci_low"].__setitem__(slice(None), file["sweep/measured_median"][()] * 0.9))
        self.assertEqual(self.label()[:2], ("Student's 95 % interval of the mean",) * 2)

    def test_six_samples_have_an_interval_of_the_median(self):
        values = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
        self.assertEqual(intervals._kind(values, 1.0, 6.0), "median")
        self.assertEqual(intervals._kind(values[:5], 1.0, 5.0), "range")
        self.assertIsNone(intervals._kind(values[:1], np.nan, np.nan))


class PlainLogLabels(unittest.TestCase):
    @staticmethod
    def labels(low, high):
        figure, axes = style.plt.subplots()
        axes.set_yscale("log")
        axes.set_ylim(low, high)
        style.plain_log_labels(axes)
        figure.canvas.draw()
        shown = [label.get_text() for label in axes.get_yticklabels() if low <= label.get_position()[1] <= high]
        style.plt.close(figure)
        return shown

    def test_an_axis_with_one_power_of_ten_has_several_labels(self):
        self.assertEqual(self.labels(15, 700), ["20", "50", "100", "200", "500"])

    def test_an_axis_of_many_decades_has_powers_of_ten_only(self):
        self.assertEqual(self.labels(0.5, 2000), ["1", "10", "100", "1000"])


class Collectives(WithSample):
    def test_each_collective_has_a_line_of_bus_bandwidth(self):
        results = Results(self.sample)
        axes = draw_collectives(results).axes[0]
        self.assertEqual((axes.get_xscale(), axes.get_yscale()), ("log", "log"))
        lines = {line.get_label(): line.get_ydata() for line in axes.lines}
        self.assertEqual(set(lines), {"all-reduce", "reduce-scatter", "all-gather", "broadcast"})
        for label, drawn in lines.items():
            np.testing.assert_array_equal(drawn, results["/collectives/busbw"][results["/collectives/verb"] == label.replace("-", "_")])

    def test_the_table_says_which_groups_were_measured(self):
        results = Results(self.sample)
        self.assertEqual(tables.collectives_table(results).note, "")
        results.values["/collectives/groups"] = np.full_like(results["/collectives/groups"], 2)
        self.assertEqual(tables.collectives_table(results).note, "All groups of a row were measured at the same time: 2 groups of 8 ranks.")
        results.attributes = {key: value for key, value in results.attributes.items() if key[1] != "ranks"}
        self.assertIn(", 16 ranks, ", results.title())

    def test_the_title_counts_the_ranks_of_a_file_with_only_layers(self):
        results = Results(self.sample)
        results.attributes = {key: value for key, value in results.attributes.items() if key[1] != "ranks"}
        results.values["/layers/rank"] = np.arange(5)
        del results.values["/collectives/ranks"]
        self.assertIn(", 5 ranks, ", results.title())
        del results.values["/layers/rank"]
        self.assertNotIn("rank", results.title())

    def test_there_is_no_figure_if_the_bandwidth_is_zero(self):
        results = Results(self.sample)
        results.values["/collectives/busbw"] = np.zeros_like(results["/collectives/busbw"])
        self.assertIsNone(draw_collectives(results))


class Allreduce(WithSample):
    REFERENCE = ("another", (np.array([1e3, 1e6]), np.array([1e-5, 1e-4]), 8))

    def test_the_bandwidth_has_a_log_axis(self):
        lower = draw_allreduce(Results(self.sample), self.REFERENCE).axes[1]
        self.assertEqual(lower.get_yscale(), "log")

    def test_one_rank_has_no_bandwidth(self):
        results = Results(self.sample)
        results.values["/allreduce/busbw"] = np.zeros_like(results["/allreduce/busbw"])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertEqual(len(draw_allreduce(results).axes), 1)

    def test_replayed_times_are_not_called_measured(self):
        self.assertIn("replayed, median", legend(draw_allreduce(Results(self.sample)).axes[0]))
        subprocess.run([MAKE_SAMPLE, self.sample, "mpi"], check=True)
        self.assertIn("measured, median", legend(draw_allreduce(Results(self.sample)).axes[0]))

    def page(self, *options):
        done = report(self.sample, "-o", self.folder / "out", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return (self.folder / "out" / "sample-allreduce.png").read_bytes()

    def picture(self, *options):
        """Returns the bytes of the picture for these options of the command line. Draws no other figure of the page, which would take seconds."""
        with unittest.mock.patch.object(sys, "argv", [REPORT, str(self.sample), *options]):
            name = command.arguments().reference
        results = Results(self.sample)
        return style.save_png(draw_allreduce(results, command.reference(name, results)), self.folder / "allreduce.png").read_bytes()

    def test_the_published_table_is_drawn_only_for_nccl_on_8_a100_of_a_host(self):
        subprocess.run([MAKE_SAMPLE, self.sample, "mpi"], check=True)
        self.assertEqual(self.picture(), self.picture("--reference", "none"))
        self.change(lambda file: file["sweep"].attrs.modify("backend", "nccl"))
        eight = {"device": ["NVIDIA A100-SXM4-40GB"] * 8, "host": ["a"] * 8}
        for other in ({}, {"device": ["NVIDIA H200"] * 8}, {"device": ["NVIDIA A100-SXM4-40GB"] * 7 + ["NVIDIA H200"]}, {"host": ["a"] * 4 + ["b"] * 4},
                      {"device": eight["device"] * 2, "host": ["a"] * 16}, {"device": eight["device"][:1], "host": ["a"]}):
            self.machine({**eight, **other})
            compare = self.assertEqual if other else self.assertNotEqual
            compare(self.picture(), self.picture("--reference", "none"), other)

    def machine(self, texts):
        """Gives the ranks of the file these names of devices and hosts, one name for each rank. Deletes the other datasets of /provenance that have a value for each
        rank."""
        def write(file):
            for name in list(file["provenance"]):
                if file["provenance"][name].shape[:1] == file["provenance/host"].shape and name not in texts:
                    del file["provenance"][name]
            for name, values in texts.items():
                del file["provenance"][name]
                file["provenance"].create_dataset(name, data=np.array(values, object), dtype=h5py.string_dtype())
        self.change(write)

    def test_a_table_of_the_option_reference_is_drawn(self):
        table = self.folder / "table.csv"
        table.write_text("bytes,seconds,ranks\n1024,1e-5,2\n1048576,1e-3,2\n")
        self.assertNotEqual(self.page("--reference", table), self.page("--reference", "none"))


class Costs(WithSample):
    def setUp(self):
        super().setUp()
        subprocess.run([MAKE_SAMPLE, self.sample, "mpi"], check=True)

    def operations(self, flops, count, modelled, factor=1.0):
        """Gives the operations the two values of each list in turn: flops, bytes (`count`) and modelled seconds. The measured times are `factor` times the modelled
        ones. Returns the costs for the figure."""
        def write(file):
            number = file["layers/flops"].shape[0]
            for name, pair in (("flops", flops), ("bytes", count), ("modelled", modelled)):
                file[f"layers/{name}"][...] = np.resize(pair, number)
            file["layers/seconds"][...] = np.resize(modelled, number)[None, :, None] * factor
        self.change(write)
        return costs_figure.costs(Results(self.sample))

    def test_the_roof_follows_from_the_modelled_times(self):
        """Peaks of 4 Tflop/s and 100 GB/s: each limits one of the two operations."""
        found = self.operations((4e12, 1e9), (1e9, 1e11), (1.0, 1.0))
        np.testing.assert_allclose(found.roof(), (4e12, 1e11))
        texts = legend(costs_figure.draw_costs(Results(self.sample)).axes[0])
        self.assertIn("operation, measured", texts)
        self.assertIn("roofline of the input, times its efficiency: 4 Tflop/s, 100 GB/s", texts)

    def test_a_twin_is_never_compared_with_the_roofline_that_it_replays(self):
        """This holds whether the twin is exact, late or early."""
        subprocess.run([MAKE_SAMPLE, self.sample], check=True)
        for factor in (1.0, 1.5, 0.5):
            self.assertIsNone(self.operations((4e12, 1e9), (1e9, 1e11), (1.0, 1.0), factor))
            results = Results(self.sample)
            self.assertEqual((costs_figure.draw_costs(results), costs_figure.caption(results), findings.of("costs", [results])), (None, "", ""))
            self.assertFalse([said for said in plausible.impossible(results) if "efficiency" in said])

    def test_a_peak_that_limits_no_operation_is_not_drawn(self):
        found = self.operations((1e9, 2e9), (1e11, 1e11), (1.0, 1.0))
        self.assertTrue(np.isnan(found.roof()[0]) and found.roof()[1] == 1e11)

    def test_no_roofline_is_drawn_without_modelled_times(self):
        subprocess.run([MAKE_SAMPLE, self.sample], check=True)
        self.operations((4e12, 1e9), (1e9, 1e11), (1.0, 1.0))
        self.change(lambda file: file["layers/modelled"].__setitem__(slice(None), np.nan))
        self.assertIn("No roofline is drawn", costs_figure.caption(Results(self.sample)))
        self.assertEqual(legend(costs_figure.draw_costs(Results(self.sample)).axes[0]), ["operation, replayed"])

    def test_an_efficiency_above_1_is_impossible(self):
        self.operations((4e12, 1e9), (1e9, 1e11), (1.0, 1.0), 0.5)
        (said,) = [s for s in plausible.impossible(Results(self.sample)) if "efficiency" in s]
        self.assertRegex(said, r"An efficiency is above 1: (\d+) of \1 operations")


class Impossible(WithSample):
    def said(self, name, value, case=4):
        self.change(lambda file: file[f"sweep/{name}"].__setitem__(case, value))
        return " ".join(plausible.impossible(Results(self.sample)))

    def setUp(self):
        super().setUp()
        self.change(lambda file: file["layers/modelled"].__setitem__(slice(None), np.nan))

    def test_plausible_values_have_no_messages(self):
        self.assertEqual(plausible.impossible(Results(self.sample)), [])
        self.assertEqual(self.said("overlap", 1.0), "")

    def test_names_the_case_and_the_reason_of_an_impossible_overlap(self):
        self.assertRegex(self.said("overlap", 1.3), r"An overlap above 1 was measured, which is impossible: bucketed 4 MiB \(1\.300\)\. At most .*Probably")
        self.assertRegex(self.said("overlap", -0.2), r"The overlap of bucketed 4 MiB \(-0\.200\) is negative: compute and .*share cores")
        self.assertEqual(self.said("overlap", np.nan), "")
        self.assertEqual(self.said("overlap", -0.2, 0), "")  # naive is not named, because the contradictions in the file already name it

    def test_says_whether_a_negative_e_is_noise(self):
        self.assertRegex(self.said("exposed", -0.5), r"A negative E was measured, which is impossible: bucketed 4 MiB \(-5\d\d ms\)\..*Its interval includes 0, so this is noise")
        self.assertIn("Its interval does not include 0", self.said("exposed_high", -0.4))

    def test_says_which_negative_e_are_no_noise(self):
        self.said("exposed", -0.5)
        self.said("exposed_high", -0.4)
        text = self.said("exposed", -0.3, 3)
        self.assertRegex(text, r"impossible: bucketed 1 MiB \(.*, bucketed 4 MiB \(")
        self.assertIn("The interval of E does not include 0 in bucketed 4 MiB: T_compute", text)
        self.assertIn("Their intervals do not include 0", self.said("exposed_high", -0.2, 3))

    def test_a_negative_e_without_an_interval_may_be_noise(self):
        self.said("exposed_high", np.nan)
        text = self.said("exposed", -0.5)
        self.assertIn("A case with a single sample has no interval.", text)
        self.assertNotIn("include 0", text)

    def test_names_an_e_below_its_bound(self):
        self.change(lambda file: file["sweep/floor"].__setitem__((), 10.0))
        self.assertIn("An E is below its lower bound of 1e+04 ms", self.said("overlap", 0.5))

    def test_names_a_slowdown_below_0(self):
        self.assertRegex(self.said("slowdown", -0.5), r"These measured slowdowns are below 0, although .* without: bucketed 4 MiB \(-500 ms\)\.")
        self.assertEqual(self.said("slowdown", 0.0), "")

    def test_names_a_median_tail_above_the_median_e(self):
        exposed, total = (float(derive.column(Results(self.sample), name)[4]) for name in ("exposed", "measured_median"))
        self.assertEqual(self.said("tail", exposed + 0.004 * total), "")
        self.assertEqual(split_figure.caption(Results(self.sample)), "")
        text = self.said("tail", exposed + 0.1)
        self.assertRegex(text, rf"larger than the median E, although .*: bucketed 4 MiB \(tail {exposed * 1e3 + 100:.3g} ms, E {exposed * 1e3:.3g} ms\)\. In some samples")
        results = Results(self.sample)
        self.assertRegex(split_figure.caption(results), r"^ In bucketed 4 MiB the median tail is larger than the median E\. ")
        self.assertIn("In bucketed 4 MiB the median tail is larger than the median E", command.Report([results], self.folder, None).caption("split", "", False))
        self.assertNotIn("median tail", self.said("exposed", -0.5))  # a negative E has a sentence of its own

    def test_the_waterfall_leaves_out_a_case_with_e_below_the_ideal(self):
        before = self.table("terms")["case"]
        self.said("ideal", 100.0)
        table = next(t for t in tables.tables_of(Results(self.sample)) if t.name == "terms")
        self.assertEqual(set(before) - {r[0] for r in table.rows}, {"bucketed 4 MiB"})
        self.assertIn("Left out: bucketed 4 MiB. Its measured E is below the ideal", table.note)

    def test_the_page_has_the_messages_about_impossible_values(self):
        self.said("overlap", 1.3)
        self.said("ideal", 100.0)
        done = report(self.sample)
        self.assertEqual(done.returncode, 0, done.stderr)
        page = (self.folder / "sample.html").read_text()
        self.assertIn("An overlap above 1 was measured, which is impossible", page)
        self.assertIn("Left out: bucketed 4 MiB. Its measured E is below the ideal", page)


class LastSample(WithSample):
    """A timeline shows the last sample of its case, also if the machine was then in another state. In the sample file cases 0, 4 and 6 are naive,
    the best case (4 MiB) and 25 MiB."""

    def leave_out(self, *cases):
        def write(file):
            for case in cases:
                file["sweep/counted"][case, -1] = 0
        self.change(write)
        return Results(self.sample)

    def titles(self, results, cases):
        return [axes.get_title(loc="left") for axes in timeline_figure.draw_timelines(results, cases).axes[::2]]

    def test_the_axes_and_the_caption_say_that_the_sample_is_left_out(self):
        results = self.leave_out(4)
        self.assertEqual(self.titles(results, [4, 6]), ["bucketed 4 MiB (median T: 530 ms)\nThis sample is left out: machine in another state", "bucketed 25 MiB"])
        self.assertEqual(self.titles(results, [4]), ["bucketed 4 MiB (median T: 530 ms)\nThis sample is left out: machine in another state"])
        said = "The last sample of bucketed 4 MiB is left out of the medians, because the machine was in another state; the median T is 530 ms."
        self.assertEqual([timeline_figure.left_out_note(results, cases) for cases in ([4, 6], [6])], [said, ""])
        self.assertIn(f"This is the last sample of bucketed 4 MiB. {said}", command.Report([results], self.folder, None)._timeline([4], "one"))

    def test_the_title_does_not_compare_a_sample_that_is_left_out(self):
        self.assertIn("with bucketed 4 MiB and", timeline_figure.finding(Results(self.sample), [4, 0]))
        results = self.leave_out(4)
        self.assertRegex(timeline_figure.finding(results, [4, 0]), r"^Exposed communication of the last sample:\n\S+ % of T with naive$")
        self.assertEqual(timeline_figure.finding(results, [4]), "")

    def test_cases_with_a_counted_last_sample_are_preferred(self):
        self.assertEqual(timeline_figure.compared_cases(Results(self.sample)), [4, 6])
        self.assertEqual(timeline_figure.compared_cases(self.leave_out(6)), [4, 0])
        self.assertEqual(timeline_figure.compared_cases(self.leave_out(4)), [0, 1])
        self.assertEqual(timeline_figure.compared_cases(self.leave_out(1)), [4, 0])

    def test_a_sample_that_was_not_taken_is_not_the_last(self):
        self.change(lambda file: file["sweep/counted"].__setitem__((4, slice(2, None)), -1))
        self.assertFalse(timeline_figure.is_left_out(Results(self.sample), 4))
        self.change(lambda file: file["sweep/counted"].__setitem__((4, 1), 0))
        self.assertTrue(timeline_figure.is_left_out(Results(self.sample), 4))

    def test_the_title_of_the_axes_fits_into_the_figure(self):
        results = self.leave_out(6)
        axes = timeline_figure.draw_timelines(results, [4, 6]).axes[2]
        axes.figure.canvas.draw()
        (title,) = [text for text in axes.get_children() if getattr(text, "get_text", str)().startswith("bucketed 25")]
        self.assertLess(title.get_window_extent().x1, axes.figure.bbox.x1)


class Trace(WithSample):
    def test_the_link_holds_the_timelines(self):
        html = perfetto.link(Results(self.sample), [0, 4])
        (packed,) = re.findall(r'href="data:application/gzip;base64,([^"]+)"', html)
        events = json.loads(gzip.decompress(base64.b64decode(packed)))["traceEvents"]
        results = Results(self.sample)
        spans = [e for e in events if e["ph"] == "X"]
        self.assertEqual(len(spans), int(results["/timeline/count"][[0, 4]].sum()))
        self.assertEqual({e["args"]["name"] for e in events if e["name"] == "process_name"}, {"naive, rank 0", "bucketed 4 MiB, rank 0"})
        np.testing.assert_allclose([spans[0]["ts"], spans[0]["dur"]], [0.0, 1e4])
        self.assertEqual(len([e for e in events if e["ph"] == "C"]), 2 * len(spans))

    def test_the_page_offers_the_trace_and_explains_use_without_a_network(self):
        self.assertEqual(report(self.sample).returncode, 0)
        page = (self.folder / "sample.html").read_text()
        self.assertEqual(page.count('id="perfetto"'), 1)
        self.assertIn('download="sample-trace.json.gz"', page)
        self.assertIn("Without a network, save the trace", page)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
