# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Measures the real DistributedDataParallel with several bucket caps and lists of caps."""
import contextlib
import inspect
import random
import time
from dataclasses import dataclass, field

from torch.nn.parallel import DistributedDataParallel

from . import ranks
from .gradients import loss_of

PARAMETERS = inspect.signature(DistributedDataParallel.__init__).parameters
HAS_LIST = "bucket_cap_mb_list" in PARAMETERS
FIRST_IS_CAP = PARAMETERS["bucket_cap_mb"].default is None  # true: bucket_cap_mb is also the cap of the first bucket; false: that cap is always 1 MiB
DEFAULT_CAP_MIB, DEFAULT_FIRST_MIB = 25.0, 1.0
WARM_UP = 2  # before the second step DDP rebuilds its buckets in ready order


@dataclass
class Case:
    name: str
    strategy: str  # name of ddproxy's strategy: bucketed for a single cap, optimal for a list of caps
    arguments: dict
    cap_mib: float = -1.0  # -1 for a list
    first_mib: float = -1.0
    bucket_bytes: list = field(default_factory=list)
    order: list = field(default_factory=list)  # position of each sample among all samples of the sweep
    seconds: list = field(default_factory=list)  # T, [sample][rank]
    compute: list = field(default_factory=list)  # T_compute of the same round, [sample][rank]


def make_cases(caps, lists):
    cases = [Case("DDP default", "bucketed", {}, DEFAULT_CAP_MIB, DEFAULT_FIRST_MIB)]
    for cap in caps:
        if FIRST_IS_CAP or cap != DEFAULT_CAP_MIB:
            first = cap if FIRST_IS_CAP else DEFAULT_FIRST_MIB
            cases.append(Case(f"DDP {cap:g} MiB", "bucketed", {"bucket_cap_mb": cap}, cap, first))
    if lists and not HAS_LIST:
        ranks.say("warning: this PyTorch has no bucket_cap_mb_list, so the lists are left out; use a later version for them")
        lists = []
    for number, caps_of_list in enumerate(lists, 1):
        name = "DDP list" if len(lists) == 1 else f"DDP list {number}"
        cases.append(Case(name, "optimal", {"bucket_cap_mb_list": caps_of_list}))
    return cases


def wrap(model, device, options, arguments):
    ids = [device.index] if device.type == "cuda" else None
    return DistributedDataParallel(model, device_ids=ids, gradient_as_bucket_view=options.bucket_view, **arguments)


def step(net, loss, device, synchronised):
    """Returns the seconds of each rank from the start of the backward pass until it has ended and every gradient is reduced."""
    net.zero_grad(set_to_none=True)
    with contextlib.nullcontext() if synchronised else net.no_sync():
        value = loss_of(net, loss)
        ranks.barrier(device)
        start = time.perf_counter()
        value.backward()
        ranks.synchronize(device)
        return ranks.gather(time.perf_counter() - start)


def bucket_bytes(net):
    text = net._get_ddp_logging_data().get("rebuilt_bucket_sizes", "")
    return [int(size) for size in str(text).split(",") if size.strip()]


def sweep(model, loss, device, options, cases):
    """Measures the cases and stores the samples in them. Each round takes, in random order, one sample of each case and one pass without
    communication."""
    nets = [wrap(model, device, options, case.arguments) for case in cases]
    plain = wrap(model, device, options, {})
    for net in nets:
        for _ in range(WARM_UP):
            step(net, loss, device, True)
    step(plain, loss, device, False)
    shuffle, position = random.Random(1), 0  # the same order on all ranks
    for _ in range(options.samples):
        turns = [*range(len(cases)), None]
        shuffle.shuffle(turns)
        for turn in turns:
            if turn is None:
                alone = step(plain, loss, device, False)
                continue
            cases[turn].seconds.append(step(nets[turn], loss, device, True))
            cases[turn].order.append(position)
            position += 1
        for case in cases:
            case.compute.append(alone)
    for net, case in zip(nets, cases):
        case.bucket_bytes = bucket_bytes(net)
