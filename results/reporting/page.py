# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""One self-contained HTML page: no script, no network, light and dark."""
import html

import numpy as np

from . import derive
from .tables import shown

CSS = """
:root { color-scheme: light dark; --ink: #1b1b1b; --paper: #ffffff; --soft: #f3f4f6; --line: #c9ccd1; --accent: #0072B2; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e8e8; --paper: #15171a; --soft: #22262b; --line: #444a52; --accent: #56B4E9; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 1240px; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; line-height: 1.25; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
.lead { font-size: 1.1rem; } .warning { border-left: 4px solid #D55E00; padding: .3rem .8rem; background: var(--soft); }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 520px), 1fr)); gap: 1.5rem; align-items: start; }
figure { margin: 0; } figure svg { display: block; width: 100%; height: auto; max-width: 640px; color: var(--ink); }
figcaption { font-size: .9rem; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); gap: .6rem; padding: 0; margin: 1rem 0; }
.facts div { background: var(--soft); padding: .5rem .7rem; border-radius: 6px; }
.facts dt { font-size: .85rem; } .facts dd { margin: 0; font-weight: 600; }
table { border-collapse: collapse; width: 100%; font-size: .88rem; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .5rem; border-bottom: 1px solid var(--line); text-align: right; vertical-align: top; }
th:first-child, td:first-child { text-align: left; }
td.text { text-align: left; overflow-wrap: anywhere; } .mark td { background: var(--soft); font-weight: 600; }
details { margin: .4rem 0; } summary { cursor: pointer; color: var(--accent); }
pre { background: var(--soft); padding: .6rem; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .85rem; }
@media (max-width: 760px) {
  thead { display: none; } tr { display: block; padding: .5rem 0; border-bottom: 2px solid var(--line); }
  td, td.text, td:first-child { display: flex; justify-content: space-between; gap: 1rem; border: 0; text-align: right; }
  td { overflow-wrap: anywhere; } td::before { content: attr(data-label); font-weight: 400; text-align: left; } }
"""


def escape(text):
    return html.escape(str(text))


def table(content, marked=None):
    head = "".join(f"<th>{escape(label)}</th>" for _, label, _ in content.columns)
    rows = []
    for row in content.rows:
        cells = "".join(f'<td data-label="{escape(c[1])}">{escape(shown(v, c[2]))}</td>' for c, v in zip(content.columns, row))
        rows.append(f'<tr class="mark">{cells}</tr>' if marked is not None and row[0] == marked else f"<tr>{cells}</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def figure(svg, caption):
    return f'<figure role="img" aria-label="{escape(caption)}">{svg}<figcaption>{escape(caption)}</figcaption></figure>'


def fold(summary, content, is_open=False):
    return f"<details{' open' if is_open else ''}><summary>{escape(summary)}</summary>{content}</details>"


def facts(pairs):
    return '<dl class="facts">' + "".join(f"<div><dt>{escape(k)}</dt><dd>{escape(v)}</dd></div>" for k, v in pairs) + "</dl>"


def provenance(results):
    rows = [(f"{group} {name}", value) for (group, name), value in sorted(results.attributes.items()) if group in ("/", "/provenance",
            "/model", "/sweep") and name not in ("_NCProperties",)]
    cells = "".join(f'<tr><td data-label="attribute">{escape(k)}</td><td class="text" data-label="value">{escape(v)}</td></tr>'
                    for k, v in rows)
    parts = [fold("Attributes", f"<table><tbody>{cells}</tbody></table>")]
    for path, heading in (("/provenance/command_line", "Command line"), ("/provenance/input", "Input file"),
                          ("/provenance/environment", "Environment")):
        if results.has(path):
            parts.append(fold(heading, f"<pre>{escape(chr(10).join(results[path]))}</pre>"))
    return "".join(parts)


def answer(results):
    """The answer in a few sentences."""
    if not results.has("/sweep/strategy", "/sweep/measured"):
        return "This file holds no sweep."
    totals, predicted = derive.column(results, "measured_median"), derive.column(results, "predicted")
    best, foreseen, names = derive.best_case(results, totals), derive.best_case(results, predicted), derive.case_names(results)
    if best is None:
        return "No bucketed case was measured."
    exposed = derive.column(results, "exposed")[best]
    text = [f"The best measured bucket size is {_cap(results, best)}: backward pass and all-reduce take {_time(totals[best])}, of "
            f"which {_time(exposed)} are exposed communication."]
    if foreseen is not None:
        text.append(f"The model predicts {_cap(results, foreseen)} as the best.")
    text.append(_worth(results, totals, best))
    others = [f"{names[k]} {totals[k] / totals[best] - 1.0:+.1%}" for k in range(len(names))
              if results["/sweep/strategy"][k] != "bucketed" or results["/sweep/bucket_bytes"][k] == derive.PYTORCH_DEFAULT_MIB * 2**20]
    others = [o for o in others if "nan" not in o]
    if others:
        text.append("Against it: " + ", ".join(others) + ".")
    return " ".join(part for part in text if part)


def _worth(results, totals, best):
    """What the best bucket size gains over 25 MiB and over the worst, by the words and the criterion of the terminal."""
    worst = derive.best_case(results, -totals)
    if worst == best:
        return ""
    is_common = results["/sweep/bucket_bytes"] == derive.PYTORCH_DEFAULT_MIB * 2**20
    common = derive.best_case(results, np.where(is_common, totals, np.nan))
    gains = [] if common is None else [_gain(results, totals, best, common, "25 MiB, PyTorch's default")]
    gains.append(_gain(results, totals, best, worst, f"{_cap(results, worst)}, the worst cap run"))
    if None in gains:
        return ""
    return f"Choosing the bucket well is worth up to {', and '.join(gains)}."


def _gain(results, totals, best, other, name):
    """None where one sample a case does not tell the noise."""
    low, high = derive.column(results, "ci_low"), derive.column(results, "ci_high")
    if not np.isfinite(high[best] - low[other]):
        return None
    gain = totals[other] - totals[best]
    noise = " (within the noise)" if other != best and high[best] >= low[other] else ""
    return f"{_time(gain)} ({gain / totals[other]:.1%}) against {name}{noise}"


def _cap(results, case):
    return f"{results['/sweep/bucket_bytes'][case] / 2**20:g} MiB"


def _time(seconds):
    return f"{seconds:.3f} s" if abs(seconds) >= 1.0 else f"{seconds * 1e3:.2f} ms"


def document(title, body):
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, '
            f'initial-scale=1"><title>{escape(title)}</title><link rel="icon" href="data:,"><style>{CSS}</style></head>'
            f"<body>{body}</body></html>\n")
