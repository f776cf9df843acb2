# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""page_test.py MAKE_SAMPLE REPORT: opens the page of a report in Chromium, light and dark. Nothing of the page may be cut off, every text must stand out
from what is behind it, the console must stay empty, and the button must pass the trace to Perfetto. Skipped without Chromium."""
import html
import itertools
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# Finds elements that extend beyond the right edge of the page, and texts with a contrast below 4.5 (WCAG 2.1, level AA). The letters of the plots are shapes;
# PROBE checks their contrast, too. It writes what it found into the title of the outer document.
PROBE = r"""<script>addEventListener('load', () => {
  document.querySelectorAll('details').forEach(d => d.open = true);
  const over = [...document.querySelectorAll('body *')].filter(
    e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('svg *'));
  const numbers = colour => colour.match(/[\d.]+/g).map(Number);
  const linear = v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const luminance = colour => numbers(colour).slice(0, 3).reduce((sum, v, k) => sum + [0.2126, 0.7152, 0.0722][k] * linear(v / 255), 0.05);
  const behind = e => {
    for (; e; e = e.parentElement)
      if (numbers(getComputedStyle(e).backgroundColor)[3] !== 0) return getComputedStyle(e).backgroundColor;
    return 'rgb(255, 255, 255)';
  };
  const isFaint = (e, colour) => {
    const ratio = luminance(colour) / luminance(behind(e));
    return Math.max(ratio, 1 / ratio) < 4.5;
  };
  const words = [...document.querySelectorAll('body *')].filter(
    e => !e.closest('svg, script, style') && [...e.childNodes].some(n => n.nodeType === Node.TEXT_NODE && n.data.trim()));
  const letters = [...document.querySelectorAll('svg use')].filter(e => e.getAttribute('xlink:href').includes('DejaVu'));
  const faint = [...words.filter(e => isFaint(e, getComputedStyle(e).color)), ...letters.filter(e => isFaint(e, getComputedStyle(e).fill))];
  const scheme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  const tags = elements => [...new Set(elements.map(e => e.tagName))].join(' ');
  parent.document.title = `${scheme} at ${innerWidth} over: ${tags(over)}. faint: ${tags(faint)}. letters: ${letters.length > 100}`;
});</script>"""

# Replaces ui.perfetto.dev. Answers the third PING with two PONGs: the page must ignore the first one, which comes from another address. Writes what it then
# receives into the title of the outer document.
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


def look(browser, folder, page, width, probe=PROBE, scheme="light"):
    """Opens the page with the script `probe` in a frame of `width` pixels, because a headless window cannot be as narrow. Returns the title of the outer document,
    and the lines of the console."""
    frame = folder / "frame.html"
    framed = html.escape(page.replace("</body>", probe + "</body>"))
    frame.write_text(f'<title>not loaded</title><iframe srcdoc="{framed}" style="width:{width}px;height:900px;border:0"></iframe>')
    done = subprocess.run([browser, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/user",
                           "--window-size=1600,1000", "--enable-logging=stderr", "--virtual-time-budget=5000", "--dump-dom",
                           *(["--force-dark-mode"] if scheme == "dark" else []), f"file://{frame}"],
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
        for width, scheme in itertools.product((1280, 400), ("light", "dark")):
            title, console = look(browser, folder, page, width, scheme=scheme)
            assert title == f"{scheme} at {width} over: . faint: . letters: true", title
            assert not console, console
        handed, console = look(browser, folder, page, 1280, PERFETTO)
        origin = "https://ui.perfetto.dev"
        assert handed.startswith(f"{origin} {origin} after 3: true sample-trace.json.gz gpt2-large"), handed
        assert not console, console
        too_wide = page.replace("<h1>", '<h1><i style="display:block;width:2000px">x</i>')
        title = look(browser, folder, too_wide, 400)[0]
        assert "over: I. faint: . " in title, f"the probe did not find an element that is too wide: {title}"
        never_light = page.replace("currentColor", "#1b1b1b").replace("<h1>", '<h1 style="color:#1b1b1b">')
        title = look(browser, folder, never_light, 1280, scheme="dark")[0]
        assert "over: . faint: H1 use. " in title, f"the probe did not find texts that are faint on a dark page: {title}"
    return 0


sys.exit(main(sys.argv[1], sys.argv[2]))
