# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""resume_test.py PART DAMAGED DDPROXY MPIEXEC...: interrupts runs with SIGTERM and continues them with --resume.

PART is `ranks` (two real ranks), `twins` (twins of one rank that are continued) or `refused` (files that cannot be continued: each fault is planted in
a copy of FILE.part, the unfinished results file). DAMAGED is the number of copies in which bytes are changed at random."""
import fcntl
import os
import random
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import h5py
import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1]))
from small_twin import write_step_twin, write_twin  # noqa: E402

PART, DAMAGED, DDPROXY, *MPIEXEC = sys.argv[1:]
ROUNDS = 60
SWEEP = 'strategies = ["flat", "bucketed"]\ncaps_mib = [0.1]\nsamples = {}\n'
# The input of two real ranks. The time of the calibration grows with the number of rounds, so there are few rounds. A round takes about 0.2 s.
REAL_ROUNDS = 7
REAL = '[model]\npreset = "tiny"\n[step]\nbatch = 100\nsequence = 32\n[sweep]\n' + SWEEP.format(REAL_ROUNDS)
STEP, STEP_ROUNDS = "step/twin.toml", 80  # compute is replayed, and all-reduces are real; a sample takes 56 ms
TWIN = "twin/twin.toml"


def rounds_in(path):
    """Returns the number of complete rounds of a sweep, or of samples of a step, in a results file; 0 if it has none yet."""
    try:
        with h5py.File(path) as file:
            if "step/measured" in file:
                return int(np.isfinite(file["step/measured"][()]).all(axis=0).sum())
            return int(np.isfinite(file["sweep/measured"][()]).all(axis=(0, 2)).sum())
    except (OSError, KeyError):
        return 0


def attributes(path):
    """Returns the root attributes of a results file, and the attribute `seconds` of /sweep (None if there is no /sweep)."""
    with h5py.File(path) as file:
        return {**file.attrs, "seconds": file["sweep"].attrs.get("seconds") if "sweep" in file else None}


def command_of(*arguments, ranks=1):
    return [*([*MPIEXEC, "-n", str(ranks)] if ranks > 1 else []), DDPROXY, *map(str, arguments)]


def run(*arguments, code=0, ranks=1):
    done = subprocess.run(command_of(*arguments, ranks=ranks), capture_output=True, text=True, timeout=120)
    assert done.returncode == code, (arguments, done.returncode, done.stdout, done.stderr)
    return done


def interrupt(*arguments, output, ranks=1, rounds=3, progress=", round {}:", of=ROUNDS):
    """Starts a run, sends SIGTERM to its rank 0 when round `rounds` + 1 begins, and returns the number of rounds in OUTPUT.part.
    `progress` is a part of the line that a run prints when a round begins. `of`: the rounds of the whole run.

    The progress of a run is printed only to a terminal, so its standard error is a pseudo-terminal."""
    terminal, name = os.openpty()
    shell = ["sh", "-c", 'echo $$ > "pid.${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}"; exec "$@" 2> "$TERMINAL"', "sh"]
    command = command_of(*arguments, "-o", output, ranks=ranks)
    at = command.index(DDPROXY)
    process = subprocess.Popen([*command[:at], *shell, *command[at:]], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env={**os.environ, "TERMINAL": os.ttyname(name)})
    said, end = "", time.monotonic() + 100
    while progress.format(rounds + 1) not in said:
        assert process.poll() is None and time.monotonic() < end, (process.poll(), said)
        if select.select([terminal], [], [], 0.1)[0]:
            said += os.read(terminal, 65536).decode()
    os.kill(int(Path("pid.0").read_text()), signal.SIGTERM)
    while process.poll() is None or select.select([terminal], [], [], 0)[0]:
        assert time.monotonic() < end, said
        if select.select([terminal], [], [], 0.1)[0]:
            said += os.read(terminal, 65536).decode()
    os.close(terminal)
    os.close(name)
    assert process.returncode == 75 and "what was measured is saved" in said, (process.returncode, said)
    found = rounds_in(f"{output}.part")
    assert rounds <= found < of, found
    return found


def refused(text, *arguments, lines=1, **options):
    """The run must end with code 2. It must print `lines` lines that begin with "ddproxy: "; one of them must contain `text`. It must change no file."""
    before = {path: path.read_bytes() for path in Path().iterdir() if path.is_file()}
    errors = [line for line in run(*arguments, code=2, **options).stderr.splitlines() if line.startswith("ddproxy: ")]
    assert len(errors) == lines and any(text in line for line in errors), (text, errors)
    assert before == {path: path.read_bytes() for path in Path().iterdir() if path.is_file()}, arguments


def check_real_ranks():
    """Two ranks that compute and reduce are interrupted and continued."""
    Path("real.toml").write_text(REAL)
    had = interrupt("run", "real.toml", output="real.h5", ranks=2, rounds=2, of=REAL_ROUNDS)
    left, earlier = Path("real.h5.part").read_bytes(), attributes("real.h5.part")
    refused("it has 2 ranks, and this run has 1; start as many ranks", "run", "real.toml", "-o", "real.h5", "--resume", "real.h5.part")
    done = run("run", "real.toml", "-o", "real.h5", "--resume", "real.h5.part", ranks=2)
    assert f"resume: real.h5.part (run {earlier['run_id']}); complete so far: {had} rounds; this run takes {REAL_ROUNDS - had} more" in done.stdout, done.stdout
    assert f"the {REAL_ROUNDS - had} rounds of this run. The {had} rounds that were measured before are in the unfinished file of run {earlier['run_id']}" in done.stdout
    assert Path("real.h5.part.1").read_bytes() == left and not Path("real.h5.part").exists()
    whole = attributes("real.h5")
    assert whole["complete"] == 1 and whole["resumed_from"] == earlier["run_id"] != whole["run_id"], whole
    assert whole["rounds_before"] == had and "resumed_from" not in earlier
    with h5py.File("real.h5") as file:
        assert file["sweep/measured"].shape == (2, REAL_ROUNDS - had, 2) and np.isfinite(file["sweep/measured"][()]).all()
        assert np.isfinite(file["sweep/predicted"][()]).all() and len(file["layers/seconds"]) == 2, "the calibration is new"


def check_step():
    """Whole steps of two ranks are interrupted and continued. Here `rounds` counts samples."""
    write_step_twin(Path("step"), STEP_ROUNDS, 'backend = "mpi"\n')
    had = interrupt("step", STEP, output="step.h5", ranks=2, progress=", sample {} of", of=STEP_ROUNDS)
    left, earlier = Path("step.h5.part").read_bytes(), attributes("step.h5.part")
    again = (STEP, "-o", "step.h5", "--resume", "step.h5.part")
    refused("it has 2 ranks, and this run has 1; start as many ranks", "step", *again)
    refused("the command differs, 'step' against 'run' in this run", "run", *again, ranks=2)
    refused("this file is the file of --resume, and --json would overwrite it", "step", STEP, "-o", "new.h5", "--resume", "step.h5.part",
            "--json", "step.h5.part")
    refused("it has no sample of a step; continue another file, or leave out --resume to take all samples", "step", STEP, "-o", "new.h5",
            "--resume", plant(without_samples, source="step.h5.part"))
    done = run("step", STEP, "-o", "step.h5", "--resume", "auto", ranks=2)
    assert f"resume: step.h5.part (run {earlier['run_id']}); complete so far: {had} samples; this run takes {STEP_ROUNDS - had} more" in done.stdout, done.stdout
    assert f"the {STEP_ROUNDS - had} samples of this run. The {had} samples that were measured before are in the unfinished file of run {earlier['run_id']}" in done.stdout
    assert Path("step.h5.part.1").read_bytes() == left and not Path("step.h5.part").exists()
    whole = attributes("step.h5")
    assert whole["complete"] == 1 and whole["resumed_from"] == earlier["run_id"] and whole["rounds_before"] == had, whole
    with h5py.File("step.h5") as file:
        assert file["step/measured"].shape == (len(file["step/part"]), STEP_ROUNDS - had) and np.isfinite(file["step/predicted"][()]).all()
    assert "it continued the interrupted run" in run("compare", "step.h5", "step.h5", "--allow-undecided").stderr


def check_second_preemption():
    """The continued run is interrupted, too. The third run takes the rounds that are then left. Every unfinished file stays as it was."""
    resume = ("run", TWIN, "--resume", "auto")
    first = interrupt(*resume, output="job.h5")
    left, first_id = Path("job.h5.part").read_bytes(), attributes("job.h5.part")["run_id"]
    second = interrupt(*resume, output="job.h5")
    again, second_id = Path("job.h5.part").read_bytes(), attributes("job.h5.part")["run_id"]
    assert attributes("job.h5.part")["resumed_from"] == first_id and attributes("job.h5.part")["rounds_before"] == first
    assert Path("job.h5.part.1").read_bytes() == left
    done = run(*resume, "-o", "job.h5")
    whole = attributes("job.h5")
    assert whole["resumed_from"] == second_id and whole["rounds_before"] == first + second, whole
    assert rounds_in("job.h5") == ROUNDS - first - second, (first, second, done.stdout)
    assert (Path("job.h5.part.1").read_bytes(), Path("job.h5.part.2").read_bytes()) == (left, again)


def plant(change, name="planted.h5.part", source="cut.h5.part"):
    """Copies an interrupted run and changes the copy. Returns its name."""
    shutil.copy(source, name)
    with h5py.File(name, "r+") as file:
        change(file)
    return name


def attribute(group, name, value):
    def change(file):
        file[group].attrs[name] = value
    return change


def text(dataset, value):
    def change(file):
        file[dataset][0] = value
    return change


def without_rounds(file):
    file["sweep/measured"][0, :, 0] = np.nan


def without_samples(file):
    file["step/measured"][0, :] = np.nan


def two_changes(file):
    attribute("provenance", "flags", "-Og")(file)
    text("provenance/host", "elsewhere")(file)


def resume(part, *more, command="run", twin=TWIN):
    return command, twin, "-o", "new.h5", "--resume", part, *more


def check_differences():
    write_twin(Path("changed"), SWEEP.format(ROUNDS).replace("0.1", "0.2"))
    refused("of the input differs, 'caps_mib = [0.1]' against 'caps_mib = [0.2]' in this run; give the input as it was",
            *resume("cut.h5.part", twin="changed/twin.toml"))
    refused("the command differs, 'run' against 'sweep' in this run", *resume("cut.h5.part", command="sweep"))
    write_twin(Path("slower"), SWEEP.format(ROUNDS), compute=1.1)
    refused("the content of the table slower/times.csv differs; give the table as it was at the start of the run, or leave out --resume to take all",
            *resume("cut.h5.part", twin="slower/twin.toml"))
    write_twin(Path("slower"), SWEEP.format(ROUNDS), compute=1.1, allreduce=1.1)
    refused("the content of the table slower/allreduce.csv differs", *resume("cut.h5.part", twin="slower/twin.toml"), lines=2)
    write_twin(Path("equal"), SWEEP.format(ROUNDS))
    assert "more" in run(*resume("cut.h5.part", twin="equal/twin.toml")).stdout, "only the content counts, not the folder"
    for name, what in (("git_revision", "git revision"), ("compiler", "compiler"), ("flags", "list of compiler flags")):
        refused(f"the {what} differs, 'other'", *resume(plant(attribute("provenance", name, "other"))))
    refused("the host of rank 0 differs, 'elsewhere' against '", *resume(plant(text("provenance/host", "elsewhere"))))
    refused("(sbatch --nodelist=elsewhere), or leave out --resume to take all rounds", *resume(plant(two_changes)), lines=2)


def check_unusable_files():
    refused("nowhere.part cannot be resumed: there is no such file", *resume("nowhere.part"))
    refused("it has no complete round of a sweep", *resume(plant(without_rounds)))
    refused("it is the file of a finished run", *resume(plant(attribute("/", "complete", 1))))
    whole = Path("cut.h5.part").read_bytes()
    for damaged in (whole[:len(whole) // 2], whole[:100], b"", b"no HDF5 file\n" * 100):
        Path("damaged.h5.part").write_bytes(damaged)
        refused("damaged.h5.part cannot be resumed: cannot be read as HDF5", *resume("damaged.h5.part"))
        refused("); give the FILE.part of an interrupted run, or leave out --resume", *resume("damaged.h5.part"))
    with open("cut.h5.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        refused("the run that writes it still goes on", *resume("cut.h5.part"))
        refused("cut.h5: another program is writing it", "run", TWIN, "-o", "cut.h5", "--resume", "auto")
    Path("cut.h5.lock").unlink()


def check_damaged_structures():
    """Bytes of HDF5's own structures are changed. The run must refuse the file in a line that names it, or continue it."""
    whole, engine = Path("cut.h5.part").read_bytes(), random.Random(29)
    heap = whole.index(b"GCOL")
    wrong_length = bytearray(whole)
    wrong_length[heap + 27:heap + 32] = b"\x91" + b"\xff" * 4  # the length of a text; HDF5 1.10 then crashes
    Path("damaged.h5.part").write_bytes(wrong_length)
    refused("damaged.h5.part cannot be resumed: ", *resume("damaged.h5.part"))
    write_twin(Path("short"), SWEEP.format(4))
    automatic = run("run", "short/twin.toml", "-o", "damaged.h5", "--resume", "auto")
    assert "warning: damaged.h5.part is not resumed: " in automatic.stderr, automatic
    structures = [at for kind in (b"GCOL", b"TREE", b"SNOD", b"HEAP") for at in range(len(whole)) if whole.startswith(kind, at)]
    for _ in range(int(DAMAGED)):
        damaged = bytearray(whole)
        at, wrong = engine.choice(structures) + engine.randrange(64), engine.choice((b"\xff" * 4, engine.randbytes(3), bytes(8)))
        damaged[at:at + len(wrong)] = wrong
        Path("damaged.h5.part").write_bytes(damaged)
        done = subprocess.run(command_of(*resume("damaged.h5.part")), capture_output=True, text=True, timeout=120)
        lines = [line for line in done.stderr.splitlines() if line.startswith("ddproxy: ")]
        assert done.returncode in (0, 2) and bool(lines) == (done.returncode == 2), (at, done)
        assert all("damaged.h5.part cannot be resumed: " in line for line in lines), (at, done)


