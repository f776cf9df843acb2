#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""torch_gpu.py [--beside FOLDER]   times PyTorch's backward pass of GPT-2-large on a GPU, layer by layer: in fp32, in TF32, and in bf16 with torch.autocast.

Dimensions, batch and sequence are those of inputs/gpt2-large-gpu-*.toml. Events of the device measure the times, and medians are printed. With FOLDER, the
times of `ddproxy layers` are printed beside them. They are read from FOLDER/layers-PRECISION.layers.csv, which scripts/gpu-check writes.
"""
import argparse
import csv
import pathlib
import statistics

import torch
import torch.nn.functional as F
from torch_worker import Slice


def event():
    mark = torch.cuda.Event(enable_timing=True)
    mark.record()
    return mark


def mark_gradient(marks, name):
    """Returns a forward hook that records when the gradient of the module's output is ready. At that time the backward pass of layer `name` ends."""
    return lambda module, inputs, output: output.register_hook(lambda gradient: marks.append((name, event()))) and None


def hook_up(model, marks):
    model.wte.register_forward_hook(mark_gradient(marks, "h.0"))
    model.ln_f.register_forward_hook(mark_gradient(marks, "lm_head"))
    for i, block in enumerate(model.blocks):
        behind = f"h.{i + 1}" if i + 1 < len(model.blocks) else "ln_f"
        block.register_forward_hook(mark_gradient(marks, behind))


def backward(model, tokens, targets, marks, bf16):
    """Returns the milliseconds of each layer, and of the whole pass under the name "sum"."""
    model.zero_grad(set_to_none=True)
    with torch.autocast("cuda", torch.bfloat16, enabled=bf16):
        loss = F.cross_entropy(model(tokens).flatten(0, 1), targets.flatten())
    torch.cuda.synchronize()
    marks.clear()
    start = event()
    loss.backward()
    end = event()
    torch.cuda.synchronize()
    times, before = {}, start
    for name, mark in [*marks, ("embedding", end)]:
        times[name], before = before.elapsed_time(mark), mark
    return times | {"sum": start.elapsed_time(end)}


def measure(arguments, precision):
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = precision != "fp32"
    torch.manual_seed(1)
    model = Slice(arguments.layers, arguments.vocabulary)
    tokens, targets = torch.randint(arguments.vocabulary, (2, arguments.batch, arguments.sequence))
    marks = []
    hook_up(model, marks)
    passes = [backward(model, tokens, targets, marks, precision == "bf16") for _ in range(arguments.samples + 2)][2:]
    return {layer: statistics.median(times[layer] for times in passes) for layer in passes[0]}


def read_ours(folder, precision):
    if folder is None:
        return {}
    with open(folder / f"layers-{precision}.layers.csv", encoding="utf-8") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        ours = {row["layer"]: 1e3 * float(row["seconds"]) for row in rows}
    return ours | {"sum": sum(ours.values())}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--beside", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--layers", type=int, default=36)
    parser.add_argument("--vocabulary", type=int, default=50257)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--sequence", type=int, default=1024)
    parser.add_argument("--samples", type=int, default=10)
    arguments = parser.parse_args()
    torch.set_default_device("cuda")
    print(f"# PyTorch {torch.__version__}, CUDA {torch.version.cuda}, {torch.cuda.get_device_name()}")
    for precision in ("fp32", "tf32", "bf16"):
        theirs, ours = measure(arguments, precision), read_ours(arguments.beside, precision)
        print(f"\n| {precision} layer | ddproxy ms | PyTorch ms | ratio |\n|---|---|---|---|")
        for layer, milliseconds in theirs.items():
            mine = ours.get(layer, float("nan"))
            print(f"| {layer} | {mine:.3f} | {milliseconds:.3f} | {mine / milliseconds:.2f} |")


if __name__ == "__main__":
    main()
