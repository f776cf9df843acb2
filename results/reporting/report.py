# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Assembles figures and tables into the report."""
from . import costs_figure, derive, findings, lead, notes, page, perfetto, step_figure, step_timeline_figure, style, timeline_figure
from .allreduce_figure import draw_allreduce, is_replayed
from .collectives_figure import draw_collectives
from .compare_figure import draw_against, draw_history, in_time, ratios
from .errors import ReportError
from .layers_figure import draw_layers
from .output import write_text
from .samples_figure import draw_samples
from .split_figure import caption as split_caption, draw_split
from .sweep_figure import draw_sweep
from .tables import Table, tables_of

CAPTIONS = {
    "sweep": "T and E over the bucket size, measured and predicted. Cases without a bucket size (naive, flat and others) stand at the edges.",
    "samples": "Distribution of the samples of each case. The number of samples is in parentheses. A sample is the maximum over the ranks.",
    "step": "Parts of a whole step, measured and predicted. In each sample the parts add up to the step. The median of each part is taken separately, so the parts of a bar can add up to more or less than the step. The more the samples differ, the larger this difference can be. If the medians add up to at most 98 % of the step, a bar with grey hatching (gap) fills the rest up to the end of the step. If the medians add up to at least 102 % of the step, a line marks the end of the step.",
    "split": "Where the time of each case goes. A case has four bars: compute alone, communication alone, the sum of the two, and the measured T. Among the cases with a bucket "
             "size the figure shows only the best one and the one with 25 MiB, PyTorch's default. Communication makes the backward pass longer (slowdown), and the last buckets are "
             "reduced after it (tail). The measured bar ends at the median T. Slowdown and tail are the medians of the table \"Every case\", and compute is the rest. A negative median is drawn as 0.",
    "layers": "Time of each layer in the backward pass: the median over the samples. All ranks compute at the same time, without communication.",
    "allreduce": "Time of one all-reduce while no compute runs, and the bus bandwidth that follows from it.",
    "collectives": "Bus bandwidth of each kind of collective while no compute runs. The bus bandwidth is algbw times a factor of nccl-tests: 2(n-1)/n for an all-reduce, (n-1)/n for a reduce-scatter and an all-gather, 1 for a broadcast and a send.",
    "against": "T over the bucket size. Each file has a curve of its own.",
    "history": "T over time, relative to the first file that has the case. The curves are naive, flat, per_tensor, and the bucketed case that is best in the oldest file.",
}
BROKEN = " Where the vertical axis is interrupted, the slowest cases without a bucket size are drawn in an upper segment."
TIMELINE = ("Each figure shows compute and communication on rank {rank} in the last sample of each case in the figure. The grey span of a case is the exposed communication of this one sample. It begins at T_compute of the sample. "
            "T_compute is the time that the slowest rank took for another pass of the same round, without communication. So the compute of rank {rank} can end before or after that moment. "
            "Elsewhere on the page E is the median over all samples. The colours alternate from one operation to the next and from one bucket to the next.")
MEMORY = (" The lower panel shows the memory in use: the gradients, and the buckets if gradients are copied into them. All gradients together are one array, and "
          "all buckets together are a second array. An array is in use from the start of the first task that uses it until the end of the last one, or to the end of the step if its content is kept. ")
DASHED = "The dashed line is the memory that is allocated."
CALCULATED = "The panel shows the memory that the simulated machine would use; this program allocates none of it."
STEP_TIMELINE = ("The upper panel shows the last step that was {source}, on rank {rank}. {rows} the compute lane, and each row below it is a communication lane. "
                 "A lane carries out its tasks one after another. The lowest panel shows the memory in use on the same rank. Memory is in use from the start of the first task that "
                 "needs it until the end of the last one. Parameters and optimizer states "
                 "are always in use. The dot is the peak.")
STEP_ROWS = "The panel below it shows the prediction of the step. In both panels the top row is"
STEP_ROWS_ALONE = "Its top row is"  # if the file has no prediction
# (attribute of /fom, words of the page, format, factor to the unit of the page)
FACTS = (("tokens_per_s", "figure of merit (tokens/s)", ".1f", 1), ("backward_s", "T at the best bucket size (ms)", ".2f", 1e3), ("bucket_mib", "best bucket size (MiB)", "g", 1),
         ("exposed_s", "exposed communication E (ms)", ".2f", 1e3), ("tail_s", "tail (ms)", ".2f", 1e3), ("overlap", "overlap", ".3f", 1),
         ("bus_bw_GBps", "bus bandwidth of the largest all-reduce (GB/s)", ".3g", 1), ("model_error", "mean error of the predicted E (model error)", ".1%", 1),
         ("model_error_beyond_noise", "model error beyond the noise", ".1%", 1), ("regret", "cost of following the prediction (regret)", ".2%", 1),
         ("valid", "valid", "", 1))


