# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""docs_test.py MAKE_SAMPLE DOCUMENT: every Python snippet of the document must run and print something."""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import pandas  # noqa: F401
    import xarray  # noqa: F401
except ImportError as error:
    print(error)
    sys.exit(77)


def main(make_sample, document):
    snippets = re.findall(r"```python\n(.*?)```", Path(document).read_text(encoding="utf-8"), flags=re.S)
    assert len(snippets) >= 4, len(snippets)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([make_sample, "results.h5"], check=True, cwd=folder)
        for snippet in snippets:
            done = subprocess.run([sys.executable, "-W", "error", "-c", snippet], cwd=folder, capture_output=True, text=True)
            assert done.returncode == 0, f"{snippet}\n{done.stderr}"
            assert len(done.stdout) > 10, snippet
            print(done.stdout)
    return 0


sys.exit(main(sys.argv[1], sys.argv[2]))
