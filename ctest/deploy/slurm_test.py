# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""slurm_test.py ROOT DDPROXY: every file of deploy/slurm runs on a SLURM with two nodes that pretend to have eight GPUs each.

srun starts a program of Open MPI with PMIx, and one of MPICH with PMI-2."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import h5py
import numpy

sys.path += [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parents[1])]
from fake_slurm import FakeSlurm, missing_programs  # noqa: E402
from small_twin import write_twin  # noqa: E402

ROOT, DDPROXY = pathlib.Path(sys.argv[1]), sys.argv[2]
JOB = ROOT / "deploy" / "slurm" / "run-8gpu.sbatch"
ROUNDS = 10000  # number of rounds of the job that is preempted
TINY = """[model]
preset = "tiny"
[step]
batch = 1
sequence = 32
[compute]
mode = "kernels"
[allreduce]
backend = "mpi"
[sweep]
strategies = ["bucketed"]
caps_mib = [1]
samples = 2
"""


def plugin_of(program):
    """Returns the plugin of SLURM that starts the program's MPI library."""
    libraries = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return "pmi2" if "libmpich" in libraries else "pmix"


class Jobs:
    """Submits jobs in a folder. `slurm` is a running FakeSlurm."""

    def __init__(self, slurm, folder):
        self.slurm, self.folder = slurm, folder
        self.environment = {**slurm.environment, "DDPROXY": DDPROXY, "DDPROXY_MPI": plugin_of(DDPROXY), "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_btl": "tcp,self",
                            "OMPI_MCA_btl_tcp_if_include": "lo", "OMP_WAIT_POLICY": "passive"}

    def submit(self, *options, wait=True):
        """Submits a job. Returns its number and the exit code, which is None if nobody waits for the job."""
        done = self.slurm.call("sbatch", *(["--wait"] if wait else []), *options, check=False, cwd=self.folder, env=self.environment)
        number = re.search(r"Submitted batch job (\d+)", done.stdout)
        assert number, done
        return number[1], done.returncode if wait else None

    def log(self, number):
        return (self.folder / f"ddproxy-{number}.log").read_text()

    def run(self, *options):
        """Submits a job that has to succeed. Returns its figures and its results file."""
        number, code = self.submit(*options)
        assert code == 0, self.log(number)
        (path,) = (self.folder / "out").glob(f"*-{number}.h5")
        return json.loads(path.with_suffix(".json").read_text())["fom"], h5py.File(path)


def settings_of(file):
    return dict(text.split("=", 1) for text in file["provenance/environment"].asstr() if "=" in text)


def check_eight_tasks(jobs):
    """Eight tasks share the 16 CPUs of the node evenly. SLURM binds no task here. So the job must keep OpenMP from binding threads:
    OpenMP would bind the threads of all tasks to the same cores."""
    figures, file = jobs.run(JOB, "tiny.toml")
    assert figures["valid"] in ("true", "oversubscribed"), figures
    assert list(file["provenance/host"].asstr()) == ["node1"] * 8
    assert list(file["provenance/rank_threads"][...]) == [2] * 8
    settings = settings_of(file)
    assert settings["OMP_NUM_THREADS"] == settings["SLURM_CPUS_PER_TASK"] == "2", settings
    cores = len(os.sched_getaffinity(0))
    if cores > 1:
        assert "0" not in set(file["provenance/binding"].asstr()), list(file["provenance/binding"].asstr())


def check_cpus_of_a_task(jobs):
    _, file = jobs.run("--ntasks-per-node=2", "--gpus-per-node=2", "--cpus-per-task=1", JOB, "tiny.toml")
    assert list(file["provenance/rank_threads"][...]) == [1, 1]


def check_two_nodes(jobs):
    figures, file = jobs.run("--nodes=2", "--ntasks-per-node=2", "--gpus-per-node=2", "--cpus-per-task=1", JOB, "tiny.toml")
    assert list(file["provenance/host"].asstr()) == ["node1", "node1", "node2", "node2"], list(file["provenance/host"].asstr())
    assert figures["valid"] in ("true", "oversubscribed"), figures


def check_twin(jobs):
    """A twin stands for the GPUs. It runs in one task. The fastest sample of each case is compared with the prediction of T."""
    write_twin(jobs.folder / "twin", 'strategies = ["naive", "bucketed"]\ncaps_mib = [0.01, 0.1, 1]\nsamples = 6\n')
    figures, file = jobs.run("--ntasks-per-node=1", "--gpus-per-node=1", JOB, "twin/twin.toml")
    assert figures["valid"] == "replay", figures
    fastest = file["sweep/measured"][...].max(axis=2).min(axis=1)
    error = fastest / file["sweep/predicted"][...] - 1
    assert (abs(error) < 0.05).all(), error


def check_installation(jobs):
    """Without the variable DDPROXY, the job starts the ddproxy on PATH, as after an installation. The folder of the job has neither builds nor inputs."""
    (jobs.folder / "bin").mkdir()
    (jobs.folder / "bin" / "ddproxy").symlink_to(DDPROXY)
    environment = jobs.environment
    jobs.environment = {**environment, "PATH": f"{jobs.folder}/bin:{environment['PATH']}"}
    del jobs.environment["DDPROXY"]
    figures, _ = jobs.run("--ntasks-per-node=1", "--gpus-per-node=1", JOB, "gpt2-large-a100x16-slingshot")
    jobs.environment = environment
    assert figures["valid"] == "replay", figures


def check_too_few_gpus(jobs):
    number, code = jobs.submit("--gpus-per-node=4", JOB, "tiny.toml")
    assert code == 2 and "this job has 8 tasks on a node but only 4 GPUs" in jobs.log(number), jobs.log(number)


