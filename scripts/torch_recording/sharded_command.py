# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""record-sharded-torch.py: trains a GPT-2 on the CPU with Gloo, in two ways: with FSDP2, and with DDP and ZeroRedundancyOptimizer. For each way it records the
collectives that are really called, predicts the step, and measures it. torch_recording/sharded.py says how the prediction is computed. Writes
DIR/sharded.json and prints a table. Needs torch 2.6 or later, and ddproxy-model for zero1. Exit codes: 0 success; 2 wrong usage; 4 run-time
failure, or the disk is full."""
from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import torch
import torch.distributed as dist

from . import command, gpt2, ranks, sharded
from .ends import exit_code_of
from .files import write_text

PROGRAM = Path(sys.argv[0]).name


def methods(text):
    chosen = text.split(",")
    unknown = [name for name in chosen if name not in sharded.METHODS]
    if unknown:
        raise argparse.ArgumentTypeError(f"{unknown[0]} is unknown; choose from {', '.join(sharded.METHODS)}")
    return chosen


def arguments():
    parser = argparse.ArgumentParser(prog=PROGRAM, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    count = command.positive(int)
    for name, value in {"layers": 4, "d-model": 384, "heads": 6, "vocabulary": 4096, "context": 1024, "batch": 3, "sequence": 128}.items():
        parser.add_argument(f"--{name}", type=count, default=value, metavar="N", help=f"{gpt2.OPTIONS[name]}; default {value}")
    parser.add_argument("--methods", type=methods, default=list(sharded.METHODS), metavar="M,M", help="methods to measure; default: fsdp2,zero1")
    parser.add_argument("--ranks", type=count, default=2, metavar="N", help="ranks on this machine; default 2")
    parser.add_argument("--passes", type=count, default=7, metavar="N", help="samples of each measurement that the prediction uses; default 7")
    parser.add_argument("--samples", type=count, default=9, metavar="N", help="steps that are measured; default 9")
    parser.add_argument("--model-program", default="ddproxy-model", metavar="PROGRAM", help="ddproxy-model, which predicts the backward pass of DDP")
    parser.add_argument("-o", "--output", type=Path, default=Path("recording"), metavar="DIR", help="folder for the results; default: recording")
    options = parser.parse_args()
    if options.ranks < 2:
        parser.error("--ranks must be at least 2")
    if options.d_model % options.heads or options.sequence > options.context:
        parser.error("--d-model must be a multiple of --heads, and --sequence at most --context")
    return options


def exposed_of_ddp(options, model, loss):
    """Records the backward pass as record-torch.py does, and returns the predicted E with DDP's default buckets, in seconds, on all ranks."""
    options.bucket_view = False
    _, text = command.record_tables(options, model, loss, torch.device("cpu"))
    found, problem = predicted_exposed(options, text) if text else (None, "")
    for what in ranks.gather(problem):
        if what:
            raise ranks.UsageError(what)
    return next(each for each in ranks.gather(found) if each is not None)


def predicted_exposed(options, text):
    """Runs the command `text` with --model-program. Returns (E, ""), where E is predicted with DDP's default buckets, in seconds. Returns
    (None, text) if the program fails; the text is one line that says what went wrong."""
    file = options.output / "prediction.json"
    try:
        done = subprocess.run([options.model_program, *shlex.split(text)[1:], "--json", str(file)], capture_output=True, text=True)
    except OSError as error:
        return None, f"--model-program {options.model_program}: {error.strerror}"
    if done.returncode != 0:
        return None, f"--model-program {options.model_program}: {' '.join(done.stderr.split())}"
    found = json.loads(file.read_text(encoding="utf-8"))
    return found["pytorch"]["default_s"] - found["t_compute_s"], ""


def row(found, parameters):
    moved = f"{found['link_bytes'] / (4 * parameters):.2f}" if found["link_bytes"] is not None else "unknown"
    verbs = ", ".join(f"{calls} {verb} ({total / 1e6:.1f} MB)" for verb, (calls, total) in found["verbs"].items())
    return (f"| {found['method']} | {verbs} | {moved} | {1e3 * found['alone_s']:.1f} | {1e3 * found['measured_s']:.1f} "
            f"| {1e3 * found['low_s']:.1f} to {1e3 * found['high_s']:.1f} | {1e3 * found['predicted_s']:.1f} "
            f"| {found['predicted_s'] / found['measured_s'] - 1:+.1%} |")


def record(options):
    device = ranks.join("gloo")
    found = []
    for name in options.methods:
        torch.manual_seed(1)
        model, loss = gpt2.make(options, device)
        parameters = sum(each.numel() for each in model.parameters())
        ranks.say(f"{name} ...")
        exposed_s = exposed_of_ddp(options, model, loss) if name == "zero1" else 0.0
        found.append(sharded.measure(sharded.METHODS[name](model), loss, options, exposed_s))
    if ranks.is_first():
        write_text(options.output / "sharded.json", json.dumps({"torch": torch.__version__, "ranks": options.ranks, "parameters": parameters, "methods": found}))
        print("| method | calls of a step (full sizes) | bytes on the link / 4 Ψ | alone ms | T ms | 95 % | predicted ms | error |\n" + "|---" * 8 + "|")
        print("\n".join(row(each, parameters) for each in found), flush=True)
    dist.destroy_process_group()


def start() -> int:
    options = arguments()
    if "RANK" not in os.environ:
        return ranks.start_here(options.ranks)
    options.output.mkdir(parents=True, exist_ok=True)
    record(options)
    return 0


def run() -> int:
    """Reads the command line, starts the ranks, and records. Returns the exit code."""
    return exit_code_of(start)