def check_options():
    refused("--dry-run", *resume("cut.h5.part", "--dry-run"))
    refused("--turns", *resume("cut.h5.part", "--turns", "a,b", command="sweep"))
    refused("--resume does not go with arguments for Google Benchmark", *resume("cut.h5.part", "--", "--benchmark_filter=flat"))
    refused("this file is the file of --resume, and --json would overwrite it", *resume("cut.h5.part", "--json", "cut.h5.part"))
    shutil.copy("cut.h5.part", "moved.h5")
    refused("this file is the file of --resume, and the results file would overwrite it", "run", TWIN, "-o", "moved.h5", "--resume", "moved.h5")


def check_automatic():
    """A job script gives --resume auto. The run must then start from the beginning if there is nothing to continue."""
    write_twin(Path("short"), SWEEP.format(4))
    start = ("run", "short/twin.toml", "-o", "auto.h5", "--resume", "auto")
    done = run(*start)
    assert "resume: there is no auto.h5.part; this run takes all rounds" in done.stdout and "resume" not in done.stderr, done
    for change, reason in ((without_rounds, "it has no complete round"), (text("provenance/host", "elsewhere"), "the host of rank 0 differs")):
        plant(change, "auto.h5.part")
        left = Path("auto.h5.part").read_bytes()
        done = run(*start)
        assert f"warning: auto.h5.part is not resumed: {reason}" in done.stderr, done
        assert rounds_in("auto.h5") == 4 and "resumed_from" not in attributes("auto.h5")
        kept = max(Path().glob("auto.h5.part.*"))
        assert kept.read_bytes() == left, kept


