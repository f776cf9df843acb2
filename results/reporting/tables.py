# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the tables of the report, and writes them as CSV and JSON. page.py writes them as HTML."""
import csv
import io
import json
import math
import re
from dataclasses import dataclass, field

import numpy as np

from . import derive, intervals
from .data import MIB
from .layers_figure import layer_seconds
from .output import write_text


@dataclass
class Table:
    name: str
    heading: str
    columns: list  # (name, label, format); the name carries the unit
    rows: list = field(default_factory=list)
    note: str = ""  # one or more sentences above the table

    def values(self):
        """Returns {column: [values]}. Values that are not available are None."""
        return {c[0]: [_plain(row[k]) for row in self.rows] for k, c in enumerate(self.columns)}


def _plain(value):
    if isinstance(value, (float, np.floating)):
        return float(value) if math.isfinite(value) else None
    return int(value) if isinstance(value, np.integer) else value


def shown(value, form):
    value = _plain(value)
    if value is None or value == "":
        return "–"
    text = str(value) if form == "" else format(value, form).replace("%", " %")  # the files have the share, the page shows per cent
    return text[1:] if text.startswith("-") and not text.strip("-0.") else text


SWEEP_NOTE = ("T, E, slowdown, tail and overlap are medians over the samples. Each median is taken separately. So slowdown and tail do not add up to E exactly. For the same reason T - E can differ from one "
              "case to another.")
VERIFIED_NOTE = (" The column \"verified\" says whether ddproxy checked the gradients of the case after its all-reduces, and found them right. With replayed all-reduces it checks instead that no "
                 "all-reduce began too early or in the wrong order.")
SAME_ROUND_NOTE = (" A round takes one sample of each case. For each sample the model also predicts E again, from T_compute and the all-reduces that were measured in the same round. "
                   "The column \"re-predicted E\" has the median of these predictions. A change of the machine after the calibration has no influence on them. Predicted T and predicted E "
                   "come from the calibration.")
SCORE_NOTE = ("The row \"model\" is the prediction of this run. The other rows are simpler predictions, with which the model is compared. \"constant\" predicts the same E for all bucket sizes: the "
              "E that fits the measurements best. This prediction has the same E for all caps and prefers none of them, so its regret is the mean of the regrets of all caps. \"pytorch_default\" stands for the choice of PyTorch: it predicts, for all bucket sizes, the E measured at {cap}. "
              "Its regret is the cost of using that cap. \"uncontended\" is the model without contention.")
PAIRS_NOTE = (" The column \"pairs in the right order\" considers all pairs of cases whose E differ by more than twice the noise. It has the share of these pairs that the prediction "
              "puts in the right order. A pair whose two cases have the same predicted E counts as half a pair in the right order.")
TERM_NOTE = ("The column \"ideal\" is the predicted E without contention, handovers, copies and jitter. Each following column adds one cause. The columns in percent (if there are any) say which share of the difference between "
             "measured and ideal E a cause explains. The percentages of a row add up to 100. If the causes explain more than the difference, \"not explained\" is negative. A dash means that the case does not "
             "overlap communication with compute, or that the difference is within the noise of E.")
STEP_NOTE = ("The columns \"from\" and \"to\" are the ends of an interval: {interval}. The row \"exposed\" is the part of the communication that makes the step longer: the time of the step minus the "
             "compute time of the same step without communication. The column \"first step\" has the times of the first step of the run, before anything is warm. The column \"predicted\" uses kappa and "
             "gamma, the relative speeds of compute and all-reduces that run at the same time. The column \"predicted, no contention\" assumes that they do not slow each other "
             "(kappa = gamma = 1).")
WAITING_NOTE = (" In each sample the rows above \"step\" add up to it. In the row \"waiting\" compute is idle, because it waits for communication or for another rank.")
KIND_NOTE = ("The table shows shares of the compute time of a step, measured in steps without communication. The column \"backward\" includes recomputed activations. The row \"matrix products\" is the sum of the rows \"linear\" and "
             "\"head\".")
