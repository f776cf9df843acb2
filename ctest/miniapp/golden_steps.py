#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""golden_steps.py > golden_steps.csv: trains a small GPT-2 and a small Llama for a few steps with PyTorch, in double.
golden_steps.py --check FILE: trains them again and compares the rows with FILE. Exits with 77 if this Python has no torch.

All steps have the same batch of 8 sequences of 16 tokens. Each step clips the gradients and updates the weights with AdamW. Weights
and tokens follow the formulas of ctest/kernels/reference_model.cpp. The loss is computed before the update, and the norm of the
gradients before they are clipped. On Debian 12: apt-get install python3-torch
"""
import math
import sys

try:
    import torch
except ImportError:
    sys.exit(77)
import torch.nn.functional as F

STEPS, BATCH, SEQUENCE = 4, 8, 16
CLIP = 0.5
ADAMW = {"lr": 3e-3, "betas": (0.9, 0.95), "eps": 1e-8, "weight_decay": 0.1}


class Gpt2:
    """The preset `tiny`: the output head is the token embedding, linear maps and norms have biases."""
    layers, d, heads, ff, vocabulary, context = 2, 64, 4, 256, 256, 32

    def shapes(self):
        found = {"wte.weight": (self.vocabulary, self.d), "wpe.weight": (self.context, self.d)}
        norms = ["ln_f"]
        for layer in range(self.layers):
            h = f"h.{layer}."
            norms += [h + "ln_1", h + "ln_2"]
            for name, i, o in (("attn.c_attn", self.d, 3 * self.d), ("attn.c_proj", self.d, self.d), ("mlp.c_fc", self.d, self.ff),
                               ("mlp.c_proj", self.ff, self.d)):
                found[h + name + ".weight"] = (i, o)
                found[h + name + ".bias"] = (o,)
        for name in norms:
            found[name + ".weight"] = found[name + ".bias"] = (self.d,)
        return found

    def embed(self, w, tokens):
        return w["wte.weight"][tokens] + w["wpe.weight"][:tokens.shape[1]]

    def norm(self, w, name, x):
        return F.layer_norm(x, (self.d,), w[name + ".weight"], w[name + ".bias"], 1e-5)

    def linear(self, w, name, x):
        return x @ w[name + ".weight"] + w[name + ".bias"]

    def heads_of(self, x, heads):
        return x.reshape(*x.shape[:2], heads, self.d // self.heads).transpose(1, 2)

    def qkv(self, w, h, x):
        return [self.heads_of(part, self.heads) for part in self.linear(w, h + "attn.c_attn", x).split(self.d, dim=2)]

    def mlp(self, w, h, x):
        return self.linear(w, h + "mlp.c_proj", F.gelu(self.linear(w, h + "mlp.c_fc", x), approximate="tanh"))

    def head(self, w):
        return w["wte.weight"]


class Llama(Gpt2):
    """small_llama() of step_run.hpp: RMS norms, RoPE, two heads of keys and values, SwiGLU, no biases, an untied output head."""
    layers, d, heads, ff, vocabulary, context = 2, 32, 4, 48, 61, 20
    kv_heads, theta = 2, 10000

    def shapes(self):
        keys = self.kv_heads * self.d // self.heads
        found = {"wte.weight": (self.vocabulary, self.d), "lm_head.weight": (self.vocabulary, self.d), "ln_f.weight": (self.d,)}
        for layer in range(self.layers):
            h = f"h.{layer}."
            found[h + "ln_1.weight"] = found[h + "ln_2.weight"] = (self.d,)
            for name, i, o in (("attn.q_proj", self.d, self.d), ("attn.k_proj", self.d, keys), ("attn.v_proj", self.d, keys),
                               ("attn.c_proj", self.d, self.d), ("mlp.c_gate", self.d, self.ff), ("mlp.c_fc", self.d, self.ff),
                               ("mlp.c_proj", self.ff, self.d)):
                found[h + name + ".weight"] = (i, o)
        return found

    def embed(self, w, tokens):
        return w["wte.weight"][tokens]

    def norm(self, w, name, x):
        return x / torch.sqrt((x * x).mean(dim=-1, keepdim=True) + 1e-5) * w[name + ".weight"]

    def linear(self, w, name, x):
        return x @ w[name + ".weight"]

    def rotate(self, x):
        size = x.shape[3]
        frequencies = self.theta ** (-torch.arange(0, size, 2, dtype=torch.float64) / size)
        angles = torch.arange(x.shape[2], dtype=torch.float64)[:, None] * frequencies
        a, b = x[..., 0::2], x[..., 1::2]
        return torch.stack((a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()), dim=-1).reshape(x.shape)

    def qkv(self, w, h, x):
        q = self.rotate(self.heads_of(self.linear(w, h + "attn.q_proj", x), self.heads))
        k = self.rotate(self.heads_of(self.linear(w, h + "attn.k_proj", x), self.kv_heads))
        v = self.heads_of(self.linear(w, h + "attn.v_proj", x), self.kv_heads)
        group = self.heads // self.kv_heads
        return q, k.repeat_interleave(group, dim=1), v.repeat_interleave(group, dim=1)

    def mlp(self, w, h, x):
        return self.linear(w, h + "mlp.c_proj", F.silu(self.linear(w, h + "mlp.c_gate", x)) * self.linear(w, h + "mlp.c_fc", x))

    def head(self, w):
        return w["lm_head.weight"]


def formula_weights(model):
    weights = {}
    for tensor, (name, shape) in enumerate(sorted(model.shapes().items())):
        centre = 1.0 if "ln_" in name and name.endswith(".weight") else 0.0
        values = [centre + 0.2 * ((i * i + 31 * i + 17 * tensor) % 10007 / 10007 - 0.5) for i in range(math.prod(shape))]
        weights[name] = torch.tensor(values, dtype=torch.float64).reshape(shape).requires_grad_()
    return weights


def logits(model, w, tokens):
    x = model.embed(w, tokens)
    future = torch.ones(SEQUENCE, SEQUENCE, dtype=torch.bool).triu(1)
    for layer in range(model.layers):
        h = f"h.{layer}."
        q, k, v = model.qkv(w, h, model.norm(w, h + "ln_1", x))
        scores = (q @ k.transpose(2, 3) / math.sqrt(model.d // model.heads)).masked_fill(future, -math.inf)
        attention = (scores.softmax(dim=3) @ v).transpose(1, 2).reshape(x.shape)
        x = x + model.linear(w, h + "attn.c_proj", attention)
        x = x + model.mlp(w, h, model.norm(w, h + "ln_2", x))
    return model.norm(w, "ln_f", x) @ model.head(w).T


def train(model):
    """Yields the number, the loss and the gradients' norm of each step."""
    weights = formula_weights(model)
    count = BATCH * SEQUENCE
    tokens = torch.tensor([(3 * n * n + 13 * n + 5) % model.vocabulary for n in range(count)]).reshape(BATCH, SEQUENCE)
    targets = torch.tensor([(5 * n * n + 7 * n + 2) % model.vocabulary for n in range(count)])
    optimizer = torch.optim.AdamW(weights.values(), **ADAMW)
    for step in range(1, STEPS + 1):
        optimizer.zero_grad()
        loss = F.cross_entropy(logits(model, weights, tokens).reshape(count, model.vocabulary), targets)
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(weights.values(), CLIP)
        optimizer.step()
        yield step, loss.item(), norm.item()


def rows():
    return [(name, *row) for name, model in (("gpt2", Gpt2()), ("llama", Llama())) for row in train(model)]


def check(path):
    with open(path) as file:
        before = [line.strip().split(",") for line in file if not line.startswith("#")][1:]
    now = rows()
    assert [row[:2] for row in before] == [[row[0], str(row[1])] for row in now], "the rows are not those of the file"
    for old, new in zip(before, now):
        for a, b in zip(map(float, old[2:]), new[2:]):
            assert abs(a / b - 1) < 1e-9, (old, new)


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--check":
        check(sys.argv[2])
    else:
        print(f"# written by golden_steps.py with PyTorch {torch.__version__}")
        print("model,step,loss,norm")
        for name, step, loss, norm in rows():
            print(f"{name},{step},{loss:.17g},{norm:.17g}")
