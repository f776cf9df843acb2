# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""python_package_test.py PROJECT MAKE_SAMPLE [--examples | --types]: builds the Python package, installs it into a virtual environment and uses it there. With
--examples runs only the Python examples of docs/install.md there. With --types, mypy checks a program that uses the package, and nothing else is tested.
Exits with 77 if this Python lacks setuptools, pip, wheel, h5py or matplotlib. --examples also needs xarray and pandas, and --types needs mypy."""
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import venv
import zipfile

PROJECT, MAKE_SAMPLE = pathlib.Path(sys.argv[1]), sys.argv[2]
CHOSEN, FURTHER = {"": ("Wheel", ()), "--examples": ("Examples", ("xarray", "pandas")), "--types": ("Types", ("mypy",))}["".join(sys.argv[3:])]
NEEDED = ("setuptools", "pip", "wheel", "h5py", "matplotlib", *FURTHER)
if missing := [name for name in NEEDED if not importlib.util.find_spec(name)]:
    print("skipped: this Python lacks", *missing)
    sys.exit(77)

from project_copy import copy_project  # noqa: E402

USER = '''from ddproxy import ReportError, Results
try:
    Results("absent.h5")
except ReportError as error:
    print(error)
results: Results = Results("results.h5")
print(results.complete, results.units["/sweep/measured"], results["/sweep/measured"].shape)
wrong: int = results.title()
'''


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name).resolve()
        cls.sources = cls.folder / "project"
        copy_project(PROJECT, cls.sources)
        environment = os.environ | {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", cls.folder / "wheels", cls.sources]
        subprocess.run(build, check=True, env=environment)
        (cls.wheel,) = (cls.folder / "wheels").iterdir()
        venv.create(cls.folder / "venv", system_site_packages=True, symlinks=True)
        cls.python = cls.folder / "venv/bin/python3"
        install = [sys.executable, "-m", "pip", "--python", cls.python, "install", "-q", "--no-deps", cls.wheel]
        subprocess.run(install, check=True, env=environment)
        subprocess.run([MAKE_SAMPLE, cls.folder / "results.h5"], check=True)

    def run_in(self, *words, environment="venv"):
        variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        program = self.folder / environment / "bin" / words[0]
        return subprocess.run([program, *words[1:]], cwd=self.folder, env=variables, capture_output=True, text=True)

    def refused(self, done, said):
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done)
        self.assertIn(said, done.stderr)


class Wheel(Package):
    def test_has_the_files_of_the_project_and_its_version(self):
        version = re.search(r"project\(ddproxy VERSION (\S+)", (PROJECT / "CMakeLists.txt").read_text())[1]
        self.assertEqual(self.wheel.name, f"ddproxy-{version}-py3-none-any.whl")
        expected = {}
        for target, source in (("ddproxy", "results/reporting"), ("ddproxy/torch_recording", "scripts/torch_recording")):
            expected |= {f"{target}/{path.name}": path for path in (PROJECT / source).iterdir() if path.suffix in (".py", ".typed")}
        with zipfile.ZipFile(self.wheel) as wheel:
            self.assertEqual({name for name in wheel.namelist() if ".dist-info/" not in name}, set(expected))
            for name, path in expected.items():
                self.assertEqual(wheel.read(name), path.read_bytes(), name)
        self.assertFalse((self.sources / "build").exists(), "build/ is CMake's folder")

    def test_the_installed_report_program_writes_a_page(self):
        done = self.run_in("ddproxy-report", "results.h5", "-o", "page", "--json")
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("<svg", (self.folder / "page/results.html").read_text())
        self.refused(self.run_in("ddproxy-report", "absent.h5"), "ddproxy-report: absent.h5: ")

    def test_names_the_licence(self):
        with zipfile.ZipFile(self.wheel) as wheel:
            (metadata,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
            self.assertIn("\nLicense: BSD-3-Clause\n", wheel.read(metadata).decode())

    def test_recording_programs_print_their_help_or_ask_for_pytorch(self):
        for program, said in (("record-torch", "MODULE:FUNCTION"), ("record-sharded-torch", "FSDP2")):
            done = self.run_in(program, "--help")
            if done.returncode:
                self.refused(done, f"{program}: No module named 'torch'; install PyTorch")
            else:
                self.assertIn(said, done.stdout)

    def test_torch_recording_does_not_import_h5py(self):
        done = self.run_in("python3", "-c", "from ddproxy.torch_recording import files, median_interval; import sys; assert 'h5py' not in sys.modules; print(files.write_text.__module__)")
        self.assertEqual((done.returncode, done.stdout), (0, "ddproxy.output\n"), done)

    def test_the_report_without_its_libraries_says_how_to_install_them(self):
        venv.create(self.folder / "bare", symlinks=True)
        packages = next((self.folder / "bare").glob("lib/python*/site-packages"))
        shutil.unpack_archive(self.wheel, packages, "zip")
        done = self.run_in("python3", "-c", "import sys; sys.argv = ['ddproxy-report', 'results.h5']; from ddproxy.main import main; sys.exit(main())", environment="bare")
        self.refused(done, "pip: install 'ddproxy[report]'")

    def test_readers_have_type_hints(self):
        done = self.run_in("python3", "-c", "import typing, ddproxy; print(typing.get_type_hints(ddproxy.Results.__getitem__))")
        self.assertIn("ndarray", done.stdout, done)


class Types(Package):
    def test_mypy_sees_the_types_of_the_readers(self):
        (self.folder / "user.py").write_text(USER)
        done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--python-executable", self.python, "user.py"], cwd=self.folder, capture_output=True, text=True)
        self.assertRegex(done.stdout, r"(?s)^user.py:8: error: Incompatible types in assignment .*\nFound 1 error", done)


class Examples(Package):
    def test_the_python_examples_of_the_installation_guide_run(self):
        snippets = re.findall(r"^```python\n(.*?)^```", (PROJECT / "docs/install.md").read_text(), re.MULTILINE | re.DOTALL)
        self.assertEqual(len(snippets), 2)
        for snippet in snippets:
            done = self.run_in("python3", "-W", "error", "-c", snippet)
            self.assertEqual(done.returncode, 0, (snippet, done.stderr))
            self.assertIn("bucketed", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], defaultTest=CHOSEN)
