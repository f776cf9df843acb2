# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Measures when each gradient of a backward pass is ready."""
import statistics
import time

import torch

from . import ranks

END_OF_PASS = "end_of_pass"  # name of the row after the last gradient

class Clock:
    """Records points in time: on the host, or with events in the current stream of a GPU, in which the work is enqueued."""

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
    """Yields (name, parameter, node) of each gradient. The gradient is complete when this autograd node has run. DDP has its hook at the same node."""
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            yield name, parameter, parameter.expand_as(parameter).grad_fn.next_functions[0][0]


def elements(model):
    """Returns {name: number of elements} of the gradients. An element is a unit of four bytes, also for gradients of another type."""
    return {name: -(-parameter.numel() * parameter.element_size() // 4) for name, parameter, _ in accumulators(model) if parameter.numel()}


def check_names(model):
    """Rejects names that cannot be the first value of a row of gradients.csv, for instance names with a comma, because the table has no quotes."""
    for name, _, _ in accumulators(model):
        if name != name.strip() or name.startswith("#") or name == END_OF_PASS or any(c in name for c in ",\r\n"):
            raise ranks.UsageError(f"the parameter {name!r}: gradients.csv cannot hold this name; rename it: a name must not contain a "
                                   f"comma or a line break, begin with #, begin or end with a blank, or be {END_OF_PASS}")


def check_dense(model):
    sparse = [name for name, parameter in model.named_parameters() if parameter.grad is not None and parameter.grad.is_sparse]
    for rank, names in enumerate(ranks.gather(sparse)):
        if names:
            raise ranks.UsageError(f"the gradient of {names[0]}, on rank {rank}, is sparse, but predict accepts only dense gradients; "
                                   "build the layer without sparse=True")


def loss_of(model, loss):
    """Returns the loss of the model. If the user's function fails on any rank, raises UsageError on all ranks. A RuntimeError, which torch raises
    if the network or the memory fails, is passed on unchanged."""
    value, problem = None, ""
    try:
        value = loss(model)
        if not (isinstance(value, torch.Tensor) and value.numel() == 1 and value.requires_grad):
            problem = f"must return a tensor of one element that depends on the model's parameters, not {type(value).__name__}"
    except RuntimeError:  # the network or the memory failed
        raise
    except Exception as error:  # the user's function may raise anything else
        problem = f"{type(error).__name__}: {' '.join(str(error).split())}"
    for rank, text in enumerate(ranks.gather(problem)):
        if text:
            raise ranks.UsageError(f"the loss, on rank {rank}: {text}")
    return value


def check_alike(samples):
    """Checks that every pass of every rank completes the same gradients."""
    seen = [set(names) for passes in ranks.gather([list(times) for times, _ in samples]) for names in passes]
    uneven = set.union(*seen) - set.intersection(*seen)
    if uneven:
        raise ranks.UsageError(f"{min(uneven)} gets a gradient only in some passes or on some ranks; the model must use the same parameters in all passes and on all ranks")
    if not seen[0]:
        raise ranks.UsageError("the loss depends on no parameter of the model; compute the loss with the model that the function gets")


def one_pass(model, loss, device, marks):
    """Runs a forward and a backward pass. Returns the ready times by name and the end of the backward pass, in seconds from the start of the
    backward pass. The hooks of record() put the points in time into `marks`."""
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
    """Returns [(name, elements of four bytes, seconds since the row before)] in ready order. The last row is the time that the pass
    takes after its last gradient.

    Times are medians over the passes of a rank, then maxima over the ranks, because a bucket waits for the slowest rank."""
    check_names(model)
    clock, marks, nodes = Clock(device), {}, list(accumulators(model))
    hooks = [node.register_hook(lambda *_, name=name: marks.__setitem__(name, clock.mark())) for name, _, node in nodes]
    one_pass(model, loss, device, marks)
    check_dense(model)
    samples = [one_pass(model, loss, device, marks) for _ in range(passes + 1)][1:]
    for hook in hooks:
        hook.remove()
    check_alike(samples)
    mine = {name: statistics.median(times[name] for times, _ in samples) for name in samples[0][0]}
    everyone = ranks.gather((mine, statistics.median(end for _, end in samples)))
    ready = {name: max(times[name] for times, _ in everyone) for name in everyone[0][0]}
    sizes, rows, before = elements(model), [], 0.0
    for name in sorted(ready, key=lambda name: (ready[name], everyone[0][0][name])):
        rows.append((name, sizes.get(name, 0), ready[name] - before))
        before = ready[name]
    return rows + [(END_OF_PASS, 0, max(0.0, max(end for _, end in everyone) - before))]
