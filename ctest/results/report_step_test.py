# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""report_step_test.py MAKE_SAMPLE REPORT: tests the tables and figures of whole steps in the report."""
import itertools
import re
import sys
import unittest
from pathlib import Path

import h5py
import numpy as np

from report_sample import WithSample, report  # must come first: it adds the folder of reporting to the path
from reporting import perfetto, plausible, step_figure, step_timeline_figure, tables  # noqa: E402
from reporting.data import Results  # noqa: E402
from reporting.page import words as words_of_page  # noqa: E402
from reporting.report import Report  # noqa: E402

MIB = 2**20
# label, phase, lane, start and end in ms, live MiB at the start and at the end
TASKS = (("forward lm_head", "forward", "compute", 0, 1, 140, 140), ("backward lm_head", "backward", "compute", 1, 3, 180, 150),
         ("bucket 0", "all_reduce", "communication", 3, 4, 150, 150), ("update, bucket 0", "update", "compute", 4, 5, 150, 120))


def write_text(file, path, values):
    file.create_dataset(path, data=np.array(values, object), dtype=h5py.string_dtype())


def write_step(file):
    """Replaces the timelines of a sweep by the timeline of one step on two ranks. Rank 1 has 100 MiB more live memory than rank 0. The predicted times are 0.5 ms
    earlier, but not before 0. The predicted live memory of both ranks is 10 MiB above the measured one of rank 0."""
    for group in ("plans", "timeline", "memory"):
        del file[group]
    label, phase, lane, start, end, live_start, live_end = (list(column) * 2 for column in zip(*TASKS))
    rank = np.repeat([0, 1], len(TASKS))
    for name, values in {"label": label, "phase": phase, "resource": lane}.items():
        write_text(file, "timeline/" + name, values)
    for name, values in {"start": start, "end": end}.items():
        file["timeline/" + name] = 1e-3 * np.array(values)
        file["timeline/predicted_" + name] = 1e-3 * np.maximum(0.0, np.array(values) - 0.5)
    for name, values in {"start": live_start, "end": live_end}.items():
        file["timeline/live_bytes_" + name] = MIB * (np.array(values) + 100 * rank)
        file["timeline/predicted_live_bytes_" + name] = MIB * (np.array(values) + 10)
    file["timeline/event_rank"], file["timeline/first"], file["timeline/count"] = rank, [0], [len(rank)]
    for name, value in {"first": 0, "count": 1, "last_gradient": 0, "bytes": 60 * MIB}.items():
        file["plans/" + name] = [value]
    for name, value in {"live_at_start": 120, "live_peak": 180, "predicted_peak": 180}.items():
        file["memory/" + name] = [value * MIB]
    file["memory/allocated"] = 200 * MIB
    write_text(file, "memory/kind", ["parameter", "activation_gradient"])
    file["memory/kind_at_peak"], file["memory/kind_peak"] = [[135 * MIB, 45 * MIB]], [[135 * MIB, 90 * MIB]]


def boxes(figure):
    """Returns {(number, text): box in pixels} of the titles, axis labels, tick labels and legend texts of a figure that can be seen."""
    figure.canvas.draw()
    texts = []
    for axes in figure.axes:
        texts += [axes.xaxis.label, axes.yaxis.label, axes._left_title, *(axes.get_legend().get_texts() if axes.get_legend() else ())]
        for axis, (low, high) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
            texts += [tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high and tick.label1.get_visible()]
    return {(k, text.get_text()): text.get_window_extent() for k, text in enumerate(texts) if text.get_text()}


