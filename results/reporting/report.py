# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Puts figures and tables together."""
from . import derive, page, style, timeline_figure
from .allreduce_figure import draw_allreduce
from .compare_figure import differences, differing_machines, draw_against, draw_history, in_time, ratios
from .data import ReportError
from .layers_figure import draw_costs, draw_layers, slowest_rank
from .output import write_text
from .split_figure import draw_split
from .sweep_figure import draw_sweep
from .tables import Table, tables_of

CAPTIONS = {
    "sweep": "T and E over the bucket size, measured and predicted. Each dot is a sample: the maximum over the ranks.",
    "split": "Compute only, communication only, one after the other, and measured: with communication the backward pass ends "
             "later (slowdown), and the last buckets end after it (tail). The measured bar is the sample with the median T (of an even "
             "number the mean of the two in the middle) and ends there; its parts need not be the medians of the table.",
    "layers": "Time of each layer in the backward pass, median over samples, all ranks at once.",
    "costs": "Speed of each operation over its arithmetic intensity; the roofline is what the machine file promises.",
    "allreduce": "Time of one all-reduce alone, and the bus bandwidth it amounts to.",
    "against": "The files in one picture.",
    "history": "T of the best bucketed case of the first file, and of the strategies beside it, over time.",
}
TIMELINE = ("Compute and communication on the rank that is there first. What is exposed is of this one sample, over its own T_compute; "
            "E elsewhere on the page is the median over all samples.")
FACTS = (("tokens_per_s", "tokens/s", ".1f"), ("backward_s", "T (s)", ".4f"), ("bucket_mib", "bucket (MiB)", "g"),
         ("exposed_s", "exposed (s)", ".4f"), ("tail_s", "tail (s)", ".4f"), ("overlap", "overlap", ".3f"),
         ("bus_bw_GBps", "bus bandwidth (GB/s)", ".1f"), ("model_error", "model error", ".3f"),
         ("model_error_beyond_noise", "of it beyond the noise", ".3f"), ("regret", "regret", ".4f"),
         ("valid", "valid", ""))