def _fact(value, form, factor):
    """Formats a value. NaN, which means that the value does not apply, becomes a dash."""
    return value if not form else "–" if value != value else format(value * factor, form).replace("%", " %")


class Report:
    """Builds the report of `files` in `folder`. Each figure is drawn once; it is saved as PNG, and goes into the page as SVG. The timelines of single
    cases are not saved as PNG."""

    def __init__(self, files, folder, reference):
        self.files, self.folder, self.reference = in_time(files), folder, reference
        self.newest = self.files[-1]
        self.stem = self.newest.path.stem
        self.written = []

    def figure(self, name, drawn, title):
        if drawn is None:
            return ""
        finding = findings.of(name, self.files)
        svg = self._svg(drawn, name, finding)
        self._save(drawn, name, f"{finding}\n{title}" if finding else title)
        style.close(drawn)
        return page.figure(svg, self.caption(name, title, any(len(part.axes) > 1 for part in drawn.subfigs)))

    def _svg(self, drawn, name, finding):
        """Returns the figure as SVG, with the finding as its title."""
        if finding:
            drawn.suptitle(finding, fontsize=10.5, fontweight="bold", y=1.01, va="bottom")
        return style.as_svg(drawn, name)

    def caption(self, name, title, is_broken):
        if name == "costs":
            return costs_figure.caption(self.newest)
        late = " The times were replayed from a table. On a busy machine a replayed call takes longer than the table says." if name in ("allreduce", "collectives") and is_replayed(self.newest) else ""
        more = {"split": split_caption, "step": step_figure.caption}
        return CAPTIONS.get(name, title) + late + BROKEN * (name == "sweep" and is_broken) + (more[name](self.newest) if name in more else "")

    def figures(self):
        title = self.newest.title()
        drawings = {"sweep": draw_sweep(self.newest), "step": step_figure.draw_step(self.newest), "split": self._split(), "samples": draw_samples(self.newest),
                    "layers": draw_layers(self.newest), "costs": costs_figure.draw_costs(self.newest),
                    "allreduce": draw_allreduce(self.newest, self.reference), "collectives": draw_collectives(self.newest)}
        drawn = [html for html in (self.figure(name, drawing, title) for name, drawing in drawings.items()) if html]
        return (drawn[0], "".join(drawn[1:])) if drawn else ("", "")

    def _split(self):
        return draw_split(self.newest) if self.newest.has("/sweep/strategy", "/sweep/measured") else None

    def timelines(self):
        """Returns the HTML of the timelines: two cases above each other, then each case alone, then the trace. For a file of whole steps: the timeline
        of one step, then the trace. Returns an empty text if the file has no timelines."""
        results = self.newest
        if step_timeline_figure.has_timeline(results):
            return f"<h2>Timeline of a step</h2>{self._step_timeline()}{perfetto.link(results, [step_timeline_figure.CASE])}"
        if not results.has("/timeline/count", "/sweep/strategy"):
            return ""
        names = derive.case_names(results)
        there = [case for case in range(len(names)) if timeline_figure.has_timeline(results, case)]
        if not there:
            return ""
        parts = [page.fold(names[case], self._timeline([case], f"timeline{case}")) for case in there]
        compared = timeline_figure.compared_cases(results) or there[:1]
        explained = TIMELINE.format(rank=timeline_figure.first_rank(results, compared[0])) + self._about_memory()
        return (f'<h2>Timelines</h2><p class="note">{page.escape(explained)}</p>{self._timeline(compared, "timeline")}{"".join(parts)}'
                f'{perfetto.link(results, there)}')

    def _about_memory(self):
        """Returns a text about the lower panels of the timelines. Returns an empty text if there are none."""
        if not timeline_figure.has_memory(self.newest):
            return ""
        return MEMORY + (CALCULATED if timeline_figure.allocated(self.newest) == 0.0 else DASHED)

    def _timeline(self, cases, name):
        """Returns the HTML of the timeline of these cases. If `name` is "timeline", also saves it as PNG."""
        results, drawn = self.newest, timeline_figure.draw_timelines(self.newest, cases)
        found, of = timeline_figure.finding(results, cases), " and ".join(str(derive.case_names(results)[c]) for c in cases)
        svg = self._svg(drawn, name, found)
        if name == "timeline":
            self._save(drawn, name, f"{found or f'Last sample of {of}'}\n{results.title()}")
        style.close(drawn)
        texts = (f"This is the last sample of {of}.", timeline_figure.left_out_note(results, cases))
        return page.figure(svg, " ".join(text for text in texts if text))

    def _step_timeline(self):
        """Returns the HTML of the timeline of whole steps, and saves it as PNG."""
        drawn, found = step_timeline_figure.draw(self.newest), step_timeline_figure.finding(self.newest)
        svg = self._svg(drawn, "timeline", found)
        self._save(drawn, "timeline", f"{found}\n{self.newest.title()}")
        style.close(drawn)
        rows = STEP_ROWS if step_timeline_figure.has_prediction(self.newest) else STEP_ROWS_ALONE
        caption = STEP_TIMELINE.format(source=step_timeline_figure.source(self.newest), rank=timeline_figure.first_rank(self.newest, step_timeline_figure.CASE), rows=rows)
        allocation = step_timeline_figure.allocation(self.newest)
        texts = [f"the panel shows the {allocation}" if allocation.startswith("memory") else allocation, step_timeline_figure.prediction(self.newest)]
        return page.figure(svg, " ".join([caption, *(f"{text[0].upper()}{text[1:]}." for text in texts if text)]))

    def _save(self, drawn, name, title):
        drawn.suptitle(title, fontsize=9.5, y=1.01, va="bottom")
        self.written.append(style.save_png(drawn, self.folder / f"{self.stem}-{name}.png"))

    def comparison(self):
        """Returns the HTML that compares several files: T over the bucket size (up to six files), T over time (three files or more), and a table of the
        oldest and the newest file. Returns an empty text for one file."""
        if len(self.files) < 2:
            return ""
        parts = [self.figure("against", draw_against(self.files), "T of each file over the bucket size")] if len(self.files) <= 6 else []
        if len(self.files) > 2:
            parts.append(self.figure("history", draw_history(self.files), "T over time, relative to the first file"))
        first = self.files[0]
        table = Table("ratios", "", [("case", "case", ""), ("base_s", f"{first.path.stem} (s)", ".5f"),
                                     ("new_s", f"{self.stem} (s)", ".5f"), ("ratio", f"{self.stem} / {first.path.stem}", ".4f")], ratios(first, self.newest))
        self.extra_tables = [table]
        return f'<h2>Comparison of {len(self.files)} files</h2><div class="figures">{"".join(parts)}</div>{page.table(table)}'

    def facts(self):
        """Returns the HTML of the figure of merit. Without a sweep most attributes of /fom are NaN; these are
        left out."""
        values = [(self.newest.attribute("/fom", name), *rest) for name, *rest in FACTS]
        if not self.newest.has("/sweep/strategy", "/sweep/measured"):
            values = [(value, *rest) for value, *rest in values if value == value]  # NaN differs from itself
        try:
            return page.facts([(label, _fact(value, form, factor)) for value, label, form, factor in values if value is not None])
        except (TypeError, ValueError) as error:
            raise ReportError(f"{self.newest.path}: an attribute of /fom is text where a number is expected: {error}; copy the file again, or measure again") from error

    def _answer(self):
        """Returns the HTML of the first lines (lead.gain(), lead.answer()), the figure of merit, and the notes that a reader needs before the figures."""
        return (f'<p class="gain">{page.escape(lead.gain(self.newest))}</p><p class="lead">{page.escape(lead.answer(self.newest))}</p>'
                f'{self.facts()}{notes.as_html(self.files)}<p class="note"><a href="#words">Words on this page</a></p>')

    def write(self):
        """Writes the page and the plots. Returns the path of the page. `written` then lists the paths of all files, the page first."""
        self.extra_tables = []
        self.tables = tables_of(self.newest)
        name = derive.case_names(self.newest) if self.newest.has("/sweep/strategy", "/sweep/measured") else []
        best = derive.best_case(self.newest, derive.column(self.newest, "measured_median")) if len(name) else None
        marked = name[best] if best is not None else None
        tables = "".join(f"<h2>{t.heading}</h2>{page.noted_table(t, marked)}" for t in self.tables)
        picture, figures = self.figures()
        content = (f"<h1>ddproxy: {page.escape(self.newest.title())}</h1>{page.first_screen(self._answer(), picture)}"
                   f'<div class="figures">{figures}</div>{self.comparison()}{self.timelines()}{tables}')
        body = f"{content}{page.words(self.newest, content)}<h2>Provenance</h2>{page.provenance(self.newest)}"
        path = self.folder / f"{self.stem}.html"
        text = page.document(f"ddproxy: {self.newest.title()}", body)
        write_text(path, text)
        self.written.insert(0, path)
        return path
