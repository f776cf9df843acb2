# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""start_test.py DDPROXY INPUT MPIEXEC...: checks threads and cores for each way of starting the program, and that explicit settings win."""
import os
import re
import subprocess
import sys
import tempfile

import h5py

ddproxy, tiny, mpiexec, *_ = sys.argv[1:]
CORES = sorted(os.sched_getaffinity(0))
OURS = ("OMP_", "GOMP_", "KMP_", "KOKKOS_", "OPENBLAS_", "DDPROXY_")
version = subprocess.run([mpiexec, "--version"], capture_output=True, text=True).stdout
OPEN_MPI = re.search("Open MPI|OpenRTE|PRTE|prte", version) is not None
UNBOUND = [mpiexec, *(["--oversubscribe", "--bind-to", "none"] if OPEN_MPI else []), "-n", "2"]
BIND = "--bind-to" if OPEN_MPI else "-bind-to"
BOUND = [mpiexec, "-n", "2", BIND, "core"]
IDLE = "warning: the launcher lets "


def environment(**more):
    bare = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    return {**bare, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", **more}


def start(launcher, *arguments, cores=None, command="sweep", **more):
    """Runs a command. The time limit stops a program that starts itself again and again."""
    return subprocess.run([*launcher, ddproxy, command, *arguments], capture_output=True, text=True, timeout=150, env=environment(**more),
                          preexec_fn=(lambda: os.sched_setaffinity(0, cores)) if cores else None)


def sweep(launcher, *arguments, text="", **more):
    """Returns what a short sweep printed, its warnings, and what it stored."""
    with open("short.toml", "w") as file:
        file.write(open(tiny).read().replace("samples = 5", "samples = 1") + text)
    done = start(launcher, "short.toml", "-o", "s.h5", *arguments, **more)
    assert done.returncode == 0, (launcher, arguments, more, done.returncode, done.stdout, done.stderr)
    lines = [line for line in done.stdout.splitlines() if line.startswith("threads: ")]
    assert len(lines) == 1, ("one rank speaks, once", done.stdout)
    with h5py.File("s.h5") as file:
        stored = file["provenance"]
        found = {"line": lines[0], "stored": stored.attrs["placement"], "second": stored.attrs["second_start"],
                 "threads": stored["rank_threads"][:].tolist(), "own": stored["own_cores"][:].tolist(),
                 "environment": [text.decode() for text in stored["environment"][:]], "warnings": done.stderr,
                 "valid": re.search(r"valid=(\S+)$", done.stdout.strip())[1]}
    assert lines[0].startswith(found["stored"]) and found["second"] in lines[0], found
    assert lines[0].endswith("in its environment and restarted itself") == bool(found["second"]), found
    return found


def threads_for(own):
    return own - 1 if own >= 3 else max(own, 1)


def expect_rule(found, ranks, own, launched=True, idle=False):
    threads = threads_for(own)
    assert found["threads"] == [threads] * ranks and found["own"] == [own] * ranks, found
    assert f"OMP_NUM_THREADS={threads}" in found["second"].split(), found
    assert set(found["second"].split()) <= set(found["environment"]), found
    sleeps = "OMP_WAIT_POLICY=passive" in found["second"]
    assert sleeps == (launched and threads > 1 and threads >= own), found
    assert found["warnings"].count("warning: ") == idle and (IDLE in found["warnings"]) == idle and found["valid"] != "oversubscribed", found


def check_each_way():
    expect_rule(sweep([]), 1, len(CORES), launched=False)
    expect_rule(sweep([], cores=CORES[:1]), 1, 1, launched=False)
    if len(CORES) < 2:
        return
    expect_rule(sweep(UNBOUND), 2, len(CORES) // 2)
    found = sweep(BOUND)
    expect_rule(found, 2, found["own"][0], idle=4 * found["own"][0] <= len(CORES))
    assert "of its own" in found["line"] and found["own"][0] < len(CORES), found


def check_idle_cores():
    """A warning must say that the launcher leaves cores idle, unless the user has chosen threads or cores."""
    one = [mpiexec, "-n", "1", BIND]
    assert IDLE not in sweep([*one, "none"])["warnings"]
    found = sweep([*one, "core"])
    own = found["own"][0]
    if 2 * own > len(CORES):
        print("not checked: binding to a core leaves more than half of the", len(CORES), "cores to the rank")
        return
    said = f"{IDLE}the only rank of a node use {own} of the {len(CORES)} cores that it has there, so compute takes longer than it could. Start the ranks with --bind-to none"
    assert said in found["warnings"], found
    for more in ({"OMP_NUM_THREADS": "1"}, {"SLURM_CPUS_PER_TASK": "1"}, {"text": "[machine]\nthreads = 1\n"}):
        assert IDLE not in sweep([*one, "core"], **more)["warnings"], more
    done = start([*one, "core"], "short.toml", "-o", "a.h5", command="allreduce")
    assert done.returncode == 0 and "threads: " in done.stdout and IDLE not in done.stderr, done


def check_what_the_launcher_does_not_say():
    """If the launcher does not say how many ranks a node has, each rank first assumes that it is the only one. After
    MPI_Init the ranks of a node must compare their cores and correct this."""
    if len(CORES) < 2:
        return
    silent = [*UNBOUND, "env", "-u", "OMPI_COMM_WORLD_LOCAL_SIZE", "-u", "MPI_LOCALNRANKS"]
    found = sweep(silent)
    assert found["threads"] == [threads_for(len(CORES) // 2)] * 2 and found["own"] == [len(CORES) // 2] * 2, found
    assert f"OMP_NUM_THREADS={threads_for(len(CORES))}" in found["second"].split(), found
    assert "warning: OMP_PROC_BIND=close binds" in sweep(UNBOUND, OMP_PROC_BIND="close")["warnings"]


def check_explicit_settings_win():
    found = sweep([], OMP_NUM_THREADS="1", OMP_WAIT_POLICY="active", OPENBLAS_CORETYPE="Haswell")
    assert found["threads"] == [1] and found["second"] == "" and "as OMP_NUM_THREADS says" in found["line"], found
    assert {"OMP_WAIT_POLICY=active", "OPENBLAS_CORETYPE=Haswell"} <= set(found["environment"]), found
    found = sweep([], "--kokkos-num-threads", "1", OMP_NUM_THREADS="2")
    assert found["threads"] == [1] and "as --kokkos-num-threads says" in found["line"], found
    found = sweep([], text="[machine]\nthreads = 1\n")
    assert found["threads"] == [1] and "as [machine] threads says" in found["line"], found
    found = sweep([], text="[machine]\nthreads = 1\n", OMP_NUM_THREADS=str(len(CORES)))
    assert found["threads"] == [len(CORES)] and "as OMP_NUM_THREADS says" in found["line"], found


def check_oversubscription():
    """Oversubscription must be reported, stored in the figure of merit, and rejected with --strict."""
    threads = str(len(CORES) + 1)
    found = sweep([], OMP_NUM_THREADS=threads, OMP_WAIT_POLICY="passive")
    assert found["threads"] == [int(threads)] and found["valid"] == "oversubscribed", found
    assert f"warning: 1 rank of a node has" in found["warnings"] and "Set OMP_NUM_THREADS to" in found["warnings"], found
    found = sweep(UNBOUND, cores=CORES[:1])
    assert found["threads"] == [1, 1] and found["own"] == [0, 0] and found["valid"] == "oversubscribed", found
    assert "warning: 2 ranks of a node share 1 core: " in found["warnings"] and "Start fewer ranks" in found["warnings"], found
    for launcher, cores, more in (([], None, {"OMP_NUM_THREADS": threads}), (UNBOUND, CORES[:1], {})):
        done = start(launcher, "short.toml", "-o", "s.h5", "--strict", cores=cores, **more)
        said = [line for line in done.stderr.splitlines() if line.startswith("ddproxy: ")]
        assert done.returncode == 2 and len(said) == 1 and "--strict: " in said[0], done
    assert start([], "short.toml", "-o", "s.h5", "--strict").returncode == 0


def check_the_line_of_a_slow_first_rank():
    """All ranks refuse the run, and the first rank prints why. The launcher ends the first rank as soon as another rank has ended, but the line
    must still be printed. Here the first rank is slow: it has a low priority and shares a core with a loop."""
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"], preexec_fn=lambda: os.sched_setaffinity(0, CORES[:1]))
    try:
        done = start([*UNBOUND[:-1], "1", "nice", "-n", "15", ddproxy, "sweep", "short.toml", "-o", "s.h5", "--strict", ":", "-n", "1"], "short.toml", "-o", "s.h5",
                     "--strict", cores=CORES[:1])
        assert done.returncode == 2 and "ddproxy: --strict: " in done.stderr, done
    finally:
        busy.kill()
        busy.wait()


def check_cpu_quota():
    """A planted CPU quota of one core must limit the threads. The folder with the quota replaces /sys/fs/cgroup for
    this program only, in a mount namespace."""
    os.makedirs("groups", exist_ok=True)
    with open("groups/cpu.max", "w") as file:
        file.write("100000 100000\n")
    limited = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", f"mount --bind {os.path.abspath('groups')} /sys/fs/cgroup && exec \"$@\"", "sh"]
    if subprocess.run([*limited, "true"], capture_output=True).returncode != 0:
        print("not checked: this user may not make a mount namespace")
        return
    if len(CORES) < 2:
        return
    found = sweep(limited)
    assert found["threads"] == [1] and found["own"] == [1] and found["valid"] != "oversubscribed" and "warning: " not in found["warnings"], found
    assert found["line"].startswith("threads: the control group has a CPU quota of 1 core; the only rank may run on "), found
    assert "OMP_NUM_THREADS=1" in found["second"].split(), found
    found = sweep(limited, OMP_NUM_THREADS="2", OMP_WAIT_POLICY="passive")
    assert found["valid"] == "oversubscribed" and "and the CPU quota of the control group is 1 core: " in found["warnings"], found
    found = sweep([*limited, *UNBOUND])
    assert found["threads"] == [1, 1] and found["own"] == [0, 0] and found["valid"] == "oversubscribed", found
    assert "warning: each of the 2 ranks of a node computes with 1 thread, and the CPU quota" in found["warnings"], found


def check_blas_advice():
    """If a core type that the user has set for OpenBLAS is known to be slow here, the file and a warning must say so."""
    for command in ("sweep", "step"):
        done = subprocess.run([ddproxy, command, "short.toml", "-o", "b.h5"], capture_output=True, text=True, timeout=150,
                              env=environment(OPENBLAS_CORETYPE="HASWELL"))
        assert done.returncode == 0, done
        with h5py.File("b.h5") as file:
            advice = file["provenance"].attrs["blas_advice"]
        said = [line for line in done.stderr.splitlines() if "OPENBLAS_CORETYPE" in line]
        assert said == ([f"warning: {advice}"] if advice else []) and "OPENBLAS_CORETYPE=HASWELL is" not in done.stdout, (advice, done)


def check_one_second_start():
    """The variable that prevents a second start must count only if this process set it."""
    assert sweep([], DDPROXY_SECOND_START="1 OMP_NUM_THREADS")["second"] != ""
    found = sweep(["bash", "-c", 'DDPROXY_SECOND_START="$$ NONE" exec "$@"', "bash"])
    assert found["second"] == "" and not any(text.startswith("OMP_NUM") for text in found["environment"]), found


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for check in (check_each_way, check_idle_cores, check_what_the_launcher_does_not_say, check_explicit_settings_win, check_oversubscription, check_the_line_of_a_slow_first_rank,
                  check_cpu_quota, check_blas_advice, check_one_second_start):
        check()
        print(check.__name__, "passed")
