#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""golden_adamw.py > golden_adamw.csv: computes updates of torch.optim.AdamW in float, with gradients from a formula.
golden_adamw.py --check FILE: computes them again and compares them with FILE. Exits with 77 if this Python has no torch.

The function numbers() is the one in ctest/kernels/device.hpp. adamw_golden_test.cpp makes the same parameters and gradients, bit for bit. In cases with
`clip` the norm is computed in double, and the gradients are scaled as torch.nn.utils.clip_grad_norm_ does.
"""
import sys

try:
    import torch
except ImportError:
    sys.exit(77)

COUNT, STEPS, KEPT = 256, 6, (1, 2, 6)
# name: lr, beta1, beta2, eps, weight decay, clip
CASES = {"defaults": (1e-3, 0.9, 0.999, 1e-8, 1e-2, None), "fast": (1e-2, 0.8, 0.95, 1e-6, 0.1, None), "no decay": (3e-4, 0.9, 0.95, 1e-8, 0.0, None),
         "clipped": (1e-3, 0.9, 0.95, 1e-8, 0.1, 0.5), "not reached": (1e-3, 0.9, 0.95, 1e-8, 0.1, 1e3)}


def numbers(count, stream):
    state, values = (stream * 2654435761 + 12345) % 2**32, []
    for _ in range(count):
        state = (state * 1664525 + 1013904223) % 2**32
        values.append(((state >> 9) - 2**22) / 2**22)
    return values


def gradients(step):
    """Returns values between -1 and 1 of very different sizes. Some are 0. Floats represent them exactly."""
    return [0.0 if i % 11 == 3 else g * 2.0 ** (-3 * (i % 7)) for i, g in enumerate(numbers(COUNT, step + 10))]


def run(name):
    """Yields rows: case, step, element, value. After each step of KEPT there is a row for each parameter. In cases with `clip` each step
    also has a row with the element `norm`: the norm of the gradients before clipping, in double."""
    lr, beta1, beta2, eps, decay, clip = CASES[name]
    p = torch.tensor(numbers(COUNT, 1), dtype=torch.float32, requires_grad=True)
    optimizer = torch.optim.AdamW([p], lr=lr, betas=(beta1, beta2), eps=eps, weight_decay=decay)
    for step in range(1, STEPS + 1):
        exact = torch.zeros(COUNT, dtype=torch.float64, requires_grad=True)
        exact.grad = torch.tensor(gradients(step), dtype=torch.float64)
        if clip is not None:
            norm = torch.nn.utils.clip_grad_norm_([exact], clip).item()
            yield name, step, "norm", f"{norm:.17g}"
        p.grad = exact.grad.float()
        optimizer.step()
        if step in KEPT:
            for i, value in enumerate(p.tolist()):
                yield name, step, str(i), f"{value:.9g}"


def rows():
    return [row for name in CASES for row in run(name)]


def check(path):
    with open(path) as file:
        kept = [line.strip().split(",") for line in file if not line.startswith("#")][1:]
    computed = rows()
    assert [row[:3] for row in kept] == [[name, str(step), element] for name, step, element, _ in computed], f"{path} has other rows than this script computes; write it again: golden_adamw.py > {path}"
    for before, now in zip(kept, computed):
        size = max(abs(float(now[3])), 1e-3)
        assert abs(float(before[3]) - float(now[3])) <= 5e-7 * size, (before, now)


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--check":
        check(sys.argv[2])
    else:
        print(f"# written by golden_adamw.py with PyTorch {torch.__version__}")
        print("case,step,element,value")
        print("\n".join(",".join(map(str, row)) for row in rows()))
