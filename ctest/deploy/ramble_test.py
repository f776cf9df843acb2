# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""ramble_test.py ROOT DDPROXY: Ramble sets up, runs and analyzes ddproxy with the application of deploy/benchpark."""
import json
import pathlib
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).parent))
import tool  # noqa: E402

ROOT, DDPROXY = pathlib.Path(sys.argv[1]), sys.argv[2]
WORKSPACE = """ramble:
  variants:
    package_manager: null
  variables:
    mpi_command: mpirun -n {{n_ranks}}
    batch_submit: '{{execute_experiment}}'
    processes_per_node: 2
    ddproxy_path: {root}
    program: {ddproxy}
  applications:
    ddproxy:
      workloads:
        measured:
          experiments:
            tiny_{{n_ranks}}:
              variables: {{input: tiny, n_ranks: [1, 2]}}
        twin:
          experiments:
            example:
              variables: {{input: {root}/deploy/example/twin.toml, n_ranks: 1}}
  software:
    packages: {{}}
    environments: {{}}
"""


def main():
    ramble = tool.find("ramble", "clone github.com/GoogleCloudPlatform/ramble and put its bin/ on PATH, or set RAMBLE_ROOT", "RAMBLE_ROOT")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        scope, workspace = folder / "scope", folder / "workspace"
        scope.mkdir()
        (scope / "repos.yaml").write_text(f"repos:\n- {ROOT / 'deploy' / 'benchpark' / 'repo'}\n")
        (folder / "ramble.yaml").write_text(WORKSPACE.format(root=ROOT, ddproxy=DDPROXY))
        start = [ramble, "--disable-locks", "-C", scope]
        where = {"cwd": folder, "env": {"RAMBLE_DISABLE_LOCAL_CONFIG": "1", "RAMBLE_USER_CACHE_PATH": str(folder / "cache")}}
        tool.run(*start, "workspace", "create", "-d", workspace, "-c", folder / "ramble.yaml", **where)
        for step in (["workspace", "setup", "--dry-run"], ["workspace", "setup"], ["on"], ["workspace", "analyze", "--formats", "json"]):
            tool.run(*start, "-D", workspace, *step, **where)
        (path,) = workspace.glob("results.2*.json")
        experiments = {one["name"]: one for one in json.loads(path.read_text())["experiments"]}
        assert len(experiments) == 3 and all(one["RAMBLE_STATUS"] == "SUCCESS" for one in experiments.values()), experiments
        for name, one in experiments.items():
            figures = {figure["name"]: figure for context in one["CONTEXTS"] for figure in context["foms"]}
            assert figures["backward_s"]["units"] == "s" and float(figures["backward_s"]["value"]) > 0, figures
            assert figures["valid"]["value"] in {"twin": ("replay",), "tiny_1": ("single",), "tiny_2": ("true", "oversubscribed")}[
                "twin" if ".twin." in name else name.rsplit(".", 1)[1]], (name, figures)


main()
