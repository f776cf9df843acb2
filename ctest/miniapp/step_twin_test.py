# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""step_twin_test.py DDPROXY DDPROXY_MODEL REPORT MPIEXEC...: runs `ddproxy step` with replayed compute, with replayed all-reduces, and with both."""
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import numpy as np

ddproxy, ddproxy_model, report, *mpiexec = sys.argv[1:]
INPUT = """[model]
preset = "tiny"
[step]
batch = 4
accumulation = 2
[optimizer]
clip = 1.0
[compute]
mode = "COMPUTE"
[allreduce]
BACKEND
[sweep]
strategies = ["bucketed"]
caps_mib = [0.1]
samples = 3
warmup = 1
[machine]
peak_flops = 2e9
bandwidth = 1e9
"""
REPLAY = 'backend = "replay"\ntable = "table.csv"\nranks = 8'
TABLE = "bytes,us\n128,30\n16384,60\n262144,400\n1048576,1500\n"
PARTS = {"forward": "forward_s", "backward": "backward_s", "exposed": "exposed_s", "clip": "clip_s", "update": "update_s", "step": "step_s"}
ROUNDS = 5  # other programs can only add time, so a run that was disturbed is repeated


def write(name, compute="replay", backend=REPLAY, more=""):
    Path(name).write_text(INPUT.replace("COMPUTE", compute).replace("BACKEND", backend) + more)
    return name


def call(*arguments):
    return subprocess.run([str(a) for a in arguments], capture_output=True, text=True)


def step(launcher, *arguments):
    done = call(*launcher, ddproxy, "step", "--kokkos-num-threads", "1", *arguments)
    assert done.returncode == 0, (arguments, done.returncode, done.stdout, done.stderr)
    assert done.stdout.strip().splitlines()[-1].endswith(" valid=replay"), done.stdout
    return done.stdout


def refused(part, launcher, *arguments):
    done = call(*launcher, ddproxy, "step", *arguments)
    assert done.returncode == 2 and part in done.stderr, (arguments, done.returncode, done.stderr)


def predicted_by_model(name):
    done = call(ddproxy_model, "predict", name, "--json", "predicted.json")
    assert done.returncode == 0, done.stderr
    return next(c for c in json.loads(Path("predicted.json").read_text())["step"]["cases"] if c["strategy"] == "bucketed")


def check_file(name, ranks, compute, backend):
    """Checks what a file says about its replays. Returns two maps from each part to seconds: the predicted time, and the measured times of all samples."""
    with h5py.File(name) as file:
        settings = file["step"].attrs
        assert (settings["ranks"], settings["compute_mode"], settings["backend"], settings["valid"]) == (ranks, compute, backend, "replay"), dict(settings)
        assert (file.attrs.get("label") == "offer A") == (name == "twin.h5")
        assert math.isnan(file["step/loss"][()]) == (compute == "replay")
        assert ("seconds" in file["allreduce"]) == (backend != "replay") and file["allreduce/table_bytes"].size > 2
        parts = [part.decode() for part in file["step/part"]]
        for row in (*file["step/measured"][:].T, file["step/predicted"][:], file["step/uncontended"][:]):
            assert abs(sum(row[:parts.index("step")]) - row[parts.index("step")]) < 1e-9, (parts, row)
        if compute == "replay":  # a replay has no contention
            assert np.array_equal(file["step/predicted"][:], file["step/uncontended"][:])
        return dict(zip(parts, file["step/predicted"][:])), dict(zip(parts, file["step/measured"][:]))


def is_on_time(name):
    """Returns whether each task of the recorded step ran at its predicted time, counted from the end of the first task. The limit is 2 us, as in the
    test miniapp.step_replay."""
    with h5py.File(name) as file:
        start, end, predicted_start, predicted_end = (file["timeline"][n][:] for n in ("start", "end", "predicted_start", "predicted_end"))
    late = end[0] - predicted_end[0]
    return max(np.abs(start - late - predicted_start)[1:].max(), np.abs(end - late - predicted_end).max()) < 2e-6