def numbers_in(text):
    """Returns the processors of a text like 0-15,32-47."""
    return {number for part in text.split(",") for number in range(int(part.split("-")[0]), int(part.split("-")[-1]) + 1)}


def check_binding(folder):
    """If SLURM binds tasks to cores (task/affinity), two tasks share no core, and OpenMP binds the threads of a task inside its cores."""
    if len(os.sched_getaffinity(0)) < max(2, os.cpu_count()):
        print("left out: SLURM needs two processors, and must be able to bind tasks to each processor of this machine")
        return
    if shutil.which("nvidia-smi"):
        print("left out: this machine has real GPUs, so the job may bind the tasks to their NUMA nodes")
        return
    with tempfile.TemporaryDirectory() as state, FakeSlurm(state, nodes=1, plugin="task/affinity") as slurm:
        figures, file = Jobs(slurm, folder).run("--ntasks-per-node=2", "--gpus-per-node=2", JOB, "tiny.toml")
    first, second = (numbers_in(text) for text in file["provenance/binding"].asstr())
    assert first and second and not first & second, (first, second)
    settings = settings_of(file)
    assert settings["OMP_PROC_BIND"] == "close", settings
    assert list(file["provenance/rank_threads"][...]) == [int(settings["SLURM_CPUS_PER_TASK"])] * 2, settings
    assert figures["valid"] in ("true", "oversubscribed"), figures


def samples_in(path):
    """Returns the number of samples of T in a results file, 0 if it has none yet."""
    try:
        with h5py.File(path) as file:
            return int(numpy.isfinite(file["sweep/measured"][...]).sum())
    except (OSError, KeyError):
        return 0


def check_preemption(jobs):
    """A job of a higher priority takes the node. The job that is preempted starts again, and takes only the rounds that are missing."""
    write_twin(jobs.folder / "long", f'strategies = ["naive"]\nsamples = {ROUNDS}\n')
    number, _ = jobs.submit("--ntasks-per-node=1", "--gpus-per-node=1", "--nodelist=node1", JOB, "long/twin.toml", wait=False)
    part = jobs.folder / "out" / f"twin-{number}.h5.part"
    jobs.slurm.wait_until(lambda: samples_in(part) > 0, 60, f"{part} has samples")
    _, code = jobs.submit("--partition=high", "--nodelist=node1", "--exclusive", "--output=/dev/null", "--wrap=true")
    assert code == 0
    kept = part.with_name(part.name + ".1")  # the second start moved the file of the first start here
    jobs.slurm.wait_until(lambda: samples_in(kept) > 0, 120, f"{kept} has the samples of the first start")
    shown = jobs.slurm.call("scontrol", "show", "job", number).stdout
    assert "Restarts=1" in shown, shown
    jobs.slurm.wait_until(lambda: samples_in(part) > 0, 60, f"{part} has samples of the second start")
    with h5py.File(part) as second, h5py.File(kept) as first:
        assert second.attrs["resumed_from"] == first.attrs["run_id"] and second.attrs["rounds_before"] == samples_in(kept), dict(second.attrs)
        assert second["sweep/measured"].shape[1] == ROUNDS - samples_in(kept), second["sweep/measured"].shape
    log = jobs.log(number)
    assert "this run takes all rounds" in log and f"complete so far: {samples_in(kept)} round" in log, log
    jobs.slurm.call("scancel", number)


def check_reframe(jobs):
    """ReFrame submits three of its four checks to SLURM, one after another."""
    if not (reframe := shutil.which("reframe")):
        print("left out: ReFrame is not installed (pip install reframe-hpc)")
        return
    files, report = ROOT / "deploy" / "reframe", jobs.folder / "report.json"
    done = jobs.slurm.call(reframe, "-C", files / "settings.py", "-c", files / "ddproxy.py", "--system=ddproxy:slurm", f"--prefix={jobs.folder}/reframe",
                           f"--report-file={report}", "--exec-policy=serial", "-n", "DdproxyMeasured|DdproxyTwin.*slingshot", "-r", check=False,
                           cwd=jobs.folder, env={**jobs.environment, "RFM_ENABLE_RESULTS_STORAGE": "0", "RFM_COLORIZE": "0"})
    results = {case["unique_name"]: case["result"] for case in json.loads(report.read_text())["runs"][0]["testcases"]}
    assert len(results) == 3 and set(results.values()) == {"pass"}, done.stdout


def main():
    if missing := missing_programs():
        print(f"skipped: this machine has no {', '.join(missing)} (Debian: slurm-wlm munge)")
        sys.exit(77)
    if os.geteuid() != 0:
        print("skipped: only root can give the nodes host names of their own")
        sys.exit(77)
    files = {path.name for path in (ROOT / "deploy" / "slurm").iterdir()}
    assert files == {"run-8gpu.sbatch"}, f"this test submits run-8gpu.sbatch; add the other files of deploy/slurm to it: {files}"
    with tempfile.TemporaryDirectory() as state, tempfile.TemporaryDirectory() as folder:
        with FakeSlurm(state) as slurm:
            plugins = slurm.call("srun", "--mpi=list")
            if plugin_of(DDPROXY) not in plugins.stdout + plugins.stderr:
                print(f"skipped: this SLURM has no plugin {plugin_of(DDPROXY)}")
                sys.exit(77)
            jobs = Jobs(slurm, pathlib.Path(folder))
            (jobs.folder / "tiny.toml").write_text(TINY)
            for check in (check_too_few_gpus, check_twin, check_installation, check_cpus_of_a_task, check_two_nodes, check_eight_tasks, check_reframe, check_preemption):
                check(jobs)
                print(f"passed: {check.__name__}", flush=True)
        check_binding(jobs.folder)
        print(f"passed: {check_binding.__name__}", flush=True)


if __name__ == "__main__":
    main()