LANE_NOTE = ("The time in which each lane carries out tasks, on rank 0 in the last step, and in the predicted step. A collective that waits for another rank counts. The row \"bubble\" is the time in which the "
             "compute lane carries out no task.")
MEMORY_NOTE = ("Memory of the buffers that are in use (live) on rank 0 in the last step. The column \"at the peak\" has the size of each kind at the moment when all buffers together are "
               "largest. The column \"largest\" has the largest size of each kind; a kind can reach it at another moment.")
STOPPED = {"samples": "the number of samples was reached", "target": "E was known well enough", "budget": "the time limit was reached"}
# If all rows of a column have the same text, a sentence replaces the column. {name of a column: its sentence}; {} stands for the text. The
# sentence for a column that is not listed here is in page.py.
SAME_IN_ALL = {"sampling": "Sampling of all cases ended because {}.", "interval": "T low and T high are the ends of an interval: {}."}


def sweep_table(results):
    names = ("buckets", "measured_median", "ci_low", "ci_high", "predicted", "exposed", "predicted_exposed", "slowdown", "tail",
             "overlap")
    columns = [derive.column(results, n) for n in names]
    scale = [1.0, *[1e3] * 8, 1.0]
    verified = results["/sweep/verified"] if results.has("/sweep/verified") else np.full(len(columns[0]), np.nan)
    words = {1.0: "yes", 0.0: "WRONG"}
    rows = [[name, *[c[k] * s for c, s in zip(columns, scale)], words.get(float(verified[k]), "not checked")]
            for k, name in enumerate(derive.case_names(results))]
    stopped = results["/sweep/stopped_by"] if results.has("/sweep/stopped_by") else [""] * len(rows)
    same_round = derive.column(results, "same_round_exposed") * 1e3
    for row, reason, seconds, interval in zip(rows, stopped, same_round, intervals.described(results)):
        row += [seconds, STOPPED.get(reason, reason), interval]
    labels = [("case", "case", ""), ("buckets", "buckets", ".0f"), ("T_ms", "T (ms)", ".3f"), ("low_ms", "T low (ms)", ".3f"),
              ("high_ms", "T high (ms)", ".3f"), ("predicted_T_ms", "predicted T (ms)", ".3f"), ("E_ms", "E (ms)", ".3f"),
              ("predicted_E_ms", "predicted E (ms)", ".3f"), ("slowdown_ms", "slowdown (ms)", ".3f"), ("tail_ms", "tail (ms)", ".3f"),
              ("overlap", "overlap", ".3f"), ("verified", "verified", ""), ("same_round_E_ms", "re-predicted E (ms)", ".3f"),
              ("sampling", "why sampling ended", ""),
              ("interval", "T low to T high", "")]
    return Table("sweep", "Every case", labels, rows, SWEEP_NOTE + VERIFIED_NOTE + SAME_ROUND_NOTE * bool(np.isfinite(same_round).any()))


def layer_table(results):
    names, seconds = layer_seconds(results)
    labels = results["/layers/operation_layer"]
    rows = []
    for k, name in enumerate(names):
        part, slowest = labels == name, int(np.argmax(seconds[:, k]))
        flops = results["/layers/flops"][part].sum() if results.has("/layers/flops") else np.nan
        count = results["/layers/bytes"][part].sum() if results.has("/layers/bytes") else np.nan
        worst = seconds[slowest, k]
        rows.append([name, worst * 1e3, slowest, flops / 1e9, count / 1e9, flops / worst / 1e12 if worst > 0 else np.nan])
    return Table("layers", "Layers", [("layer", "layer", ""), ("ms", "slowest rank's time (ms)", ".4g"), ("rank", "slowest rank", "d"),
                                      ("gflop", "work (Gflop)", ".4g"), ("GB", "memory traffic (GB)", ".3g"),
                                      ("tflops", "speed (Tflop/s)", ".3g")], rows)


