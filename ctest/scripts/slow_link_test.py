# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""slow_link_test.py SCRIPTS DDPROXY MPIEXEC...: tests that scripts/slow-link counts the bytes on the link, and that its exit code is that of the command.
Exits with 77 where no network namespace can be made."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

SCRIPTS, (DDPROXY, *MPIEXEC) = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
LINK = [SCRIPTS / "slow-link", "2gbit"]
INPUT = """[model]
preset = "tiny"
vocabulary = 4096
[step]
batch = 1
sequence = 8
[sweep]
strategies = ["naive", "flat"]
samples = 3
"""


class SlowLink(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.here = pathlib.Path(folder.name)
        self.environment = os.environ | {"SLOW_LINK_BYTES": "bytes.txt"}

    def call(self, *command, **settings):
        return subprocess.run(command, cwd=self.here, env=self.environment, capture_output=True, text=True, **settings)

    def bytes(self):
        return int((self.here / "bytes.txt").read_text())

    def test_a_command_that_sends_nothing_has_almost_no_bytes_on_the_link(self):
        done = self.call(*LINK, "true")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertLess(self.bytes(), 1000)

    def test_the_command_keeps_its_input_and_its_exit_code(self):
        self.assertEqual(self.call(*LINK, "cat", input="words\n").stdout, "words\n")
        self.assertEqual(self.call(*LINK, "sh", "-c", "exit 7").returncode, 7)
        for name in ("TERM", "INT", "KILL"):
            self.assertEqual(self.call(*LINK, "sh", "-c", f"kill -{name} $$").returncode, 128 + getattr(signal, f"SIG{name}"))
            self.assertLess(self.bytes(), 1000)

    def test_a_signal_to_the_script_reaches_the_command(self):
        script = "trap 'exit 5' TERM; echo ready; for i in {1..300}; do sleep 0.1; done"
        with subprocess.Popen([*LINK, "bash", "-c", script], cwd=self.here, env=self.environment, stdout=subprocess.PIPE, text=True) as running:
            self.assertEqual(running.stdout.readline(), "ready\n")
            running.terminate()
            self.assertEqual(running.wait(60), 5)
        self.assertLess(self.bytes(), 1000)

    def sweep(self, *variables):
        """Runs a sweep of two ranks. Returns what scripts/lib/link_bytes.py says of it."""
        (self.here / "input.toml").write_text(INPUT)
        done = self.call(*LINK, "env", *variables, *MPIEXEC, "-n", "2", DDPROXY, "sweep", "input.toml", "-o", "run.h5", "--json", "run.json")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return self.call(sys.executable, SCRIPTS / "lib" / "link_bytes.py", "run.json", "2", "bytes.txt")

    def test_all_reduces_pass_the_link(self):
        used = self.sweep()
        self.assertEqual(used.returncode, 0, used.stderr)
        print(used.stderr)

    def test_all_reduces_through_shared_memory_are_noticed(self):
        if "Open MPI" not in subprocess.run([MPIEXEC[0], "--version"], capture_output=True, text=True).stdout:
            self.skipTest("the variables are those of Open MPI")
        missed = self.sweep("OMPI_MCA_btl=^tcp")
        self.assertEqual(missed.returncode, 4, missed.stderr)
        print(missed.stderr)


if __name__ == "__main__":
    if subprocess.run([*LINK, "true"]).returncode == 77:
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