class Report:
    """Draws each figure once: as PNG into the folder, as SVG into the page."""

    def __init__(self, files, folder, reference):
        self.files, self.folder, self.reference = in_time(files), folder, reference
        self.newest = self.files[-1]
        self.stem = self.newest.path.stem
        self.written = []

    def figure(self, name, drawn, title):
        if drawn is None:
            return ""
        svg = style.as_svg(drawn, name)
        self._save(drawn, name, title)
        style.close(drawn)
        return page.figure(svg, CAPTIONS.get(name, title))

    def figures(self):
        title = self.newest.title()
        drawings = {"sweep": draw_sweep(self.newest), "split": self._split(), "layers": draw_layers(self.newest),
                    "costs": draw_costs(self.newest), "allreduce": draw_allreduce(self.newest, self.reference)}
        return "".join(self.figure(name, drawn, title) for name, drawn in drawings.items())

    def _split(self):
        return draw_split(self.newest) if self.newest.has("/sweep/strategy", "/sweep/measured") else None

    def timelines(self):
        results = self.newest
        if not results.has("/timeline/count", "/sweep/strategy"):
            return ""
        best = derive.best_case(results, derive.column(results, "measured_median"))
        parts = [page.fold(name, self._timeline(case, case == best), case == best)
                 for case, name in enumerate(derive.case_names(results)) if timeline_figure.has_timeline(results, case)]
        return "<h2>Timelines</h2>" + "".join(parts) if parts else ""

    def _timeline(self, case, is_best):
        """For the page; of the best case as PNG too."""
        drawn, title = timeline_figure.draw_timeline(self.newest, case), timeline_figure.title(self.newest, case)
        svg = style.as_svg(drawn, f"timeline{case}")
        if is_best:
            self._save(drawn, "timeline", title)
        style.close(drawn)
        return page.figure(svg, f"{title}. {TIMELINE}")

    def _save(self, drawn, name, title):
        drawn.suptitle(title, fontsize=9.5, y=1.01, va="bottom")
        self.written.append(style.save_png(drawn, self.folder / f"{self.stem}-{name}.png"))

    def comparison(self):
        """Against one another, or over time; empty for one file."""
        if len(self.files) < 2:
            return ""
        parts = [self.figure("against", draw_against(self.files), "the same case in each file")] if len(self.files) <= 6 else []
        if len(self.files) > 2:
            parts.append(self.figure("history", draw_history(self.files), "over time"))
        first = self.files[0]
        table = Table("ratios", "", [("case", "case", ""), ("base_s", f"{first.path.stem} (s)", ".5f"),
                                     ("new_s", f"{self.stem} (s)", ".5f"), ("ratio", "ratio", ".4f")], ratios(first, self.newest))
        self.extra_tables = [table]
        return f'<h2>{len(self.files)} files</h2><div class="figures">{"".join(parts)}</div>{page.table(table)}'

    def notes(self):
        notes = [f"{f.path.name}: the run was interrupted; what it measured is shown." for f in self.files if not f.complete]
        for name, attribute in (("model error", "why_no_model_error"), ("regret", "why_no_regret")):
            if reason := self.newest.attribute("/fom", attribute):
                notes.append(f"There is no {name}: {reason}.")
        if drift := self.newest.attribute("/phases", "drift"):
            notes.append(f"{drift}.")
        if "replay" in self.newest.title():
            notes.append("Replay: what is called replay took its times from a table; it computed or reduced nothing.")
        if states := derive.states_note(self.newest):
            notes.append(states)
        if unlike := differences(self.files):
            notes.append(f"The files differ in {', '.join(unlike)}: their times are not those of the same work.")
        if machines := differing_machines(self.files):
            notes.append(machines)
        if self.newest.has("/sweep/contradictions"):
            notes += list(self.newest["/sweep/contradictions"])
        rank = slowest_rank(self.newest) if self.newest.has("/layers/seconds", "/layers/operation_layer") else None
        text = "".join(f'<p class="warning">{page.escape(n)}</p>' for n in notes)
        return text + (f"<p>The slowest rank in the backward pass is {self._rank(rank[0])}, {rank[1]:+.1%} over the median rank.</p>"
                       if rank else "")

    def _rank(self, rank):
        hosts = self.newest.values.get("/provenance/host")
        return f"rank {rank} on {hosts[rank]}" if hosts is not None and rank < len(hosts) else f"rank {rank}"

    def facts(self):
        pairs = [(label, self.newest.attribute("/fom", name)) for name, label, _ in FACTS]
        forms = {label: form for _, label, form in FACTS}
        try:
            return page.facts([(k, format(v, forms[k]) if forms[k] else v) for k, v in pairs if v is not None])
        except ValueError as error:
            raise ReportError(f"{self.newest.path}: an attribute of /fom is text where a number is expected: {error}") from error

    def write(self):
        """Returns the path of the page."""
        self.extra_tables = []
        self.tables = tables_of(self.newest)
        name = derive.case_names(self.newest) if self.newest.has("/sweep/strategy", "/sweep/measured") else []
        best = derive.best_case(self.newest, derive.column(self.newest, "measured_median")) if len(name) else None
        marked = name[best] if best is not None else None
        tables = "".join(f"<h2>{t.heading}</h2>{page.table(t, marked)}" for t in self.tables)
        body = (f"<h1>ddproxy: {page.escape(self.newest.title())}</h1>"
                f'<p class="lead">{page.escape(page.answer(self.newest))}</p>{self.notes()}{self.facts()}'
                f'<div class="figures">{self.figures()}</div>{self.comparison()}{self.timelines()}{tables}'
                f"<h2>Provenance</h2>{page.provenance(self.newest)}")
        path = self.folder / f"{self.stem}.html"
        text = page.document(f"ddproxy: {self.newest.title()}", body)
        write_text(path, text)
        self.written.insert(0, path)
        return path
