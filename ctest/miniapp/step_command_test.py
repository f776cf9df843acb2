# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""step_command_test.py DDPROXY INPUT MPIEXEC...: runs `ddproxy step` on 1 and 2 ranks with tiny models, and with wrong input.

Compares the output of two ranks, without its numbers, with the one in docs/input.md."""
import difflib
import json
import os
import re
import subprocess
import sys
import tempfile

import h5py
import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts"))
from torch_recording.median_interval import median_interval  # noqa: E402

ddproxy, tiny, *mpiexec = sys.argv[1:]
DOCUMENT = os.path.join(os.path.dirname(os.path.abspath(tiny)), "..", "docs", "input.md")
LLAMA = """[model]
layers = 2
d_model = 32
heads = 4
kv_heads = 2
d_ff = 48
vocabulary = 61
context = 16
tied = false
biases = false
activation = "swiglu"
norm = "rmsnorm"
positions = "rope"
qkv = "separate"
[step]
batch = 2
SETTINGS
[allreduce]
backend = "mpi"
[sweep]
caps_mib = [0.01]
samples = 3
[machine]
peak_flops = 1e10
peak_flops_fp32 = 2e10
"""
SUMMED = ["forward", "recompute", "backward", "clip", "update", "copies", "waiting"]  # the parts that add up to the step
PARTS = [*SUMMED, "step", "exposed"]


def write(name, text):
    with open(name, "w") as file:
        file.write(text)
    return name


def start(ranks, *arguments):
    done = subprocess.run([*mpiexec, "-n", str(ranks), ddproxy, "step", "--kokkos-num-threads", "1", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, (arguments, done.returncode, done.stdout, done.stderr)
    return done.stdout


def refused(part, *arguments):
    done = subprocess.run([ddproxy, "step", *arguments], capture_output=True, text=True)
    assert done.returncode == 2 and part in done.stderr and len(done.stderr.splitlines()) == 1, (arguments, done.returncode, done.stderr)


def figures_of(text):
    line = text.strip().splitlines()[-1]
    assert line.startswith("DDPROXY_STEP_FOM "), text
    return dict(field.split("=") for field in line.split()[1:])


def check_plan(file):
    """Checks that every gradient is in exactly one bucket, and returns the number of buckets."""
    plans, sizes = file["plans"], 4 * file["model/numel"][:]
    assert plans["first"][:].tolist() == [0] and plans["count"][0] == plans["bytes"].size == plans["last_gradient"].size, dict(plans)
    ends = [0, *np.cumsum(sizes)[plans["last_gradient"][:]]]
    assert ends[-1] == sizes.sum() and np.array_equal(plans["bytes"][:], np.diff(ends)), (plans["bytes"][:], ends)
    return plans["bytes"].size


def check_timeline(file, ranks, reductions):
    """Checks that the timeline has the measured times of every task of the last sample on every rank, and the predicted
    times of these tasks. `reductions`: how often a step reduces each bucket."""
    events = {name: file["timeline"][name][:] for name in ("start", "end", "predicted_start", "predicted_end", "event_rank", "phase", "resource", "label")}
    assert file["timeline/count"][:].tolist() == [events["start"].size] and events["start"].size > 0
    mine = [events["event_rank"] == rank for rank in range(ranks)]
    assert all(m.sum() == events["start"].size / ranks for m in mine), [m.sum() for m in mine]
    assert all(((events["resource"] == b"communication") & m).sum() == reductions * check_plan(file) for m in mine)
    measured, predicted = (dict(zip(PARTS, file["step/" + name][:])) for name in ("measured", "predicted"))
    last = {part: samples[-1] for part, samples in measured.items()}
    phases = {"forward": [b"forward"], "recompute": [b"recompute"], "backward": [b"backward"], "clip": [b"norm", b"clip"], "update": [b"update"]}
    sums = [{part: (events["end"] - events["start"])[m & np.isin(events["phase"], names)].sum() for part, names in phases.items()} for m in mine]
    assert any(all(abs(s[part] - last[part]) < 1e-9 for part in phases) for s in sums), (sums, last)  # the rank whose step took longest
    for part, names in phases.items():
        m = mine[0] & np.isin(events["phase"], names)
        assert abs((events["predicted_end"] - events["predicted_start"])[m].sum() - predicted[part]) < 1e-9, part
    assert events["end"].max() <= last["step"] * (1 + 1e-9) and abs(events["predicted_end"].max() - predicted["step"]) < 1e-9
    for lane in (b"compute", b"communication"):
        for m in mine:
            of_lane = np.flatnonzero(m & (events["resource"] == lane))
            assert (events["start"][of_lane[1:]] >= events["end"][of_lane[:-1]] - 1e-9).all(), lane


def check_lanes(file):
    """Checks that the busy time of each lane and the bubble, measured and predicted, are those of the timeline of rank 0."""
    lanes, mine = file["step/lane"][:].tolist(), file["timeline/event_rank"][:] == 0
    assert lanes == [b"compute", b"communication"], lanes
    for prefix in ("", "predicted_"):
        start, end = (file["timeline/" + prefix + name][:][mine] for name in ("start", "end"))
        busy, bubble = file["step/" + prefix + "lane_busy"][:], file["step/" + prefix + "bubble"][()]
        for lane, seconds in zip(lanes, busy, strict=True):
            assert abs((end - start)[file["timeline/resource"][:][mine] == lane].sum() - seconds) < 1e-9, (prefix, lane, seconds)
        assert abs(busy[0] + bubble - end.max()) < 1e-9, (prefix, busy, bubble, end.max())
    predicted = dict(zip(PARTS, file["step/predicted"][:]))
    assert abs(file["step/predicted_bubble"][()] - predicted["waiting"]) < 1e-9, predicted


def check_memory(file, updated):
    memory, parameters = file["memory"], 4 * int(file["model/numel"][:].sum())
    kinds = [kind.decode() for kind in memory["kind"]]
    at_peak, largest = (dict(zip(kinds, memory["kind_" + name][0])) for name in ("at_peak", "peak"))
    peak, allocated = int(memory["live_peak"][0]), int(memory["allocated"][()])
    mine = file["timeline/event_rank"][:] == 0
    assert file["timeline/live_bytes_start"][mine].max() == peak == sum(at_peak.values()) == memory["predicted_peak"][0], (peak, at_peak)
    assert file["timeline/predicted_live_bytes_start"][:].max() == peak
    for name in ("live_bytes_start", "live_bytes_end", "predicted_live_bytes_start", "predicted_live_bytes_end"):
        assert file["timeline/" + name].shape == file["timeline/start"].shape, name
    assert largest["parameter"] == largest["gradient"] == parameters and largest.get("optimizer_state", 0) == 2 * parameters * updated, (largest, parameters)
    assert largest["activation"] > 0 and largest["activation_gradient"] > 0, largest
    assert peak <= allocated < 2 * peak, (peak, allocated)


def check_file(name, samples, tokens):
    """Checks that the datasets agree with each other. Returns {part: seconds of each sample}, the attributes of /step, the global batch in sequences, and the
    loss. `tokens`: those of all ranks in a step."""
    with h5py.File(name) as file:
        assert file.attrs["complete"] == 1 and "sweep" not in file
        step = file["step"]
        assert [part.decode() for part in step["part"]] == PARTS, step["part"][:]
        rows = dict(zip(PARTS, step["measured"][:]))
        assert all(len(row) == samples for row in rows.values())
        assert np.allclose(rows["exposed"], rows["step"] - step["alone"][:], atol=1e-12)
        assert np.allclose(sum(rows[part] for part in SUMMED), rows["step"], rtol=1e-9, atol=0), rows
        assert all((rows[part] >= -1e-9 * rows["step"]).all() for part in SUMMED) and (rows["forward"] > 0).all() and (rows["backward"] > 0).all(), rows
        assert np.allclose(step["median"][:], np.median(step["measured"][:], axis=1), atol=1e-12)
        estimates = [median_interval(row) for row in step["measured"][:]]
        assert np.allclose(estimates, np.column_stack([step[name][:] for name in ("median", "ci_low", "ci_high")]), rtol=1e-9, atol=1e-12), estimates
        assert np.allclose(step["deviation"][:], np.std(step["measured"][:], axis=1, ddof=1), rtol=1e-6, atol=1e-12)
        predicted = dict(zip(PARTS, step["predicted"][:]))
        assert abs(predicted["step"] - sum(predicted[part] for part in SUMMED)) < 1e-9, predicted
        alone = dict(zip(PARTS, step["uncontended"][:]))
        compute = sum(alone[part] for part in ("forward", "recompute", "backward", "clip", "update"))
        assert abs(compute - (alone["step"] - alone["exposed"])) < 1e-9 and alone["step"] <= predicted["step"] * (1 + 1e-9), (alone, predicted)
        kinds = {kind.decode(): seconds for kind, seconds in zip(step["kind"], step["kind_step"])}
        assert abs(kinds["linear"] + kinds["head"] - kinds["matrix products"]) < 1e-12, kinds
        assert abs(step.attrs["step_tokens_per_s"] * np.median(rows["step"]) / tokens - 1) < 1e-6
        assert 0 < step["loss"][()] < 20 and step["verified"][()] == 1
        assert 1e8 < step["measured_peak"][()] < 1e14, step["measured_peak"][()]
        return rows, {key: step.attrs[key] for key in step.attrs}, step["global_batch"][()], float(step["loss"][()])


def shape_of(output):
    """Returns the lines of an output without what differs from run to run: numbers, the name of the results file, the value of `valid`, and the line that says why
    errors are missing."""
    output = re.sub(r"results: \S+|valid=\S+", "", output)
    masked = re.sub(r"(?<![\w.])-?\d[\w.+-]*|(?<=\s)-(?=\s)", "#", output)
    return [" ".join(line.split()) for line in masked.splitlines() if not line.startswith('error: "-"')]


def check_document(output):
    """Checks that docs/input.md shows an output of two ranks with the lines, rows and columns of this output."""
    with open(DOCUMENT) as file:
        shown = re.search(r"^```\n(tiny: compute: (?:.*\n)*?)```$", file.read(), re.MULTILINE)
    assert shown, f"{DOCUMENT} shows no output of `ddproxy step inputs/step-tiny.toml`"
    documented, present = shape_of(shown[1]), shape_of(output[output.index("tiny: compute: "):])
    different = list(difflib.unified_diff(documented, present, DOCUMENT, "present output", lineterm="", n=0))
    assert not different, "\n".join(different)


def check_gpt2(ranks):
    text = start(ranks, tiny, "-o", "g.h5", "--json", "g.json")
    figures = figures_of(text)
    assert figures["valid"] in ("single" if ranks == 1 else "true", "oversubscribed") and figures["verified"] == "true", figures
    rows, attributes, batch, loss = check_file("g.h5", 6, 2 * 32 * ranks)
    with h5py.File("g.h5") as file:
        check_timeline(file, ranks, 1)
        check_lanes(file)
        check_memory(file, updated=True)
    assert batch == 2 * ranks and f"global batch: {2 * ranks} sequences = 1 in a micro-batch x 2 micro-batches x {ranks} rank" in text, text
    assert (rows["clip"] > 0).all() and (rows["update"] > 0).all() and (rows["recompute"] == 0).all()
    assert attributes["optimizer"] == "adamw" and attributes["accumulation"] == 2 and attributes["clip"] == 1, attributes
    assert attributes["piece_mib"] == 16 and attributes["warmup"] >= 0 and attributes["call"] and "priority" not in attributes, attributes
    assert "recompute" not in re.findall(r"^\w+", text, re.M) and "[machine]" not in text, text
    with h5py.File("g.h5") as file:
        share = 100 * file["step/model_flops"][()] / file["step/measured_peak"][()]
    assert re.search(r"^lanes of rank 0 in the last step .*\ncompute .*\ncommunication .*\nbubble ", text, re.M), text
    assert f"{share:.1f} % of the" in text and "that large matrix products reach on each rank" in text, (share, text)
    if ranks == 2:
        check_document(text)
    made = json.load(open("g.json"))
    assert made["fom"]["valid"] == figures["valid"] and made["tables"]["step"]["part"] == PARTS
    assert abs(made["fom"]["step_s"] / float(figures["step_s"]) - 1) < 1e-3
    return loss


def check_llama(ranks):
    settings = 'accumulation = 2\nsync = "each"\ncheckpoint = "layer"\n[optimizer]\nkind = "none"\n'
    text = start(ranks, write("llama.toml", LLAMA.replace("SETTINGS", settings)), "-o", "l.h5")
    rows, attributes, _, _ = check_file("l.h5", 3, 2 * 16 * ranks)
    with h5py.File("l.h5") as file:
        check_timeline(file, ranks, 2)
        check_lanes(file)
        check_memory(file, updated=False)
    assert (rows["recompute"] > 0).all() and (rows["update"] == 0).all() and (rows["clip"] == 0).all(), rows
    assert attributes["sync"] == "each" and attributes["checkpoint"] == "layer" and attributes["optimizer"] == "none", attributes
    assert "% of the peak in the input ([machine] peak_flops_fp32, 20 GFLOP/s)" in text and "rope" in text, text


def check_bf16():
    """With one bucket and without an update nothing overlaps, so the predicted E is the measured a(x) of all bytes on the wire."""
    text = LLAMA.replace("SETTINGS", '[optimizer]\nkind = "none"\n').replace('backend = "mpi"', 'backend = "mpi"\nwire = "bf16"').replace("[0.01]", "[100]")
    start(2, write("b.toml", text), "-o", "b.h5")
    with h5py.File("b.h5") as file:
        total = 2 * int(file["model/numel"][:].sum())
        assert file["allreduce/bytes"][-1] == total, (file["allreduce/bytes"][:], total)
        predicted = dict(zip(PARTS, file["step/predicted"][:]))
        assert abs(predicted["exposed"] - file["allreduce/median"][:].max()) < 1e-9, (predicted, file["allreduce/median"][:])


def check_wrong_input():
    refused("give an input file to measure whole steps, or --against")
    refused("give either --against or INPUT, not both", tiny, "--against", "published")
    llama = LLAMA.replace("SETTINGS", "")
    refused("accumulation", write("k.toml", LLAMA.replace("SETTINGS", "accumulation = 3")))
    refused("clip", write("c.toml", llama + "[optimizer]\nclip = 0\n"))
    refused("even", write("o.toml", llama.replace("d_model = 32", "d_model = 36")))
    refused("results file", tiny, "-o", "same.h5", "--json", "same.h5")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    losses = [check_gpt2(1), check_gpt2(1)]
    assert losses[0] == losses[1], losses  # the same tokens and the same parameters
    check_gpt2(2)
    for ranks in (1, 2):
        check_llama(ranks)
    check_bf16()
    check_wrong_input()
    print("passed")
