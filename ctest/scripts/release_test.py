# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""release_test.py PROJECT CMAKE: scripts/release must pack what is committed. The version must be in the name of the tarball, and its git
revision in a build of its sources. Exits with 77 if git is missing."""
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

if not shutil.which("git"):
    print("skipped: git is missing")
    sys.exit(77)
PROJECT, CMAKE = pathlib.Path(sys.argv[1]), sys.argv[2]

from project_copy import commit_all, copy_project, git  # noqa: E402


class Release(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name).resolve()
        cls.clean = cls.folder / "clean"
        copy_project(PROJECT, cls.clean)
        # PROJECT may be a tarball, whose revision.txt has the revision. In a repository this file has a placeholder.
        (cls.clean / "cmake/revision.txt").write_text("$Format:%H$\n")
        cls.revision = commit_all(cls.clean)
        cls.version = re.search(r"project\(ddproxy VERSION (\S+)", (cls.clean / "CMakeLists.txt").read_text())[1]

    def setUp(self):
        self.sources = self.folder / self.id()
        subprocess.run(["git", "clone", "-q", self.clean, self.sources], check=True)

    def release(self, sources=None):
        self.out = self.folder / f"{self.id()}-out"
        return subprocess.run([(sources or self.sources) / "scripts/release", self.out], capture_output=True, text=True)

    def unpacked(self):
        """Makes a release and unpacks it inside of another repository. Returns the folder of the unpacked sources."""
        done = self.release()
        self.assertEqual(done.returncode, 0, done)
        self.file = self.out / f"ddproxy-{self.version}.tar.gz"
        other = self.folder / f"{self.id()}-other"
        other.mkdir()
        (other / "file").write_text("of another project\n")
        self.assertNotEqual(commit_all(other), self.revision)
        with tarfile.open(self.file) as archive:
            archive.extractall(other)
        return other / f"ddproxy-{self.version}"

    def revision_of_build(self, sources):
        made = self.folder / f"{self.id()}.cpp"
        subprocess.run([CMAKE, f"-DSOURCE={sources}", f"-DTEMPLATE={sources}/miniapp/machine/git_revision.cpp.in", f"-DOUTPUT={made}", "-P",
                        sources / "cmake/GitRevision.cmake"], check=True)
        return re.search('git_revision = "(.*)"', made.read_text())[1]

    def test_has_all_committed_files_and_the_revision(self):
        there = self.unpacked()
        names = sorted(str(path.relative_to(there)) for path in there.rglob("*") if not path.is_dir())
        self.assertEqual(names, sorted(git(self.sources, "ls-files").splitlines()))
        self.assertEqual(self.revision_of_build(there), self.revision[:12])
        self.assertTrue((there / "scripts/test").stat().st_mode & 0o100)
        told = (self.out / f"{self.file.name}.sha256").read_text().split()
        self.assertEqual(told, [hashlib.sha256(self.file.read_bytes()).hexdigest(), self.file.name])

    def test_a_build_of_a_repository_has_its_revision_and_marks_changes(self):
        self.assertEqual(self.revision_of_build(self.sources), self.revision[:12])
        (self.sources / "README.md").write_text("changed\n")
        self.assertEqual(self.revision_of_build(self.sources), self.revision[:12] + "-dirty")

    def test_two_tarballs_of_one_commit_are_equal(self):
        first = self.unpacked() and self.file.read_bytes()
        self.assertEqual(self.release().returncode, 0)
        self.assertEqual(self.file.read_bytes(), first)

    def refused(self, said, sources=None):
        done = self.release(sources)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done)
        self.assertIn(said, done.stderr)
        self.assertFalse(self.out.exists())

    def test_refuses_uncommitted_changes(self):
        (self.sources / "README.md").write_text("changed\n")
        self.refused("these files have uncommitted changes; commit or restore them: README.md")

    def test_refuses_a_changelog_of_another_version(self):
        log = self.sources / "CHANGELOG.md"
        log.write_text(log.read_text().replace(f"## {self.version}", "## 9.9.9", 1))
        git(self.sources, "commit", "-q", "-a", "-m", "Change")
        self.refused(f"but the version in CMakeLists.txt is {self.version}")

    def test_refuses_sources_that_are_not_the_root_of_a_repository(self):
        there = self.unpacked()
        shutil.rmtree(self.out)
        self.refused("is not the root of a git repository", there)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
