# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""whole_files_test.py SCRIPTS: torch_recording must write files completely or not at all, even on a full disk or if two writers write one file. Needs h5py, not torch."""
import importlib
import multiprocessing
import os
import resource
import signal
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

SCRIPTS = Path(sys.argv[1])
sys.path.insert(0, str(SCRIPTS))
os.environ.pop("RANK", None)
for name in ("torch", "torch.distributed", "torch.nn", "torch.nn.functional", "torch.nn.parallel"):
    sys.modules[name] = mock.MagicMock(__version__="2.0")
import h5py  # noqa: E402
from torch_recording import files, sweep_file  # noqa: E402

GRADIENTS = [("b", 8, 0.1), ("a", 16, 0.2)]
ABOUT = {"model": "gpt2", "ranks": 2, "backend": "gloo", "device": "host"}


def case(samples):
    return mock.Mock(strategy="bucketed", cap_mib=1, first_mib=1, bucket_bytes=[96], seconds=[[0.2, 0.3]] * samples, compute=[[0.1, 0.1]] * samples,
                     order=list(range(samples)), **{"name": None})


def cases(samples):
    made = case(samples)
    made.name = "bucketed 1 MiB"
    return [made]


def in_child(action):
    """Returns the exit code of a child that runs the action."""
    process = multiprocessing.get_context("fork").Process(target=lambda: sys.exit(action()))
    process.start()
    process.join()
    return process.exitcode


def limited(room, action):
    """Runs the action in a child whose files may have at most `room` bytes. Returns 4 if the action says that a file is too large, 5 if it raises another
    DiskError, and 0 if it succeeds."""
    def run():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
        try:
            action()
        except files.DiskError as error:
            return 4 if "cannot be written: File too large" in str(error) else 5
        return 0
    return in_child(run)


class WholeFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def test_a_good_sweep_survives_a_full_disk(self):
        path = self.folder / "sweep.h5"
        sweep_file.write(path, cases(3), GRADIENTS, ABOUT)
        before = path.read_bytes()
        for room in (0, 1000, len(before) // 2):
            self.assertEqual(limited(room, lambda: sweep_file.write(path, cases(5), GRADIENTS, ABOUT)), 4)
        self.assertEqual(path.read_bytes(), before)
        self.assertEqual(self.names(), ["sweep.h5"])
        with h5py.File(path) as file:
            self.assertEqual(file["sweep/measured"].shape, (1, 3, 2))

    def test_tables_survive_a_full_disk(self):
        for name, write in (("curve.csv", lambda path: sweep_file.write_curve(path, cases(3), True)),
                            ("gradients.csv", lambda path: files.write_csv(path, "name,numel,seconds", GRADIENTS))):
            path = self.folder / name
            write(path)
            before = path.read_text()
            self.assertEqual(limited(3, lambda: write(path)), 4)
            self.assertEqual(path.read_text(), before)
        self.assertEqual(files.Path(self.folder / "gradients.csv").read_text(), "name,numel,seconds\nb,8,0.1\na,16,0.2\n")

    def test_two_simultaneous_writers_do_not_mix_their_texts(self):
        texts = [letter * 300000 for letter in "ab"]

        def write(text):
            for _ in range(100):
                files.write_text(self.folder / "page.html", text)
            return 0
        fork = multiprocessing.get_context("fork")
        writers = [fork.Process(target=lambda text=text: sys.exit(write(text))) for text in texts]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        self.assertEqual([writer.exitcode for writer in writers], [0, 0])
        self.assertIn((self.folder / "page.html").read_text(), texts)
        self.assertEqual(self.names(), ["page.html"])

    def test_does_not_follow_a_link_and_keeps_rights(self):
        victim, path = self.folder / "victim", self.folder / "page.html"
        victim.write_text("precious")
        path.write_text("old")
        path.chmod(0o640)
        (self.folder / "page.html.part").symlink_to(victim)
        files.write_text(path, "new")
        self.assertEqual((victim.read_text(), path.read_text(), path.stat().st_mode & 0o777), ("precious", "new", 0o640))

    def test_a_new_file_has_the_rights_of_the_umask(self):
        before = os.umask(0o027)
        self.addCleanup(os.umask, before)
        files.write_text(self.folder / "page.html", "new")
        self.assertEqual((self.folder / "page.html").stat().st_mode & 0o777, 0o640)

    def test_a_full_disk_is_exit_code_4(self):
        sys.modules["torch_recording.sweep"] = mock.MagicMock()  # it inspects PyTorch's DDP on import
        program = importlib.import_module("torch_recording.command")
        program.arguments = lambda: mock.Mock(sweep=False, output=self.folder)
        os.environ["RANK"] = "0"
        for error, code in ((files.DiskError("full"), 4), (OSError(28, "full"), 4), (OSError(13, "denied"), 2)):
            program.record_and_sweep = mock.Mock(side_effect=error)
            self.assertEqual(program.run(), code)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
