# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""report_output_test.py MAKE_SAMPLE REPORT: tests how the report writes its files."""
import os
import subprocess
import sys
import threading
import unittest

from report_sample import REPORT, WithSample  # must come first: it adds the folder of reporting to the path
from reporting.output import write_whole  # noqa: E402


class WriteWhole(WithSample):
    def test_two_writers_of_one_file_leave_one_complete_file(self):
        """Two writers are in the middle of writing at the same time. The file must be complete, and it must be the file of the last writer."""
        path, both_wrote, first_is_done = self.folder / "page.html", threading.Barrier(2, timeout=20), threading.Event()
        names, faults = [], []

        def write(part, text):
            names.append(part.name)
            part.write(text.encode())
            both_wrote.wait()
            if text == "second":
                first_is_done.wait(20)

        def writer(text):
            try:
                write_whole(path, lambda part: write(part, text))
            except Exception as error:
                faults.append(error)
            if text == "first":
                first_is_done.set()

        writers = [threading.Thread(target=writer, args=(text,)) for text in ("first", "second")]
        for thread in writers:
            thread.start()
        for thread in writers:
            thread.join()
        self.assertEqual(faults, [])
        self.assertEqual(len(set(names)), 2)
        self.assertEqual(path.read_text(), "second")
        self.assertEqual(sorted(self.folder.iterdir()), [path, self.sample])

    def test_follows_no_link_under_the_old_temporary_name(self):
        path, victim = self.folder / "page.html", self.folder / "victim"
        victim.write_text("kept")
        (self.folder / "page.html.part").symlink_to(victim)
        write_whole(path, lambda part: part.write(b"new"))
        self.assertEqual((victim.read_text(), path.read_text()), ("kept", "new"))

    def test_the_permissions_are_those_of_the_umask(self):
        before = os.umask(0o027)
        try:
            path = write_whole(self.folder / "page.html", lambda part: part.write(b"x"))
        finally:
            os.umask(before)
        self.assertEqual(path.stat().st_mode & 0o777, 0o640)


class TwoReports(WithSample):
    def test_write_into_one_folder_at_the_same_time(self):
        out = self.folder / "out"
        started = [subprocess.Popen([sys.executable, "-B", REPORT, self.sample, "-o", out], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                    text=True) for _ in range(2)]
        for process in started:
            _, said = process.communicate(timeout=150)
            self.assertEqual((process.returncode, said), (0, ""))
        self.assertIn("</html>", (out / "sample.html").read_text())
        self.assertEqual([p for p in out.iterdir() if p.name.endswith(".part")], [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
