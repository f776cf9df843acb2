# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""reframe_test.py ROOT DDPROXY: the checks for ReFrame pass on the local scheduler, and fail if a figure is wrong."""
import json
import pathlib
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).parent))
import tool  # noqa: E402

ROOT, DDPROXY = pathlib.Path(sys.argv[1]), sys.argv[2]
DEPLOY = ROOT / "deploy" / "reframe"
UNITS = {"backward": "s", "exposed": "s", "throughput": "tokens/s", "bus_bandwidth": "GB/s", "model_error": "1"}
SLOW = """#!/bin/bash
{ddproxy} "$@" || exit
sed -i -E 's/"(backward_s|valid)": [^,]*/"\\1": {wrong}/' results.json
"""


class Reframe:
    """Runs ReFrame in a folder."""

    def __init__(self, folder):
        self.program, self.folder = tool.find("reframe", "install it with pip install reframe-hpc"), folder

    def run(self, program, checks, code=0):
        """Runs the checks whose names match. Returns the report of ReFrame, and what it printed."""
        report = self.folder / "report.json"
        text = tool.run(self.program, "-C", DEPLOY / "settings.py", "-c", DEPLOY / "ddproxy.py", "--system=ddproxy:local", f"--prefix={self.folder}",
                        f"--report-file={report}", "-n", checks, "-r", code=code, cwd=self.folder,
                        env={"DDPROXY": str(program), "RFM_ENABLE_RESULTS_STORAGE": "0", "RFM_COLORIZE": "0"})
        return json.loads(report.read_text())["runs"][0], text


def write_program(folder, name, wrong):
    """Writes a program that runs ddproxy and then spoils a figure in its JSON file."""
    program = folder / name
    program.write_text(SLOW.format(ddproxy=DDPROXY, wrong=wrong))
    program.chmod(0o755)
    return program


def main():
    with tempfile.TemporaryDirectory() as name:
        reframe = Reframe(pathlib.Path(name))
        run, text = reframe.run(DDPROXY, "DdproxyMeasured|DdproxyTwin.*slingshot")
        cases = {case["unique_name"]: case for case in run["testcases"]}
        assert len(cases) == 3 and all(case["result"] == "pass" for case in cases.values()), text
        for case in cases.values():
            units = {key.split(":")[-1]: value[-1] for key, value in case["perfvalues"].items()}
            assert units.items() <= UNITS.items() and units.keys() >= UNITS.keys() - {"model_error"}, units
        twin = next(case for name, case in cases.items() if "Twin" in name)
        assert {key.split(":")[-1]: value[1] for key, value in twin["perfvalues"].items()}["backward"] == 0.18882, twin["perfvalues"]
        slow = write_program(reframe.folder, "slow", "0.25")
        assert "failed to meet reference: backward=0.25" in reframe.run(slow, "DdproxyTwin.*slingshot", code=1)[1]
        odd = write_program(reframe.folder, "odd", '"unsteady"')
        assert "the attribute valid is unsteady, expected single" in reframe.run(odd, "DdproxyMeasured.*ranks=1", code=1)[1]


main()
