# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""benchpark_test.py ROOT: Benchpark makes a workspace of Ramble for each value of the experiment's variant `workload`. Works on a copy of Benchpark.

Benchpark clones Ramble and Spack to ~/.benchpark when it starts for the first time. The test is skipped if Ramble is not there."""
import pathlib
import shutil
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).parent))
import tool  # noqa: E402

DEPLOY = pathlib.Path(sys.argv[1]) / "deploy"
EXPECTED = {"twin": ["gpt2-large-a100x16-slingshot", "twin:", "~cuda~rocm"], "cpu": ["gpt2-large-cpu", "measured:", "{n_nodes}*2"],
            "cuda": ["gpt2-large-8gpu-nccl", "+cuda cuda_arch={cuda_arch}"], "rocm": ["+rocm amdgpu_target={rocm_arch}"]}


def main():
    benchpark = pathlib.Path(tool.find("benchpark", "clone github.com/LLNL/benchpark, install its requirements.txt, and set BENCHPARK_ROOT", "BENCHPARK_ROOT"))
    if not (pathlib.Path.home() / ".benchpark" / "ramble").is_dir():
        print("skipped: Benchpark has not cloned Ramble yet; run `benchpark experiment list` once")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        copy = pathlib.Path(name) / "benchpark"
        shutil.copytree(benchpark.resolve().parents[1], copy, ignore=shutil.ignore_patterns(".git"))
        shutil.copytree(DEPLOY / "benchpark" / "experiments" / "ddproxy", copy / "var" / "exp_repo" / "experiments" / "ddproxy", dirs_exist_ok=True)
        shutil.copytree(DEPLOY / "benchpark" / "repo" / "ddproxy", copy / "repo" / "ddproxy", dirs_exist_ok=True)
        for workload, words in EXPECTED.items():
            folder = pathlib.Path(name) / workload
            tool.run(copy / "bin" / "benchpark", "experiment", "init", f"--dest={folder}", "ddproxy", f"workload={workload}", cwd=name)
            text = (folder / "ramble.yaml").read_text()
            for word in words:
                assert word in text, (workload, word, text)


main()
