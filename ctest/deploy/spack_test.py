# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""spack_test.py ROOT: Spack reads the recipe of ddproxy, and its audit finds no fault. Builds nothing and changes no configuration."""
import pathlib
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).parent))
import tool  # noqa: E402

ROOT = pathlib.Path(sys.argv[1])
REPOSITORY = ROOT / "deploy" / "spack" / "spack_repo" / "ddproxy_repo"


def main():
    spack = tool.find("spack", "put the bin/ of a Spack on PATH, or set SPACK_ROOT", "SPACK_ROOT")
    with tempfile.TemporaryDirectory() as name:
        scope = pathlib.Path(name)
        (scope / "repos.yaml").write_text(f"repos:\n  ddproxy_repo: {REPOSITORY}\n")
        start = [spack, "--color=never", "-C", scope]
        text = tool.run(*start, "audit", "packages", "ddproxy")
        assert "PKG-DIRECTIVES: passed" in text and "PKG-PROPERTIES: passed" in text, text
        text = tool.run(*start, "info", "--all", "ddproxy")
        for word in ("proxy-app", "cuda_arch", "amdgpu_target", "nccl", "report", "tests", "BSD-3-Clause", "test_twin", "test_predict", "test_compare", "test_report"):
            assert word in text, (word, text)


main()
