# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""usage_test.py PROJECT: the scripts must check their arguments before they install, build or write anything.

Works on a copy of scripts/ and inputs/. In the copy, scripts/setup only creates the file `started`. This file shows that a script has started
scripts/setup, and nothing is installed. Only the test of the help copies the real scripts/setup."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(sys.argv[1])
RUN = "usage: scripts/run [INPUT.toml [RANKS]]"
SCRIPTS = sorted(path.name for path in (PROJECT / "scripts").iterdir() if path.is_file())
# Scripts whose options are in a module that imports PyTorch. Without PyTorch these scripts only say how to install it.
NEED_TORCH = ("record-torch.py", "record-sharded-torch.py")


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
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run([self.folder / "scripts" / script, *words], cwd=self.folder / at, env=environment, capture_output=True, text=True, timeout=50)
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

    def test_the_help_of_every_script_is_the_comment_at_the_top(self):
        shutil.copy(PROJECT / "scripts/setup", self.folder / "scripts/setup")
        self.assertLess({"run", "slow-link", *NEED_TORCH}, set(SCRIPTS))
        for script in SCRIPTS:
            for word in ("-h", "--help"):
                with self.subTest(script=script, word=word):
                    self.check_help(script, word)

    def check_help(self, script, word):
        code, out, error = self.call(script, word, at="scripts")
        if script in NEED_TORCH and code:
            self.assertEqual((code, out, error.count("\n")), (2, "", 1), error)
            return self.assertIn("install PyTorch", error)
        self.assertEqual((code, error), (0, ""))
        self.assertRegex(out, rf"^(usage: )?(scripts/)?{re.escape(script)} ")
        self.assertIn("Exit code", out)
        self.assertNotIn("set -euo", out)

    def test_other_scripts_do_not_treat_an_option_as_a_folder(self):
        self.assertIn("unknown argument '--wrong'; usage: scripts/release", self.refused("release", "--wrong"))
        self.assertIn("unknown argument 'b'; usage: scripts/release", self.refused("release", "a", "b"))
        self.assertIn("usage: scripts/bundle", self.refused("bundle", "--wrong"))
        self.assertIn("unknown option '--wrong'; usage: scripts/gpu-check", self.refused("gpu-check", "--wrong"))

    def test_scripts_that_derive_tables_do_not_treat_an_option_as_a_program(self):
        for script, word, reason in (("derive-allreduce", "--wrong", "unrecognized arguments: --wrong"), ("derive-allreduce", "none/ddproxy-model", "no such program"),
                                     ("derive-collectives", "--wrong", "unrecognized arguments: --wrong")):
            code, out, error = self.call(script, word)
            self.assertEqual((code, out), (2, ""), error)
            self.assertIn(reason, error)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
