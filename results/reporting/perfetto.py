# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Puts the timelines into the page as a Chrome trace, with a link that saves it and a button that opens it in ui.perfetto.dev."""
import base64
import gzip
import html
import json

import numpy as np

from . import derive

# Perfetto's protocol for other pages: open its window, send PING until it answers PONG, then send
# the trace. The trace does not leave the browser. Without a network the button says what to do.
# Without JavaScript the button stays hidden, and the link remains.
SCRIPT = """
(() => {
  const origin = 'https://ui.perfetto.dev', link = document.getElementById('trace');
  const button = document.getElementById('perfetto'), said = document.getElementById('perfetto-said');
  const bytes = () => Uint8Array.from(atob(link.href.split(',')[1]), c => c.charCodeAt(0)).buffer;
  button.hidden = false;
  button.addEventListener('click', () => {
    const opened = window.open(origin);
    if (!opened) { said.textContent = 'The browser blocked the new window. Allow it, or save the trace and open it by hand.'; return; }
    said.textContent = 'Waiting for ui.perfetto.dev.';
    let tries = 0;
    const stop = text => { clearInterval(timer); removeEventListener('message', answer); said.textContent = text; };
    const answer = event => {
      if (event.origin !== origin || event.data !== 'PONG') return;
      opened.postMessage({perfetto: {buffer: bytes(), title: link.dataset.title, fileName: link.download}}, origin);
      stop('The trace was handed to ui.perfetto.dev.');
    };
    const timer = setInterval(() => {
      if (++tries > 150) stop('ui.perfetto.dev did not answer within 30 s. Save the trace and open it there by hand.');
      else opened.postMessage('PING', origin);
    }, 200);
    addEventListener('message', answer);
  });
})();
"""


def _case_events(results, case, name, process):
    """Yields the Chrome trace events of one case. Each rank is a process, with one row for compute, one row for each communication lane, and a
    counter of the live buffers if the file has their bytes."""
    first, count = int(results["/timeline/first"][case]), int(results["/timeline/count"][case])
    part = slice(first, first + count)
    start, end, resource, label = (results["/timeline/" + n][part] for n in ("start", "end", "resource", "label"))
    ranks = results["/timeline/event_rank"][part] if results.has("/timeline/event_rank") else np.zeros(count)
    rows = {key: number for number, key in enumerate(dict.fromkeys(resource))}
    for rank in dict.fromkeys(int(r) for r in ranks):
        yield {"ph": "M", "name": "process_name", "pid": process + rank, "tid": 0, "args": {"name": f"{name}, rank {rank}"}}
        for key, row in rows.items():
            yield {"ph": "M", "name": "thread_name", "pid": process + rank, "tid": row, "args": {"name": key}}
    for k in range(count):
        yield {"ph": "X", "name": label[k], "cat": resource[k], "pid": process + int(ranks[k]), "tid": rows[resource[k]],
               "ts": round(start[k] * 1e6, 3), "dur": round((end[k] - start[k]) * 1e6, 3)}
    for when, name in ((start, "/timeline/live_bytes_start"), (end, "/timeline/live_bytes_end")):
        for k, live in enumerate(results[name][part] if results.has(name) else ()):
            yield {"ph": "C", "name": "live buffers", "pid": process + int(ranks[k]), "ts": round(when[k] * 1e6, 3), "args": {"MiB": live / 2.0**20}}


def trace(results, cases):
    """Returns the timelines of the cases as JSON text, in the format of the option --trace of ddproxy."""
    ranks = int(results["/timeline/event_rank"].max()) + 1 if results.has("/timeline/event_rank") else 1
    names = derive.case_names(results)
    events = [event for case in cases for event in _case_events(results, case, names[case], int(case) * ranks)]
    return json.dumps({"displayTimeUnit": "ms", "traceEvents": events}, separators=(",", ":"))


def link(results, cases):
    """Returns HTML: the button, the link that saves the trace, and the script of the button."""
    packed = base64.b64encode(gzip.compress(trace(results, cases).encode(), mtime=0)).decode()
    name = html.escape(f"{results.path.stem}-trace.json.gz")
    return (f'<p class="trace"><button id="perfetto" type="button" hidden>Open all timelines in Perfetto</button> '
            f'<a id="trace" download="{name}" data-title="{html.escape(results.title())}" href="data:application/gzip;base64,{packed}">'
            f'Save the trace ({name})</a> <span id="perfetto-said" role="status"></span></p>'
            "<p>The button opens ui.perfetto.dev, which needs a network, and hands the trace over inside the browser: nothing is uploaded. Without a network, save the "
            "trace and open it later with ui.perfetto.dev or chrome://tracing.</p>"
            f"<script>{SCRIPT}</script>")
