# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the process group's all-reduce takes alone, and what a copy takes."""
import statistics
import time

import torch
import torch.distributed as dist

from . import ranks

MIB = 2**20
LARGEST_MESSAGE = 512 * MIB
TARGET_SECONDS = 0.1  # of one sample


def sizes(total, others=()):
    """Powers of two from 1 KiB, the whole model, or LARGEST_MESSAGE of it, and others; rising."""
    largest = min(total, LARGEST_MESSAGE)
    found, size = [], 1024
    while size < largest:
        found.append(size)
        size *= 2
    return sorted({*found, largest, *others})


def reduce_in_a_row(calls, buffer):
    """So many all-reduces, issued as DDP issues those of its buckets: none waits for the one before to return. They may overlap
    (Gloo works on two at a time); the buffer holds zeros, which stay what they are in any order. Returns when all are over."""
    for work in [dist.all_reduce(buffer, async_op=True) for _ in range(calls)]:
        work.wait()
    ranks.synchronize(buffer.device)


def seconds_of(calls, buffer):
    """Of one all-reduce among so many in a row; maximum over ranks."""
    ranks.barrier(buffer.device)
    start = time.perf_counter()
    reduce_in_a_row(calls, buffer)
    return max(ranks.gather((time.perf_counter() - start) / calls))


def calls_for(buffer):
    return max(1, min(1000, int(TARGET_SECONDS / seconds_of(2, buffer))))


def table(wanted, device, samples):
    """[(bytes, [seconds of each sample])] of the wanted sizes, which rise."""
    largest = torch.zeros(-(-wanted[-1] // 4), device=device)
    trials = []
    for size in wanted:
        buffer = largest[:-(-size // 4)]
        seconds_of(1, buffer)  # connects, allocates
        trials.append((buffer, calls_for(buffer), []))
    for _ in range(samples):  # in rounds, as in contention.measure
        for buffer, calls, found in trials:
            found.append(seconds_of(calls, buffer))
    return [(buffer.numel() * 4, found) for buffer, _, found in trials]


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
