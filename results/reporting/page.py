# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Builds one self-contained HTML page, in light and dark colours, that needs no network. Its only script is for the Perfetto button."""
import html
import re
from dataclasses import replace

from .tables import SAME_IN_ALL, shown

CSS = """
:root { color-scheme: light dark; --ink: #1b1b1b; --paper: #ffffff; --soft: #f3f4f6; --line: #c9ccd1; --accent: #0072B2;
  --measured: #0072B2; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e8e8; --paper: #15171a; --soft: #22262b; --line: #444a52; --accent: #56B4E9;
  --measured: #2A8FD4; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 1240px; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; line-height: 1.25; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
.gain { font-size: 1.25rem; font-weight: 600; margin: .6rem 0; } .lead { font-size: 1.1rem; }
.warning { border-left: 4px solid #D55E00; padding: .3rem .8rem; background: var(--soft); }
.first { display: grid; grid-template-columns: 1fr 1fr; gap: 1.5rem; align-items: start; margin-bottom: 1.5rem; } .first > * { min-width: 0; }
.figures { columns: 2 520px; column-gap: 1.5rem; } .figures figure { margin: 0 0 1.5rem; break-inside: avoid; }
figure { margin: 0; } figure svg { display: block; width: 100%; height: auto; max-width: 640px; color: var(--ink); }
figcaption { font-size: .9rem; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); gap: .6rem; padding: 0; margin: 1rem 0; }
.facts div { background: var(--soft); padding: .5rem .7rem; border-radius: 6px; }
.facts dt { font-size: .85rem; } .facts dd { margin: 0; font-weight: 600; }
.words dt { font-weight: 600; } .words dd { margin: 0 0 .3rem 1.2rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: .85rem; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .3rem; border-bottom: 1px solid var(--line); text-align: right; vertical-align: top; }
th:first-child, td:first-child { text-align: left; }
td.text { text-align: left; overflow-wrap: anywhere; } td.number { white-space: nowrap; } .mark td { background: var(--soft); font-weight: 600; }
button { font: inherit; padding: .35rem .8rem; border: 1px solid var(--accent); border-radius: 6px; background: var(--soft); color: var(--ink);
  cursor: pointer; } a { color: var(--accent); overflow-wrap: anywhere; } .note { font-size: .95rem; }
details { margin: .4rem 0; } summary { cursor: pointer; color: var(--accent); }
pre { background: var(--soft); padding: .6rem; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .85rem; }
@media (max-width: 760px) {
  .first { grid-template-columns: 1fr; }
  thead { display: none; } tr { display: block; padding: .5rem 0; border-bottom: 2px solid var(--line); }
  td, td.text, td:first-child { display: flex; justify-content: space-between; gap: 1rem; border: 0; text-align: right; }
  td { overflow-wrap: anywhere; } td::before { content: attr(data-label); font-weight: 400; text-align: left; white-space: normal; } }
"""


def escape(text):
    return html.escape(str(text))


def _cell(value, column):
    """Returns a cell. A number is never broken over two lines."""
    _, label, form = column
    kind = ' class="number"' if form else ""
    return f'<td{kind} data-label="{escape(label)}">{escape(shown(value, form))}</td>'


def table(content, marked=None):
    head = "".join(f"<th>{escape(label)}</th>" for _, label, _ in content.columns)
    rows = []
    for row in content.rows:
        cells = "".join(map(_cell, row, content.columns))
        rows.append(f'<tr class="mark">{cells}</tr>' if marked is not None and row[0] == marked else f"<tr>{cells}</tr>")
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'


def _without_repetition(content):
    """Returns (table, sentences). From a table of two rows or more, this function leaves out two kinds of columns: those with the same long text in
    all rows, and those without values. The sentences name these columns."""
    same, absent, kept = [], [], []
    for k, (name, label, form) in enumerate(content.columns):
        values = {shown(row[k], form) for row in content.rows}
        value = values.pop() if len(values) == 1 and len(content.rows) > 1 and k > 0 else ""
        if value == "–":
            absent.append(label)
        elif form == "" and len(value) > 12:
            same.append(SAME_IN_ALL.get(name, f"All rows have the same {label}: {{}}.").format(value))
        else:
            kept.append(k)
    sentences = same + [f"These columns are left out, because no row has a value: {', '.join(absent)}."] * bool(absent)
    rows = [[row[k] for k in kept] for row in content.rows]
    return replace(content, columns=[content.columns[k] for k in kept], rows=rows), " ".join(sentences)


