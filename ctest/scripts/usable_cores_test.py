# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""usable_cores_test.py SCRIPTS: tests how many cores the scripts count, and what scripts/run says of them, with planted control groups. A program that prints
64 takes the place of nproc."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(sys.argv.pop(1))
NPROC = '#!/bin/sh\necho "${OMP_NUM_THREADS:-64}"\n'  # the real nproc obeys OMP_NUM_THREADS, too
WITHOUT_LIMIT = re.search(r"^without_limit\(\) .*?^}\n", (SCRIPTS / "run").read_text(), re.MULTILINE | re.DOTALL).group()


class UsableCores(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.write("bin/nproc", NPROC)
        (self.folder / "bin/nproc").chmod(0o755)

    def write(self, name, text):
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(text)

    def limit(self, group, quota, period=100000):
        """Plants a quota of control groups version 1. `quota` and `period` are in microseconds; -1 means no quota."""
        self.write(f"{group}/cpu.cfs_quota_us", f"{quota}\n")
        self.write(f"{group}/cpu.cfs_period_us", f"{period}\n")

    def call(self, function):
        """Calls a function of the scripts with the planted groups. The file `self` in the folder takes the place of /proc/self/cgroup."""
        script = f'set -euo pipefail; PATH="$1/bin:$PATH"; . "$2/lib/common"\n{WITHOUT_LIMIT}\n{function} "$1" "$1/self"'
        done = subprocess.run(["bash", "-c", script, "bash", self.folder, SCRIPTS], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.rstrip("\n")

    def cores(self):
        return int(self.call("usable_cores"))

    def test_all_cores_count_without_a_smaller_quota(self):
        self.assertEqual(self.cores(), 64)  # no list of groups
        self.write("self", "4:cpu,cpuacct:/docker/it\n1:memory:/x\n0::/pods/pod\n")
        self.assertEqual(self.cores(), 64)  # no file with a quota
        self.write("pods/pod/cpu.max", "max 100000\n")
        self.limit("cpu/docker/it", -1)
        self.assertEqual(self.cores(), 64)
        self.write("cpu.max", "9900000 100000\n")
        self.assertEqual(self.cores(), 64)  # a quota of 99 cores

    def test_the_smallest_quota_of_version_2_counts(self):
        self.write("self", "1:memory:/x\n0::/pods/pod\n")
        self.write("other/cpu.max", "100000 100000\n")  # not a group of this process
        self.write("x/cpu.max", "100000 100000\n")
        self.write("pods/cpu.max", "800000 100000\n")
        self.assertEqual(self.cores(), 8)
        self.write("pods/pod/cpu.max", "125000 50000\n")
        self.assertEqual(self.cores(), 2)  # 2.5, rounded down
        self.write("cpu.max", "10000 100000\n")
        self.assertEqual(self.cores(), 1)

    def test_the_quota_of_the_top_group_counts_without_a_list_of_groups(self):
        self.write("cpu.max", "200000 100000\n")
        self.assertEqual(self.cores(), 2)

    def test_the_smallest_quota_of_version_1_counts(self):
        self.write("self", "5:cpuset:/set\n4:cpu,cpuacct:/docker/it\n0::/\n")
        self.limit("cpu/set", 100000)  # not a group of this process
        self.limit("cpu", 600000)
        self.assertEqual(self.cores(), 6)
        self.limit("cpu/docker/it", 150000, 50000)
        self.assertEqual(self.cores(), 3)

    def test_invalid_lines_in_the_list_of_groups_are_ignored(self):
        self.write("self", "\nwithout colons\n0::relative\n0::/pods\n")
        self.write("pods/cpu.max", "200000 100000\n")
        self.assertEqual(self.cores(), 2)

    def test_run_says_whether_enough_cores_are_free_for_communication(self):
        enough = "the bucket sizes may differ by less than the noise"
        self.assertEqual(self.call("without_limit"), enough)
        self.write("cpu.max", "400000 100000\n")
        self.assertEqual(self.call("without_limit"), enough)
        self.write("cpu.max", "200000 100000\n")
        self.assertTrue(self.call("without_limit").startswith("the 2 cores that this run may use leave none free "))

    def test_omp_num_threads_does_not_change_the_number_of_cores(self):
        self.assertEqual(self.call("OMP_NUM_THREADS=1 usable_cores"), "64")


if __name__ == "__main__":
    unittest.main()
