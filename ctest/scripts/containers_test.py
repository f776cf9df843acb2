# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""containers_test.py PROJECT CMAKE KOKKOS_DIR: the steps of the Containerfile and of the Apptainer definition must be the same, and must fit the project.

Runs the steps with sh in a copy of the project, as a container does. Does not run scripts/setup, because scripts/test runs it before this test. Does
not compile: lists the targets instead of building the target install."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from project_copy import copy_project

PROJECT, CMAKE, KOKKOS = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
CONTAINERFILE = (PROJECT / "deploy/containers/Containerfile").read_text()
DEFINITION = (PROJECT / "deploy/containers/ddproxy.def").read_text()
FOLDER = "/opt/ddproxy-sources"


def steps_of_containerfile():
    return re.findall(r"^RUN (.*)$", CONTAINERFILE, re.MULTILINE)


def section(name):
    lines = re.search(rf"^%{name}\n((?:    .*\n)+)", DEFINITION, re.MULTILINE)[1].splitlines()
    return [line.strip() for line in lines]


def shell(text, folder, **variables):
    environment = {**os.environ, "Kokkos_ROOT": KOKKOS, "PATH": f"{pathlib.Path(CMAKE).parent}:{os.environ['PATH']}", **variables}
    return subprocess.run(["sh", "-e", "-c", text], cwd=folder, env=environment, capture_output=True, text=True)


class Containers(unittest.TestCase):
    def test_both_files_have_the_same_steps_and_arguments(self):
        post = section("post")
        self.assertEqual(post[:2], ['CUDA="{{ CUDA }}" PRESET="{{ PRESET }}"', f"cd {FOLDER}"])
        self.assertEqual(post[2:], steps_of_containerfile())
        self.assertIn(f"WORKDIR {FOLDER}\nRUN", CONTAINERFILE)
        arguments = dict(re.findall(r"^ARG (\w+)=(.*)$", CONTAINERFILE, re.MULTILINE))
        self.assertEqual(arguments.pop("BASE"), "docker.io/library/debian:12")
        self.assertEqual(section("arguments"), ["BASE=debian:12", *(f"{name}={value}" for name, value in arguments.items())])

    def test_the_arguments_for_gpus_fit_the_presets(self):
        presets = {p["name"]: p for p in json.loads((PROJECT / "CMakePresets.json").read_text())["configurePresets"]}
        for text in (CONTAINERFILE, DEFINITION, (PROJECT / "docs/install.md").read_text()):
            given = re.findall(r"--build-arg CUDA=(\S+) --build-arg PRESET=(\S+)", text)
            self.assertTrue(given)
            for architecture, preset in given:
                self.assertEqual(presets[preset]["cacheVariables"]["CMAKE_CUDA_ARCHITECTURES"], architecture)
        setup = next(step for step in steps_of_containerfile() if "setup" in step)
        for cuda, words in (("", "scripts/setup\n"), ("80", "scripts/setup --cuda 80\n")):
            self.assertEqual(shell(f"echo {setup}", PROJECT, CUDA=cuda).stdout, words)

    def test_an_image_gets_the_repository_but_nothing_that_git_ignores(self):
        git, docker = (re.findall(r"^[^#\n].*", (PROJECT / name).read_text(), re.MULTILINE) for name in (".gitignore", ".dockerignore"))
        self.assertEqual(docker, [line.rstrip("/") if line.startswith("/") else f"**/{line.rstrip('/')}" for line in git])

    def test_the_steps_run_in_a_copy_of_the_project(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name, "project")
            copy_project(PROJECT, folder)
            for step in steps_of_containerfile():
                if "scripts/setup" in step:
                    self.assertTrue((folder / "scripts/setup").stat().st_mode & 0o100)
                    continue
                done = shell(step.replace("--target install", "--target help").replace("/opt/ddproxy", f"{name}/prefix"), folder, CUDA="", PRESET="default")
                self.assertEqual(done.returncode, 0, (step, done.stdout[-2000:], done.stderr[-2000:]))
            self.assertIn("install: ", done.stdout)
            self.assertNotIn("test_miniapp", done.stdout)
            for option, has_tests in (("BUILD_TESTING=ON", True), ("BUILD_TESTING=OFF", False), ("DDPROXY_TESTS=ON", True)):
                again = shell(f"cmake --preset default -D{option} && cmake --build --preset default --target help", folder)  # the folder is configured already
                self.assertEqual((again.returncode, "test_miniapp" in again.stdout), (0, has_tests), (option, again.stderr[-2000:]))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
