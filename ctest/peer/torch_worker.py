# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""torch_worker.py THREADS LAYERS VOCABULARY TOKENS [DEVICE PRECISION [BATCH [MODE]]]: times backward passes in PyTorch.

The model is GPT-2-large with LAYERS layers and VOCABULARY tokens in its vocabulary. DEVICE is cpu (the default) or cuda. PRECISION is fp32 (the default),
tf32 or bf16 (torch.autocast). BATCH is the number of sequences of TOKENS tokens (default 1). MODE is eager (the default) or compile: torch.compile compiles
each block, and the head with the loss. First prints PyTorch's version. Then, for each line on standard input, runs a forward and a backward pass, and prints
the elapsed and the processor seconds of the backward pass.
"""
import math
import sys
import time

import torch
import torch.nn.functional as F

D, HEADS, FF, CONTEXT = 1280, 20, 5120, 1024


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.ln_1, self.ln_2 = torch.nn.LayerNorm(D), torch.nn.LayerNorm(D)
        self.c_attn, self.attn_proj = torch.nn.Linear(D, 3 * D), torch.nn.Linear(D, D)
        self.c_fc, self.mlp_proj = torch.nn.Linear(D, FF), torch.nn.Linear(FF, D)

    def attend(self, x):
        batch, sequence, _ = x.shape
        q, k, v = (part.view(batch, sequence, HEADS, D // HEADS).transpose(1, 2)
                   for part in self.c_attn(x).split(D, dim=2))
        if hasattr(F, "scaled_dot_product_attention"):
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            future = torch.ones(sequence, sequence, dtype=torch.bool).triu(1)
            scores = (q @ k.transpose(2, 3) / math.sqrt(D // HEADS)).masked_fill(future, -math.inf)
            y = scores.softmax(dim=3) @ v
        return self.attn_proj(y.transpose(1, 2).reshape(batch, sequence, D))

    def forward(self, x):
        x = x + self.attend(self.ln_1(x))
        return x + self.mlp_proj(F.gelu(self.c_fc(self.ln_2(x)), approximate="tanh"))


class Slice(torch.nn.Module):
    def __init__(self, layers, vocabulary):
        super().__init__()
        self.wte, self.wpe = torch.nn.Embedding(vocabulary, D), torch.nn.Embedding(CONTEXT, D)
        self.blocks = torch.nn.ModuleList(Block() for _ in range(layers))
        self.ln_f = torch.nn.LayerNorm(D)

    def before_head(self, tokens):
        x = self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.ln_f(x)

    def forward(self, tokens):
        return F.linear(self.before_head(tokens), self.wte.weight)


def head_loss(x, weight, targets):
    return F.cross_entropy(F.linear(x, weight).flatten(0, 1), targets.flatten())


def main():
    threads, layers, vocabulary, count = map(int, sys.argv[1:5])
    device, precision = sys.argv[5:7] or ("cpu", "fp32")
    batch, mode = int((sys.argv[7:8] or ["1"])[0]), (sys.argv[8:9] or ["eager"])[0]
    torch.set_num_threads(threads)
    if device != "cpu":
        torch.set_default_device(device)
        torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
    wait = torch.cuda.synchronize if device != "cpu" else lambda: None
    torch.manual_seed(1)
    model = Slice(layers, vocabulary)
    head = head_loss
    if mode == "compile":
        head = torch.compile(head_loss)
        for block in model.blocks:
            block.compile()  # all blocks share the compiled code
    tokens, targets = torch.randint(vocabulary, (2, batch, count))
    print(torch.__version__ + (" compiled" if mode == "compile" else ""), flush=True)
    for _ in sys.stdin:
        model.zero_grad(set_to_none=True)
        with torch.autocast(device, torch.bfloat16, enabled=precision == "bf16"):
            loss = head(model.before_head(tokens), model.wte.weight, targets)
        wait()
        start, processor_start = time.perf_counter(), time.process_time()
        loss.backward()
        wait()
        print(time.perf_counter() - start, time.process_time() - processor_start, flush=True)


if __name__ == "__main__":
    main()
