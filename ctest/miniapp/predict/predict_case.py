# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Holds what the tests of `ddproxy-model predict` share. They are started as TEST.py PROGRAM INPUTS."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM, INPUTS = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
PUBLISHED = INPUTS / "published"
SLINGSHOT = INPUTS / "gpt2-large-a100x16-slingshot.toml"
NODE = INPUTS / "gpt2-large-a100x8.toml"


class PredictCase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name, text=None):
        path = pathlib.Path(self.folder.name) / name
        if text is not None:
            path.write_text(text)
        return path

    def call(self, *arguments):
        return subprocess.run([PROGRAM, "predict", *map(str, arguments)], capture_output=True, text=True)

    def predict(self, *arguments):
        file = self.path("out.json")
        done = self.call(*arguments, "--json", file)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(file.read_text()), done

    def refused(self, *arguments):
        """Returns the one line with which the arguments are rejected."""
        done = self.call(*arguments)
        self.assertEqual(done.returncode, 2, done)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def small(self):
        """Returns the arguments for four gradients of 1 MiB that are ready after 1, 2, 3 and 4 s, with a(x) = 0.1 s + x / (4 MiB/s). The results are
        exact."""
        rows = "".join(f"g{i},262144,1\n" for i in range(4))
        gradients = self.path("gradients.csv", "name,numel,seconds\n" + rows)
        points = "".join(f"{m * 2**20},{0.1 + m / 4}\n" for m in (1, 2, 3, 4))
        return ["--gradients", gradients, "--allreduce", self.path("table.csv", "bytes,seconds\n" + points)]