class Steps(WithSample):
    def only_steps(self, *others):
        """Turns the sample into a file of `ddproxy step`. Also removes the groups `others`."""
        def remove(file):
            for group in ("sweep", "score", "layers", "states", "gate", "phases", "fom", *others):
                file.pop(group, None)
            file.attrs["command"] = "step"
        self.change(write_step)
        self.change(remove)

    def test_parts_are_in_milliseconds_with_the_error_of_the_prediction(self):
        table = self.table("step")
        self.assertEqual(table["part"], ["forward", "exposed", "step"])
        self.assertAlmostEqual(table["median_ms"][2], 1100)
        self.assertAlmostEqual(table["error_percent"][2], 5)
        self.assertAlmostEqual(table["error_percent"][1], 10)
        self.assertEqual(table["first_ms"][1], None)
        self.assertAlmostEqual(table["uncontended_ms"][2], 1045)

    def test_a_file_of_an_earlier_version_has_no_uncontended_prediction(self):
        self.change(lambda file: file.pop("step/uncontended"))
        table = self.table("step")
        self.assertNotIn("uncontended_ms", table)
        self.assertAlmostEqual(table["predicted_ms"][2], 1155)

    def test_shares_of_kinds_add_up_without_the_sum_row(self):
        table = self.table("kinds")
        self.assertEqual(table["kind"][-1], "matrix products")
        for name in ("forward_percent", "backward_percent", "step_percent"):
            self.assertAlmostEqual(sum(table[name][:-1]), 100)
        self.assertAlmostEqual(table["step_percent"][-1], 45)
        self.assertAlmostEqual(table["forward_percent"][-1], 75)

    def test_lanes_have_their_busy_times_and_the_last_row_is_the_bubble(self):
        table = self.table("lanes")
        self.assertEqual(table["lane"], ["compute", "communication", "bubble"])
        np.testing.assert_allclose(table["busy_ms"], (900, 300, 200))
        np.testing.assert_allclose(table["predicted_ms"], (950, 250, 205))

    def test_a_file_of_an_earlier_version_has_no_table_of_lanes(self):
        self.only_steps()
        self.change(lambda file: [file["step"].pop(name) for name in ("lane_busy", "predicted_lane_busy", "lane", "bubble", "predicted_bubble")])
        self.assertNotIn("lanes", [table.name for table in tables.tables_of(Results(self.sample))])
        done = report(self.sample)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("Lanes of a step", (self.folder / "sample.html").read_text())

    def test_the_page_of_a_file_of_steps_describes_the_steps(self):
        self.only_steps()
        page = self.folder / "sample.html"
        done = report(self.sample)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = page.read_text()
        for words in ("Whole steps", "Optimizer adamw, gradients clipped to the norm 1; 2 micro-batches, gradients are averaged in the last micro-batch", "Global batch: 64 sequences",
                      "Lanes of a step", "<dt>bubble</dt>", "Share of compute in a step", "predicted, no contention (ms)", "8 ranks, compute: kernels, all-reduce: mpi", "Timeline of a step",
                      "Dashed line: allocated memory, 200 MiB. Dotted line: predicted memory in use, at most 190 MiB.", "Save the trace", "Memory of a step"):
            self.assertIn(words, text)
        for words in ("The upper panel shows the last step that was measured, on rank 0. The panel below it shows the prediction of the step. In both panels the top row is the compute lane, and each",
                      "If the medians add up to at most 98 % of the step, a bar with grey hatching (gap) fills the rest"):
            self.assertIn(words, text)
        self.assertIn("<dt>(changed)</dt>", words_of_page(Results(self.sample), "gpt2 (changed), 2 ranks"))
        self.assertNotIn("recompute</td>", text)
        self.assertNotIn("holds no sweep", text)
        self.assertIn("The columns &quot;from&quot; and &quot;to&quot; are the ends of an interval: Student&#x27;s 95 % interval of the mean.", text)
        self.assertIn("<dt>lane</dt>", text)
        self.assertNotIn("<dt>model error</dt>", text, "the page does not use this word")
        self.assertIn("|predicted step / measured step - 1|. It is the field model_error of the line DDPROXY_STEP_FOM.", words_of_page(Results(self.sample), "the model error"))
        for words in ("A whole step takes 1.100 s, the median of 2 samples (Student&#x27;s 95 % interval of the mean: 1.000 s to 1.200 s). Of this, E = 100 ms is exposed communication.",
                      "The model predicts a step of 1.155 s, which is 5.0 % too long."):
            self.assertIn(words, text)
        self.assertTrue(all((self.folder / f"sample-{name}.png").exists() for name in ("step", "timeline")))
        self.assertLess(text.index("Whole steps</h2>"), text.index("Ranks</h2>"))

    def test_a_file_of_an_earlier_version_has_no_timeline(self):
        self.only_steps("timeline", "memory", "plans")
        done = report(self.sample)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("Timeline of a step", Path(done.stdout.splitlines()[0]).read_text())

    def test_the_title_has_the_peak_of_the_first_rank(self):
        self.only_steps()
        results = Results(self.sample)
        self.assertEqual(step_timeline_figure.finding(results), "Memory in use peaks at 180 MiB, 1 ms after the start\nof the step, in the task backward lm_head")
        table = self.table("memory")
        self.assertEqual(table["kind"], ["parameter", "activation gradient", "all"])
        self.assertEqual((table["at_peak_mib"], table["share_percent"], table["largest_mib"]), ([135, 45, 180], [75, 25, 100], [135, 90, 180]))

    def test_measured_tasks_are_drawn_above_predicted_tasks(self):
        self.only_steps()
        measured, predicted, memory = step_timeline_figure.draw(Results(self.sample)).axes
        self.assertEqual([a.get_title(loc="left") for a in (measured, predicted, memory)],
                         ["measured, rank 0", "predicted", "dashed line: allocated memory, 200 MiB\ndotted line: predicted memory in use, at most 190 MiB"])
        self.assertEqual(measured.get_xlim(), memory.get_xlim())
        spans = lambda axes: sorted((round(p.get_extents().x0, 6), round(p.get_extents().x1, 6)) for bars in axes.collections for p in bars.get_paths())
        self.assertEqual(spans(measured), [(0, 1), (1, 3), (3, 4), (4, 5)])
        self.assertEqual(spans(predicted), [(0, 0.5), (0.5, 2.5), (2.5, 3.5), (3.5, 4.5)])
        (dot,) = (line for line in memory.lines if line.get_marker() == "o")
        self.assertEqual((list(dot.get_xdata()), list(dot.get_ydata())), ([1.0], [180.0]))

    def memory_lines(self):
        """Returns the memory panel and its dotted lines."""
        memory = step_timeline_figure.draw(Results(self.sample)).axes[-1]
        return memory, [line for line in memory.lines if line.get_linestyle() == ":"]

    def test_the_predicted_memory_is_a_dotted_line_over_the_measured_memory(self):
        self.only_steps()
        memory, (line,) = self.memory_lines()
        np.testing.assert_allclose(line.get_xdata(), (0, 0, 0.5, 0.5, 2.5, 2.5, 3.5, 3.5, 4.5))
        np.testing.assert_allclose(line.get_ydata(), (120, 150, 150, 190, 160, 160, 160, 160, 130))
        self.change(lambda file: file["timeline/predicted_live_bytes_start"].write_direct(3 * file["timeline/predicted_live_bytes_start"][:]))
        memory, (line,) = self.memory_lines()
        self.assertGreater(memory.get_ylim()[1], max(line.get_ydata()))

    def test_a_file_of_an_earlier_version_has_no_predicted_memory(self):
        self.only_steps()
        self.change(lambda file: [file["timeline"].pop("predicted_live_bytes_" + name) for name in ("start", "end")])
        memory, lines = self.memory_lines()
        self.assertEqual((memory.get_title(loc="left"), lines), ("dashed line: allocated memory, 200 MiB", []))

    def test_every_phase_that_a_file_can_have_is_drawn(self):
        """The names of the phases come from the description that is stored with /timeline/phase. Each phase gets one bar, and each resource a row."""
        with h5py.File(self.sample) as file:
            meaning = file["timeline/phase"].attrs["long_name"]
        self.only_steps()
        names = re.findall(r"[a-z_]+", re.search(r"belongs to: (.*); absent", meaning).group(1).replace("or a collective:", "").replace(" or ", ", "))
        self.assertGreater(len(names), 12)
        collectives = names[names.index("copy") + 1:]

        def write(file):
            for name in list(file["timeline"]):
                del file["timeline/" + name]
            for name, values in {"label": names, "phase": names, "resource": ["communication" if n in collectives else "compute" for n in names]}.items():
                write_text(file, "timeline/" + name, values)
            file["timeline/start"], file["timeline/end"] = 1e-3 * np.arange(len(names)), 1e-3 * (np.arange(len(names)) + 1)
            for name in ("live_bytes_start", "live_bytes_end"):
                file["timeline/" + name] = MIB * np.arange(1, len(names) + 1)
            file["timeline/event_rank"], file["timeline/first"], file["timeline/count"] = np.zeros(len(names), int), [0], [len(names)]
            file["timeline/resource"][names.index("all_gather")] = "communication 1"
        self.change(write)
        tasks, memory = step_timeline_figure.draw(Results(self.sample)).axes
        drawn = sorted(round(path.get_extents().x0) for bars in tasks.collections for path in bars.get_paths())
        self.assertEqual(drawn, list(range(len(names))))
        self.assertEqual([label.get_text() for label in tasks.get_yticklabels()], ["compute", "communication", "communication 1"])
        words = [text.get_text() for text in memory.get_legend().get_texts()]
        self.assertEqual(len(words), len(names) - 2, "norm and clip share a colour, send and receive too")
        for (one, box), (other, second) in itertools.combinations(boxes(memory.figure).items(), 2):
            self.assertFalse(box.overlaps(second), (one, other))

    def test_the_title_says_that_a_step_was_replayed(self):
        self.only_steps()
        titles = {("kernels", "mpi"): "measured, rank 0", ("replay", "replay"): "replayed, rank 0",
                  ("replay", "mpi"): "measured with replayed compute, rank 0", ("kernels", "replay"): "measured with replayed collectives, rank 0"}
        for modes, title in titles.items():
            self.change(lambda file: [file["step"].attrs.__setitem__(name, mode) for name, mode in zip(("compute_mode", "backend"), modes)])
            self.assertEqual(step_timeline_figure.draw(Results(self.sample)).axes[0].get_title(loc="left"), title)

    def test_the_timeline_is_drawn_without_a_prediction(self):
        self.only_steps()
        self.change(lambda file: [file["timeline"].pop(name) for name in ("predicted_start", "predicted_end")])
        self.assertEqual(len(step_timeline_figure.draw(Results(self.sample)).axes), 2)
        self.assertIn("on rank 0. Its top row is the compute lane, and each row below it", Report([Results(self.sample)], self.folder, None).timelines())

    def test_no_texts_overlap(self):
        self.only_steps()
        for unit in (1.0, 1e-3, 1e3):
            self.change(lambda file: [file["timeline/" + name].write_direct(unit * file["timeline/" + name][:]) for name in ("start", "end")])
            for (one, box), (other, second) in itertools.combinations(boxes(step_timeline_figure.draw(Results(self.sample))).items(), 2):
                self.assertFalse(box.overlaps(second), (one, other))

    def test_says_how_much_memory_is_allocated(self):
        self.only_steps()
        for size, words in ((200, "dashed line: allocated memory, 200 MiB"), (60, "dashed line: allocated memory, 60 MiB, only for the data of the all-reduces"),
                            (0, "memory that the simulated machine would use (calculated; this program allocates none of it)")):
            self.change(lambda file: file["memory/allocated"].write_direct(np.array(size * MIB)))
            self.assertEqual(step_timeline_figure.allocation(Results(self.sample)), words)

    def test_the_trace_has_the_step(self):
        self.only_steps()
        text = perfetto.trace(Results(self.sample), [0])
        self.assertIn('"step, rank 1"', text)
        self.assertEqual(text.count('"ph":"X"'), 2 * len(TASKS))

    def test_the_title_says_that_a_step_is_predicted_too_short(self):
        def shorten(file):
            file["step/predicted"][3] = 0.88
        self.change(shorten)
        self.assertEqual(step_figure.finding(Results(self.sample)), "9.1 % of a step is exposed communication;\nthe step is predicted 20.0 % too short.\nThe parts add up to 27.3 % of the step.")

    def ends(self):
        """Returns the end of the last bar of each row, the positions of the lines, both in seconds, and the words of the legend."""
        (axes,) = step_figure.draw_step(Results(self.sample)).axes
        factor = 1.0 if "(s)" in axes.get_xlabel() else 1e-3
        bars = [max(p.get_x() + p.get_width() for p in axes.patches if round(p.get_y() + p.get_height() / 2.0) == row) * factor for row in range(3)]
        return bars, [line.get_xdata()[0] * factor for line in axes.lines if len(line.get_xdata())], [text.get_text() for text in axes.get_legend().get_texts()]

    def test_the_bar_of_a_step_is_as_long_as_the_step(self):
        bars, lines, words = self.ends()
        np.testing.assert_allclose(bars, (1.1, 1.155, 1.045))
        self.assertEqual((lines, words), ([], ["forward", "exposed", "gap"]))
        self.assertIn("The parts add up to 27.3 % of the step.", step_figure.answer(Results(self.sample)))

    def with_waiting(self):
        """Turns the row `recompute` into a row `waiting`. With it, forward and waiting add up to the step."""
        def fill(file):
            file["step/part"][1] = "waiting"
            for name in ("measured", "median", "predicted", "uncontended"):
                file["step/" + name][1] = file["step/" + name][3] - file["step/" + name][0]
        self.change(fill)

    def test_parts_with_waiting_fill_the_step_and_e_is_not_drawn(self):
        self.with_waiting()
        bars, lines, words = self.ends()
        np.testing.assert_allclose(bars, (1.1, 1.155, 1.045))
        self.assertEqual((lines, words), ([], ["forward", "waiting"]))
        self.assertNotIn("add up", step_figure.finding(Results(self.sample)) + step_figure.answer(Results(self.sample)))
        self.assertIn("9.1 % of a step is exposed communication", step_figure.finding(Results(self.sample)))
        self.assertEqual(self.table("step")["part"], ["forward", "waiting", "exposed", "step"])

    def test_the_note_and_the_caption_explain_waiting_if_the_file_has_it(self):
        def caption():
            return Report([Results(self.sample)], self.folder, None).caption("step", "", False)
        self.assertNotIn("waiting", tables.step_table(Results(self.sample)).note + caption())
        self.with_waiting()
        self.assertIn("The exposed communication E of the title is not a part of the bars: it is the time of the step minus the compute time", caption())
        self.assertIn('In the row "waiting" compute is idle', tables.step_table(Results(self.sample)).note)

    def test_the_end_of_the_step_is_marked_if_its_parts_are_longer(self):
        self.change(lambda file: [file["step/" + name].__setitem__(3, 0.2) for name in ("median", "predicted", "uncontended")])
        bars, lines, words = self.ends()
        np.testing.assert_allclose(bars, (0.3, 0.31, 0.3))
        np.testing.assert_allclose(lines, 0.2)
        self.assertIn("end of the step", words)
        self.assertIn("The parts add up to 150.0 % of the step.", step_figure.finding(Results(self.sample)))

    def test_a_small_gap_between_parts_and_step_is_not_mentioned(self):
        self.change(lambda file: [file["step/" + name].__setitem__(3, 0.304) for name in ("median", "predicted", "uncontended")])
        _, lines, words = self.ends()
        self.assertEqual((lines, words), ([], ["forward", "exposed"]))
        self.assertNotIn("add up", step_figure.finding(Results(self.sample)) + step_figure.answer(Results(self.sample)))

    def test_a_step_with_a_negative_e_is_named(self):
        self.only_steps()
        self.assertFalse([said for said in plausible.impossible(Results(self.sample)) if "E of" in said])
        self.change(lambda file: file["step/measured"].__setitem__((2, 1), -0.0269))
        (said,) = [said for said in plausible.impossible(Results(self.sample)) if "E of" in said]
        self.assertRegex(said, r"^The exposed communication E of 1 of 2 steps is below 0, which is impossible: the smallest is -26\.9 ms\.")

    def test_a_negative_median_of_e_is_no_share_of_the_step(self):
        self.change(lambda file: file["step/median"].__setitem__(2, -0.0269))
        self.assertTrue(step_figure.finding(Results(self.sample)).startswith("The measured E is below 0, so it is only noise;"))
        self.assertIn("The measured E is -26.9 ms. It is below 0, so this run does not show", step_figure.answer(Results(self.sample)))

    def test_the_bar_of_a_replayed_step_is_not_called_measured(self):
        self.only_steps()
        for modes, label in ((("kernels", "mpi"), "measured"), (("replay", "replay"), "replayed"), (("replay", "mpi"), "measured\nwith replayed compute")):
            self.change(lambda file: [file["step"].attrs.__setitem__(name, mode) for name, mode in zip(("compute_mode", "backend"), modes)])
            self.assertEqual(step_figure.draw_step(Results(self.sample)).axes[0].get_yticklabels()[0].get_text(), label)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
