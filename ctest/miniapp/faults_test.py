# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""faults_test.py DDPROXY INPUTS MPIEXEC...: a wrong input must give one line of ddproxy on standard error and exit code 2. Also checks runs that lack memory, are interrupted,
cannot write their output, or have a rank that stops: their exit codes, their messages and the files that they leave."""
import os
import signal
import subprocess
import sys
import tempfile
import time

import h5py

ddproxy, inputs, *mpiexec = sys.argv[1:]
TINY = '[model]\npreset = "tiny"\n'
REPLAY = TINY + ('[compute]\nmode = "replay"\ntimes = "times.csv"\n[allreduce]\nbackend = "replay"\n'
                 'table = "table.csv"\nranks = 2\n[sweep]\ncaps_mib = [1]\nsamples = 1\n')
TIMES = "layer,seconds\nlm_head,1e-3\nln_f,1e-3\nh.1,1e-3\nh.0,1e-3\nembedding,1e-3\n"
TABLE = "bytes,seconds\n1024,1e-5\n1048576,1e-4\n"


def write(name, text):
    with open(name, "w") as file:
        file.write(text)
    return name


def ours(text):
    return [line for line in text.splitlines() if line.startswith("ddproxy: ")]


def expect(code, part, *arguments, launcher=()):
    done = subprocess.run([*launcher, ddproxy, *arguments], capture_output=True, text=True)
    assert done.returncode == code, (arguments, done.returncode, done.stderr)
    lines = ours(done.stderr)
    assert len(lines) == 1 and part in lines[0], (arguments, done.stderr)
    assert launcher or len(done.stderr.splitlines()) == 1, done.stderr
    assert "DDPROXY_FOM" not in done.stdout


def replay_with(times=TIMES, table=TABLE):
    write("times.csv", times)
    write("table.csv", table)
    return write("replay.toml", REPLAY)


def check_usage():
    expect(2, "required", "run")
    expect(2, "--output needs a value; see ddproxy run --help", "run", "x.toml", "--output")
    expect(2, "there is no option --bogus; see ddproxy run --help", "run", "x.toml", "--bogus", "3")
    expect(2, "there is no command walk; see ddproxy --help", "walk", "x.toml")
    expect(2, "unexpected argument y.toml; see ddproxy run --help", "run", "x.toml", "y.toml")
    expect(2, "nowhere.toml: there is no input file nowhere.toml in the working directory", "run", "nowhere.toml")
    expect(2, "unknown key", "run", write("a.toml", TINY + "colour = 1\n"))
    expect(2, "a.toml:2: [model] preset", "run", write("a.toml", '[model]\npreset = "gpt5"\n'))
    expect(2, "heads", "run", write("a.toml", TINY + "heads = 5\n"))
    expect(2, "a.toml:4: [allreduce] call: 'quick' is unknown; use one of: auto, blocking, nonblocking", "run",
           write("a.toml", TINY + '[allreduce]\ncall = "quick"\n'))
    for progress in ("poll", "none"):
        expect(2, '[allreduce] call: "blocking" needs progress = "thread"', "run",
               write("a.toml", TINY + f'[allreduce]\ncall = "blocking"\nprogress = "{progress}"\n'))
    expect(2, "above 0", "run", write("a.toml", TINY + "[sweep]\ncaps_mib = [0]\n"))
    expect(2, "a.toml: [model] ", "run", write("a.toml", TINY + 'activation = "swiglu"\n'))
    expect(2, "-1 is not a share", "run", "a.toml", "--max-model-error", "-1")
    expect(2, "nan is not a share", "run", "a.toml", "--max-regret", "nan")
    expect(2, "more than the total", "allreduce", write("a.toml", TINY), "--pieces", "0.1,5", "--total", "0.4")
    expect(2, "of gradients of this model", "allreduce", "a.toml", "--pieces", "0.1", "--total", "1")
    expect(2, "less than one element", "allreduce", "a.toml", "--pieces", "1e-7")
    expect(2, "benchmark_repetitions", "run", "a.toml", "--", "--benchmark_repetitions=3")
    expect(2, "'flat' is in the list twice", "run", write("b.toml", TINY + '[sweep]\nstrategies = ["flat", "flat"]\n'))
    expect(2, "does not know '--benchmark_bogus'", "run", write("a.toml", TINY), "--", "--benchmark_bogus")


def check_tables():
    expect(2, "times.csv:1:", "run", replay_with(times=TIMES.replace("seconds", "days")))
    expect(2, "times.csv:3:", "run", replay_with(times=TIMES.replace("ln_f,1e-3", "ln_f,nan")))
    expect(2, "times.csv:4:", "run", replay_with(times=TIMES.replace("h.1,1e-3", "h.1,-1")))
    expect(2, "times.csv:4:", "run", replay_with(times=TIMES.replace("h.1", "ln_f")))
    expect(2, "table.csv:3:", "run", replay_with(table=TABLE.replace("1048576", "1024")))
    expect(2, "table.csv", "run", replay_with(table="bytes,seconds\n1024,1e-5\n"))
    os.remove("table.csv")
    expect(2, "table.csv", "run", "replay.toml")


def check_output():
    expect(2, "cannot", "run", write("a.toml", TINY), "-o", "no/such/folder/results.h5")
    os.mkfifo("pipe.h5")
    expect(2, "not a regular file", "run", "a.toml", "-o", "pipe.h5")
    expect(2, "no/x.json", "run", "a.toml", "--json", "no/x.json")
    expect(2, "q.h5: this file is the results file", "run", "a.toml", "-o", "q.h5", "--json", "./q.h5")
    expect(2, "no case 'foo'", "run", "a.toml", "--trace", "t.json", "--trace-cases", "foo")
    expect(2, "--trace-cases requires --trace", "run", "a.toml", "--trace-cases", "flat")
    expect(2, "no/x.json", "run", "a.toml", "--trace", "t.json", "--json", "no/x.json")
    assert not os.path.exists("t.json")
    expect(2, "'zzz' leaves out every case", "sweep", "a.toml", "--", "--benchmark_filter=zzz")
    expect(2, "leaves out every case", "sweep", "a.toml", "--", "--benchmark_filter=-T/")
    expect(2, "'[' is not a regular expression", "run", "a.toml", "--", "--benchmark_filter=[")
    expect(2, "only run and sweep use", "layers", "a.toml", "--", "--benchmark_filter=flat")
    expect(2, "an argument is empty", "run", "a.toml", "-o", "")
    expect(2, "--json needs a value", "run", "a.toml", "--json=")
    expect(2, "--json -: standard output has the tables; give the name of a file; see ddproxy run --help", "run", "a.toml", "--json", "-")
    expect(2, "--output -: ", "run", "a.toml", "-o-")
    expect(2, "--total requires --pieces", "allreduce", "a.toml", "--total", "1")
    os.mkdir("folder.h5")
    expect(2, "folder.h5", "run", "a.toml", "-o", "folder.h5")


def check_no_output_is_an_input_or_another_output():
    text = open(replay_with()).read()
    for options, use in ((("-o", "replay.toml"), "the input file"), (("--trace", "replay.toml"), "the input file"),
                         (("--json", "times.csv"), "a table of the input"), (("-o", "table.csv"), "a table of the input"),
                         (("--json", "t.json", "--trace", "t.json"), "--json"),
                         (("-o", "x.h5", "--json", "x.gradients.csv"), "--json"),
                         (("-o", "x.h5", "--json", "x.h5.part"), "the unfinished results file")):
        expect(2, f": this file is {use}, and ", "run", "replay.toml", *options)
    for options, use in ((("--json", "replay.toml"), "the input file"), (("--csv", "table.csv"), "a table of the input"),
                         (("--json", "a", "--csv", "a"), "--json")):
        expect(2, f": this file is {use}, and ", "predict", "replay.toml", *options)
    expect(2, ": this file is the file of --contention, and ", "predict", "replay.toml", "--contention", write("c.csv", "bytes,kappa,gamma\n1,1,1\n"), "--csv", "c.csv")
    assert [open(name).read() for name in ("replay.toml", "times.csv", "table.csv")] == [text, TIMES, TABLE]


def check_launchers():
    for name in ("SLURM_STEP_NUM_TASKS", "PMI_SIZE"):
        done = subprocess.run([ddproxy, "run", replay_with()], capture_output=True, text=True, env={**os.environ, name: "8"})
        assert done.returncode == 2 and "the launcher started 8 tasks" in ours(done.stderr)[0], done


def check_tables_of_the_input_stay():
    text = REPLAY.replace("times.csv", "out.layers.csv").replace("table.csv", "out.allreduce.csv")
    for name, content in (("out.layers.csv", TIMES), ("out.allreduce.csv", TABLE), ("own.toml", text)):
        write(name, content)
    expect(2, "out.layers.csv: this file is a table of the input", "run", "own.toml", "-o", "out.h5")
    with open("out.layers.csv") as file:
        assert file.read() == TIMES
    done = subprocess.run([ddproxy, "allreduce", "own.toml", "-o", "other.h5"], capture_output=True, text=True)
    assert done.returncode == 0 and "valid=replay" in done.stdout, done


def check_memory():
    huge = '[model]\nlayers = 1000\nd_model = 16384\nheads = 16\nd_ff = 65536\nvocabulary = 256\ncontext = 8\n'
    expect(4, "not enough memory", "run", write("huge.toml", huge))


def check_ranks():
    two = [*mpiexec, "-n", "2"]
    expect(2, "unknown key", "run", write("b.toml", TINY + "colour = 1\n"), launcher=two)
    expect(2, "start one rank", "run", replay_with(), launcher=two)
    # Each rank reads a different text: the file has one name, but the ranks start in two folders.
    for rank, text in (("0", TINY), ("1", TINY + "[step]\nbatch = 2\n")):
        os.makedirs(rank, exist_ok=True)
        write(f"{rank}/input.toml", text)
    script = write("differ.sh", f'#!/bin/sh\ncd ${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}} && exec {ddproxy} "$@"\n')
    done = subprocess.run([*two, "sh", script, "run", "input.toml"], capture_output=True, text=True)
    assert done.returncode == 2 and "this file differs between rank 0 and rank 1" in done.stderr, (done.returncode, done.stderr)
    assert len(ours(done.stderr)) == 1, done.stderr
    for rank, table in (("0", TABLE), ("1", TABLE.replace("1e-5", "2e-5"))):
        write(f"{rank}/input.toml", TINY + '[allreduce]\ntable = "table.csv"\n')
        write(f"{rank}/table.csv", table)
    done = subprocess.run([*two, "sh", script, "run", "input.toml"], capture_output=True, text=True)
    assert done.returncode == 2 and "table.csv: this file differs between rank 0 and rank 1" in done.stderr, (done.returncode, done.stderr)


def wait_for_samples(path):
    """Waits until the file contains a sample. The file can be read at every moment."""
    for _ in range(3000):
        if os.path.exists(path):
            with h5py.File(path) as file:
                if "sweep/measured" in file and (file["sweep/measured"][:] > 0).any():
                    return
        time.sleep(0.02)
    raise AssertionError(f"no samples in {path}")


def check_interrupt_between_steps():
    """Interrupts a run. Its table of all-reduces takes seconds to replay, so the signal comes during the replay."""
    replay_with(table=TABLE.replace("1e-4", "1"))
    write("steps.toml", REPLAY.replace("samples = 1", "samples = 3"))
    process = subprocess.Popen([ddproxy, "run", "steps.toml", "-o", "steps.h5"], stderr=subprocess.PIPE, text=True)
    while not os.path.exists("steps.h5.part"):
        time.sleep(0.01)
    time.sleep(0.5)
    process.send_signal(signal.SIGTERM)
    _, error = process.communicate(timeout=30)
    assert process.returncode == 75, (process.returncode, error)
    assert error.count("a signal arrived; the run stops after the present measurement and saves its samples in steps.h5.part\n") == 1, error
    assert "before a round of the sweep was complete; what was measured is saved in steps.h5.part. --resume needs a complete round" in error, error
    with h5py.File("steps.h5.part") as file:
        assert file.attrs["complete"] == 0 and "allreduce" in file and "plans" not in file, list(file)


def check_interrupt():
    slow = TIMES.replace("1e-3", "0.02")
    replay_with(times=slow)
    write("slow.toml", REPLAY.replace("samples = 1", "samples = 200"))
    write("cut.layers.csv", "of an older run\n")
    process = subprocess.Popen([ddproxy, "run", "slow.toml", "-o", "cut.h5"], stderr=subprocess.PIPE, text=True)
    wait_for_samples("cut.h5.part")
    process.send_signal(signal.SIGTERM)
    _, error = process.communicate(timeout=30)
    assert process.returncode == 75 and "what was measured is saved in cut.h5.part" in error, (process.returncode, error)
    with h5py.File("cut.h5.part") as file:
        measured = file["sweep/measured"][:]
        rounds = int((measured > 0).all(axis=(0, 2)).sum())
        expected = f"{rounds} rounds of the sweep are complete" if rounds > 1 else "1 round of the sweep is complete" if rounds else "before a round of the sweep was complete"
        assert expected in error and (not rounds or "repeat the command with --resume cut.h5.part" in error), (rounds, error)
        assert file.attrs["complete"] == 0 and (measured > 0).any() and not (measured > 0).all()
    assert open("cut.layers.csv").read() == "of an older run\n" and not os.path.exists("cut.allreduce.csv"), "tables come with the results"


def check_second_start():
    """A second start must keep the file of the interrupted run and say where."""
    with open("cut.h5.part", "rb") as file:
        left = file.read()
    done = subprocess.run([ddproxy, "run", replay_with(), "-o", "cut.h5"], capture_output=True, text=True)
    assert done.returncode == 0 and "cut.h5.part of an earlier run that did not finish is kept as cut.h5.part.1" in done.stderr, done
    with open("cut.h5.part.1", "rb") as file:
        assert file.read() == left
    assert not os.path.exists("cut.h5.part") and not os.path.exists("cut.h5.lock")
    assert open("cut.layers.csv").read() != "of an older run\n"


def check_names_of_unfinished_files():
    replay_with()
    for name in ("live.h5.part", "live.h5.part.1", "live.h5.lock"):
        expect(2, f"{name}: the endings .part, .part.1 and so on, and .lock belong", "run", "replay.toml", "-o", name)
    os.mkdir("taken.allreduce.csv")
    expect(2, "taken.allreduce.csv: it is a folder", "run", "replay.toml", "-o", "taken.h5")
    assert not [name for name in os.listdir() if name.startswith(("live", "taken.h"))], os.listdir()


def check_names_that_are_too_long():
    """The tables are created at the end. If they cannot be created, the run must be refused before it measures anything. The longest allowed
    name has 220 characters: a table replaces .h5 by up to 16 characters, and its temporary name has 22 more."""
    replay_with()
    name = 218 * "n" + ".h5"
    expect(2, f"{name}: this name is too long; shorten it (-o) to 220 characters or fewer. The temporary name of the table with the ending "
           ".collectives.csv would have 256 characters, and the file system allows 255", "run", "replay.toml", "-o", name)
    assert not [left for left in os.listdir() if "nnn" in left], os.listdir()
    done = subprocess.run([ddproxy, "run", "replay.toml", "-o", name[1:]], capture_output=True, text=True)
    assert done.returncode == 0 and os.path.exists(name[1:-3] + ".gradients.csv"), done.stderr


def check_links_that_lead_in_a_circle():
    replay_with()
    for name in ("circle.h5", "round.layers.csv"):
        os.symlink(name, name)
    for arguments in (("run", "replay.toml", "-o", "circle.h5"), ("run", "replay.toml", "-o", "circle.h5/x.h5"),
                      ("run", "replay.toml", "-o", "round.h5"), ("run", "replay.toml", "--json", "circle.h5"),
                      ("predict", "replay.toml", "--csv", "circle.h5"), ("compare", "circle.h5", "circle.h5")):
        expect(2, "Too many levels of symbolic links", *arguments)


def finished(command, name):
    """Runs a shell command. Returns its exit code and its errors. The results file must be finished."""
    if os.path.exists(name):
        os.remove(name)
    done = subprocess.run(["bash", "-c", command + "; exit ${PIPESTATUS[0]}"], stderr=subprocess.PIPE, text=True)
    with h5py.File(name) as file:
        assert file.attrs["complete"] == 1, command
    assert os.path.exists(name.replace(".h5", ".layers.csv")) and not os.path.exists(name + ".part"), command
    return done.returncode, ours(done.stderr)


def check_lost_streams():
    run = f"'{ddproxy}' run {replay_with()} -o lost.h5"
    for lost, reason in (("> /dev/full", "No space left on device"), ("| true", "Broken pipe"), (">&-", "Bad file descriptor")):
        code, errors = finished(f"{run} {lost}", "lost.h5")
        assert code == 4 and errors == [f"ddproxy: cannot write standard output: {reason}"], (lost, code, errors)
    for lost in ("2> /dev/full", "2>&-", "0<&- 2>&-"):
        code, errors = finished(f"{run} {lost} > /dev/null", "lost.h5")
        assert code == 0 and not errors, (lost, code, errors)


def check_limit_of_the_file_size():
    run = f"'{ddproxy}' run {replay_with()} -o limited.h5"
    assert finished(f"{run} > /dev/null", "limited.h5") == (0, [])
    with open("limited.h5", "rb") as file:
        before = file.read()
    done = subprocess.run(["bash", "-c", f"ulimit -f 40; {run}"], capture_output=True, text=True,
                          env={**os.environ, "OMPI_MCA_ess_singleton_isolated": "1", "UCX_TLS": "self"})  # otherwise Open MPI and MPICH need larger files themselves
    assert done.returncode == 4 and ours(done.stderr) == ["ddproxy: cannot write limited.h5.part: File too large"], done
    with open("limited.h5", "rb") as file:
        assert file.read() == before
    assert not [name for name in os.listdir() if name.startswith(".limited")]


def stop_a_rank(stopped):
    """Starts a sweep in which only all-reduces take time, and stops rank `stopped` during it."""
    script = write("pid.sh", f'#!/bin/sh\necho $$ > pid.${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}} && exec {ddproxy} "$@"\n')
    for name in ("pid.0", "pid.1", "stuck.h5.part"):
        if os.path.exists(name):
            os.remove(name)
    process = subprocess.Popen([*mpiexec, "-n", "2", "sh", script, "sweep", "stuck.toml", "-o", "stuck.h5"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for_samples("stuck.h5.part")
    pids = [int(open(f"pid.{rank}").read()) for rank in (0, 1)]
    os.kill(pids[stopped], signal.SIGSTOP)
    try:
        _, error = process.communicate(timeout=30)
        return process.returncode, error
    finally:
        for pid in pids if process.poll() is None else [pids[stopped]]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        process.communicate()


def check_stopped_rank():
    write("stuck.toml", '[model]\nlayers = 1\nd_model = 1024\nheads = 16\nvocabulary = 8192\ncontext = 64\n[compute]\nmode = "replay"\n'
          '[allreduce]\ncall = "blocking"\ntimeout_s = 3\n[machine]\npeak_flops = 1e18\nbandwidth = 1e18\n'
          '[sweep]\nstrategies = ["flat"]\nsamples = 1000\n')
    waits = []
    while len(waits) < 4 or not any(waits):  # in at least one try the other rank must wait in a bucket
        assert len(waits) < 20, waits
        stopped = 1 - len(waits) % 2
        code, error = stop_a_rank(stopped)
        assert code == 4, (code, error)
        # When a launcher ends the job, it may send the stopped rank a signal and continue it. That rank then reports a timeout, too.
        lines = [line for line in ours(error) if "a signal arrived" not in line]
        assert 1 <= len(lines) <= 2, error
        assert f"ddproxy: rank {1 - stopped}: " in lines[0], lines
        in_bucket = "the all-reduce of bucket 0 (elements 0 to " in lines[0]
        waits.append(in_bucket)
        part = "is not complete after 3 s" if in_bucket else " did not return within 3 s"
        for part in (part, "(allreduce.timeout_s), while in pass ", " of the sweep ("):
            assert part in lines[0], lines
        assert "(flat)" in lines[0] or (not in_bucket and "(compute alone)" in lines[0]), lines  # passes without communication have barriers, in which a rank can wait, too
        with h5py.File("stuck.h5.part") as file:
            assert file.attrs["complete"] == 0 and file["sweep"].attrs["call"] == "blocking"
            assert (file["sweep/measured"][:] > 0).any()
        assert not os.path.exists("stuck.h5")
    print("the other rank waited", waits.count(True), "times in a bucket,", waits.count(False), "times elsewhere")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for check in (check_usage, check_tables, check_output, check_no_output_is_an_input_or_another_output,
                  check_tables_of_the_input_stay, check_launchers, check_memory, check_ranks, check_interrupt,
                  check_second_start, check_names_of_unfinished_files, check_names_that_are_too_long, check_links_that_lead_in_a_circle, check_lost_streams, check_limit_of_the_file_size,
                  check_interrupt_between_steps, check_stopped_rank):
        check()
        print(check.__name__, "passed")
