# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""find_nccl_test.py MODULES CMAKE: tests where MODULES/FindNCCL.cmake finds NCCL, in folders that the test makes."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import venv

modules, cmake = sys.argv.pop(1), sys.argv.pop(1)

# The project does not look in the folders of the system, because this machine may have NCCL there.
PROJECT = """cmake_minimum_required(VERSION 3.22)
project(uses_nccl NONE)
set(CMAKE_FIND_USE_CMAKE_SYSTEM_PATH OFF)
set(CMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH OFF)
set(CMAKE_FIND_LIBRARY_PREFIXES lib)
set(CMAKE_FIND_LIBRARY_SUFFIXES .so)
find_package(NCCL)
if(TARGET NCCL::nccl)
  get_target_property(library NCCL::nccl IMPORTED_LOCATION)
  get_target_property(headers NCCL::nccl INTERFACE_INCLUDE_DIRECTORIES)
  message(STATUS "found ${NCCL_VERSION}|${headers}|${library}|")
endif()
"""


class FindNccl(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve() / "with space"
        (self.root / "project").mkdir(parents=True)
        (self.root / "project/CMakeLists.txt").write_text(PROJECT, encoding="utf-8")

    def install(self, prefix, minor, library="lib/libnccl.so"):
        """Writes the files of NCCL 2.MINOR.0 into the folder `prefix`. Returns what find() must return for them."""
        prefix = self.root / prefix
        header = "".join(f"#define NCCL_{part} {value}\n" for part, value in (("MAJOR", 2), ("MINOR", minor), ("PATCH", 0)))
        for path, text in (("include/nccl.h", header), (library, "")):
            (prefix / path).parent.mkdir(parents=True, exist_ok=True)
            (prefix / path).write_text(text, encoding="utf-8")
        return f"2.{minor}.0|{prefix}/include|{prefix}/{library}"

    def find(self, toolkit="", version="12.6.20", path="", **definitions):
        """Returns version, headers and library of the NCCL that CMake finds, or None."""
        programs = self.root / toolkit / "bin"
        programs.mkdir(parents=True, exist_ok=True)
        definitions = {"CMAKE_MODULE_PATH": modules, "CUDAToolkit_BIN_DIR": programs, "CUDAToolkit_VERSION": version,
                       "CUDAToolkit_INCLUDE_DIRS": programs.parent / "include", "CUDAToolkit_LIBRARY_DIR": programs.parent / "lib64"} | definitions
        build = tempfile.mkdtemp(dir=self.root)  # CMake does not look again for what it has found
        done = subprocess.run([cmake, "-G", "Ninja", "-S", self.root / "project", "-B", build, *(f"-D{name}={value}" for name, value in definitions.items())],
                              env=os.environ | {"PATH": f"{path}:{os.environ['PATH']}"}, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done)
        found = [line for line in done.stdout.splitlines() if "found 2." in line]
        return found[0].partition("found ")[2].rstrip("|") if found else None

    def test_finds_nothing_if_nccl_is_not_installed(self):
        self.assertIsNone(self.find("cuda"))

    def test_finds_nccl_in_the_folder_of_the_cuda_toolkit(self):
        expected = self.install("cuda", 28, "lib64/libnccl.so")
        self.assertEqual(self.find("cuda"), expected)

    def test_finds_nccl_in_the_hpc_sdk_for_each_folder_of_nvcc(self):
        expected = self.install("sdk/24.7/comm_libs/nccl", 18)
        for toolkit in ("sdk/24.7/cuda", "sdk/24.7/cuda/12.6", "sdk/24.7/compilers"):
            self.assertEqual(self.find(toolkit), expected, toolkit)
        (self.root / "link").symlink_to(self.root / "sdk/24.7/cuda/12.6")
        self.assertEqual(self.find("link"), expected)

    def test_prefers_nccl_for_the_cuda_version_of_the_toolkit_in_the_hpc_sdk(self):
        newest = self.install("sdk/24.7/comm_libs/nccl", 22)
        expected = self.install("sdk/24.7/comm_libs/11.8/nccl", 15)
        self.assertEqual(self.find("sdk/24.7/cuda/11.8", "11.8.89"), expected)
        self.assertEqual(self.find("sdk/24.7/cuda/12.6"), newest)

    def test_finds_nccl_in_the_package_of_the_python_on_the_path(self):
        venv.create(self.root / "venv")
        packages = next((self.root / "venv").glob("lib/python*/site-packages")).relative_to(self.root)
        expected = self.install(packages / "nvidia/nccl", 32, "lib/libnccl.so.2")
        self.assertEqual(self.find("cuda", path=self.root / "venv/bin"), expected)
        self.assertIsNone(self.find("cuda"))

    def test_nccl_root_comes_first(self):
        self.install("cuda", 28, "lib64/libnccl.so")
        expected = self.install("chosen", 30)
        self.assertEqual(self.find("cuda", NCCL_ROOT=self.root / "chosen"), expected)

    def test_takes_header_and_library_from_the_same_installation(self):
        expected = self.install("sdk/24.7/comm_libs/nccl", 18)
        self.install("sdk/24.7/cuda", 28, "lib64/libnccl.so")
        (self.root / "sdk/24.7/cuda/include/nccl.h").unlink()
        self.assertEqual(self.find("sdk/24.7/cuda"), expected)


unittest.main()
