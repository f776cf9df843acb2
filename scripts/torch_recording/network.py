# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Measures the process group's all-reduce alone, and the bandwidth of a copy."""
import statistics
import time

import torch
import torch.distributed as dist

from . import ranks

MIB = 2**20
LARGEST_MESSAGE = 512 * MIB
TARGET_SECONDS = 0.1  # duration of one sample


def sizes(total, others=()):
    """Returns message sizes in bytes, in ascending order: the largest size, which is `total` but at most LARGEST_MESSAGE; the powers of two from
    1 KiB up to it; and `others`."""
    largest = min(total, LARGEST_MESSAGE)
    found, size = [], 1024
    while size < largest:
        found.append(size)
        size *= 2
    return sorted({*found, largest, *others})


def reduce_in_a_row(calls, buffer):
    """Runs `calls` all-reduces and returns when all are complete. Issues them as DDP does for its buckets, without waiting until the previous
    one is complete. They may overlap, since Gloo works on two at a time. All of them reduce the same buffer. It contains only zeros, so they do
    not change it."""
    for work in [dist.all_reduce(buffer, async_op=True) for _ in range(calls)]:
        work.wait()
    ranks.synchronize(buffer.device)


def seconds_of(calls, buffer):
    """Returns the seconds of one all-reduce: averaged over `calls` in a row, then the maximum over the ranks."""
    ranks.barrier(buffer.device)
    start = time.perf_counter()
    reduce_in_a_row(calls, buffer)
    return max(ranks.gather((time.perf_counter() - start) / calls))


def calls_for(buffer):
    return max(1, min(1000, int(TARGET_SECONDS / seconds_of(2, buffer))))


def table(wanted, device, samples):
    """Returns [(bytes, [seconds of each sample])] for the sizes `wanted`, which are in bytes, in ascending order. The returned sizes are rounded
    up to whole elements of 4 bytes."""
    largest = torch.zeros(-(-wanted[-1] // 4), device=device)
    trials = []
    for size in wanted:
        buffer = largest[:-(-size // 4)]
        seconds_of(1, buffer)  # the first call connects and allocates
        trials.append((buffer, calls_for(buffer), []))
    for _ in range(samples):  # all sizes once in each round; contention.measure gives the reason
        for buffer, calls, found in trials:
            found.append(seconds_of(calls, buffer))
    return [(buffer.numel() * 4, found) for buffer, _, found in trials]


def copy_bandwidth(total, device, samples):
    """Returns the bandwidth of DDP's copies between gradients and buckets: bytes of gradients per second on the slowest rank, while all
    ranks copy."""
    source = torch.ones(min(total, 64 * MIB) // 4 + 1, device=device)
    target, seconds = torch.empty_like(source), []
    for _ in range(samples + 1):  # the first pass touches the memory and does not count
        ranks.barrier(device)
        start = time.perf_counter()
        torch.mul(source, 0.5, out=target)
        ranks.synchronize(device)
        seconds.append(max(ranks.gather(time.perf_counter() - start)))
    return source.numel() * 4 / statistics.median(seconds[1:])