def noted_table(content, marked=None):
    """Returns the HTML of a table and of the notes above it. If the table has no rows, returns only the notes. A row whose first value is `marked` is
    highlighted."""
    content, repeated = _without_repetition(content)
    note = "".join(f'<p class="note">{escape(text)}</p>' for text in (content.note, repeated) if text)
    return note + (table(content, marked) if content.rows else "")


def first_screen(answer, picture):
    """Returns the HTML of the answer and the picture. The picture stands beside the answer on a wide screen, and below it on a narrow one."""
    return f'<div class="first"><div>{answer}</div>{picture}</div>' if picture else answer


def figure(svg, caption):
    return f'<figure role="img" aria-label="{escape(caption)}">{svg}<figcaption>{escape(caption)}</figcaption></figure>'


def fold(summary, content, is_open=False):
    return f"<details{' open' if is_open else ''}><summary>{escape(summary)}</summary>{content}</details>"


def facts(pairs):
    return '<dl class="facts">' + "".join(f"<div><dt>{escape(k)}</dt><dd>{escape(v)}</dd></div>" for k, v in pairs) + "</dl>"


WORDS = (
    ("T", "time from the start of the backward pass until the pass has ended and every bucket has been reduced"),
    ("T_compute", "time of the backward pass without communication"),
    ("E", "exposed communication: T - T_compute"),
    ("95 % interval", "with six samples or more, the interval of the median. Two to five samples are too few for it, so they have Student's interval of the mean, which assumes that "
     "the samples are normally distributed"),
    ("tail", "the part of E after the end of the backward pass"),
    ("slowdown", "the part of E by which communication makes the backward pass longer"),
    ("overlap", "(T_comm - E) / min(T_comm, T_compute). T_comm is the time of the all-reduces without compute. 1 means that as much communication is hidden as possible, 0 that none is hidden"),
    ("bucket size, cap", "gradients are added to a bucket until its bytes reach this size; then the bucket is reduced"),
    ("naive", "case that reduces each gradient by itself, after the backward pass"),
    ("flat", "case that reduces all gradients in one all-reduce, after the backward pass"),
    ("per_tensor", "case that reduces each gradient by itself, during the backward pass"),
    ("optimal", "case with the buckets that have the smallest predicted T"),
    ("(changed)", "the input changes the shape of the preset, for instance the number of layers"),
    ("kernels", "real kernels carry out the computation"),
    ("replay", "compute or all-reduces only wait for the time that a table or the roofline gives"),
    ("roofline", "shortest possible time of an operation: its flops at the peak rate or its bytes at the memory bandwidth, whichever takes longer. The modelled time is this time "
     "divided by the efficiency in [machine] of the input"),
    ("mpi, nccl", "the library that carries out the all-reduces"),
    ("round", "one pass over all cases, in random order. Each round of the sweep takes one sample of each case"),
    ("calibration", "the measurements from which ddproxy predicts: layers and all-reduces, most of them measured before the sweep"),
    ("state of the machine", "a condition in which the same work always takes about the same time, for instance a clock level. Only samples of one state are compared"),
    ("contention", "compute and all-reduces that run at the same time slow each other"),
    ("copies", "gradients are copied into their bucket and back"),
    ("jitter", "a gradient is ready at a different time on each rank, and its bucket waits for the latest rank"),
    ("ideal", "the predicted E without contention, handovers, copies and jitter"),
    ("model error", "mean of |predicted E - E| / E over the bucketed cases. If E is below 0.5 % of T, the divisor is 0.5 % of T"),
    ("model error beyond the noise", "the part of the model error that the noise of E does not explain"),
    ("kappa, gamma", "kappa is the relative speed of compute while an all-reduce runs. gamma is the relative speed of an all-reduce while compute runs. 1 means not slowed"),
    ("regret", "T measured at the cap that the model calls best, divided by the smallest T measured at any cap, minus 1"),
    ("algbw", "bytes of a collective divided by its time"),
    ("busbw", "algbw multiplied by the factor of nccl-tests (2(n-1)/n for an all-reduce over n ranks), so that results with different numbers of ranks can be compared"),
    ("valid", "whether the figures can be used. If valid is true, they can. If it is false, the results were not checked, or a check found them wrong, or they contradict each other. Any other word says why the figures must not be compared as measurements of this machine (docs/results.md lists the words)"),
)