def allreduce_table(results):
    names = ("median", "p99", "algbw", "busbw", "wrong_elements")
    sizes = results["/allreduce/bytes"]
    columns = [results["/allreduce/" + n] if results.has("/allreduce/" + n) else np.full(sizes.size, np.nan) for n in names]
    rows = [[int(x), columns[0][k] * 1e6, columns[1][k] * 1e6, *[c[k] for c in columns[2:]]] for k, x in enumerate(sizes)]
    return Table("allreduce", "All-reduce alone", [("bytes", "message size (bytes)", "d"), ("median_us", "median (µs)", ".2f"),
                                                   ("p99_us", "p99 (µs)", ".2f"), ("algbw_GBps", "algbw (GB/s)", ".4g"),
                                                   ("busbw_GBps", "busbw (GB/s)", ".4g"), ("wrong", "wrong elements", ".0f")], rows)


def collectives_table(results):
    names = ("median", "min", "max", "algbw", "busbw", "wrong_elements")
    verbs = results["/collectives/verb"]
    columns = [results["/collectives/" + n] if results.has("/collectives/" + n) else np.full(verbs.size, np.nan) for n in names]
    rows = [[verb, int(results["/collectives/bytes"][k]), *[c[k] * 1e6 for c in columns[:3]], *[c[k] for c in columns[3:]]]
            for k, verb in enumerate(verbs)]
    return Table("collectives", "Collectives alone", [("verb", "collective", ""), ("bytes", "message size (bytes)", "d"), ("median_us", "median (µs)", ".2f"),
                                                      ("min_us", "minimum (µs)", ".2f"), ("max_us", "maximum (µs)", ".2f"),
                                                      ("algbw_GBps", "algbw (GB/s)", ".4g"), ("busbw_GBps", "busbw (GB/s)", ".4g"),
                                                      ("wrong", "wrong elements", ".0f")], rows, _groups_of_collectives(results))


def _groups_of_collectives(results):
    """Returns a sentence about the groups of `ddproxy collectives --group`. Returns an empty text if all ranks are one group."""
    if not results.has("/collectives/ranks", "/collectives/groups") or (results["/collectives/groups"] == 1).all():
        return ""
    sizes = sorted({(int(groups), int(ranks)) for groups, ranks in zip(results["/collectives/groups"], results["/collectives/ranks"])})
    return "All groups of a row were measured at the same time: " + ", or ".join(f"{groups} group{'s' if groups > 1 else ''} of {ranks} ranks" for groups, ranks in sizes) + "."


def score_table(results):
    names = ("mean_error", "beyond_noise", "max_error", "pairs_in_order", "regret", "tail_error", "slowdown_error")
    columns = [results["/score/" + n] if results.has("/score/" + n) else np.full(results["/score/predictor"].size, np.nan)
               for n in names]
    rows = [[p, *[c[k] for c in columns]] for k, p in enumerate(results["/score/predictor"])]
    labels = [("predictor", "predictor of E", ""), ("mean_error", "mean error", ".1%"), ("beyond_noise", "mean error beyond the noise", ".1%"), ("max_error", "largest error", ".1%"),
              ("pairs_in_order", "pairs in the right order", ".1%"), ("regret", "cost of following the prediction (regret)", ".2%"), ("tail_error", "error of the tail", ".1%"),
              ("slowdown_error", "error of the slowdown", ".1%")]
    note = SCORE_NOTE.format(cap=_nearest_cap(results)) + PAIRS_NOTE * bool(np.isfinite(columns[3]).any())
    errors = {name: (error, beyond) for name, error, beyond in zip(results["/score/predictor"], columns[0], columns[1])}
    return Table("score", "Score of the prediction", labels, rows, " ".join(filter(None, (note, worse_than_simpler(errors)))))


def _nearest_cap(results):
    cap = derive.cap_nearest_to_default(results) if results.has("/sweep/strategy", "/sweep/measured") else None
    return "the cap nearest to 25 MiB" if cap is None else f"{cap:g} MiB" + ", the cap nearest to 25 MiB (on a log scale)" * (cap != derive.PYTORCH_DEFAULT_MIB)


