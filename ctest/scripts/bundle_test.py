# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""bundle_test.py PROJECT COMPILER: tests what scripts/bundle packs, and that gpu-check runs the bundle. Small programs replace ddproxy and
Open MPI. All paths contain a space. Exits with 77 if xz, git or objdump is missing."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

if not all(map(shutil.which, ("xz", "git", "objdump"))):
    print("skipped: xz, git or objdump is missing")
    sys.exit(77)
project, compiler = pathlib.Path(sys.argv.pop(1)), sys.argv.pop(1)

OMPI_INFO = 'case $3 in pkglibdir) echo "path:$3:$MPI/plug ins" ;; pkgdatadir) echo "path:$3:$MPI/data" ;; esac'
NVIDIA_SMI = 'case "$*" in --query-gpu*) echo 9.0 ;; *) echo "GPU 0: a stand-in" ;; esac'


def write(path, text, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)


def write_program(path, text):
    write(path, f"#!/bin/bash\n{text}\n", 0o755)


class Bundle(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve() / "with space"
        self.sources, self.build, self.mpi = (self.root / name for name in ("sources", "build", "mpi"))
        for library in ("libpacked.so.1", "libnccl.so.2", "libnsl.so.2"):
            self.compile(self.root / "libraries" / library, "-shared", "-fPIC")
        self.write_sources()
        self.write_build()
        self.write_mpi()

    def compile(self, program, *options, text="int main() {}"):
        program.parent.mkdir(parents=True, exist_ok=True)
        done = subprocess.run([compiler, "-x", "c++", "-", "-o", program, *options, "-Wl,-soname," + program.name], input=text, text=True,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done)

    def link(self, program, *libraries):
        """Makes a program that does nothing and needs these libraries of the folder `libraries`."""
        folder = self.root / "libraries"
        self.compile(program, "-Wl,--no-as-needed", "-x", "none", *(folder / library for library in libraries), f"-Wl,-rpath,{folder}")

    def write_sources(self):
        shutil.copytree(project / "scripts", self.sources / "scripts")
        git = ["git", "-C", self.sources, "-c", "user.name=test", "-c", "user.email=test@localhost"]
        for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "Begin"]):
            subprocess.run(git + command, check=True)
        self.revision = subprocess.run(git + ["rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()

    def write_build(self):
        write(self.build / "CMakeCache.txt", "CMAKE_CUDA_ARCHITECTURES:STRING=90\n")
        write(self.build / "generated/miniapp/machine/git_revision.cpp", f'git_revision = "{self.revision[:12]}";\n')
        self.link(self.build / "ddproxy", "libpacked.so.1", "libnccl.so.2", "libnsl.so.2")
        self.link(self.build / "ctest/test_kernels_gemm")
        write_program(self.root / "path/cmake", "")
        tests = {"tests": [{"command": ["mpirun", "-n", "2", f"{self.build}/ctest/test_{name}"]} for name in ("kernels_gemm", "not_built")]}
        write(self.root / "tests.json", json.dumps(tests, indent=2))
        write_program(self.root / "path/ctest", f'cat "{self.root}/tests.json"')

    def write_mpi(self):
        for program in ("orterun", "orted"):
            self.link(self.root / "path" / program)
        write_program(self.root / "path/ompi_info", f'MPI="{self.mpi}"; {OMPI_INFO}')
        write(self.mpi / "data/help.txt", "help\n")
        self.compile(self.root / "libraries/libpmix.so.2", "-shared", "-fPIC")
        for plugin in (self.mpi / "plug ins/mca_pmix_ext3x.so", self.mpi / "plug ins/mca_io_romio.so"):
            self.link_plugin(plugin, "libpmix.so.2")
        self.link_plugin(self.root / "libraries/pmix/mca_gds_hash.so")

    def link_plugin(self, plugin, *libraries):
        folder = self.root / "libraries"
        self.compile(plugin, "-shared", "-fPIC", "-Wl,--no-as-needed", "-x", "none", *(folder / library for library in libraries),
                     f"-Wl,-rpath,{folder}")

    def bundle(self, **environment):
        environment = os.environ | {"PATH": f"{self.root}/path:{os.environ['PATH']}"} | environment
        return subprocess.run([self.sources / "scripts/bundle", self.build, self.root / "bundle.tar.xz"], env=environment, capture_output=True,
                              text=True, check=False)

    def test_packs_only_files_that_the_gpu_machine_lacks(self):
        done = self.bundle()
        self.assertEqual(done.returncode, 0, done)
        with tarfile.open(self.root / "bundle.tar.xz") as archive:
            names = {name.removeprefix("ddproxy/prebuilt/") for name in archive.getnames()}
        for name in ("bin/ddproxy", "tests/test_kernels_gemm", "lib/libpacked.so.1", "lib/libnsl.so.2", "lib/libpmix.so.2", "mpi/bin/mpirun",
                     "mpi/bin/orted", "mpi/plugins/mca_pmix_ext3x.so", "mpi/pmix/mca_gds_hash.so", "mpi/share/openmpi/help.txt"):
            self.assertIn(name, names)
        for name in ("lib/libnccl.so.2", "lib/libc.so.6", "mpi/plugins/mca_io_romio.so"):
            self.assertNotIn(name, names)

    def test_gpu_check_runs_the_bundle(self):
        self.assertEqual(self.bundle().returncode, 0)
        shutil.unpack_archive(self.root / "bundle.tar.xz", self.root / "un packed")
        shutil.rmtree(self.build)
        write_program(self.root / "path/nvidia-smi", NVIDIA_SMI)
        done = subprocess.run([self.root / "un packed/ddproxy/scripts/gpu-check", self.root / "out", "tests"], capture_output=True, text=True,
                              env=os.environ | {"PATH": f"{self.root}/path:{os.environ['PATH']}"}, check=False)
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("passed   test_kernels_gemm.ranks2\n", done.stdout)

    def test_names_a_missing_library_or_program(self):
        (self.root / "libraries/libpacked.so.1").unlink()
        done = self.bundle()
        self.assertEqual(done.returncode, 4, done)
        self.assertIn("set LD_LIBRARY_PATH: libpacked.so.1\n", done.stderr)
        folder = self.root / "tools"  # every program but orted
        folder.mkdir()
        for program in {path.name: path for place in os.environ["PATH"].split(":") for path in pathlib.Path(place).glob("*")}.values():
            if program.name != "orted" and not (folder / program.name).exists():
                (folder / program.name).symlink_to(program)
        (self.root / "path/orted").unlink()
        done = self.bundle(PATH=f"{self.root}/path:{folder}")
        self.assertEqual(done.returncode, 2, done)
        self.assertIn("the program orted is missing", done.stderr)


unittest.main()
