#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""golden.py > golden.csv: computes gradients of the preset `tiny` with PyTorch's autograd, in double.

Weights and tokens follow the formulas of reference_model.cpp. The script prints the loss. For the gradient of each tensor it prints
the norm, the sum of gradient[i] * cos(0.3 i) over all elements i, and every 97th element. On Debian 12: apt-get install python3-torch
"""
import math

import torch
import torch.nn.functional as F

LAYERS, D, HEADS, FF, VOCABULARY, CONTEXT = 2, 64, 4, 256, 256, 32
CASES = {"tied": (True, 2, 24), "untied": (False, 3, 32)}  # tied, batch, sequence


def shapes(tied):
    found = {"wte.weight": (VOCABULARY, D), "wpe.weight": (CONTEXT, D), "ln_f.weight": (D,), "ln_f.bias": (D,)}
    if not tied:
        found["lm_head.weight"] = (VOCABULARY, D)
    for layer in range(LAYERS):
        h = f"h.{layer}."
        for name in ("ln_1", "ln_2"):
            found[h + name + ".weight"] = found[h + name + ".bias"] = (D,)
        for name, i, o in (("attn.c_attn", D, 3 * D), ("attn.c_proj", D, D), ("mlp.c_fc", D, FF), ("mlp.c_proj", FF, D)):
            found[h + name + ".weight"] = (i, o)
            found[h + name + ".bias"] = (o,)
    return dict(sorted(found.items()))


def formula_weights(tied):
    weights = {}
    for tensor, (name, shape) in enumerate(shapes(tied).items()):
        centre = 1.0 if "ln_" in name and name.endswith(".weight") else 0.0
        values = [centre + 0.2 * ((i * i + 31 * i + 17 * tensor) % 10007 / 10007 - 0.5) for i in range(math.prod(shape))]
        weights[name] = torch.tensor(values, dtype=torch.float64).reshape(shape).requires_grad_()
    return weights


def forward(w, tokens):
    batch, sequence = tokens.shape

    def linear(name, x):
        return x @ w[name + ".weight"] + w[name + ".bias"]

    def norm(name, x):
        return F.layer_norm(x, (D,), w[name + ".weight"], w[name + ".bias"], 1e-5)

    def split_heads(x):
        return x.reshape(batch, sequence, HEADS, D // HEADS).transpose(1, 2)

    x = w["wte.weight"][tokens] + w["wpe.weight"][:sequence]
    future = torch.ones(sequence, sequence, dtype=torch.bool).triu(1)
    for layer in range(LAYERS):
        h = f"h.{layer}."
        q, k, v = (split_heads(part) for part in linear(h + "attn.c_attn", norm(h + "ln_1", x)).split(D, dim=2))
        scores = (q @ k.transpose(2, 3) / math.sqrt(D // HEADS)).masked_fill(future, -math.inf)
        attention = (scores.softmax(dim=3) @ v).transpose(1, 2).reshape(batch, sequence, D)
        x = x + linear(h + "attn.c_proj", attention)
        x = x + linear(h + "mlp.c_proj", F.gelu(linear(h + "mlp.c_fc", norm(h + "ln_2", x)), approximate="tanh"))
    return norm("ln_f", x) @ w.get("lm_head.weight", w["wte.weight"]).T


def write_case(case, tied, batch, sequence):
    weights = formula_weights(tied)
    count = batch * sequence
    tokens = torch.tensor([(3 * n * n + 13 * n + 5) % VOCABULARY for n in range(count)]).reshape(batch, sequence)
    targets = torch.tensor([(5 * n * n + 7 * n + 2) % VOCABULARY for n in range(count)])
    loss = F.cross_entropy(forward(weights, tokens).reshape(count, VOCABULARY), targets)
    loss.backward()
    print(f"{case},loss,value,{loss.item():.17g}")
    for name, weight in weights.items():
        gradient = weight.grad.reshape(-1)
        wave = torch.tensor([math.cos(0.3 * i) for i in range(len(gradient))], dtype=torch.float64)
        print(f"{case},{name},norm,{gradient.norm().item():.17g}")
        print(f"{case},{name},wave,{(gradient @ wave).item():.17g}")
        for i in range(0, len(gradient), 97):
            print(f"{case},{name},{i},{gradient[i].item():.17g}")


if __name__ == "__main__":
    print(f"# written by golden.py with PyTorch {torch.__version__}")
    print("case,tensor,quantity,value")
    for case, (tied, batch, sequence) in CASES.items():
        write_case(case, tied, batch, sequence)
