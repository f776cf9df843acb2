# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""What compute and the process group's all-reduce do to each other: kappa and gamma by message size."""
import math
import statistics
import threading
import time

import torch
import torch.distributed as dist

from . import ranks

LARGEST_MESSAGE = 64 * 2**20
SIZES = 6
TARGET_SECONDS = 0.1  # of one sample, where a call does not take longer
MOST_REPETITIONS = 100000
BALANCING_ROUNDS = 4
LEAST_SHARE = 0.1  # less cannot be told
SLOWEST_TOLD = 0.001  # below it, times say only that one of the two stood still


class Multiply:
    """The product with the model's largest weight matrix, `repetitions` times."""

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
    """Seconds until compute was over, until the all-reduces were; maximum over ranks. Either may be None or 0: left out."""
    ends = {}

    def reduce_all():
        if buffer.device.type == "cuda":
            torch.cuda.set_device(buffer.device)
            torch.cuda.set_stream(torch.cuda.Stream())
        for _ in range(calls):
            dist.all_reduce(buffer)
        ranks.synchronize(buffer.device)
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


def speeds(compute_alone, collective_alone, compute_beside, collective_beside):
    """kappa and gamma: while both run each advances at its own, whichever is left runs at full speed. Within (0, 1]."""
    both = min(compute_beside, collective_beside)
    alone_and_beside = ((compute_alone, compute_beside), (collective_alone, collective_beside))
    return tuple(min(1.0, max(SLOWEST_TOLD, (alone - (beside - both)) / both)) for alone, beside in alone_and_beside)


def sample(multiply, calls, buffer):
    """(compute alone, collective alone, compute beside, collective beside)"""
    compute, _ = together(multiply, 0, buffer)
    _, collective = together(None, calls, buffer)
    return compute, collective, *together(multiply, calls, buffer)


def balance(multiply, buffer):
    """As much compute and as many calls (returned) as end together: what only one of them takes says nothing about both."""
    multiply.repetitions = calls = 1
    for _ in range(BALANCING_ROUNDS):
        _, alone, compute, collective = sample(multiply, calls, buffer)
        share = max(1 - max(collective - compute, 0) / alone, LEAST_SHARE)  # of the calls, beside compute
        call, product = min(compute, collective) / (share * calls), compute / multiply.repetitions
        seconds = max(TARGET_SECONDS, product, call)
        multiply.repetitions, calls = (max(1, min(MOST_REPETITIONS, int(seconds / each))) for each in (product, call))
    return calls


def sizes(smallest, total):
    """Bytes, from the smallest gradient to LARGEST_MESSAGE, in equal steps of the logarithm."""
    largest = min(total, LARGEST_MESSAGE)
    return sorted({4 * round(smallest * (largest / smallest) ** (i / (SIZES - 1)) / 4) for i in range(SIZES)})


def alone_seconds(table, size):
    """a(size) of a table [(bytes, [seconds of each sample])]: medians, a straight line in logarithms between two rows."""
    if len(table) == 1:
        return statistics.median(table[0][1])
    above = min(max(1, sum(size > row[0] for row in table)), len(table) - 1)
    (x0, y0), (x1, y1) = ((math.log(row[0]), math.log(statistics.median(row[1]))) for row in table[above - 1:above + 1])
    return math.exp(y0 + (y1 - y0) * (math.log(size) - x0) / (x1 - x0))


def co_run(model, gradient_bytes, table, device, samples):
    """[(bytes, kappa, gamma)], medians. gamma is that of the all-reduce table, so that what is predicted from both is the time that was
    measured beside compute, whatever the few calls alone took."""
    multiply, trials = Multiply(model, device), []
    for size in sizes(min(gradient_bytes), sum(gradient_bytes)):
        buffer = torch.zeros(size // 4, device=device)
        calls = balance(multiply, buffer)
        trials.append((size, buffer, calls, multiply.repetitions, []))
    # in rounds: what disturbs the machine for a second spoils one sample of several sizes, not all of one
    for _ in range(samples):
        for _, buffer, calls, multiply.repetitions, found in trials:
            compute_alone, _, compute, collective = sample(multiply, calls, buffer)
            found.append(speeds(compute_alone, calls * alone_seconds(table, 4 * buffer.numel()), compute, collective))
    return [(size, *(statistics.median(column) for column in zip(*found))) for size, *_, found in trials]
