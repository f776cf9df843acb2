# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""spack_test.py ROOT: Spack reads the recipe of ddproxy, its audit finds no fault, and Spack finds dependencies for its variants. Builds nothing and changes
no configuration. The variants are left out if this Spack has no compiler (spack compiler find)."""
import pathlib
import re
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).parent))
import tool  # noqa: E402

ROOT = pathlib.Path(sys.argv[1])
REPOSITORY = ROOT / "deploy" / "spack" / "spack_repo" / "ddproxy_repo"


def check_recipe(start):
    text = tool.run(*start, "audit", "packages", "ddproxy")
    assert "PKG-DIRECTIVES: passed" in text and "PKG-PROPERTIES: passed" in text, text
    text = tool.run(*start, "info", "--all", "ddproxy")
    for word in ("proxy-app", "cuda_arch", "amdgpu_target", "nccl", "report", "tests", "BSD-3-Clause", "test_twin", "test_predict", "test_compare", "test_report"):
        assert word in text, (word, text)


def check_variants(start):
    """Spack must find the dependencies of each build, and say what is missing in a build for CUDA without an architecture."""
    for variants, code, patterns in (
            ("+tests ^[virtuals=blas] openblas", 0, (r"ddproxy@\S*\+openmp", r"\^googletest@", r"\^kokkos@\S*\+openmp", r"\^openblas@.*threads:?=openmp")),
            ("+cuda cuda_arch=80", 0, (r"ddproxy@\S*\+nccl", r"\^cuda@", r"\^kokkos@\S*\+cuda.*cuda_arch:?=80\b", r"\^nccl@.*cuda_arch:?=80\b")),
            ("+cuda", 1, ("ddproxy: name the GPU, for instance cuda_arch=80 for A100",))):
        text = tool.run(*start, "spec", "--fresh", f"ddproxy@main {variants}", code=code)
        for pattern in patterns:
            assert re.search(pattern, text), (variants, pattern, text)


def main():
    spack = tool.find("spack", "put the bin/ of a Spack on PATH, or set SPACK_ROOT", "SPACK_ROOT")
    with tempfile.TemporaryDirectory() as name:
        scope = pathlib.Path(name)
        (scope / "repos.yaml").write_text(f"repos:\n  ddproxy_repo: {REPOSITORY}\n")
        (scope / "packages.yaml").write_text("packages:\n  all:\n    buildable: true\n")  # a site may forbid Spack to build packages that the site has installed
        start = [spack, "--color=never", "-C", scope]
        check_recipe(start)
        if "@" in tool.run(*start, "compiler", "list"):
            check_variants(start)
        else:
            print("the variants were not checked: this Spack has no compiler; call spack compiler find")


main()
