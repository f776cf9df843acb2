# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Makes a GPT-2 with the dimensions that the caller gives. The head uses the token embedding as its weight."""
import math

import torch
import torch.nn.functional as F
from torch import nn

# The options that set the sizes of the model and of a batch, and their meaning.
OPTIONS = {"layers": "number of layers of the GPT-2", "d-model": "dimension of the activations of the GPT-2", "heads": "number of attention heads of each layer",
           "vocabulary": "size of the vocabulary of the GPT-2", "context": "longest sequence that the GPT-2 accepts, in tokens", "batch": "number of sequences of each rank",
           "sequence": "number of tokens of each sequence"}


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.attention_out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp_in, self.mlp_out = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def attend(self, x):
        batch, sequence, width = x.shape
        q, k, v = (part.view(batch, sequence, self.heads, width // self.heads).transpose(1, 2)
                   for part in self.qkv(x).split(width, dim=2))
        if hasattr(F, "scaled_dot_product_attention"):
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            future = torch.ones(sequence, sequence, dtype=torch.bool, device=x.device).triu(1)
            y = (q @ k.transpose(2, 3) / math.sqrt(width // self.heads)).masked_fill(future, -math.inf).softmax(dim=3) @ v
        return self.attention_out(y.transpose(1, 2).reshape(batch, sequence, width))

    def forward(self, x):
        x = x + self.attend(self.ln_1(x))
        return x + self.mlp_out(F.gelu(self.mlp_in(self.ln_2(x)), approximate="tanh"))


class GPT2(nn.Module):
    def __init__(self, layers, width, heads, vocabulary, context):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocabulary, width), nn.Embedding(context, width)
        self.h = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.ln_f = nn.LayerNorm(width)

    def forward(self, tokens):
        x = self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1], device=tokens.device))
        for block in self.h:
            x = block(x)
        return F.linear(self.ln_f(x), self.wte.weight)


def make(options, device):
    """Returns (model, loss) for the options of record-torch.py. The loss uses one batch of random tokens."""
    model = GPT2(options.layers, options.d_model, options.heads, options.vocabulary, options.context).to(device)
    tokens, targets = torch.randint(options.vocabulary, (2, options.batch, options.sequence), device=device)

    def loss(net):
        return F.cross_entropy(net(tokens).flatten(0, 1), targets.flatten())

    return model, loss
