# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""run_test.py DDPROXY INPUT RANKS MPIEXEC...: runs the commands as a user does and checks their files and last lines."""
import json
import math
import os
import re
import subprocess
import sys
import tempfile

import h5py
import numpy

try:
    import xarray
except ImportError:
    xarray = None

ddproxy, tiny, ranks, *mpiexec = sys.argv[1:]
FOM = re.compile(r"^DDPROXY_FOM tokens_per_s=\S+ backward_s=\S+ bucket_mib=\S+ exposed_s=\S+ tail_s=\S+ overlap=\S+ "
                 r"bus_bw_GBps=\S+ model_error=\S+ regret=\S+ model_error_beyond_noise=\S+ "
                 r"valid=(true|false|replay|single|oversubscribed|unsteady)$")


def nonblocking():
    """Returns the text of the input with `call` set, because choosing a call takes a third of a run. check_run() leaves the choice to ddproxy."""
    with open(tiny) as file:
        return file.read().replace('backend = "mpi"', 'backend = "mpi"\ncall = "nonblocking"')


def start(*arguments):
    done = subprocess.run([*mpiexec, "-n", ranks, ddproxy, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, (arguments, done.returncode, done.stdout, done.stderr)
    lines = done.stdout.splitlines()
    assert FOM.match(lines[-1]), lines[-1]
    assert sum(line.startswith("DDPROXY_FOM") for line in lines) == 1, "one rank speaks, not all"
    return done.stdout


# What `valid` is in a run with real all-reduces. CTest starts each rank with one thread, so cores are oversubscribed only if there are more ranks than cores.
REAL = "single" if ranks == "1" else "true" if int(ranks) <= len(os.sched_getaffinity(0)) else "oversubscribed"  # one rank reduces nothing


def figures(output):
    return dict(field.split("=") for field in output.splitlines()[-1].split()[1:])


def check_handovers(calibration, one_state):
    """Checks the samples of the handover. They exist only if a rank has no core for its communication thread.
    Predictions add their median to a(x), or 0 if the median is negative."""
    assert ("handover" in calibration) == ("handover_seconds" in calibration) and (ranks != "1" or "handover" not in calibration)
    if "handover" in calibration:
        seconds = calibration["handover_seconds"][:]
        assert seconds.size == 36 and numpy.isfinite(seconds).all(), seconds
        assert not one_state or math.isclose(calibration["handover"][()], max(0, numpy.median(seconds)), abs_tol=1e-15), (calibration["handover"][()], seconds)


def check_run():
    fom = figures(start("run", tiny, "-o", "run.h5", "--json", "run.json", "--trace", "trace.json", "--trace-cases", "flat"))
    assert is_real(fom["valid"]) and float(fom["tokens_per_s"]) > 0, fom
    assert not os.path.exists("run.h5.part")
    with h5py.File("run.h5") as file:
        assert file.attrs["complete"] == 1 and file.attrs["schema_version"] == 1
        sweep = file["sweep"]
        assert sweep["measured"].shape == (7, 5, int(ranks)), sweep["measured"].shape
        assert (sweep["measured"][:] > 0).all() and (sweep["compute"][:] > 0).all()
        assert (sweep["verified"][:] == 1).all()
        said = file["provenance"].attrs["threads"], sweep.attrs["piece_mib"], sweep.attrs["warmup"]
        assert said == (os.environ.get("OMP_NUM_THREADS", said[0]), 16, 1), said
        assert said[0].isdigit(), said
        assert set(sweep["stopped_by"][:]) == {b"samples"}
        if has_one_state(file):
            check_predictions(file)
        assert sorted(sweep["order"][:].ravel()) == list(range(35)), "each sample has its own place in the order"
        assert file["layers/seconds"].shape == (int(ranks), 21, 5), file["layers/seconds"].shape
        assert (file["allreduce/wrong_elements"][:] == 0).all()
        kappa, gamma = file["calibration/kappa"][:], file["calibration/gamma"][:]
        assert len(kappa) == 6 and ((0 < kappa) & (kappa <= 1) & (0 < gamma) & (gamma <= 1)).all(), (kappa, gamma)
        check_timeline(file["timeline"])
        if has_one_state(file):
            check_memory(file)
        check_handovers(file["calibration"], has_one_state(file))
        check_against_json(file, json.load(open("run.json")), fom)
        check_xarray(sweep)


def has_one_state(file):
    """Returns whether the machine had one state. With several states, cases may have no sample that counts and no prediction."""
    return "states" not in file or file["states/round_trip"].shape[0] < 2


def is_real(valid):
    """Returns whether `valid` is right for a run with real all-reduces. A shared machine may change its state at any time,
    so several ranks may also give `unsteady`."""
    return valid == REAL or valid == "unsteady" and ranks != "1"


def check_predictions(file):
    sweep = file["sweep"]
    assert (sweep["predicted"][:] > 0).all()
    assert (sweep["predicted_low"][2:] <= sweep["predicted_high"][2:]).all()
    assert file["score/predictor"].shape == (4,)
    check_same_round(sweep)


def check_same_round(sweep):
    """If several ranks reduce, each sample must have the times of its all-reduces without compute, and a prediction from these times."""
    alone, total = sweep["comm_alone"][:], sweep["same_round"][:]
    if ranks == "1":
        assert numpy.isnan(alone).all() and numpy.isnan(total).all() and "bucket_alone" not in sweep
        return
    assert alone.shape == (7, 5) and (alone > 0).all() and (total > 0).all(), (alone, total)
    # naive overlaps nothing, so its prediction is T_compute + T_comm of each sample
    parts = sweep["compute"][0].max(axis=1) + alone[0]
    assert math.isclose(total[0], numpy.median(parts), rel_tol=1e-9), (total[0], parts)
    plans, buckets = sweep.parent["plans"], sweep["bucket_alone"][:]
    assert buckets.shape == (5, len(plans["bytes"])) and (buckets > 0).all(), buckets
    ends = numpy.append(plans["first"][:], len(plans["bytes"]))
    sums = [buckets[:, first:end].sum(axis=1) for first, end in zip(ends, ends[1:])]
    assert numpy.allclose(sums, alone, rtol=1e-12), (sums, alone)


def check_sampling():
    """While there is time, rounds must continue beyond `samples`, and the file must contain all of them."""
    with open("few.toml", "w") as file:
        file.write(nonblocking().replace("samples = 5", "samples = 2"))
    # A round takes seconds on a busy machine or with ThreadSanitizer, so the budget grows until there is a third one.
    for seconds in (5, 30, 100):
        start("sweep", "few.toml", "-o", "longer.h5", "--max-seconds", str(seconds))
        with h5py.File("longer.h5") as file:
            rounds = file["sweep/measured"].shape[1]
        if rounds > 2:
            break
    with h5py.File("longer.h5") as file:
        sweep = file["sweep"]
        assert rounds > 2 and (sweep["measured"][:] > 0).all() and (sweep["compute"][:] > 0).all(), rounds
        assert sorted(sweep["order"][:].ravel()) == list(range(7 * rounds)) and sweep["sample"].shape == (rounds,)
        assert set(sweep["stopped_by"][:]) <= {b"target", b"budget"} and sweep.attrs["max_seconds"] == seconds


def check_xarray(sweep):
    if xarray is None:
        return
    with xarray.open_dataset("run.h5", group="sweep", engine="h5netcdf") as data:
        assert data["measured"].dims == ("case", "sample", "rank"), data["measured"].dims
        assert (data["measured"].values == sweep["measured"][:]).all()
        assert data["ci_low"].attrs["units"] == "s" and len(data["case"]) == 7


def check_memory(file):
    """Without copies the only buffers of a step are the gradients. Checks this for the measured, predicted and allocated memory."""
    gradients = 4 * file["model/numel"][:].sum()
    for name in ("live_peak", "predicted_peak", "allocated"):
        assert (file["memory/" + name][...] == gradients).all(), (name, file["memory/" + name][...], gradients)
    assert (file["memory/live_at_start"][:] == 0).all()
    first, count = file["timeline/first"][1], file["timeline/count"][1]
    for name in ("live_bytes_start", "live_bytes_end"):  # the first event is the loss, when no gradient is live yet
        live = file["timeline/" + name][first:first + count]
        assert live[0] == 0 and (live[2:count // int(ranks)] == gradients).all(), (name, live)


def check_timeline(timeline):
    """In the flat case each rank runs all operations one after another, and then reduces its bucket. Checks this in the file and in the trace."""
    first, count = timeline["first"][1], timeline["count"][1]
    assert count == int(ranks) * (21 + 1), count
    start, end = timeline["start"][first:first + count], timeline["end"][first:first + count]
    on = timeline["event_rank"][first:first + count]
    for rank in range(int(ranks)):
        mine = [(s, e) for s, e, r in zip(start, end, on) if r == rank]
        assert all(a[1] <= b[0] for a, b in zip(mine, mine[1:])), mine
    events = [e for e in json.load(open("trace.json"))["traceEvents"] if e["ph"] == "X"]
    assert len(events) == count, len(events)


def check_against_json(file, tables, fom):
    for key, value in fom.items():
        stored = tables["fom"][key]
        if key == "valid":
            assert stored == value
        elif value == "nan":
            assert stored is None, key
        else:
            assert math.isclose(stored, float(value), rel_tol=1e-2), key
    assert tables["tables"]["sweep"]["measured"] == file["sweep/measured"][:].tolist()
    assert tables["tables"]["sweep"]["strategy"][0] == "naive"


def check_layers():
    assert "lm_head" in start("layers", tiny, "-o", "layers.h5")
    layers = open("layers.layers.csv").read().split("layer,seconds\n")[1].split()
    assert [row.split(",")[0] for row in layers] == ["lm_head", "ln_f", "h.1", "h.0", "embedding"]
    gradients = open("layers.gradients.csv").read().split("name,numel,seconds\n")[1].split()
    assert len(gradients) == 28 and gradients[-1].startswith("wte.weight,16384,")
    each, whole = (sum(float(row.split(",")[-1]) for row in rows) for rows in (layers, gradients))
    # `each` adds the times of each layer on its slowest rank, `whole` is the time of the pass on its slowest rank; with one rank both are the same
    assert whole <= each * (1 + 1e-6) and each <= int(ranks) * whole * (1 + 1e-6), (each, whole)


def check_allreduce():
    text = start("allreduce", tiny, "-o", "allreduce.h5")
    assert "algbw" in text and figures(text)["valid"] == REAL, text
    assert open("allreduce.allreduce.csv").read().count(f"\n{ranks},") == 7
    text = start("allreduce", tiny, "-o", "pieces.h5", "--pieces", "0.1,0.2", "--total", "0.25")
    assert "0.2 MiB reduced in pieces" in text, text
    with h5py.File("pieces.h5") as file:
        assert file["allreduce/piece_bytes"][:].tolist() == [104857, 209715]


def check_replay_of_own_measurements():
    """A twin must be able to read the tables that `layers` and `allreduce` write."""
    if ranks != "1":
        return
    with open("twin.toml", "w") as file:
        file.write('[model]\npreset = "tiny"\n[compute]\nmode = "replay"\ntimes = "layers.gradients.csv"\n'
                   '[allreduce]\nbackend = "replay"\ntable = "allreduce.allreduce.csv"\nranks = 1\n'
                   "[sweep]\ncaps_mib = [0.125]\nsamples = 2\n")
    assert figures(start("run", "twin.toml", "-o", "twin.h5"))["valid"] == "replay"


def check_replayed_compute_is_a_replay():
    """With real all-reduces and compute from a table, the last line, the file and JSON must say replay."""
    with open("times.toml", "w") as file:
        file.write(nonblocking().replace('mode = "kernels"', 'mode = "replay"\ntimes = "layers.gradients.csv"')
                   .replace("samples = 5", "samples = 1"))
    for command in ("run", "sweep"):
        fom = figures(start(command, "times.toml", "-o", "times.h5", "--json", "times.json"))
        with h5py.File("times.h5") as file:
            stored = file["fom"].attrs["valid"]
        assert (fom["valid"], stored if isinstance(stored, str) else stored.decode()) == ("replay", "replay"), (fom, stored)
        assert json.load(open("times.json"))["fom"]["valid"] == "replay"


def check_copies_and_optimal():
    text = open(tiny).read()
    for copies in ("in", "in+out"):
        with open("copies.toml", "w") as file:
            file.write(text.replace('backend = "mpi"', f'backend = "mpi"\ncopies = "{copies}"')
                       .replace("samples = 5", 'samples = 2\nstrategies = ["flat", "bucketed", "optimal"]'))
        assert is_real(figures(start("run", "copies.toml", "-o", "copies.h5"))["valid"])
        with h5py.File("copies.h5") as file:
            assert file["sweep"].attrs["copies"] in (copies, copies.encode())
            gradients = 4 * file["model/numel"][:].sum()  # the case flat makes no copies
            assert (file["memory/live_peak"][0], file["memory/live_peak"][-1]) == (gradients, 2 * gradients)
            assert file["memory/allocated"][...] == 2 * gradients
            assert file["sweep/strategy"][-1] == b"optimal" and file["sweep/buckets"][-1] >= 1
            assert (file["sweep/with_copies"][1:] >= file["sweep/with_contention"][1:]).all()
            if has_one_state(file):
                assert (file["sweep/predicted_exposed"][()] >= file["sweep/floor"][()] - 1e-9).all() and file["sweep/floor"][()] > 0
                assert (file["sweep/uncontended"][()] <= file["sweep/predicted_exposed"][()] + 1e-9).all()
            assert 0 <= file["calibration/fit_error_mean"][()] <= file["calibration/fit_error_max"][()] < 100


def check_a_table_beside_a_real_backend():
    """`run` must not use the table. It must measure the all-reduces, at the sizes of this model, and predict from their times."""
    with open("beside.csv", "w") as file:
        file.write("bytes,seconds\n8,1\n1099511627776,2\n")
    with open("beside.toml", "w") as file:
        file.write(nonblocking().replace('backend = "mpi"', 'backend = "mpi"\ntable = "beside.csv"').replace("samples = 5", "samples = 1"))
    assert is_real(figures(start("run", "beside.toml", "-o", "beside.h5"))["valid"])
    with h5py.File("beside.h5") as file, h5py.File("run.h5") as plain:
        assert (file["allreduce/bytes"][:] == plain["allreduce/bytes"][:]).all()
        assert (file["allreduce/table_seconds"][:] < 1).all(), file["allreduce/table_seconds"][:]


def check_bf16():
    """bf16 halves the bytes on the wire, so it halves the sizes x in the table of a(x). The sizes of buckets are fp32
    bytes and stay the same. Results must be right, and compare must refuse fp32 against bf16."""
    with open("bf16.toml", "w") as file:
        file.write(open(tiny).read().replace('backend = "mpi"', 'backend = "mpi"\nwire = "bf16"').replace("samples = 5", "samples = 2"))
    assert is_real(figures(start("run", "bf16.toml", "-o", "bf16.h5"))["valid"])
    with h5py.File("bf16.h5") as file, h5py.File("run.h5") as fp32:
        assert (file["sweep/verified"][:] == 1).all() and (file["allreduce/wrong_elements"][:] == 0).all()
        assert file["sweep"].attrs["wire"] in ("bf16", b"bf16")
        assert 2 * file["allreduce/bytes"][-1] == fp32["allreduce/bytes"][-1]
        assert file["plans/bytes"][:].tolist() == fp32["plans/bytes"][:].tolist()
        assert "wire" not in fp32
        wire, rms, worst = file["wire"].attrs, file["wire/rms_error"][:], file["wire/max_error"][:]
        assert len(rms) == len(worst) == 28 and (0 < rms).all() and (rms < 0.02).all(), rms
        assert (worst <= wire["error_bound"]).all() and worst.max() > 0.5 * 2**-8 and wire["element_bytes"] == 2, worst
    refused = subprocess.run([ddproxy, "compare", "run.h5", "bf16.h5", "--allow", "valid"], capture_output=True, text=True)
    assert refused.returncode == 2 and "wire: 'fp32' against 'bf16'" in refused.stderr, refused.stderr


def check_limits():
    with open("limit.toml", "w") as file:
        file.write(nonblocking().replace("samples = 5", "samples = 1"))
    done = subprocess.run([*mpiexec, "-n", ranks, ddproxy, "run", "limit.toml", "-o", "limit.h5", "--max-model-error", "1e-9"],
                          capture_output=True, text=True)
    assert done.returncode == 1 and FOM.match(done.stdout.splitlines()[-1]), (done.returncode, done.stderr)
    assert "model-error is not known (nan)" in done.stderr and "has one sample" in done.stderr, done.stderr
    assert os.path.exists("limit.h5")


def check_sweep():
    text = start("sweep", tiny, "-o", "sweep.h5", "--label", "offer A", "--", "--benchmark_filter=T/flat|bucketed/1", "--benchmark_out=g.json")
    assert "T/flat/round:4" in text and "naive" not in text, text
    names = {run["name"].rsplit("/round")[0] for run in json.load(open("g.json"))["benchmarks"]}
    assert names == {"T/flat", "T/bucketed/1"}, names
    with h5py.File("sweep.h5") as file:
        assert "predicted" not in file["sweep"] and file.attrs["label"] in ("offer A", b"offer A")
        traced = {name.decode() for name, count in zip(file["sweep/name"], file["timeline/count"]) if count > 0}
        assert traced == {"flat", "bucketed/1"}, traced


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for check in (check_run, check_layers, check_allreduce, check_replay_of_own_measurements, check_replayed_compute_is_a_replay,
                  check_copies_and_optimal,
                  check_a_table_beside_a_real_backend, check_bf16, check_limits, check_sampling, check_sweep):
        check()
        print(check.__name__, "passed")