def worse_than_simpler(errors):
    """Returns sentences that name the simpler predictions with a smaller mean error than the model, and say what follows from that. Returns
    an empty text if there are none. `errors` is {predictor: (mean error, mean error beyond the noise)}."""
    model, beyond = errors.get("model", (np.nan, np.nan))
    better = {name: error for name, (error, _) in errors.items() if name != "model" and error < model}
    if not better:
        return ""
    text = (f"In this run the mean error of the model ({derive.percent(model)}) is larger than that of "
            f"{' and '.join(f'{name} ({derive.percent(error)})' for name, error in better.items())}.")
    if {"constant", "pytorch_default"} & set(better):
        text += " constant and pytorch_default take one E from the measurement and use it for all bucket sizes. The model uses no measured E. Here one E for all bucket sizes is the better prediction."
    if "uncontended" in better:
        text += " The contention that was measured makes the prediction worse here."
    return text + (" All of the model's error lies within the noise of E." if beyond == 0.0 else "")


def term_table(results):
    names = {"ideal": "ideal", "with_contention": "+ contention", "with_copies": "+ copies", "with_jitter": "+ jitter",
             "exposed": "measured"}
    columns = [derive.column(results, n) * 1e3 for n in names]
    shares = _explained(results, *columns)
    difference = columns[-1] - columns[0]
    case_names, below = derive.case_names(results), columns[-1] < columns[0]
    rows = [[name, *[c[k] for c in columns], difference[k], *[s[k] for s in shares.values()]] for k, name in enumerate(case_names) if not below[k]]
    return Table("terms", "Causes of E, added to the prediction one by one",
                 [("case", "case", ""), *[(f"{n}_ms", f"{label} (ms)", ".5g") for n, label in names.items()],
                  ("difference_ms", "measured - ideal (ms)", ".5g"),
                  *[(f"{name}_percent", f"{'not explained' if name == 'unexplained' else name} (%)", ".0f") for name in shares]], rows, " ".join(filter(None, (TERM_NOTE, _left_out(case_names[below])))))


def _left_out(names):
    """Returns a sentence that says why these cases have no row. Returns an empty text if there are none."""
    if not len(names):
        return ""
    their = "Their" if len(names) > 1 else "Its"
    return (f"Left out: {', '.join(names)}. {their} measured E is below the ideal, so there is nothing that contention, copies and jitter could "
            "explain. A measured E below the ideal is noise, or the machine was faster during the sweep than while the all-reduce table and the layer times were measured.")


def _explained(results, ideal, contention, copies, jitter, measured):
    """Returns {cause: [case]}: how many percent of the difference between measured and ideal E each cause explains, and how many remain
    unexplained. The value is NaN if this difference is within the noise of E. All E are in ms, [case]."""
    noise = (derive.column(results, "exposed_high") - derive.column(results, "exposed_low")) / 2 * 1e3
    miss = np.where(np.abs(measured - ideal) > noise, measured - ideal, np.nan)
    parts = {"contention": contention - ideal, "copies": copies - contention, "jitter": jitter - copies, "unexplained": measured - jitter}
    return {name: 100.0 * part / miss for name, part in parts.items()}


