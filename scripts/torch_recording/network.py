# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the process group's all-reduce takes, alone and beside compute, and what a copy takes."""
import statistics
import threading
import time

import torch
import torch.distributed as dist

from . import ranks

MIB = 2**20
LARGEST_MESSAGE = 512 * MIB
TARGET_SECONDS = 0.1  # of one sample


def sizes(total):
    """Powers of two from 1 KiB, and the whole model."""
    largest = min(total, LARGEST_MESSAGE)
    found, size = [], 1024
    while size < largest:
        found.append(size)
        size *= 2
    return found + [largest]


def seconds_of(calls, buffer):
    """Of one all-reduce among so many in a row; maximum over ranks."""
    ranks.barrier(buffer.device)
    start = time.perf_counter()
    for _ in range(calls):
        dist.all_reduce(buffer)
    ranks.synchronize(buffer.device)
    return max(ranks.gather((time.perf_counter() - start) / calls))


def calls_for(buffer):
    return max(1, min(1000, int(TARGET_SECONDS / seconds_of(2, buffer))))


def table(total, device, samples):
    """[(bytes, [seconds of each sample])]."""
    rows = []
    for size in sizes(total):
        buffer = torch.zeros(-(-size // 4), device=device)
        seconds_of(1, buffer)  # connects, allocates
        calls = calls_for(buffer)
        rows.append((buffer.numel() * 4, [seconds_of(calls, buffer) for _ in range(samples)]))
    return rows


class Multiply:
    """The product with the model's largest weight matrix, as often as takes about TARGET_SECONDS."""

    def __init__(self, model, device, rows=512):
        embeddings = {id(m.weight) for m in model.modules() if isinstance(m, torch.nn.Embedding)}
        matrices = [p for p in model.parameters() if p.dim() == 2]
        chosen = [p for p in matrices if id(p) not in embeddings] or matrices or [torch.zeros(1024, 1024, device=device)]
        self.weight = max(chosen, key=lambda p: p.numel()).detach()
        self.rows = torch.ones(rows, self.weight.shape[1], device=device, dtype=self.weight.dtype)
        self.repetitions, self.device = 3, device
        self.run()
        start = time.perf_counter()
        self.run()
        self.repetitions = max(ranks.gather(max(1, int(3 * TARGET_SECONDS / (time.perf_counter() - start)))))

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
    return tuple(min(1.0, max(0.01, (alone - (beside - both)) / both)) for alone, beside in alone_and_beside)


def co_run(model, total, device, samples):
    """[(bytes, [(kappa, gamma) of each sample])] at three message sizes."""
    multiply, rows = Multiply(model, device), []
    for size in sorted({min(total, mib * MIB) for mib in (1, 8, 25)}):
        buffer = torch.zeros(-(-size // 4), device=device)
        calls = calls_for(buffer)
        found = []
        for _ in range(samples):
            compute, _ = together(multiply, 0, buffer)
            _, collective = together(None, calls, buffer)
            found.append(speeds(compute, collective, *together(multiply, calls, buffer)))
        rows.append((size, found))
    return rows


def median_speeds(rows):
    pairs = [pair for _, found in rows for pair in found]
    return statistics.median(k for k, _ in pairs), statistics.median(g for _, g in pairs)


def copy_bandwidth(total, device, samples):
    """Bytes of gradients a second that DDP's copies between gradients and buckets move; all ranks at once, the slowest."""
    source = torch.ones(min(total, 64 * MIB) // 4 + 1, device=device)
    target, seconds = torch.empty_like(source), []
    for _ in range(samples + 1):  # the first one touches the memory
        ranks.barrier(device)
        start = time.perf_counter()
        torch.mul(source, 0.5, out=target)
        ranks.synchronize(device)
        seconds.append(max(ranks.gather(time.perf_counter() - start)))
    return source.numel() * 4 / statistics.median(seconds[1:])
