# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""usage_test.py PROJECT: the scripts must check their arguments before they install, build or write anything.

Works on a copy of scripts/ and inputs/. In the copy, scripts/setup only creates the file `started`. This file shows that a script has started
scripts/setup, and nothing is installed. Only the test of the help copies the real scripts/setup."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(sys.argv[1])
RUN = "usage: scripts/run [INPUT.toml [RANKS]]"


class Usage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name in ("scripts", "inputs"):
            shutil.copytree(PROJECT / name, self.folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        (self.folder / "scripts/setup").write_text("#!/bin/sh\ntouch started\nexit 4\n")

    def call(self, script, *words, at="."):
        """Runs a script, which must leave no new file. Returns its exit code, its standard output and its standard error."""
        before = set(self.folder.rglob("*"))
        done = subprocess.run([self.folder / "scripts" / script, *words], cwd=self.folder / at, capture_output=True, text=True, timeout=20)
        self.assertEqual(set(self.folder.rglob("*")), before, (script, words, done))
        return done.returncode, done.stdout, done.stderr

    def refused(self, script, *words):
        """Returns the line with which a script refuses its arguments."""
        code, out, error = self.call(script, *words)
        self.assertEqual((code, out, error.count("\n")), (2, "", 1), (script, words, error))
        return error

    def test_run_checks_its_arguments_first(self):
        self.assertEqual(self.refused("run", "--wrong"), f"ddproxy: unknown option '--wrong'; {RUN}\n")
        self.assertIn("'inputs/none.toml': no such file in ", self.refused("run", "inputs/none.toml"))
        self.assertIn("'inputs': no such file in ", self.refused("run", "inputs"))
        for ranks in ("0", "two", "-1", ""):
            self.assertIn(f"'{ranks}' is not a number of ranks; {RUN}", self.refused("run", "inputs/tiny.toml", ranks))
        self.assertIn("too many arguments: 'x'", self.refused("run", "inputs/tiny.toml", "2", "x"))

    def test_run_starts_with_right_arguments(self):
        for words in ((), ("inputs/tiny.toml",), ("inputs/tiny.toml", "2")):
            done = subprocess.run([self.folder / "scripts/run", *words], capture_output=True, text=True, timeout=20)
            self.assertEqual((done.returncode, done.stderr), (4, ""), words)
            (self.folder / "started").unlink()

    def test_ci_passes_its_arguments_on(self):
        shutil.copytree(PROJECT / ".ci", self.folder / ".ci")
        self.assertIn("--mpi does not take 'wrong'; usage: scripts/test", self.refused("../.ci/run", "--mpi", "wrong"))

    def test_the_help_is_the_comment_at_the_top(self):
        shutil.copy(PROJECT / "scripts/setup", self.folder / "scripts/setup")
        for script in ("run", "test", "setup", "fuzz", "ab", "release", "gpu-check", "bundle"):
            for word in ("-h", "--help"):
                code, out, error = self.call(script, word, at="scripts")
                self.assertEqual((code, error, out.startswith(f"{script} ")), (0, "", True), (script, out, error))
                self.assertIn("Exit code", out)
                self.assertNotIn("set -euo", out)

    def test_other_scripts_take_no_option_for_a_folder(self):
        self.assertIn("unknown argument '--wrong'; usage: scripts/release", self.refused("release", "--wrong"))
        self.assertIn("unknown argument 'b'; usage: scripts/release", self.refused("release", "a", "b"))
        self.assertIn("usage: scripts/bundle", self.refused("bundle", "--wrong"))
        self.assertIn("unknown option '--wrong'; usage: scripts/gpu-check", self.refused("gpu-check", "--wrong"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
