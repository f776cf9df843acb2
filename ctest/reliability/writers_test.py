# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""writers_test.py DDPROXY PROJECT RUNS REPORTS: programs write the same files at the same time.

RUNS times, three runs start together with the same -o. Only one of them may have the file at a time; the others must end with 2 and leave it
unchanged. At the end the results and the tables must be from the same run. REPORTS times, two reports write into one folder together: both must end
with 0, and the files must be complete."""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from small_twin import write_twin  # noqa: E402
from struck_run import QUIET  # noqa: E402

DDPROXY, PROJECT = (str(Path(name).resolve()) for name in sys.argv[1:3])
RUNS, REPORTS = (int(text) for text in sys.argv[3:5])
SWEEP = 'strategies = ["flat", "bucketed"]\ncaps_mib = [0.1]\nsamples = 6\n'
TABLES = (".layers.csv", ".gradients.csv", ".allreduce.csv")


def together(commands, folder):
    processes = [subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  env={**os.environ, **QUIET, "OMPI_MCA_ess_singleton_isolated": "1", "OMPI_MCA_orte_tmpdir_base": str(folder / f"mpi{k}")})
                 for k, command in enumerate(commands)]
    ends = [process.communicate(timeout=300) for process in processes]
    return [(process.returncode, errors) for process, (_, errors) in zip(processes, ends)]


def leftovers(folder, name):
    return [path.name for path in folder.iterdir() if path.name.startswith((f".{name}", f"{name}.part", f"{name}.lock"))]


def try_runs(folder, number):
    """A run must be refused while another run has the file. It may finish if it starts after the other run has ended."""
    speeds = [1.0, 1.5, 2.0]  # tell the files and tables of the three runs apart
    for k, speed in enumerate(speeds):
        (folder / f"mpi{k}").mkdir(parents=True)
        write_twin(folder / f"in{k}", SWEEP, compute=speed)
    ends = together([[DDPROXY, "run", f"in{k}/twin.toml", "-o", "k.h5"] for k in range(len(speeds))], folder)
    codes = sorted(code for code, _ in ends)
    assert codes[0] == 0 and set(codes) <= {0, 2}, ends
    assert all("another program is writing it" in errors for code, errors in ends if code == 2), ends
    assert not leftovers(folder, "k.h5"), leftovers(folder, "k.h5")
    with h5py.File(folder / "k.h5") as file:
        assert file.attrs["complete"] == 1
        seconds = file["layers/seconds"][0, :, 0].sum()
    assert all((folder / ("k" + ending)).exists() for ending in TABLES)
    rows = [line for line in (folder / "k.layers.csv").read_text().splitlines() if not line.startswith("#")]
    table = sum(float(row.split(",")[1]) for row in rows[1:])
    assert abs(table / seconds - 1) < 0.02, ("the results and the tables are from different runs", seconds, table)
    return codes.count(0)


def try_reports(folder, results):
    ends = together([[sys.executable, "-B", f"{PROJECT}/results/report.py", str(results), "-o", "page", "--csv", "--json"]] * 2, folder)
    assert [code for code, _ in ends] == [0, 0], ends
    page = folder / "page"
    assert not [path.name for path in page.iterdir() if path.name.startswith(".")], list(page.iterdir())
    for path in page.iterdir():
        data = path.read_bytes()
        whole = {".png": data.endswith(b"IEND\xaeB`\x82"), ".html": data.rstrip().endswith(b"</html>"), ".csv": data.endswith(b"\n"),
                 ".json": data.rstrip().endswith(b"}")}
        assert whole[path.suffix], path


def main():
    with tempfile.TemporaryDirectory() as name:
        root = Path(name).resolve()
        finished = 0
        for number in range(RUNS):
            (root / f"runs{number}").mkdir()
            finished += try_runs(root / f"runs{number}", number)
        print(f"writers: {3 * RUNS} runs started, three at once, {finished} finished and {3 * RUNS - finished} refused; {RUNS} of {RUNS} files complete and from one run", flush=True)
        for number in range(REPORTS):
            (root / f"reports{number}").mkdir()
            try_reports(root / f"reports{number}", root / "runs0" / "k.h5")
        print(f"reports: {2 * REPORTS} written, two at once, all complete", flush=True)


main()
