# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Writes what a reader must know before the figures: interrupted runs, contradictions, impossible values, different machines."""
from . import costs_figure, derive, page
from .compare_figure import differences, differing_machines
from .layers_figure import slowest_rank
from .plausible import impossible


def _source_of_compute(newest):
    """Returns where replayed compute has its times from."""
    if newest.has("/step/part") or costs_figure.is_roofline(newest):
        return "the roofline of [machine]"
    return "a table" if newest.has("/layers/seconds") else "a table or the roofline of [machine]"


def _simulated(newest):
    """Says which parts are simulated and where their times come from. Returns an empty text if everything is real."""
    compute, allreduce = (mode == "replay" for mode in newest.modes())
    if compute and allreduce:
        return (f"This is a simulated machine (a twin). Compute times come from {_source_of_compute(newest)}, all-reduce times from a table. Nothing was computed, and nothing "
                "was reduced.")
    if compute:
        return f"Compute is simulated: its times come from {_source_of_compute(newest)}, and nothing was computed. The all-reduces are real."
    if allreduce:
        return "The all-reduces are simulated: their times come from a table, and nothing was reduced. Compute is real."
    return ""


def _of_newest(newest):
    for name, attribute in (("model error", "why_no_model_error"), ("cost of following the prediction (regret)", "why_no_regret")):
        if reason := newest.attribute("/fom", attribute):
            yield f"The {name} is not known: {reason}."
    if advice := newest.attribute("/provenance", "blas_advice"):
        yield f"{advice}."
    if drift := newest.attribute("/phases", "drift"):
        yield f"{drift}."
    if before := newest.attribute("/", "resumed_from"):
        unit = "samples" if newest.has("/step/part") else "rounds"
        yield (f"This run continued the interrupted run {before}. The {newest.attribute('/', 'rounds_before')} {unit} that were measured before are not on this page. "
               "They are in the unfinished files (FILE.part or FILE.part.N) of the earlier runs.")
    if simulated := _simulated(newest):
        yield simulated
    if states := derive.states_note(newest):
        yield states


def warnings(files):
    """Returns the warnings, each one or more sentences. The newest file is the last one of `files`."""
    newest = files[-1]
    found = [f"{f.path.name}: the run was interrupted, or it still goes on; what it has measured so far is shown." for f in files if not f.complete]
    found += _of_newest(newest)
    if unlike := differences(files):
        found.append(f"The files differ in {', '.join(unlike)}, so they did not do the same work.")
    if machines := differing_machines(files):
        found.append(machines)
    found += impossible(newest)
    return found + [f"Warning: {text}" for text in newest.values.get("/sweep/contradictions", ())]


def _rank(newest, rank):
    hosts = newest.values.get("/provenance/host")
    return f"rank {rank} on {hosts[rank]}" if hosts is not None and rank < len(hosts) else f"rank {rank}"


def as_html(files):
    newest = files[-1]
    text = "".join(f'<p class="warning">{page.escape(n)}</p>' for n in warnings(files))
    found = slowest_rank(newest) if newest.has("/layers/seconds", "/layers/operation_layer") else None
    if found is None:
        return text
    ranks = newest["/layers/seconds"].shape[0]
    middle = "mean of the two ranks" if ranks == 2 else "median over the ranks"
    return f"{text}<p>The slowest rank in the backward pass is {page.escape(_rank(newest, found[0]))}, {derive.percent(found[1])} slower than the {middle}.</p>"