def check_interrupted_calibration():
    """If a continued run was interrupted before its first round, the rounds of the run before it must count."""
    def calibrating(file):
        file.attrs["rounds_before"] = np.int64(ROUNDS - 2)
        del file["sweep/measured"]
    run(*resume(plant(calibrating)))
    assert rounds_in("new.h5") == 2 and attributes("new.h5")["rounds_before"] == ROUNDS - 2
    run(*resume(plant(attribute("/", "rounds_before", np.int64(ROUNDS)))))
    assert rounds_in("new.h5") == 1, "a run takes at least one round"


def check_time_limit():
    """The seconds of the earlier rounds count towards max_seconds."""
    limited = ("run", TWIN, "--max-seconds", "100")
    interrupt(*limited, output="limited.h5")
    seconds = attributes("limited.h5.part")["seconds"]
    assert 0 < seconds < 100, seconds
    with h5py.File("limited.h5.part", "r+") as file:
        file.attrs["rounds_before"] = np.int64(ROUNDS)
        file["sweep"].attrs["seconds"] = 99.9999
    run(*limited, "-o", "limited.h5", "--resume", "limited.h5.part")
    assert rounds_in("limited.h5") == 1 and attributes("limited.h5")["seconds"] > 99.9999, "no time is left, so one round is taken"


def check_comparison():
    """compare counts each part of an interrupted run as a run. It warns if a given part continues a part that is not given."""
    warning = f"job.h5: it continued the interrupted run {attributes('job.h5.part.2')['run_id']}"
    assert warning in run("compare", "auto.h5", "job.h5", "--allow", "sweep", "--allow-undecided").stderr
    parts = ("job.h5", "job.h5.part.1", "job.h5.part.2")
    assert "it continued" not in run("compare", "auto.h5", "--allow", "sweep", "--allow-undecided", "--", *parts).stderr


PARTS = {"ranks": (check_real_ranks, check_step),
         "twins": (check_second_preemption, check_automatic, check_interrupted_calibration, check_time_limit, check_comparison),
         "refused": (check_differences, check_unusable_files, check_options, check_damaged_structures)}


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        if PART != "ranks":
            write_twin(Path("twin"), SWEEP.format(ROUNDS))
            interrupt("run", TWIN, output="cut.h5")
        for check in PARTS[PART]:
            check()
            print(f"passed: {check.__name__}", flush=True)


if __name__ == "__main__":
    main()
