#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""against_test.py PROGRAM ROOT: `step --against` must compare published step times, write JSON that results/published.py draws, and refuse wrong
input in one line."""
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM, ROOT = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
TABLE = ROOT / "inputs" / "published" / "step-times-cs336.csv"


class Against(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def step(self, *arguments):
        return subprocess.run([PROGRAM, "step", *map(str, arguments)], capture_output=True, text=True, cwd=self.folder)

    def compared(self, *arguments):
        done = self.step(*arguments, "--json", self.folder / "out.json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads((self.folder / "out.json").read_text()), done.stdout

    def refused(self, *arguments):
        done = self.step(*arguments)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done)
        return done.stderr

    def test_the_word_published_and_the_table_path_give_the_same_result(self):
        by_word, text = self.compared("--against", "published")
        by_path, _ = self.compared("--against", TABLE)
        self.assertEqual(by_word["series"], by_path["series"])
        self.assertEqual(by_word["shares"], by_path["shares"])
        self.assertIn("does not name the GPU", by_word["source"])
        for series in by_word["series"]:
            compared = [row["preset"] for row in series["rows"] if row["use"] == "compare"]
            self.assertEqual(set(compared), {"cs336-m-gelu", "cs336-xl-gelu", "cs336-2.7b-gelu"})
            self.assertIn(f"\n{series['series']}: ", text)
            for row in series["rows"]:
                shown = next(line for line in text[text.index(f"\n{series['series']}: "):].splitlines() if line.split()[:2] == [row["preset"], row["phase"]])
                self.assertAlmostEqual(float(shown.split()[4]), 100 * row["error"], delta=0.051)

    def test_wrong_input_is_refused(self):
        self.assertIn("there is no such file", self.refused("--against", "publish"))
        bad = self.folder / "bad.csv"
        bad.write_text(TABLE.read_text().replace(",forward,0.0188", ",forward,fast"))
        line = next(n for n, text in enumerate(bad.read_text().splitlines(), 1) if text.endswith(",fast"))
        self.assertIn(f'bad.csv:{line}: "fast" in column "seconds" is not a finite number', self.refused("--against", bad))
        self.refused(ROOT / "inputs" / "tiny.toml", "--against", "published")
        self.assertIn("--against", self.refused())
        same = self.folder / "same.csv"
        same.write_bytes(TABLE.read_bytes())
        self.assertIn("overwrite", self.refused("--against", same, "--json", same))

    @unittest.skipUnless(importlib.util.find_spec("matplotlib") and importlib.util.find_spec("h5py"), "no matplotlib or no h5py")
    def test_published_py_writes_a_page_and_refuses_wrong_json(self):
        self.compared("--against", "published")

        def draw(path):
            return subprocess.run([sys.executable, "-B", ROOT / "results" / "published.py", path], capture_output=True, text=True)
        done = draw(self.folder / "out.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([pathlib.Path(line).name for line in done.stdout.splitlines()], ["out.html", "out-times.png", "out-shares.png"])
        page = (self.folder / "out.html").read_text()
        for text in ("cs336-2.7b-gelu", "does not name the GPU", "mean error of", "compiled-baseline", "softmax"):
            self.assertIn(text, page)
        for name in ("out-times.png", "out-shares.png"):
            self.assertTrue((self.folder / name).read_bytes().startswith(b"\x89PNG"), name)
        for text in ("{", '{"series": [{"series": "a", "rows": []}], "shares": []}', (self.folder / "out.json").read_text().replace('"fitted_s"', '"f"', 1)):
            (self.folder / "bad.json").write_text(text)
            done = draw(self.folder / "bad.json")
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), (text[:80], done))
            self.assertIn("bad.json", done.stderr)


if __name__ == "__main__":
    unittest.main()
