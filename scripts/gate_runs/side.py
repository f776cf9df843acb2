# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""The two builds of a round, which take turns."""
import os
import pathlib
import select
import shlex
import signal
import subprocess
import time

from gate_runs.cores import core_lists, launcher_of
from gate_runs.failure import RUN_FAILED, USAGE, Failed

LONGEST_TURN_S = 300


class Side:
    """One build: its program, and the process that measures in the current round."""

    def __init__(self, name, program, options, more):
        self.name, self.program, self.options, self.more = name, program, options, shlex.split(more)
        folder = options.out
        self.pipes = [folder / f".{name}-go", folder / f".{name}-ready"]
        self.process = None
        for pipe in self.pipes:
            pipe.unlink(missing_ok=True)
            os.mkfifo(pipe)
        # open for both directions, so that neither side has to wait for the other to open its end
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
        """Starts the build and returns when it is ready for its first sample."""
        environment = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_mpi_yield_when_idle": "1", **os.environ,
                       "OMP_NUM_THREADS": str(self.options.threads), "OMP_PROC_BIND": "false", "OMP_WAIT_POLICY": "passive"}
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
        """Lets the build take its next sample. False: it has taken its last one and has ended well."""
        os.write(self.go, b"g")
        if self.wait():
            return True
        if self.process.returncode != 0:
            self.fail()
        return False

    def wait(self):
        """Returns when the build hands the turn back (True) or has ended (False)."""
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
        raise Failed(RUN_FAILED, f"{shlex.join(self.line)}: no sample within {LONGEST_TURN_S} s")

    def fail(self):
        code = self.process.wait()
        last = pathlib.Path(self.log.name).read_text().strip().splitlines()[-1:]
        raise Failed(USAGE if code == USAGE else RUN_FAILED,
                     f"the build {self.name} failed with exit code {code}: {''.join(last) or 'it printed nothing'}\n"
                     f"  command: {shlex.join(self.line)}\n  output: {self.log.name}")

    def stop(self):
        """Ends a process that is still there, with all its ranks."""
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()
        for pipe in self.pipes:
            pipe.unlink(missing_ok=True)


def run_round(sides, number, session):
    """Starts both builds and hands out the turns: A B B A A B B A ..., the first one changing from round to round."""
    order = list(sides) if number % 2 else list(reversed(sides))
    for side in order:
        side.start(number, session)
    active = set(order)
    while active:
        for side in order:
            if side in active and not side.turn():
                active.discard(side)
        order.reverse()
