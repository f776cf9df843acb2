# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""recipe_test.py ROOT: the recipe for Spack can be imported in every folder, and names the right repository to build. Needs no Spack: mocks stand for its modules."""
import contextlib
import os
import pathlib
import runpy
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

ROOT = pathlib.Path(sys.argv.pop(1))
IN_THE_CLONE = pathlib.Path("deploy/spack/spack_repo/ddproxy_repo/packages/ddproxy/package.py")
INSTALLED = pathlib.Path("share/ddproxy/spack/spack_repo/ddproxy_repo/packages/ddproxy/package.py")
DIRECTIVES = "Executable SkipTest conflicts default_args depends_on filter_file join_path license run_after variant version when".split()


def modules_of_spack():
    """Returns mocks of the modules that the recipe imports."""
    modules = {"spack.package": types.ModuleType("spack.package")}
    for name in DIRECTIVES:
        setattr(modules["spack.package"], name, mock.MagicMock())
    modules["spack.package"].SkipTest = unittest.SkipTest
    for name, base in (("cmake", "CMakePackage"), ("cuda", "CudaPackage"), ("rocm", "ROCmPackage")):
        module = modules[f"spack_repo.builtin.build_systems.{name}"] = types.ModuleType(name)
        setattr(module, base, type(base, (), {"cuda_arch_values": ["80"], "amdgpu_targets": ["gfx90a"]}))
    for name in ("spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
        modules[name] = types.ModuleType(name)
    return modules


def imported(recipe, **environment):
    """Imports a recipe. Returns its class and the mocks that it called."""
    modules = modules_of_spack()
    with mock.patch.dict(sys.modules, modules), mock.patch.dict(os.environ, environment):
        if "DDPROXY_GIT" not in environment:
            os.environ.pop("DDPROXY_GIT", None)
        return runpy.run_path(str(recipe))["Ddproxy"], modules["spack.package"]


def git_of(recipe, **environment):
    """Imports a recipe. Returns the address of the repository that it builds."""
    return imported(recipe, **environment)[0].git


class Recipe(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()

    def copied(self, *places):
        """Copies the recipe to a place below the test's folder."""
        recipe = self.folder.joinpath(*places)
        recipe.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / IN_THE_CLONE, recipe)
        return recipe

    def repository(self, name, project):
        """Makes a folder that looks like the root of a clone of a project."""
        (self.folder / name / ".git").mkdir(parents=True)
        (self.folder / name / "CMakeLists.txt").write_text(f"cmake_minimum_required(VERSION 3.22)\nproject({project} LANGUAGES CXX)\n")
        return self.folder / name

    def test_builds_the_clone_that_contains_the_recipe(self):
        if (ROOT / ".git").exists():
            self.assertEqual(git_of(ROOT / IN_THE_CLONE), ROOT.resolve().as_uri())
        clone = self.repository("a clone", "ddproxy VERSION 1.0")
        for places in ((IN_THE_CLONE,), ("package.py",), ("a/b/c/d/e/f/g/h/i/package.py",)):
            self.assertEqual(git_of(self.copied(clone, *places)), clone.as_uri())

    def test_names_the_variable_to_set_if_the_recipe_is_in_no_clone(self):
        foreign = self.repository("benchpark", "benchpark")
        (foreign / "deploy").mkdir()
        tarball = self.folder / "ddproxy-1.0"
        tarball.mkdir()
        shutil.copy(ROOT / "CMakeLists.txt", tarball)
        for places in (("package.py",), ("prefix", INSTALLED), (foreign, "repo/ddproxy/package.py"), (foreign, IN_THE_CLONE), (tarball, IN_THE_CLONE)):
            address = git_of(self.copied(*places))
            self.assertIn("set-DDPROXY_GIT", address, places)
            if shutil.which("git"):
                done = subprocess.run(["git", "clone", "--branch", "main", address], cwd=self.folder, capture_output=True, text=True, check=False)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("set-DDPROXY_GIT", done.stderr)

    def test_builds_the_folder_or_the_address_in_the_variable(self):
        clone = self.repository("a clone", "ddproxy")
        for recipe in (self.copied("prefix", INSTALLED), self.copied(clone, IN_THE_CLONE)):
            for given, address in ((str(self.folder), self.folder.as_uri()), ("https://host/ddproxy.git", "https://host/ddproxy.git"), ("git@host:ddproxy", "git@host:ddproxy")):
                self.assertEqual(git_of(recipe, DDPROXY_GIT=given), address)
        self.assertEqual(git_of(recipe, DDPROXY_GIT=""), clone.as_uri())

    def test_matrix_products_use_all_threads(self):
        _, directives = imported(ROOT / IN_THE_CLONE)
        directives.depends_on.assert_any_call("openblas threads=openmp", when="+openmp ^[virtuals=blas] openblas")
        self.assertIn(("^[virtuals=blas] intel-oneapi-mkl",), [call.args for call in directives.conflicts.mock_calls])

    def test_the_twin_is_skipped_if_the_device_driver_is_missing(self):
        recipe, _ = imported(ROOT / IN_THE_CLONE)
        for variant, device in (("+cuda", "/dev/nvidiactl"), ("+rocm", "/dev/kfd"), ("~cuda ~rocm", None)):
            package = recipe()
            package.spec, package.run = mock.Mock(satisfies=variant.__eq__), mock.Mock(side_effect=InterruptedError)
            for devices, outcome in (([device], InterruptedError), (["/dev/null"], unittest.SkipTest if device else InterruptedError)):
                with mock.patch("os.path.exists", devices.__contains__), self.assertRaises(outcome, msg=(variant, devices)):
                    package.test_twin()

    def test_the_twin_skips_unknown_and_fails_large_model_errors(self):
        recipe, _ = imported(ROOT / IN_THE_CLONE)
        package = recipe()
        package.skip_without_driver, package.run = mock.Mock(), mock.Mock()
        for error, outcome in (("null", unittest.SkipTest), ("0.06", AssertionError), ("0.04", None)):
            text = f'{{"fom": {{"valid": "replay", "model_error": {error}}}}}'
            with mock.patch("pathlib.Path.read_text", return_value=text), self.assertRaises(outcome) if outcome else contextlib.nullcontext():
                package.test_twin()


unittest.main()