def step_table(results):
    """Returns a row for each part of the steps of `ddproxy step`. Parts that the step does not have get no row."""
    names = ("median", "ci_low", "ci_high", "mean", "deviation", "predicted", "first")
    median, low, high, mean, deviation, predicted, first = (results["/step/" + n] * 1e3 for n in names)
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.where(median > 0, 100.0 * (predicted / median - 1.0), np.nan)
    columns = [("median_ms", "median (ms)", ".3f", median), ("from_ms", "from (ms)", ".3f", low), ("to_ms", "to (ms)", ".3f", high), ("mean_ms", "mean (ms)", ".3f", mean),
               ("sd_ms", "sd (ms)", ".3f", deviation), ("predicted_ms", "predicted (ms)", ".3f", predicted), ("error_percent", "error (%)", ".1f", error)]
    if results.has("/step/uncontended"):  # files of earlier versions lack this dataset
        columns.append(("uncontended_ms", "predicted, no contention (ms)", ".3f", results["/step/uncontended"] * 1e3))
    columns.append(("first_ms", "first step (ms)", ".3f", first))
    rows = [[part, *[c[3][k] for c in columns]] for k, part in enumerate(results["/step/part"]) if median[k] != 0 or predicted[k] != 0]
    return Table("step", "Whole steps", [("part", "part", ""), *[c[:3] for c in columns]], rows, _step_note(results))


def _samples_of_steps(results):
    """Returns the number of steps that were measured. The dataset of an interrupted run has room for more; these values are NaN."""
    return int(np.isfinite(results["/step/measured"]).all(axis=0).sum()) if results.has("/step/measured") else 0


CHECKPOINTS = {"none": "no activation checkpointing", "layer": "activation checkpointing: the activations of each layer are computed again"}


def _micro_batches(count, sync):
    """Says how many micro-batches a step has, and when the gradients are averaged."""
    if str(count) == "1":
        return "1 micro-batch"
    return f"{count} micro-batches, gradients are averaged {({'last': 'in the last micro-batch', 'each': 'in each micro-batch'}).get(sync, sync)}"


def _sharding(results):
    sharding = results.attribute("/step", "sharding", "none")  # files of earlier versions lack this attribute
    if sharding == "none":
        return ""
    stage, *settings = sharding.split(", ")
    keys = [re.sub(r"^(unit|prefetch|group|reduce|update) ", r"\1 = ", each) for each in settings]
    return f" Sharding: {', '.join([stage, *keys]).replace(' lane', ' communication lane')}."


def _step_note(results):
    setting = lambda name: results.attribute("/step", name, "?")
    clip = setting("clip")
    clipped = f", gradients clipped to the norm {clip:g}" if isinstance(clip, float) and clip == clip else ""
    peak = results["/step/measured_peak"] if results.has("/step/measured_peak") else np.nan  # files of earlier versions lack this dataset
    share = f" Model flops per second: {100.0 * float(results['/step/model_flops'] / peak):.1f} % of those that large matrix products reach." if np.isfinite(peak) else ""
    batch = f" Global batch: {int(results['/step/global_batch'])} sequences." if results.has("/step/global_batch") else ""
    return (f"Optimizer {setting('optimizer')}{clipped}; {_micro_batches(setting('accumulation'), setting('sync'))}; {CHECKPOINTS.get(setting('checkpoint'), setting('checkpoint'))}.{_sharding(results)}{batch}{share} "
            + STEP_NOTE.format(interval=intervals.WORDS[intervals.kind_of_steps(_samples_of_steps(results))]) + WAITING_NOTE * ("waiting" in results["/step/part"]))


def kind_table(results):
    """Returns the share of each kind of operator in compute. The last row is the sum of linear and head."""
    kinds, columns = results["/step/kind"], [results["/step/kind_" + n] for n in ("forward", "backward", "step")]
    parts = kinds != "matrix products"
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = [100.0 * c / c[parts].sum() for c in columns]
    rows = [[kind, *[share[k] for share in shares]] for k, kind in enumerate(kinds)]
    return Table("kinds", "Share of compute in a step", [("kind", "kind of operator", ""), ("forward_percent", "forward (%)", ".1f"),
                                                         ("backward_percent", "backward (%)", ".1f"), ("step_percent", "step (%)", ".1f")], rows, KIND_NOTE)


