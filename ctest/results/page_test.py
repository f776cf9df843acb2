# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""page_test.py MAKE_SAMPLE REPORT: opens the page in Chromium. Nothing of the page may be cut off, the console must stay empty, and
the button must pass the trace to Perfetto. Skipped without Chromium."""
import html
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROBE = """<script>addEventListener('load', () => {
  document.querySelectorAll('details').forEach(d => d.open = true);
  const over = [...document.querySelectorAll('body *')].filter(
    e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('svg *'));
  parent.document.title = 'at ' + innerWidth + ' over: ' + over.map(e => e.tagName).join(' ') + '.';
});</script>"""

# Replaces ui.perfetto.dev: answers the third PING, and reports what it received.
PERFETTO = """<script>addEventListener('load', () => {
  let pings = 0;
  const said = text => parent.document.title = text;
  window.open = url => ({postMessage: async (message, origin) => {
    if (message === 'PING') {
      if (++pings === 3) {
        dispatchEvent(new MessageEvent('message', {data: 'PONG', origin: 'https://elsewhere'}));
        dispatchEvent(new MessageEvent('message', {data: 'PONG', origin: url}));
      }
      return;
    }
    const packed = new Blob([message.perfetto.buffer]).stream().pipeThrough(new DecompressionStream('gzip'));
    const events = JSON.parse(await new Response(packed).text()).traceEvents.length;
    said(`${url} ${origin} after ${pings}: ${events > 10} ${message.perfetto.fileName} ${message.perfetto.title}`);
  }});
  document.getElementById('perfetto').click();
});</script>"""


def look(browser, folder, page, width, probe=PROBE):
    """Returns (title, console) of the page in a frame of this width. A headless window cannot be as narrow as the frame."""
    frame = folder / "frame.html"
    framed = html.escape(page.replace("</body>", probe + "</body>"))
    frame.write_text(f'<title>not loaded</title><iframe srcdoc="{framed}" style="width:{width}px;height:900px;border:0"></iframe>')
    done = subprocess.run([browser, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/user",
                           "--window-size=1600,1000", "--enable-logging=stderr", "--virtual-time-budget=5000", "--dump-dom", f"file://{frame}"],
                          capture_output=True, text=True, timeout=50)
    return re.search("<title>(.*?)</title>", done.stdout)[1], [l for l in done.stderr.splitlines() if "CONSOLE" in l]


def main(make_sample, report):
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if not browser:
        print("no chromium")
        return 77
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        subprocess.run([make_sample, folder / "sample.h5"], check=True)
        subprocess.run([sys.executable, "-B", report, folder / "sample.h5"], check=True)
        page = (folder / "sample.html").read_text()
        for width in (1280, 400):
            title, console = look(browser, folder, page, width)
            assert title == f"at {width} over: .", title
            assert not console, console
        handed, console = look(browser, folder, page, 1280, PERFETTO)
        origin = "https://ui.perfetto.dev"
        assert handed.startswith(f"{origin} {origin} after 3: true sample-trace.json.gz gpt2-large"), handed
        assert not console, console
        too_wide = page.replace("<h1>", '<h1><i style="display:block;width:2000px">x</i>')
        assert look(browser, folder, too_wide, 400)[0] != "at 400 over: .", "the probe did not find an element that is too wide"
    return 0


sys.exit(main(sys.argv[1], sys.argv[2]))
