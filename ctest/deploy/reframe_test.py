# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""reframe_test.py ROOT DDPROXY: all checks for ReFrame pass on the local scheduler, and fail if a figure is wrong."""
import json
import pathlib
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).parent))
import tool  # noqa: E402

ROOT, DDPROXY = pathlib.Path(sys.argv[1]), sys.argv[2]
DEPLOY = ROOT / "deploy" / "reframe"
UNITS = {"backward": "s", "exposed": "s", "throughput": "tokens/s", "bus_bandwidth": "GB/s", "model_error": "1"}
SPOILED = """#!/bin/bash
{ddproxy} "$@" || exit
[ "$2" != {workload} ] || sed -i -E 's/"{figure}": [^,]*/"{figure}": {wrong}/' results.json
"""


class Reframe:
    """Runs ReFrame in a folder."""

    def __init__(self, folder):
        self.program, self.folder = tool.find("reframe", "install it with pip install reframe-hpc"), folder

    def run(self, program, *options, code=0):
        """Runs the checks that the options select; without options, all checks. Returns the report of ReFrame, and what it printed."""
        report = self.folder / "report.json"
        text = tool.run(self.program, "-C", DEPLOY / "settings.py", "-c", DEPLOY / "ddproxy.py", "--system=ddproxy:local", f"--prefix={self.folder}",
                        f"--report-file={report}", *options, "-r", code=code, cwd=self.folder,
                        env={"DDPROXY": str(program), "RFM_ENABLE_RESULTS_STORAGE": "0", "RFM_COLORIZE": "0"})
        return json.loads(report.read_text())["runs"][0], text


def write_program(folder, workload, figure, wrong):
    """Writes a program that runs ddproxy and then changes a figure in the JSON file of a workload."""
    program = folder / f"wrong-{figure}"
    program.write_text(SPOILED.format(ddproxy=DDPROXY, workload=workload, figure=figure, wrong=wrong))
    program.chmod(0o755)
    return program


def check_all(reframe):
    """Runs all checks, as a user does. On a busy machine the twin with a small E has no model_error. Here a program sets it to null on every machine."""
    run, text = reframe.run(write_program(reframe.folder, "gpt2-large-a100x8", "model_error", "null"))
    cases = {case["display_name"]: case for case in run["testcases"]}
    assert len(cases) == 4 and all(case["result"] == "pass" for case in cases.values()), text
    values = {name: {key.split(":")[-1]: value for key, value in case["perfvalues"].items()} for name, case in cases.items()}
    for name, figures in values.items():
        units = {key: value[4] for key, value in figures.items()}  # [value, reference, lower, upper, unit, ...]
        assert units.items() <= UNITS.items() and units.keys() >= UNITS.keys() - {"model_error"}, units
        assert ("model_error" in units) == ("slingshot" in name), (name, units)
    (twin,) = (figures for name, figures in values.items() if "slingshot" in name)
    assert twin["backward"][1] == 0.18882, twin


def main():
    with tempfile.TemporaryDirectory() as name:
        reframe = Reframe(pathlib.Path(name))
        check_all(reframe)
        slow = write_program(reframe.folder, "gpt2-large-a100x16-slingshot", "backward_s", "0.25")
        text = reframe.run(slow, "-n", "DdproxyTwin.*slingshot", code=1)[1]
        assert "Failing phase: performance" in text and "backward=0.25" in text, text
        odd = write_program(reframe.folder, "tiny", "valid", '"unsteady"')
        text = reframe.run(odd, "-n", "DdproxyMeasured.*ranks=1", code=1)[1]
        assert "the figure `valid` is unsteady; expected: single" in text, text


main()