def check_timeline(name, buckets, allocated):
    """Checks the plan, the number of all-reduces of all ranks in the timeline, and the live buffers. `allocated` says whether the run has memory for
    the gradients."""
    with h5py.File(name) as file:
        assert file["plans/count"][:].tolist() == [buckets] and file["plans/bytes"][:].sum() == 4 * file["model/numel"][:].sum()
        assert (file["timeline/resource"][:] == b"communication").sum() == buckets * (file["timeline/event_rank"][:].max() + 1)
        assert file["memory/allocated"][()] == (4 * file["model/numel"][:].sum() if allocated else 0)
        assert file["memory/live_peak"][0] == file["memory/predicted_peak"][0] == file["timeline/live_bytes_start"][:].max() > 0


def check_trace(trace, results):
    made = json.loads(Path(trace).read_text())["traceEvents"]
    assert sum(event["ph"] == "X" for event in made) == h5py.File(results)["timeline/start"].size > 0
    assert {event["args"]["name"] for event in made if event["ph"] == "M"} == {"step, rank 0", "compute", "communication"}


def check_twin():
    twin = write("twin.toml")
    expected = predicted_by_model(twin)
    for _ in range(ROUNDS):
        text = step((), twin, "-o", "twin.h5", "--json", "twin.json", "--label", "offer A", "--trace", "trace.json")
        predicted, measured = check_file("twin.h5", 8, "replay", "replay")
        for part, key in PARTS.items():
            assert abs(predicted[part] - expected[key]) < 1e-9, (part, predicted, expected)
        total = predicted["step"]
        assert measured["step"].min() >= 0.9999 * total, (measured["step"], total)
        if np.median(measured["step"]) < 1.02 * total and is_on_time("twin.h5"):
            break
    assert np.median(measured["step"]) < 1.02 * total, (measured["step"], total)
    assert is_on_time("twin.h5")
    check_timeline("twin.h5", expected["buckets"], allocated=False)
    check_trace("trace.json", "twin.h5")
    assert text.startswith("tiny: compute: replay, all-reduce: replay (all times are simulated; nothing was measured on this machine)\n"), text
    assert "x 8 ranks" in text and "loss" not in text and "hypothetical" not in text and "threads:" not in text, text
    assert json.loads(Path("twin.json").read_text())["fom"]["valid"] == "replay"
    done = call(sys.executable, "-B", report, "twin.h5")
    assert done.returncode == 0, done.stderr
    page = Path("twin.html").read_text()
    for words in ("8 ranks, simulated (replay)", "Whole steps", "Timeline of a step", "The panel shows the memory that the simulated machine would use (calculated; this program allocates none of it).",
                  "This is a simulated machine (a twin). Compute times come from the roofline of [machine], all-reduce times from a table.",
                  "This is the machine on which the twin ran, not the simulated one. One process stands for all 8 ranks."):
        assert words in page, words
    done = call(ddproxy_model, "compare", "twin.h5", "twin.h5", "--allow-undecided")
    assert done.returncode == 0, done.stdout + done.stderr


def check_copies():
    """The copies of a twin must take the predicted time."""
    copied = write("copied.toml", backend=REPLAY + '\ncopies = "in+out"')
    step((), copied, "-o", "copied.h5")
    predicted, measured = check_file("copied.h5", 8, "replay", "replay")
    assert abs(predicted["step"] - predicted_by_model(copied)["step_s"]) < 1e-9
    assert predicted["copies"] > 1e-3 and np.allclose(measured["copies"], predicted["copies"], rtol=0.02), (predicted, measured)


def check_memory():
    """A step that needs more memory than [machine] memory must run and be labelled hypothetical."""
    text = step((), write("large.toml", more="memory = 1e5\n"), "-o", "large.h5")
    assert "hypothetical: the step needs" in text and "but a device has 0.0001 GB" in text, text


def dry_run(name):
    done = call(ddproxy_model, "step", name, "--dry-run")
    assert done.returncode == 0 and not done.stderr, (name, done)
    return done.stdout


