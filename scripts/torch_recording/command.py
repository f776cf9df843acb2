# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""record-torch.py [MODULE:FUNCTION]: records what `ddproxy predict` needs to know about a PyTorch model on this machine.

Writes the tables gradients.csv, allreduce.csv and contention.csv to DIR, and prints the command that predicts from them. Start it with
--ranks N, or with torchrun. FUNCTION() returns (model, loss). loss(net) runs the forward pass through net and returns the loss; net is
the model, or DDP around the model. Without MODULE:FUNCTION the model is a GPT-2. Needs torch; with --sweep also h5py.
Exit codes: 0 success; 2 wrong usage or model; 4 run-time failure, or the disk is full."""
from __future__ import annotations

import argparse
import importlib
import os
import statistics
import sys
from pathlib import Path

import torch
import torch.distributed as dist

from . import contention, gpt2, gradients, network, ranks, reuse, speeds, sweep
from .ends import exit_code_of
from .files import write_csv

PROGRAM = Path(sys.argv[0]).name  # record-torch.py, or record-torch if pip installed it


def positive(kind):
    def parse(text):
        value = kind(text)
        if not 0 < value < float("inf"):
            raise ValueError(text)
        return value
    parse.__name__ = "positive " + kind.__name__
    return parse


def mib_list(text):
    return [positive(float)(part) for part in text.split(",")]


mib_list.__name__ = "list of MiB"


def arguments():
    parser = argparse.ArgumentParser(prog=PROGRAM, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", metavar="MODULE:FUNCTION", help="function that makes the model; default: a GPT-2 with the sizes below")
    for name, value in {"layers": 12, "d-model": 768, "heads": 12, "vocabulary": 50257, "context": 1024, "batch": 1, "sequence": 128}.items():
        parser.add_argument(f"--{name}", type=positive(int), default=value, metavar="N", help=f"{gpt2.OPTIONS[name]}; default {value}")
    parser.add_argument("--ranks", type=positive(int), metavar="N", help="start this many ranks on this machine (default 2); not with torchrun")
    parser.add_argument("--backend", choices=("gloo", "nccl"), default="nccl" if torch.cuda.is_available() else "gloo",
                        help="backend of torch.distributed; default: nccl with a GPU, else gloo")
    parser.add_argument("-o", "--output", type=Path, default=Path("recording"), metavar="DIR", help="folder for the tables; default: recording")
    parser.add_argument("--passes", type=positive(int), default=15, metavar="N", help="number of samples of which the median is taken; default 15")
    parser.add_argument("--reuse", action="store_true", help="with --sweep: keep the tables that are in DIR, and only run the sweep")
    parser.add_argument("--sweep", action="store_true", help="also measure DDP with its default bucket sizes, --caps and --list")
    parser.add_argument("--caps", type=mib_list, default=[1, 4, 10, 25, 50, 100], metavar="M,M", help="with --sweep: values of bucket_cap_mb to measure; default 1,4,10,25,50,100")
    parser.add_argument("--list", type=mib_list, action="append", default=[], metavar="M,M", help="with --sweep: a bucket_cap_mb_list to measure; may be repeated")
    parser.add_argument("--samples", type=positive(int), default=15, metavar="N", help="with --sweep: samples of each case; default 15")
    parser.add_argument("--beside", type=Path, metavar="RESULTS.h5", help="with --sweep: also write DIR/beside.h5, which is this results file of ddproxy with the cases of DDP added")
    parser.add_argument("--bucket-view", action="store_true", help="use gradient_as_bucket_view of DDP")
    options = parser.parse_args()
    if options.ranks and "RANK" in os.environ and "DDPROXY_STARTED" not in os.environ:
        raise ranks.UsageError("--ranks: torchrun has already started the ranks; leave out --ranks")
    if options.d_model % options.heads or options.sequence > options.context:
        raise ranks.UsageError("--d-model must be a multiple of --heads, and --sequence at most --context")
    if options.beside and not options.sweep:
        raise ranks.UsageError(f"--beside {options.beside}: use it only with --sweep")
    if options.reuse and not (options.sweep and (options.output / "gradients.csv").is_file()):
        raise ranks.UsageError(f"--reuse: needs --sweep, and {options.output / 'gradients.csv'} of the same model")
    if options.model and not all(options.model.partition(":")):
        raise ranks.UsageError(f"{options.model}: expected MODULE:FUNCTION, for instance train:make_model")
    return options


def make_model(options, device):
    torch.manual_seed(1)
    if not options.model:
        return gpt2.make(options, device)
    module, _, function = options.model.partition(":")
    sys.path.insert(0, os.getcwd())
    made, problem = None, ""
    try:
        made = getattr(importlib.import_module(module), function)()
    except Exception as error:  # the user's module may raise anything
        problem = f"{type(error).__name__}: {' '.join(str(error).split())}"
    if not problem and not (isinstance(made, tuple) and len(made) == 2 and isinstance(made[0], torch.nn.Module) and callable(made[1])):
        problem = "must return (model, loss), a torch.nn.Module and a function of it"
    for rank, text in enumerate(ranks.gather(problem)):
        if text:
            raise ranks.UsageError(f"{options.model}, on rank {rank}: {text}")
    return made


def record(options, model, loss, device):
    """Writes the three tables, prints the command that predicts from them, and returns the rows of gradients.csv."""
    rows, text = record_tables(options, model, loss, device)
    if text:
        print(text, flush=True)
    return rows


def record_tables(options, model, loss, device):
    """Writes the three tables. Returns two values: the rows of gradients.csv, and the command that predicts from the tables. On ranks other than
    the first the second value is None."""
    ranks.say("gradients ...")
    rows = gradients.record(model, loss, device, options.passes)
    sizes = [4 * numel for _, numel, _ in rows if numel > 0]
    ranks.say("all-reduce ...")
    beside_sizes = speeds.sizes(min(sizes), sum(sizes))
    table = network.table(network.sizes(sum(sizes), beside_sizes), device, options.passes)
    ranks.say("compute beside all-reduces ...")
    beside = contention.measure(model, beside_sizes, table, device, options.passes)
    bandwidth = network.copy_bandwidth(sum(sizes), device, options.passes)
    if not ranks.is_first():
        return rows, None
    for size, kappa, gamma in beside:
        ranks.say(f"  {size / network.MIB:.3g} MiB: kappa {kappa:.2f}, gamma {gamma:.2f}" + (
            "; compute or the all-reduce made no progress while both ran, so the smaller of the two values is an upper limit" if min(kappa, gamma) <= speeds.SLOWEST_TOLD else ""))
    tables = [options.output / f"{name}.csv" for name in ("gradients", "allreduce", "contention")]
    write_csv(tables[0], "name,numel,seconds", rows)
    write_csv(tables[1], "ranks,bytes,seconds", [(dist.get_world_size(), size, statistics.median(seconds)) for size, seconds in table])
    write_csv(tables[2], "bytes,kappa,gamma", beside)
    copies = "in" if options.bucket_view else "in+out"
    return rows, (f"ddproxy predict --gradients {tables[0]} --allreduce {tables[1]} --contention {tables[2]} "
                  f"--copies {copies} --copy-bandwidth {bandwidth / 1e9:.3g} --pytorch")


def run_sweep(options, model, loss, device, rows):
    from . import beside, sweep_file
    cases = sweep.make_cases(options.caps, options.list)
    ranks.say(f"DDP: {len(cases)} cases ...")
    sweep.sweep(model, loss, device, options, cases)
    if not ranks.is_first():
        return
    about = {"model": options.model or "gpt2", "ranks": dist.get_world_size(), "backend": options.backend,
             "device": torch.cuda.get_device_name() if device.type == "cuda" else "host"}
    sweep_file.write(options.output / "sweep.h5", cases, [row for row in rows if row[1] > 0], about)
    if options.beside:
        beside.write(options.beside, options.output / "sweep.h5", options.output / "beside.h5")
    sweep_file.write_curve(options.output / "curve.csv", cases, sweep.FIRST_IS_CAP)
    print(f"# the sweep is in {options.output / 'sweep.h5'}; to compare it with the prediction, add to the command ddproxy predict: --measured {options.output / 'curve.csv'}"
          + ("" if sweep.FIRST_IS_CAP else " --first-bucket 1"))
    print(sweep_file.table(cases), flush=True)


def check_beside(options, model):
    """Rejects a results file whose run had another number of ranks, or whose model has another number of parameters. The report compares the
    cases of this file with those of DDP, so both must have the same model."""
    from . import beside
    theirs, elements = beside.check(options.beside)
    if theirs != dist.get_world_size():
        raise ranks.UsageError(f"--beside {options.beside}: start this program with {theirs} ranks, as many as the run in this file had, not with {dist.get_world_size()}")
    ours = sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad)
    if ours != elements:
        raise ranks.UsageError(f"--beside {options.beside}: the model of this file has {elements} parameters, but the model that DDP runs has {ours}; give a file of the same model")


def record_and_sweep(options):
    device = ranks.join(options.backend)
    if dist.get_world_size() == 1:
        ranks.say("warning: one rank has nothing to reduce; start two or more with --ranks N or torchrun")
    model, loss = make_model(options, device)
    if options.beside:
        check_beside(options, model)
    rows = reuse.gradients_of(options.output, model) if options.reuse else record(options, model, loss, device)
    if options.sweep:
        run_sweep(options, model, loss, device, rows)
    dist.destroy_process_group()


def start() -> int:
    options = arguments()
    if options.sweep:
        importlib.import_module("h5py")
    if "RANK" not in os.environ:
        os.environ["DDPROXY_STARTED"] = "1"
        return ranks.start_here(options.ranks or 2)
    options.output.mkdir(parents=True, exist_ok=True)
    record_and_sweep(options)
    return 0


def run() -> int:
    """Reads the command line, starts the ranks if no launcher did, records the model, and prints the command for `predict`. Returns the exit code."""
    return exit_code_of(start)
