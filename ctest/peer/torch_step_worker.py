# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""torch_step_worker.py THREADS eager|compile MODEL: runs whole steps of one sequence in PyTorch, with the model that step_worker describes.

MODEL is the JSON object of step_worker's first line. First prints a JSON object with PyTorch's version and the number of parameters. For each line on
standard input, runs forward, backward and AdamW. Prints the elapsed seconds of these three phases, their processor seconds, and the loss. With
`compile`, torch.compile compiles the forward and the backward pass. Both ways use the fused AdamW, which is PyTorch's fastest.
"""
import json
import math
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, m):
        super().__init__()
        self.heads, self.kv_heads, self.size, self.llama = m["heads"], m["kv_heads"], m["d"] // m["heads"], m["llama"]
        keys, bias = self.kv_heads * self.size, not m["llama"]
        if self.llama:
            self.q_proj, self.k_proj, self.v_proj = (nn.Linear(m["d"], out, bias=False) for out in (m["d"], keys, keys))
        else:
            self.c_attn = nn.Linear(m["d"], 3 * m["d"])
        self.c_proj = nn.Linear(m["d"], m["d"], bias=bias)

    def parts(self, x):
        return (self.q_proj(x), self.k_proj(x), self.v_proj(x)) if self.llama else self.c_attn(x).chunk(3, dim=2)

    def forward(self, x, rotation):
        q, k, v = (part.view(*x.shape[:2], -1, self.size).transpose(1, 2) for part in self.parts(x))
        if self.llama:
            group = self.heads // self.kv_heads
            q, k = rotate(q, *rotation), rotate(k, *rotation)
            k, v = (part.repeat_interleave(group, dim=1) for part in (k, v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.c_proj(y.transpose(1, 2).reshape(x.shape))


def rotate(x, cosine, sine):
    """Rotates pairs of features. A pair has one feature of each half of a head, as in most implementations of Llama."""
    a, b = x.chunk(2, dim=3)
    return x * cosine + torch.cat((-b, a), dim=3) * sine


class FeedForward(nn.Module):
    def __init__(self, m):
        super().__init__()
        self.llama = m["llama"]
        self.c_fc, self.c_proj = nn.Linear(m["d"], m["ff"], bias=not self.llama), nn.Linear(m["ff"], m["d"], bias=not self.llama)
        if self.llama:
            self.c_gate = nn.Linear(m["d"], m["ff"], bias=False)

    def forward(self, x):
        if self.llama:
            return self.c_proj(F.silu(self.c_gate(x)) * self.c_fc(x))
        return self.c_proj(F.gelu(self.c_fc(x), approximate="tanh"))


def norm(m):
    return nn.RMSNorm(m["d"], eps=1e-5) if m["llama"] else nn.LayerNorm(m["d"])


class Block(nn.Module):
    def __init__(self, m):
        super().__init__()
        self.ln_1, self.ln_2, self.attn, self.mlp = norm(m), norm(m), Attention(m), FeedForward(m)

    def forward(self, x, rotation):
        x = x + self.attn(self.ln_1(x), rotation)
        return x + self.mlp(self.ln_2(x))


class Model(nn.Module):
    """GPT-2 or Llama. Calling it returns the mean loss of the tokens of a sequence."""

    def __init__(self, m):
        super().__init__()
        self.wte = nn.Embedding(m["vocabulary"], m["d"])
        self.wpe = None if m["llama"] else nn.Embedding(m["context"], m["d"])
        self.blocks, self.ln_f = nn.ModuleList(Block(m) for _ in range(m["layers"])), norm(m)
        self.head = nn.Linear(m["d"], m["vocabulary"], bias=False)
        if m["tied"]:
            self.head.weight = self.wte.weight
        size = m["d"] // m["heads"]
        angles = torch.arange(m["tokens"])[:, None] * m["theta"] ** (-torch.arange(0, size, 2) / size)
        self.rotation = tuple(torch.cat((f(angles), f(angles)), dim=1) for f in (torch.cos, torch.sin))
        self.positions = torch.arange(m["tokens"])
        for name, weight in self.named_parameters():
            if weight.dim() > 1:
                nn.init.normal_(weight, std=0.02)
            elif name.endswith("bias"):
                nn.init.zeros_(weight)

    def forward(self, tokens, targets):
        x = self.wte(tokens)
        if self.wpe is not None:
            x = x + self.wpe(self.positions)
        for block in self.blocks:
            x = block(x, self.rotation)
        return F.cross_entropy(self.head(self.ln_f(x)).flatten(0, 1), targets.flatten())


def step(model, optimizer, tokens, targets):
    """Runs one step. Returns its loss, and the elapsed and the processor clock at the start and after each phase."""
    moments = [(time.perf_counter(), time.process_time())]

    def done():
        moments.append((time.perf_counter(), time.process_time()))
    loss = model(tokens, targets)
    done()
    loss.backward()
    done()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    done()
    return loss, moments


def main():
    threads, way, m = int(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3])
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    model = Model(m)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    parameters = sum(weight.numel() for weight in model.parameters())
    tokens, targets = torch.randint(m["vocabulary"], (2, 1, m["tokens"]))
    run = torch.compile(model, dynamic=False) if way == "compile" else model
    print(json.dumps({"torch": torch.__version__, "parameters": parameters}), flush=True)
    for _ in sys.stdin:
        loss, moments = step(run, optimizer, tokens, targets)
        times = [[after[clock] - before[clock] for before, after in zip(moments, moments[1:])] for clock in (0, 1)]
        assert math.isfinite(loss.item())
        print(*times[0], *times[1], loss.item(), flush=True)


if __name__ == "__main__":
    main()
