# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Measures how compute and the process group's all-reduce slow each other down: kappa and gamma by message size."""
import statistics
import threading
import time

import torch

from . import ranks
from .network import reduce_in_a_row
from .speeds import alone_seconds, rebalanced, speeds

BALANCING_ROUNDS = 4


class Multiply:
    """Does the compute of the measurement. run() multiplies `repetitions` times with the largest weight matrix of the model that is not an
    embedding."""

    def __init__(self, model, device, rows=512):
        embeddings = {id(m.weight) for m in model.modules() if isinstance(m, torch.nn.Embedding)}
        matrices = [p for p in model.parameters() if p.dim() == 2]
        chosen = [p for p in matrices if id(p) not in embeddings] or matrices or [torch.zeros(1024, 1024, device=device)]
        self.weight = max(chosen, key=lambda p: p.numel()).detach()
        self.rows = torch.ones(rows, self.weight.shape[1], device=device, dtype=self.weight.dtype)
        self.repetitions, self.device = 1, device
        self.run()

    def run(self):
        for _ in range(self.repetitions):
            torch.mm(self.rows, self.weight.t())
        ranks.synchronize(self.device)


def together(multiply, calls, buffer):
    """Runs compute and all-reduces at the same time. Returns (compute, all-reduces): the seconds until
    each of them was complete, maximum over ranks.

    If `multiply` is None, only the all-reduces run. If `calls` is 0, only compute runs."""
    ends = {}

    def reduce_all():
        if buffer.device.type == "cuda":
            torch.cuda.set_device(buffer.device)
            torch.cuda.set_stream(torch.cuda.Stream())
        reduce_in_a_row(calls, buffer)
        ends["collective"] = time.perf_counter()

    thread = threading.Thread(target=reduce_all)
    ranks.barrier(buffer.device)
    start = time.perf_counter()
    thread.start()
    if multiply:
        multiply.run()
    compute = time.perf_counter() - start
    thread.join()
    slowest = ranks.gather((compute, ends["collective"] - start))
    return tuple(map(max, zip(*slowest)))


def sample(multiply, calls, buffer):
    """Returns four times in seconds: (compute alone, collective alone, compute with the collective, collective with compute)."""
    compute, _ = together(multiply, 0, buffer)
    _, collective = together(None, calls, buffer)
    return compute, collective, *together(multiply, calls, buffer)


def balance(multiply, buffer):
    """Sets `multiply.repetitions` and returns the number of calls, so that compute and calls end at about the same time. Time in which only
    one of them runs says nothing about contention."""
    multiply.repetitions = calls = 1
    for _ in range(BALANCING_ROUNDS):
        _, alone, *beside = sample(multiply, calls, buffer)
        multiply.repetitions, calls = rebalanced(multiply.repetitions, calls, alone, *beside)
    return calls


def measure(model, sizes, table, device, samples):
    """Returns [(bytes, kappa, gamma)] for `sizes`, in bytes. `table` is the result of network.table() and must contain these sizes. kappa and
    gamma are medians over the samples.

    gamma is relative to a(x) of the table, not to the few calls measured here. So a(x) and gamma together give the time that was measured
    while compute ran."""
    multiply, trials, alone = Multiply(model, device), [], alone_seconds(table)
    for size in sizes:
        buffer = torch.zeros(size // 4, device=device)
        calls = balance(multiply, buffer)
        trials.append((size, buffer, calls, multiply.repetitions, []))
    # All sizes are measured once in each round. A short disturbance of the machine then spoils one
    # sample of several sizes, not all samples of one size.
    for _ in range(samples):
        for _, buffer, calls, multiply.repetitions, found in trials:
            compute_alone, _, compute, collective = sample(multiply, calls, buffer)
            found.append(speeds(compute_alone, calls * alone[4 * buffer.numel()], compute, collective))
    return [(size, *(statistics.median(column) for column in zip(*found))) for size, *_, found in trials]
