# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the two builds of a round, which take samples in turns."""
import os
import pathlib
import random
import select
import shlex
import signal
import subprocess
import time

from gate_runs.cores import core_lists, launcher_of
from gate_runs.failure import RUN_FAILED, USAGE, Failed

# The size of arguments and environment shifts the stack of a program. This changes the times of small kernels by some percent (Mytkowicz et al.,
# Producing Wrong Data Without Doing Anything Obviously Wrong, ASPLOS 2009). With a random size in each round this change is noise; with fixed
# sizes it could look like a difference between the builds.
PAGE = 4096
LONGEST_TURN_S = 300


class Side:
    """Holds one build: its program, and the process that measures in the current round.

    Order of calls: call start() once in each round, then turn() until it returns False. Call stop() at the end."""

    def __init__(self, name, program, options, more):
        self.name, self.program, self.options, self.more = name, program, options, shlex.split(more)
        folder = options.out
        self.pipes = [folder / f".{name}-go", folder / f".{name}-ready"]
        self.process = None
        for pipe in self.pipes:
            pipe.unlink(missing_ok=True)
            os.mkfifo(pipe)
        # opened for reading and writing, so that open() does not wait until the build opens the other end
        self.go, self.ready = (os.open(pipe, os.O_RDWR | os.O_NONBLOCK) for pipe in self.pipes)

    def file(self, number):
        return self.options.out / f"{self.name}-{number:03}.h5"

    def command(self, number, session):
        opts = self.options
        launcher = launcher_of(opts.ranks, self.program.parent)
        cores = core_lists(opts.ranks, opts.threads)
        pinned = ["--compute-cores", cores[0], "--communication-cores", cores[1]]
        return [*launcher, str(self.program), "sweep", str(opts.input), "-o", str(self.file(number)), "--session", session, "--round", str(number),
                "--seed", str(number), "--turns", ",".join(map(str, self.pipes)), *pinned, *self.more]

    def start(self, number, session):
        """Starts the build and waits until it is ready for its first sample."""
        environment = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_mpi_yield_when_idle": "1", **os.environ,
                       "OMP_NUM_THREADS": str(self.options.threads), "OMP_PROC_BIND": "false", "OMP_WAIT_POLICY": "passive",
                       "DDPROXY_GATE_PADDING": "x" * random.randrange(PAGE)}
        self.line = self.command(number, session)
        self.log = open(self.options.out / f"{self.name}.log", "w")
        try:
            self.process = subprocess.Popen(self.line, stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT, env=environment,
                                            start_new_session=True)
        except OSError as error:
            raise Failed(RUN_FAILED, f"{shlex.join(self.line)}: {error.strerror}") from error
        if not self.wait():
            self.fail()

    def turn(self):
        """Lets the build take its next sample. Returns False if no sample was left and the build ended with exit code 0. Raises Failed if it
        ended with another code."""
        os.write(self.go, b"g")
        if self.wait():
            return True
        if self.process.returncode != 0:
            self.fail()
        return False

    def wait(self):
        """Waits for the build. Returns True when the build has finished its turn, and False when its process has ended. Raises Failed after
        LONGEST_TURN_S seconds."""
        limit = time.monotonic() + LONGEST_TURN_S
        ended = os.pidfd_open(self.process.pid) if hasattr(os, "pidfd_open") else None
        try:
            while time.monotonic() < limit:
                watched = [self.ready] if ended is None else [self.ready, ended]
                readable, _, _ = select.select(watched, [], [], 0.2 if ended is None else 5)
                if self.ready in readable:
                    os.read(self.ready, 1)
                    return True
                if self.process.poll() is not None:
                    return False
        finally:
            if ended is not None:
                os.close(ended)
        raise Failed(RUN_FAILED, f"{shlex.join(self.line)}: no sample within {LONGEST_TURN_S} s, so the build may hang; its output is in {self.log.name}")

    def fail(self):
        code = self.process.wait()
        last = pathlib.Path(self.log.name).read_text().strip().splitlines()[-1:]
        raise Failed(USAGE if code == USAGE else RUN_FAILED,
                     f"the build {self.name} failed with exit code {code}: {''.join(last) or 'it printed nothing'}\n"
                     f"  command: {shlex.join(self.line)}\n  output: {self.log.name}")

    def stop(self):
        """Ends a process that is still running, with all its ranks, and removes the pipes."""
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()
        for pipe in self.pipes:
            pipe.unlink(missing_ok=True)


class StoredSide:
    """Holds the files that one build has left in the folder of an earlier start of the gate."""

    def __init__(self, name, folder):
        self.name, self.folder = name, folder

    def file(self, number):
        return self.folder / f"{self.name}-{number:03}.h5"


def stored_rounds(folder):
    """Returns what measured_rounds() of scripts/gate returns, from the folder of an earlier start. A last round that was not finished is left
    out. Raises Failed if the folder has no round."""
    sides, rounds = (StoredSide("base", folder), StoredSide("new", folder)), 0
    while all(side.file(rounds + 1).exists() for side in sides):
        rounds += 1
    if rounds == 0:
        raise Failed(USAGE, f"--rounds-of {folder}: this folder has no base-001.h5 and no new-001.h5; give the folder of an earlier run of the gate, which the end of its output names (`files in FOLDER`)")
    return sides, rounds, folder.resolve().name


def run_round(sides, number, session):
    """Starts both builds and lets them take samples in the order A B B A A B B A ... The build that begins alternates from round to round."""
    order = list(sides) if number % 2 else list(reversed(sides))
    for side in order:
        side.start(number, session)
    active = set(order)
    while active:
        for side in order:
            if side in active and not side.turn():
                active.discard(side)
        order.reverse()