def lane_table(results):
    """Returns the busy time of each lane. The last row is the bubble, the time in which the compute lane is idle."""
    columns = [[*results["/step/" + busy], float(results["/step/" + bubble])] for busy, bubble in (("lane_busy", "bubble"), ("predicted_lane_busy", "predicted_bubble"))]
    rows = [[lane, *[column[k] * 1e3 for column in columns]] for k, lane in enumerate([*results["/step/lane"], "bubble"])]
    return Table("lanes", "Lanes of a step", [("lane", "lane", ""), ("busy_ms", "busy (ms)", ".3f"), ("predicted_ms", "predicted (ms)", ".3f")], rows, LANE_NOTE)


def memory_table(results):
    """Returns the live buffers of a whole step by kind. The last row is all kinds together."""
    at_peak, most = (results["/memory/kind_" + name][0] / MIB for name in ("at_peak", "peak"))
    total = float(results["/memory/live_peak"][0]) / MIB
    rows = [[kind.replace("_", " "), at, 100.0 * at / total, largest] for kind, at, largest in zip(results["/memory/kind"], at_peak, most)]
    return Table("memory", "Memory of a step", [("kind", "kind of buffer", ""), ("at_peak_mib", "at the peak (MiB)", ".3f"), ("share_percent", "share of the peak (%)", ".1f"),
                                                ("largest_mib", "largest (MiB)", ".3f")], [*rows, ["all", total, 100.0, total]], MEMORY_NOTE)


def rank_table(results):
    columns = {"host": "host", "device": "device", "numa_node": "NUMA node", "binding": "processors", "clock": "clock (GHz)",
               "peak_memory": "peak memory (MiB)"}
    there = {k: v for k, v in columns.items() if results.has("/provenance/" + k)}
    scale = {"clock": 1e-9, "peak_memory": 1 / MIB}
    rows = [[r, *[results["/provenance/" + n][r] * scale[n] if n in scale else results["/provenance/" + n][r] for n in there]]
            for r in range(results["/provenance/host"].size)]
    forms = {"numa_node": ".0f", "clock": ".2f", "peak_memory": ".0f"}
    return Table("ranks", "Ranks", [("rank", "rank", "d"), *[(n, label, forms.get(n, "")) for n, label in there.items()]], rows, _ranks_note(results, len(rows)))


def _ranks_note(results, processes):
    """If the ranks are simulated, returns a text that says which machine the table describes. Returns an empty text if they are real."""
    if set(results.modes()) != {"replay"}:
        return ""
    ranks = results.attribute("/sweep", "ranks", results.attribute("/step", "ranks"))
    stands = f" One process stands for all {ranks} ranks." if processes == 1 and ranks is not None and str(ranks) != "1" else ""
    return f"This is the machine on which the twin ran, not the simulated one.{stands}"


# Each entry: (datasets that a file must have, function that makes the table).
TABLES = ((("/sweep/measured", "/sweep/strategy"), sweep_table),
          (tuple("/step/" + n for n in ("part", "median", "ci_low", "ci_high", "mean", "deviation", "predicted", "first")), step_table),
          (tuple("/step/" + n for n in ("lane", "lane_busy", "predicted_lane_busy", "bubble", "predicted_bubble")), lane_table),
          (("/step/kind", "/step/kind_forward", "/step/kind_backward", "/step/kind_step"), kind_table),
          (("/timeline/phase", "/memory/kind", "/memory/kind_at_peak", "/memory/kind_peak", "/memory/live_peak"), memory_table),
          (("/layers/seconds", "/layers/operation_layer"), layer_table),
          (("/allreduce/bytes",), allreduce_table),
          (("/collectives/verb", "/collectives/bytes"), collectives_table), (("/sweep/ideal", "/sweep/measured"), term_table),
          (("/score/predictor",), score_table),
          (("/provenance/host",), rank_table))


def tables_of(results):
    return [make(results) for needs, make in TABLES if results.has(*needs)]


def write_csv(table, path):
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([c[0] for c in table.columns])
    writer.writerows([["" if _plain(v) is None else _plain(v) for v in row] for row in table.rows])
    return write_text(path, text.getvalue())


def write_json(tables, path):
    text = json.dumps({t.name: t.values() for t in tables}, indent=1) + "\n"
    return write_text(path, text)
