# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Predicts and measures whole steps of FSDP2 and of DDP with ZeroRedundancyOptimizer, on the CPU with Gloo.

The prediction is the sum of these times:
- `alone`, the measured time of a step that carries out no collective;
- the measured time of each collective that the step really calls, with its real size and alone on the link. A call that Python waits for is measured by itself.
  Consecutive calls that Python does not wait for are measured together, as they are issued;
- with DDP, the E that `ddproxy predict` computes for the backward pass with DDP's default buckets, because DDP reduces while the backward pass runs.
"""
from __future__ import annotations

import contextlib
import itertools
import statistics
import time

import torch
import torch.distributed as dist

from . import ranks, sweep
from .median_interval import median_interval
from .python_calls import FUNCTIONS, PythonCalls

WARM_UP = 2
# Pause before each measurement, in which a link that tc limits can refill its token bucket. In a step, the token bucket
# refills while compute runs.
PAUSE_S = 0.05


class Fsdp2:
    """Each block of the model is a unit, and the rest is the root unit."""
    name = "fsdp2"

    def __init__(self, model):
        from torch.distributed.fsdp import fully_shard
        for block in model.h:
            fully_shard(block)
        self.net = fully_shard(model)
        self.optimizer = torch.optim.AdamW(self.net.parameters(), lr=1e-4)

    def no_sync(self):
        return contextlib.nullcontext()  # nothing to switch off: FSDP2 calls all its collectives from Python, so PythonCalls silences them

    def all_reduces(self):
        return []


class Zero1:
    """DDP with its default buckets, and ZeroRedundancyOptimizer, which broadcasts the updated parameters."""
    name = "zero1"

    def __init__(self, model):
        from torch.distributed.optim import ZeroRedundancyOptimizer
        from torch.nn.parallel import DistributedDataParallel
        self.net = DistributedDataParallel(model)
        self.optimizer = ZeroRedundancyOptimizer(self.net.parameters(), torch.optim.AdamW, lr=1e-4)

    def no_sync(self):
        return self.net.no_sync()

    def all_reduces(self):
        """Returns a list with the bytes of each all-reduce of DDP. They are known after two steps."""
        return sweep.bucket_bytes(self.net)


METHODS = {method.name: method for method in (Fsdp2, Zero1)}


def step(method, loss, calls):
    """Runs a step and returns its seconds, the maximum over the ranks. The time in which `calls` filled in
    results in place of silent collectives is subtracted on each rank."""
    method.optimizer.zero_grad(set_to_none=True)
    ranks.barrier(torch.device("cpu"))
    before, start = calls.seconds, time.perf_counter()
    with method.no_sync() if calls.silent else contextlib.nullcontext():
        loss(method.net).backward()
    method.optimizer.step()
    return max(ranks.gather(time.perf_counter() - start - (calls.seconds - before)))


def steps(method, loss, count, silent):
    """Returns the seconds of `count` steps after WARM_UP others, and the collectives of the last one."""
    seconds = []
    for number in range(WARM_UP + count):
        with PythonCalls(silent) as calls:
            seconds.append(step(method, loss, calls))
    return seconds[WARM_UP:], calls.calls


def groups_of(calls):
    """Returns the calls in groups. Each call that Python waits for is a group. Consecutive calls that Python does not wait for are one group."""
    groups = []
    for is_async, run in itertools.groupby(calls, key=lambda call: call.is_async):
        groups += [tuple(run)] if is_async else [(call,) for call in run]
    return groups


def carry_out(calls):
    """Calls the collectives as the step does, on new tensors, and waits for them. Returns the seconds of the slowest rank."""
    n = dist.get_world_size()
    full = [torch.zeros(call.bytes // 4) for call in calls]
    parts = [torch.zeros(call.bytes // 4 // n) for call in calls]
    functions = {verb: next(getattr(dist, name) for name in names if hasattr(dist, name)) for verb, names in FUNCTIONS.items()}
    ranks.barrier(torch.device("cpu"))
    time.sleep(PAUSE_S)
    start = time.perf_counter()
    handles = []
    for call, whole, part in zip(calls, full, parts):
        arguments = {"all_gather": (whole, part), "reduce_scatter": (part, whole), "broadcast": (whole, call.source), "all_reduce": (whole,)}[call.verb]
        handles.append(functions[call.verb](*arguments, async_op=call.is_async))
    for handle in handles:
        if handle is not None:
            handle.wait()
    return max(ranks.gather(time.perf_counter() - start))


def seconds_alone(groups, passes):
    """Returns {group: median seconds} of the different groups."""
    return {group: statistics.median([carry_out(group) for _ in range(passes + 1)][1:]) for group in dict.fromkeys(groups)}


def link_bytes():
    """Returns the bytes that were sent on the loopback interface since it was created, or None if they are
    not known."""
    try:
        with open("/proc/self/net/dev", encoding="utf-8") as file:
            return next(int(line.split()[9]) for line in file if line.strip().startswith("lo:"))
    except (OSError, StopIteration, IndexError, ValueError):
        return None


def volumes(calls):
    """Returns {verb: [calls, bytes]}."""
    found = {}
    for call in calls:
        row = found.setdefault(call.verb, [0, 0])
        row[0] += 1
        row[1] += call.bytes
    return found


def measure(method, loss, options, exposed_s):
    """Predicts the step, then measures it. `exposed_s` is the E of DDP's backward pass, 0 without DDP. Returns a dictionary for the recording."""
    alone, calls = steps(method, loss, options.passes, silent=True)
    groups = groups_of(calls)
    each = seconds_alone(groups, options.passes)
    in_python = sum(each[group] for group in groups)
    predicted = statistics.median(alone) + in_python + exposed_s
    steps(method, loss, 0, silent=False)
    before = link_bytes()
    measured, real_calls = steps(method, loss, options.samples, silent=False)
    sent = (link_bytes() - before) / (WARM_UP + options.samples) if before is not None else None
    if calls != real_calls:
        raise RuntimeError(f"{method.name}: the collectives that were recorded while communication was switched off ({len(calls)}) differ from those of a real step ({len(real_calls)})")
    all_reduces = method.all_reduces()
    found = volumes(calls)
    if all_reduces:
        found["all_reduce"] = [len(all_reduces), sum(all_reduces)]
    middle, low, high = median_interval(measured)
    return {"method": method.name, "alone_s": statistics.median(alone), "collectives_s": in_python, "ddp_exposed_s": exposed_s, "predicted_s": predicted,
            "measured_s": middle, "low_s": low, "high_s": high, "samples_s": measured, "verbs": found, "waits": not any(call.is_async for call in calls),
            "link_bytes": sent}
