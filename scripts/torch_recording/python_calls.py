# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Records the collectives that Python code calls, as FSDP2 and ZeroRedundancyOptimizer do. DDP calls its
all-reduces in C++, so they are not recorded."""
from __future__ import annotations

import functools
import inspect
import time
from typing import NamedTuple

import torch.distributed as dist

# verb: the functions of torch.distributed that carry it out. PyTorch 2.15 renamed some of them.
FUNCTIONS = {"all_gather": ("all_gather_single", "all_gather_into_tensor"), "reduce_scatter": ("reduce_scatter_single", "reduce_scatter_tensor"),
             "broadcast": ("broadcast",), "all_reduce": ("all_reduce",)}


class Call(NamedTuple):
    """A collective. `bytes` is the full size: the bytes of the whole tensor that is gathered, scattered, broadcast or reduced."""
    verb: str
    bytes: int
    source: int  # rank that broadcasts; -1 with other verbs
    is_async: bool


class Done:
    """The handle of a collective that is complete."""

    def wait(self, *_):
        return True


def call_of(verb, given):
    first, second = list(given.values())[:2]
    tensor = second if verb == "reduce_scatter" else first
    return Call(verb, tensor.numel() * tensor.element_size(), second if verb == "broadcast" else -1, bool(given.get("async_op")))


def fill(verb, given):
    """Fills the result of a collective from the input of this rank, without communication, so that its values
    have a usual magnitude."""
    first, second = list(given.values())[:2]
    if verb == "all_gather":
        for rank, part in enumerate(first.view(dist.get_world_size(), -1)):
            if rank != dist.get_rank():  # the part of this rank may be the same memory as `second`
                part.copy_(second.view(-1))
    elif verb == "reduce_scatter":
        first.view(-1).copy_(second.view(dist.get_world_size(), -1)[dist.get_rank()].clone())


class PythonCalls:
    """A context manager. Inside its `with` block, each collective is appended to `calls`. If `silent` is
    true, no collective is carried out. Instead fill() makes its result, and `seconds` is the time that all
    calls of fill() took."""

    def __init__(self, silent):
        self.silent, self.calls, self.seconds, self.inside = silent, [], 0.0, False

    def replacement(self, verb, function):
        signature = inspect.signature(function)

        @functools.wraps(function)
        def call(*args, **kwargs):
            if self.inside:  # called by another function of torch.distributed, whose call is recorded already
                return function(*args, **kwargs)
            given = signature.bind(*args, **kwargs).arguments
            self.calls.append(call_of(verb, given))
            return self.fill_only(verb, given) if self.silent else self.carry_out(function, args, kwargs)
        return call

    def fill_only(self, verb, given):
        start = time.perf_counter()
        fill(verb, given)
        self.seconds += time.perf_counter() - start
        return Done() if given.get("async_op") else None

    def carry_out(self, function, args, kwargs):
        self.inside = True
        try:
            return function(*args, **kwargs)
        finally:
            self.inside = False

    def __enter__(self):
        self.originals = {name: getattr(dist, name) for names in FUNCTIONS.values() for name in names if hasattr(dist, name)}
        for verb, names in FUNCTIONS.items():
            for name in names:
                if name in self.originals:
                    setattr(dist, name, self.replacement(verb, self.originals[name]))
        return self

    def __exit__(self, *_):
        for name, function in self.originals.items():
            setattr(dist, name, function)
