# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""When each gradient of a backward pass is ready."""
import statistics
import time

import torch

from . import ranks


class Clock:
    """Marks on the host, or, where the work is queued on a GPU, in its stream."""

    def __init__(self, device):
        self.cuda = device.type == "cuda"

    def mark(self):
        if not self.cuda:
            return time.perf_counter()
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def seconds(self, start, end):
        return start.elapsed_time(end) * 1e-3 if self.cuda else end - start


def accumulators(model):
    """(name, parameter, autograd node after which its gradient is complete: what DDP hooks into)."""
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            yield name, parameter, parameter.expand_as(parameter).grad_fn.next_functions[0][0]


def loss_of(model, loss):
    """The loss of the model. A mistake of their function on any rank is one of its user, on all; torch's own errors go on."""
    value, problem = None, ""
    try:
        value = loss(model)
        if not (isinstance(value, torch.Tensor) and value.numel() == 1 and value.requires_grad):
            problem = f"must return a tensor of one element that depends on the model's parameters, not {type(value).__name__}"
    except RuntimeError:  # of the network, of memory
        raise
    except Exception as error:  # whatever else it raises
        problem = f"{type(error).__name__}: {' '.join(str(error).split())}"
    for rank, text in enumerate(ranks.gather(problem)):
        if text:
            raise ranks.UsageError(f"the loss, on rank {rank}: {text}")
    return value


def check_alike(samples):
    """Every pass of every rank has to complete the same gradients."""
    seen = [set(names) for passes in ranks.gather([list(times) for times, _ in samples]) for names in passes]
    uneven = set.union(*seen) - set.intersection(*seen)
    if uneven:
        raise ranks.UsageError(f"{min(uneven)} gets a gradient only in some passes or on some ranks; the model must use the same parameters in all")
    if not seen[0]:
        raise ranks.UsageError("the loss reaches no parameter of the model; does it use the model that it is given?")


def one_pass(model, loss, device, marks):
    """Ready times by name, and the pass's end; seconds from the start of the backward pass."""
    clock = Clock(device)
    model.zero_grad(set_to_none=True)
    value = loss_of(model, loss)
    marks.clear()
    ranks.barrier(device)
    start = clock.mark()
    value.backward()
    end = clock.mark()
    ranks.synchronize(device)
    return {name: clock.seconds(start, mark) for name, mark in marks.items()}, clock.seconds(start, end)


def record(model, loss, device, passes):
    """[(name, elements of four bytes, seconds since the row before)] in ready order; the last row is what the pass does after
    its last gradient. Medians over the passes of a rank, then the slowest rank: a bucket waits for all of them."""
    clock, marks, nodes = Clock(device), {}, list(accumulators(model))
    hooks = [node.register_hook(lambda *_, name=name: marks.__setitem__(name, clock.mark())) for name, _, node in nodes]
    samples = [one_pass(model, loss, device, marks) for _ in range(passes + 2)][2:]
    for hook in hooks:
        hook.remove()
    check_alike(samples)
    mine = {name: statistics.median(times[name] for times, _ in samples) for name in samples[0][0]}
    everyone = ranks.gather((mine, statistics.median(end for _, end in samples)))
    ready = {name: max(times[name] for times, _ in everyone) for name in everyone[0][0]}
    elements = {name: -(-parameter.numel() * parameter.element_size() // 4) for name, parameter, _ in nodes}
    rows, before = [], 0.0
    for name in sorted(ready, key=lambda name: (ready[name], everyone[0][0][name])):
        rows.append((name, elements[name], ready[name] - before))
        before = ready[name]
    return rows + [("end_of_pass", 0, max(0.0, max(end for _, end in everyone) - before))]
