#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""golden_updates.py > golden_updates.csv: computes the first update of the models of golden_steps.py with PyTorch, in double.
golden_updates.py --check FILE: computes it again and compares the rows with FILE. Exits with 77 if this Python has no torch.

A row has an element of a tensor: its gradient divided by the norm of all gradients, and the change of the parameter in units of the learning rate. At most
299 elements of each tensor are kept, evenly spaced, and the one with the largest gradient.
"""
import sys

try:
    import torch
except ImportError:
    sys.exit(77)
import torch.nn.functional as F
from golden_steps import ADAMW, BATCH, CLIP, SEQUENCE, Gpt2, Llama, formula_weights, logits

MOST = 150


def kept(gradient):
    """Returns the indices of the elements that are kept. Their distance is odd, so that they do not all lie in the same columns."""
    count = gradient.numel()
    return sorted({*range(0, count, (count // MOST) | 1), gradient.abs().argmax().item()})


def first_update(model):
    """Returns (name, clipped gradients, changes of the parameters) for each tensor."""
    weights = formula_weights(model)
    count = BATCH * SEQUENCE
    tokens = torch.tensor([(3 * n * n + 13 * n + 5) % model.vocabulary for n in range(count)]).reshape(BATCH, SEQUENCE)
    targets = torch.tensor([(5 * n * n + 7 * n + 2) % model.vocabulary for n in range(count)])
    optimizer = torch.optim.AdamW(weights.values(), **ADAMW)
    F.cross_entropy(logits(model, weights, tokens).reshape(count, model.vocabulary), targets).backward()
    torch.nn.utils.clip_grad_norm_(weights.values(), CLIP)
    before = {name: weight.detach().clone() for name, weight in weights.items()}
    optimizer.step()
    return [(name, weights[name].grad.flatten(), (weights[name].detach() - before[name]).flatten()) for name in sorted(weights)]


def rows():
    for label, model in (("gpt2", Gpt2()), ("llama", Llama())):
        tensors = first_update(model)
        norm = torch.cat([gradient for _, gradient, _ in tensors]).norm().item()
        for name, gradient, change in tensors:
            for i in kept(gradient):
                yield label, name, str(i), gradient[i].item() / norm, change[i].item() / ADAMW["lr"]


def check(path):
    with open(path) as file:
        before = [line.strip().split(",") for line in file if not line.startswith("#")][1:]
    now = list(rows())
    assert [row[:3] for row in before] == [list(row[:3]) for row in now], "the rows are not those of the file"
    largest = {}
    for model, tensor, _, gradient, _ in now:
        largest[model, tensor] = max(abs(gradient), largest.get((model, tensor), 0))
    for old, new in zip(before, now):
        size = largest[new[:2]]
        assert abs(float(old[3]) - new[3]) < 1e-9 * size, (old, new)
        assert abs(new[3]) < 1e-6 * size or abs(float(old[4]) - new[4]) < 1e-6, (old, new)


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--check":
        check(sys.argv[2])
    else:
        print(f"# written by golden_updates.py with PyTorch {torch.__version__.split('+')[0]}")
        print("model,tensor,element,gradient,change")
        for model, name, element, gradient, change in rows():
            print(f"{model},{name},{element},{gradient:.10g},{change:.10g}")
