# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Starts a SLURM of its own on this machine, with nodes that pretend to have GPUs. Touches nothing outside its folder.

A requeued job starts only after cred_expire seconds, so CONFIGURATION sets it to 10. The default is 120."""
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "scontrol", "unshare")
CONFIGURATION = """ClusterName=ddproxy
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=10
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin={plugin}
ReturnToService=2
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldPort={controller_port}
SlurmdSpoolDir={folder}/spool-%n
StateSaveLocation={folder}/state
TmpFS={folder}/tmp-%n
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
KillWait=10
PreemptMode=REQUEUE
PreemptType=preempt/partition_prio
GresTypes=gpu
SlurmdParameters=config_overrides
PartitionName=batch Nodes=ALL Default=YES MaxTime=INFINITE State=UP PriorityTier=1 PreemptMode=REQUEUE
PartitionName=high Nodes=ALL MaxTime=INFINITE State=UP PriorityTier=10
"""
NODE = "NodeName={name} NodeHostname={name} NodeAddr=127.0.0.1 Port={port} {processors} RealMemory=1000 Gres=gpu:fake:8 State=UNKNOWN\n"
PRETENDED = "CPUs=16 Boards=1 SocketsPerBoard=2 CoresPerSocket=8 ThreadsPerCore=1"


def missing_programs():
    """Returns the programs that a SLURM needs and this machine lacks."""
    path = os.environ["PATH"] + ":/usr/sbin:/sbin"
    return [program for program in PROGRAMS if not shutil.which(program, path=path)]


def free_ports(count):
    """Returns `count` ports of TCP that nobody uses at the moment."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class FakeSlurm:
    """A running SLURM: a controller and a slurmd for each node. Each slurmd has a host name of its own (a UTS namespace), so that MPI sees
    different nodes. Use it as a context manager; it ends its processes. `environment` is for commands of SLURM.

    With the plugin task/none, which binds no tasks, a node pretends to have 16 CPUs. With another plugin it has the CPUs of this machine,
    because a task cannot be bound to a CPU that does not exist."""

    def __init__(self, folder, nodes=2, plugin="task/none"):
        self.folder, self.nodes, self.plugin = pathlib.Path(folder), [f"node{k + 1}" for k in range(nodes)], plugin
        self.environment = {**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin", "SLURM_CONF": str(self.folder / "slurm.conf")}

    def processors(self):
        """Returns the CPUs of a node, as a line of slurm.conf has them."""
        return PRETENDED if self.plugin == "task/none" else re.search(r"CPUs=.*ThreadsPerCore=\d+", self.call("slurmd", "-C").stdout)[0]

    def write_configuration(self):
        controller, *ports = free_ports(1 + len(self.nodes))
        values = {"host": socket.gethostname().split(".")[0], "user": "root", "folder": self.folder, "controller_port": controller, "plugin": self.plugin}
        nodes = "".join(NODE.format(name=name, port=port, processors=self.processors()) for name, port in zip(self.nodes, ports))
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(**values) + nodes)
        gpus = "".join(f"NodeName={name} Name=gpu Type=fake File={self.folder}/gpu[0-7]\n" for name in self.nodes)
        (self.folder / "gres.conf").write_text(gpus)
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nCgroupAutomount=no\nConstrainCores=no\nConstrainRAMSpace=no\n")
        for gpu in range(8):
            (self.folder / f"gpu{gpu}").touch()
        for name in ("state", *(f"{kind}-{node}" for kind in ("spool", "tmp") for node in self.nodes)):
            (self.folder / name).mkdir()

    def start_munge(self):
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        files = {"socket": "munge.socket", "pid-file": "munge.pid", "log-file": "munged.log", "seed-file": "munge.seed", "key-file": "munge.key"}
        self.call("munged", "--force", *(f"--{option}={self.folder / name}" for option, name in files.items()))

    def call(self, *words, **options):
        """Runs a command and returns the finished process. Raises an error if the command fails, unless check=False."""
        return subprocess.run(list(map(str, words)), **{"check": True, "text": True, "capture_output": True, "env": self.environment, "timeout": 300, **options})

    def is_idle(self):
        """Returns whether all nodes wait for jobs."""
        shown = self.call("sinfo", "--Node", "--noheader", "--format=%N %T", check=False).stdout.splitlines()
        return set(shown) == {f"{node} idle" for node in self.nodes}

    def __enter__(self):
        self.folder.chmod(0o755)
        self.write_configuration()
        try:
            self.start_munge()
            self.call("slurmctld")
            for node in self.nodes:
                self.call("unshare", "--uts", "sh", "-c", f"hostname {node}; exec slurmd -N {node}")
            self.wait_until(self.is_idle, 60, "all nodes are idle")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.call("scancel", "--user=root", "--signal=KILL", "--full", check=False)
        for name in (*(f"slurmd-{node}.pid" for node in self.nodes), "slurmctld.pid", "munge.pid"):
            try:
                os.kill(int((self.folder / name).read_text()), signal.SIGTERM)
            except (OSError, ValueError):
                pass
        time.sleep(1)

    @staticmethod
    def wait_until(condition, seconds, what):
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, f"after {seconds} s it is not true that {what}"
            time.sleep(0.3)
