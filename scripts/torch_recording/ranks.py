# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Starts ranks, unless torchrun did, and communicates between them."""
import os
import socket
import subprocess
import sys
import time

import torch
import torch.distributed as dist


class UsageError(Exception):
    """Reports wrong input. The text is one line that says what is wrong and where."""


def start_here(ranks):
    """Runs this command once for each rank, as torchrun would. Returns 0 if no rank failed. Otherwise returns
    the first positive exit code in the order of the ranks, or 4 if signals ended the failed ranks."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    shared = {**os.environ, "WORLD_SIZE": str(ranks), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    children = [subprocess.Popen([sys.executable, *sys.argv], env={**shared, "RANK": str(r), "LOCAL_RANK": str(r)})
                for r in range(ranks)]
    try:
        wait_for(children, lambda code: not code)
        wait_for(children, lambda code: True, seconds=5)  # so that every rank can print its message
    finally:
        for child in children:  # a rank without its peers would wait forever
            child.terminate()
    codes = [child.wait() for child in children]
    return next((code for code in codes if code > 0), 4 if any(codes) else 0)


def wait_for(children, accepted, seconds=float("inf")):
    """Waits until all children have ended, until one has ended with a code that is not accepted, or for at most `seconds`."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        codes = [child.poll() for child in children]
        if None not in codes or not all(accepted(code) for code in codes if code is not None):
            return
        time.sleep(0.05)


def join(backend):
    """Joins the process group and returns the device of this rank. With Gloo, also divides the cores among the ranks of this machine, unless
    OMP_NUM_THREADS is set. Raises UsageError for nccl without a GPU."""
    if backend == "nccl":
        if not torch.cuda.is_available():
            raise UsageError("--backend nccl: PyTorch sees no GPU; use --backend gloo")
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
    elif "OMP_NUM_THREADS" not in os.environ:
        here = int(os.environ.get("LOCAL_WORLD_SIZE", os.environ["WORLD_SIZE"]))
        torch.set_num_threads(max(1, len(os.sched_getaffinity(0)) // here))
    dist.init_process_group(backend)
    return torch.device("cuda", torch.cuda.current_device()) if backend == "nccl" else torch.device("cpu")


def is_first():
    return dist.get_rank() == 0


def say(text):
    if is_first():
        print(text, file=sys.stderr, flush=True)


def gather(value):
    """Returns the values of all ranks, on every rank."""
    values = [None] * dist.get_world_size()
    dist.all_gather_object(values, value)
    return values


def synchronize(device):
    """Waits until the work in this thread's current CUDA stream is done. Does not wait for other streams. Does nothing on a CPU."""
    if device.type == "cuda":
        torch.cuda.current_stream(device).synchronize()


def barrier(device):
    synchronize(device)
    dist.barrier()
    synchronize(device)
