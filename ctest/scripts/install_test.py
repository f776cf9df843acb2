# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""install_test.py PROJECT BUILD CMAKE BUILD_TYPE: installs ddproxy into a fresh prefix, moves it, and uses it from there. Also tests what is printed if parts are
missing. The report needs h5py and matplotlib in this Python."""
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import venv

PROJECT, BUILD, CMAKE, BUILD_TYPE = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4]
HAS_REPORT = all(importlib.util.find_spec(name) for name in ("h5py", "matplotlib"))
VERSION = re.search(r"project\(ddproxy VERSION (\S+)", (PROJECT / "CMakeLists.txt").read_text())[1]


def install(prefix, **environment):
    subprocess.run([CMAKE, "--install", BUILD, "--prefix", prefix], check=True, capture_output=True, env=os.environ | environment)


def files_below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name).resolve()
        install(cls.folder / "first")
        cls.prefix = cls.folder / "moved to" / "another place"
        cls.prefix.parent.mkdir()
        (cls.folder / "first").rename(cls.prefix)
        cls.share = cls.prefix / "share/ddproxy"

    def setUp(self):
        self.here = self.folder / self.id()
        self.here.mkdir()

    def run_program(self, program, *words, prefix=None, **environment):
        """Runs a program of bin/ in a fresh working directory, with no folder of the project on PATH."""
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "DDPROXY_PYTHON": sys.executable, "OMP_NUM_THREADS": "1", **environment}
        return subprocess.run([(prefix or self.prefix) / "bin" / program, *words], cwd=self.here, env=environment, capture_output=True, text=True)

    def succeeds(self, program, *words, code=0):
        done = self.run_program(program, *words)
        self.assertEqual(done.returncode, code, done)
        return done.stdout

    def refused(self, done, *said):
        self.assertEqual((done.returncode, done.stderr.count("\n"), done.stdout), (2, 1, ""), done)
        for words in said:
            self.assertIn(words, done.stderr)

    def copied(self):
        """Returns a copy of the prefix, from which a test removes something."""
        copy = self.here / "prefix"
        shutil.copytree(self.prefix, copy)
        return copy

    def run_twin(self, output):
        self.succeeds("ddproxy", "run", self.share / "example/twin.toml", "-o", output, "--json", "twin.json")
        return json.loads((self.here / "twin.json").read_text())["fom"]

    def test_runs_the_twin_and_compares_results_files(self):
        figures = self.run_twin("a.h5")
        self.assertEqual(figures["valid"], "replay")
        self.assertIn("unchanged: ", self.succeeds("ddproxy-model", "compare", "a.h5", "a.h5"))
        example = self.share / "example"
        self.assertIn("slower: ", self.succeeds("ddproxy", "compare", example / "base.h5", example / "slower.h5", code=1))

    def test_finds_installed_inputs_by_name(self):
        for program in ("ddproxy", "ddproxy-model"):
            for name in ("gpt2-large-a100x8", "gpt2-large-a100x8.toml"):
                self.assertIn("best cap (b*)", self.succeeds(program, "predict", name))
        self.assertIn("gpt2-large", self.succeeds("ddproxy", "run", "gpt2-large-a100x8", "--dry-run"))
        self.assertIn("llama3-8b", self.succeeds("ddproxy-model", "step", "llama3-8b-step-a100x8", "--dry-run"))
        self.assertIn("cs336-xl", self.succeeds("ddproxy-model", "step", "--against", "published"))

    def test_an_input_in_the_working_directory_comes_first(self):
        shutil.copy(self.share / "inputs/tiny.toml", self.here / "gpt2-large-a100x8.toml")
        (self.here / "gpt2-large-cpu").mkdir()  # a folder is no input file
        self.assertNotIn("gpt2-large", self.succeeds("ddproxy", "run", "gpt2-large-a100x8", "--dry-run"))
        self.assertIn("gpt2-large", self.succeeds("ddproxy", "run", "gpt2-large-cpu", "--dry-run"))

    def test_a_program_started_through_a_link_finds_its_prefix(self):
        links = self.here / "links" / "bin"
        links.mkdir(parents=True)
        for program in ("ddproxy-model", "ddproxy-report"):
            (links / program).symlink_to(self.prefix / "bin" / program)
        self.assertEqual(self.run_program("ddproxy-model", "predict", "gpt2-large-a100x8", prefix=links.parent).returncode, 0)
        self.assertIn("results file (HDF5)" if HAS_REPORT else "install h5py", str(self.run_program("ddproxy-report", "--help", prefix=links.parent)))

    def test_the_gate_runs_an_input_and_refuses_an_unknown_input(self):
        for name in ("twin.toml", "times.csv", "allreduce.csv"):
            shutil.copy(self.share / "example" / name, self.here)
        gate = self.share / "scripts/gate"
        sides = ["--base", self.prefix, "--new", self.prefix, "--ranks", "1", "--rounds", "1", "--allow-undecided"]
        done = subprocess.run([sys.executable, gate, "twin", *sides], cwd=self.here, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done)
        done = subprocess.run([sys.executable, gate, "none", *sides], cwd=self.here, capture_output=True, text=True)
        self.refused(done, "none: there is no input file none or none.toml in the working directory", str(self.share / "inputs"))

    @unittest.skipUnless(HAS_REPORT, "this Python has no h5py or matplotlib")
    def test_the_report_runs_and_the_results_have_version_and_revision(self):
        import h5py
        self.run_twin("twin.h5")
        self.succeeds("ddproxy-report", "twin.h5", "-o", "page")
        self.assertIn("<svg", (self.here / "page/twin.html").read_text())
        self.refused(self.run_program("ddproxy-report", "absent.h5"), "ddproxy-report: absent.h5: ")
        self.assertIn("usage: ddproxy-report ", self.succeeds("ddproxy-report", "--help"))
        with h5py.File(self.here / "twin.h5") as file:
            self.assertEqual(file.attrs["ddproxy_version"], VERSION)
            revision = file["provenance"].attrs["git_revision"]
        sources = BUILD / "generated/miniapp/machine/git_revision.cpp"
        self.assertEqual(revision, re.search('git_revision = "(.*)"', sources.read_text())[1])
        if (PROJECT / ".git").exists() or "$Format" not in (PROJECT / "cmake/revision.txt").read_text():
            self.assertRegex(revision, "^[0-9a-f]{12}(-dirty)?$")
        self.assertEqual(self.succeeds("ddproxy-model", "--version"), f"ddproxy-model {VERSION}\n")
        self.assertFalse([name for name in files_below(self.prefix) if name.endswith(".pyc")])

    def test_has_the_files_that_the_installation_guide_lists(self):
        document = (self.prefix / "share/doc/ddproxy/docs/install.md").read_text()
        rows = re.findall(r"^\| (.*?) \| (.*?) \|$", document, re.MULTILINE)[1:]
        self.assertEqual(len(rows), 7)
        for cell, contents in rows:
            folder = self.prefix / re.search("`(.*?)`", cell)[1]
            self.assertTrue(folder.is_dir(), folder)
            for name in re.findall(r"`([\w.-]+)`", contents) if "/bin" in str(folder) or "scripts" in cell or "results" in cell else ():
                self.assertTrue(os.access(folder / name, os.X_OK), folder / name)
        for name in ("README.md", "LICENSE", "docs/results.md"):
            self.assertTrue((self.prefix / "share/doc/ddproxy" / name).is_file(), name)

    def test_a_staged_installation_has_the_same_files(self):
        install("/opt/ddproxy", DESTDIR=str(self.here))
        self.assertEqual(files_below(self.here / "opt/ddproxy"), files_below(self.prefix))

    @unittest.skipUnless(BUILD_TYPE == "Release", "other builds have debugging information, which names the sources")
    def test_no_installed_file_contains_a_path_of_the_build(self):
        hidden = [str(path).encode() for path in {PROJECT, BUILD, PROJECT.resolve(), BUILD.resolve(), self.folder / "first"}]
        for name in files_below(self.prefix):
            content = (self.prefix / name).read_bytes()
            for path in hidden:
                at = content.find(path)
                self.assertEqual(at, -1, f"{name}: {content[max(at - 40, 0):at + 200]}")

    def test_programs_find_their_libraries(self):
        for program in ("ddproxy", "ddproxy-model"):
            told = subprocess.run(["ldd", self.prefix / "bin" / program], capture_output=True, text=True, check=True).stdout
            self.assertNotIn("not found", told)

    def test_an_unknown_input_is_refused_in_one_line_with_searched_folders(self):
        said = (f"none: there is no input file none or none.toml in the working directory {self.here}, nor in {self.share}/inputs; give",)
        for words in (("run",), ("step",), ("predict",), ("run", "--dry-run"), ("sweep",)):
            self.refused(self.run_program("ddproxy", words[0], "none", *words[1:]), *said)
        self.refused(self.run_program("ddproxy-model", "predict", "none"), *said)
        self.refused(self.run_program("ddproxy", "run", "inputs/none.toml"), "inputs/none.toml: cannot be opened for reading; check the path")

    def test_the_error_names_a_missing_folder_of_inputs(self):
        prefix = self.copied()
        shutil.rmtree(prefix / "share/ddproxy/inputs")
        said = f"nor in {prefix}/share/ddproxy/inputs, which does not exist; give"
        self.refused(self.run_program("ddproxy", "run", "tiny", prefix=prefix), said)
        self.refused(self.run_program("ddproxy-model", "step", "--against", "published", prefix=prefix), f"neither in {prefix}/share/ddproxy/inputs nor")

    def test_missing_python_libraries_are_named_in_one_line(self):
        venv.create(self.here / "bare")  # a Python without h5py and matplotlib
        done = self.run_program("ddproxy-report", "a.h5", DDPROXY_PYTHON=str(self.here / "bare/bin/python3"))
        self.refused(done, f"ddproxy-report: this Python ({self.here}/bare/bin/python3) has no ", "; install h5py, matplotlib and numpy (Debian: python3-h5py python3-matplotlib;")

    def test_a_program_outside_its_prefix_is_refused_in_one_line(self):
        shutil.copytree(self.prefix / "bin", self.here / "bin")
        self.refused(self.run_program("ddproxy-report", "a.h5", prefix=self.here), "share/ddproxy/results/report.py does not exist; install ddproxy again")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