# Words on a page of whole steps. Only such a page has them, or their explanation differs from that on the page of a sweep.
OF_STEPS = (
    ("step", "one training step: forward pass, backward pass, all-reduces of the gradients, clipping and update of the parameters"),
    ("E, exposed", "exposed communication: the time of the step minus the compute time of the same step without communication. It is not one of the parts that add up to the step; it overlaps with them"),
    ("waiting", "the time of a step in which compute is idle, because it waits for communication or for another rank. Waiting and E differ: communication also makes compute longer, which "
     "counts in E, but not in waiting"),
    ("recompute", "activations that were not kept are computed again in the backward pass"),
    ("clip", "the norm of all gradients is computed, and the gradients are scaled so that it is at most the limit. With an optimizer, the time of clip covers only the norm, because the "
     "update scales the gradients as it reads them. Without an optimizer, it also covers the scaling"),
    ("token_table, position_table", "the tables with a vector for each word of the vocabulary, and for each position in a sequence"),
    ("norm", "LayerNorm or RMSNorm: scales each vector of activations"),
    ("linear", "the matrix products inside the layers"),
    ("head", "the last matrix product of the model: it gives a number for each word of the vocabulary"),
    ("scalar", "memory of single numbers, for instance of the norm of the gradients"),
    ("update", "the optimizer changes the parameters"),
    ("lane", "a queue that carries out its tasks one after another: compute or communication"),
    ("bubble", "the time of a step in which the compute lane carries out no task"),
    ("model error", "|predicted step / measured step - 1|. It is the field model_error of the line DDPROXY_STEP_FOM. The model error of a sweep (line DDPROXY_FOM) is another "
     "quantity: the mean error of the predicted E"),
)
ALSO_OF_STEPS = ("95 % interval", "bucket size, cap", "(changed)", "kernels", "replay", "roofline", "mpi, nccl", "contention", "copies", "kappa, gamma", "algbw", "busbw", "valid")


def _visible(content):
    """Returns the text that a reader sees. A figure draws its text as outlines, and has each text as a comment, too."""
    return html.unescape(re.sub(r"<[^>]*>", " ", re.sub(r"<!--(.*?)-->", r"\1", content, flags=re.DOTALL)))


def _uses(text, word):
    """Returns whether the text has one of the words, which are separated by commas."""
    return any(re.search(rf"(?<![\w-]){re.escape(one)}(?!\w)", text) for one in word.split(", "))


def words(results, content):
    """Returns HTML with a list of the words that `content` uses, each explained in one line. `content` is the
    HTML of the rest of the page. A page of whole steps takes the explanations from OF_STEPS and some from
    WORDS. Any other page takes all of them from WORDS. The first element has the id "words"."""
    of_steps = results.has("/step/part") and not results.has("/sweep/strategy")
    shown_words = OF_STEPS + tuple((word, text) for word, text in WORDS if word in ALSO_OF_STEPS) if of_steps else WORDS
    text = _visible(content)
    shown_words = [(word, meaning) for word, meaning in shown_words if _uses(text, word)]
    return '<h2 id="words">Words on this page</h2><dl class="words">' + "".join(f"<dt>{escape(word)}</dt><dd>{escape(text)}</dd>" for word, text in shown_words) + "</dl>"


EXPLAINED = {"second_start": "second_start (variables with which ddproxy restarted itself)", "blas_advice": "blas_advice (how to make the BLAS faster)",
             "target": "target (with max_seconds, sampling ends when in each case the half-width of the 95 % interval of E is at most target x max(E, 0.5 % of T))"}


def provenance(results):
    """Returns HTML that lists the attributes of the file, of /provenance, /model and /sweep that have a value, and the command line, the input file and
    the environment."""
    rows = [(f"{group} {EXPLAINED.get(name, name)}", value) for (group, name), value in sorted(results.attributes.items())
            if group in ("/", "/provenance", "/model", "/sweep") and name not in ("_NCProperties",) and str(value) != ""]
    cells = "".join(f'<tr><td data-label="attribute">{escape(k)}</td><td class="text" data-label="value">{escape(v)}</td></tr>'
                    for k, v in rows)
    parts = [fold("Attributes", f"<table><tbody>{cells}</tbody></table>")]
    for path, heading in (("/provenance/command_line", "Command line"), ("/provenance/input", "Input file"),
                          ("/provenance/environment", "Environment")):
        if results.has(path):
            parts.append(fold(heading, f"<pre>{escape(chr(10).join(results[path]))}</pre>"))
    return "".join(parts)


def document(title, body):
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, '
            f'initial-scale=1"><title>{escape(title)}</title><link rel="icon" href="data:,"><style>{CSS}</style></head>'
            f"<body>{body}</body></html>\n")