def check_dry_run():
    buckets = predicted_by_model("twin.toml")["buckets"]
    text = dry_run("twin.toml")
    for words in ("step: 2 micro-batches of 2 sequences x 32 tokens, optimizer adamw; compute: replay, all-reduce: replay", f"buckets of 0.1 MiB: {buckets} buckets",
                  "steps to run: 6 with communication (the first step, 1 to verify, 1 to warm up, 3 samples), and 3 without communication\n", "time: about "):
        assert words in text, (words, text)
    assert not Path("results.h5").exists()
    with h5py.File("twin.h5") as file:
        predicted = dict(zip((part.decode() for part in file["step/part"]), file["step/predicted"][:]))
        steps, alone = predicted["step"], predicted["step"] - predicted["exposed"]
    assert abs(float(re.search(r"time: about (\S+) s", text)[1]) / (6 * steps + 3 * alone) - 1) < 0.006, text  # the text has three digits
    assert "hypothetical: the step needs" in dry_run("large.toml") and "hypothetical" not in text
    assert "time: at least " in dry_run("kernels.toml")
    assert "ranks: 8, as [allreduce] ranks says\n" in text, text
    of_parameters = 16 * 774030080 / 2**30  # parameters, gradients and AdamW's state of GPT-2-large
    large = Path(write("gpt2-large.toml", compute="kernels", backend='backend = "mpi"'))
    large.write_text(large.read_text().replace('"tiny"', '"gpt2-large"').replace("batch = 4", "batch = 2\nsequence = 64"))
    memory = float(re.search(r"memory: (\S+) GiB (?:of device memory )?for each rank\n", dry_run(large))[1])
    assert of_parameters < memory < 1.3 * of_parameters, memory
    assert "ranks: 2 are assumed, because a dry run starts none; with more ranks, rank 0 needs slightly more memory" in dry_run(large)
    large.write_text(large.read_text().replace('mode = "kernels"', 'mode = "replay"').replace('backend = "mpi"', REPLAY))
    assert float(re.search(r"memory: (\S+) GiB on this machine, for the program itself", dry_run(large))[1]) < 0.1
    assert call(ddproxy_model, "step", "times.toml", "--dry-run").returncode == 2


def check_mixed():
    text = step((), write("kernels.toml", compute="kernels"), "-o", "kernels.h5")
    predicted, measured = check_file("kernels.h5", 8, "kernels", "replay")
    assert "loss after 1 step: " in text and predicted["step"] > 0 and (measured["update"] > 0).all(), text
    step((*mpiexec, "-n", "2"), write("real.toml", backend='backend = "mpi"'), "-o", "real.h5")
    predicted, measured = check_file("real.h5", 2, "replay", "mpi")
    with h5py.File("real.h5") as file:  # the predicted E is not checked: it can be 0, because the norm of one bucket hides the all-reduce of the next
        assert (file["allreduce/median"][:] > 0).all()
    check_timeline("real.h5", predicted_by_model("twin.toml")["buckets"], allocated=True)
    assert (measured["forward"] >= 0.9999 * predicted["forward"]).all(), (predicted, measured)


def check_refused():
    Path("times.csv").write_text("layer,ms\nlm_head,1\nln_f,0.2\nh.1,1.5\nh.0,1.5\nembedding,0.3\n")
    times = Path(write("times.toml"))
    times.write_text(times.read_text().replace('mode = "replay"', 'mode = "replay"\ntimes = "times.csv"'))
    refused("[compute] times: such a table has only times of the backward pass", (), times)
    refused("start one rank", (*mpiexec, "-n", "2"), "twin.toml")
    refused("start one rank", (*mpiexec, "-n", "2"), write("gate.toml", more="[gate]\nallreduce_kib = [1]\n"))
    refused("a table of the input", (), "twin.toml", "-o", "table.csv")
    refused("--trace", (), "twin.toml", "-o", "same.h5", "--trace", "same.h5")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    Path("table.csv").write_text(TABLE)
    check_twin()
    check_copies()
    check_memory()
    check_mixed()
    check_refused()
    check_dry_run()
    print("passed")
