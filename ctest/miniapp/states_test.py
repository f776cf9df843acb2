# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""states_test.py DDPROXY SOURCE MPIEXEC...: plants two states of the machine, which alternate after a number of probes. In the slow state each
all-reduce takes twice as long, and at least 0.5 ms longer. Only the number of probes decides the state of a sample, so the test does not depend on times."""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[2] / "scripts"))
from torch_recording.median_interval import median_interval  # noqa: E402

ddproxy, source, *mpiexec = sys.argv[1:]
tiny = f"{source}/inputs/tiny.toml"
SLOW, DELAY = 1e-7, 0.5e-3  # seconds: a round trip that separates the two states; least time that the slow state adds to an all-reduce


def start(command, turn, file, *arguments, toml=tiny):
    done = subprocess.run([*mpiexec, "-n", "2", ddproxy, command, toml, "-o", file, "--planted-state", str(turn), *arguments],
                          capture_output=True, text=True)
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
    return done.stdout, done.stderr


def joined(group, name):
    """Returns the dataset `name` as an array [row, sample], with the samples that were taken after the sweep."""
    later = [group["later_" + name][()]] if "later_" + name in group else []
    return np.concatenate([group[name][()], *later], axis=1)


def states_of(group):
    """Returns an array [row, sample] with the state of each sample: 0 (fast) or 1 (slow). It is -1 if the probes of a sample show different states, or if there is
    no sample."""
    names = ["probe_before", "probe_after"] + [name for name in ("compute_probe_before", "compute_probe_after") if name in group]
    slow = [joined(group, name) > SLOW for name in names]
    alike = np.all([one == slow[0] for one in slow], axis=0)
    taken = np.isfinite(joined(group, "probe_before"))
    return np.where(alike, slow[0], -1) * taken - ~taken


def by_position(sweep, name):
    """Returns the values of the dataset `name` for all samples, in the order in which the samples ran."""
    order = sweep["order"][()].ravel()
    return sweep[name][()].ravel()[np.argsort(order)][(order < 0).sum():]


def scored_state(states):
    """Returns the state with the most samples; the first one if both have equally many."""
    return int(np.sum(states == 1) > np.sum(states == 0))


def check_medians(sweep, state):
    """Checks that the results are those of all samples in this state and of no others."""
    states, totals = states_of(sweep), sweep["measured"][()].max(axis=2)
    assert ((sweep["counted"][()] == 1) == (states == state)).all()
    assert (sweep["state"][()] == states).all(), sweep["state"][()]
    for case, stored in enumerate(zip(*(sweep[name][()] for name in ("measured_median", "ci_low", "ci_high")))):
        mine = totals[case][states[case] == state]
        expected = np.maximum(median_interval(mine), 0) if mine.size else (np.nan,) * 3  # no time is below 0
        assert np.allclose(stored, expected, rtol=1e-9, equal_nan=True), (case, stored, mine)


def check_turns_of_three():
    """Six fast and six slow probes alternate. A sample takes four probes, two of them around T_compute. So every third sample spans a change."""
    out, _ = start("sweep", 6, "three.h5")
    with h5py.File("three.h5") as file:
        states = by_position(file["sweep"], "state")
        expected = np.resize([0, -1, 1], states.size)
        assert (states == expected).all(), states
        assert file["states/dropped"][()].item() == (expected == -1).sum()
        assert file["states/samples"][()].tolist() == [(expected == 0).sum(), (expected == 1).sum()]
        assert np.allclose(file["states/round_trip"][()], [50e-9, 300e-9])
        assert file["states/scored"][()].item() == scored_state(expected)
        check_medians(file["sweep"], scored_state(expected))
        assert f"{(expected == -1).sum()} of {states.size} were dropped" in out and "50 ns, 300 ns" in out, out
    assert out.splitlines()[-1].endswith("valid=true"), out


def check_unsteady():
    """The state changes with every probe, so every sample spans a change. The results must be marked as unsteady."""
    out, _ = start("sweep", 1, "unsteady.h5")
    with h5py.File("unsteady.h5") as file:
        assert (by_position(file["sweep"], "state") == -1).all() and (by_position(file["sweep"], "counted") == 1).all()
        assert file["fom"].attrs["valid"] in ("unsteady", b"unsteady") and file["states/scored"][()].item() == -1
    assert out.splitlines()[-1].endswith("valid=unsteady"), out
    refused = subprocess.run([ddproxy, "compare", "unsteady.h5", "three.h5"], capture_output=True, text=True)
    assert refused.returncode == 2 and "unsteady" in refused.stderr, (refused.returncode, refused.stderr)


def check_tables(file, state):
    """Checks that a(x), kappa and gamma come from samples of one state: each call in the slow state takes at least DELAY."""
    table, states = file["allreduce"], states_of(file["allreduce"])
    seconds = joined(table, "seconds")
    assert set(states.ravel()) >= {0, 1}, "both states were measured"
    assert (seconds[states == 1] >= DELAY).all(), seconds[states == 1].min()
    for size, median in enumerate(table["median"][()]):
        assert np.isclose(median, np.median(seconds[size][states[size] == state])), (size, median)
    assert np.allclose(table["table_seconds"][()], np.maximum.accumulate(table["median"][()]))
    contention = states_of(file["calibration"])
    for message in range(contention.shape[0]):
        assert (contention[message] == state).sum() >= 3, contention
    calls = file["calibration/calls"][()][:, None]
    slow = joined(file["calibration"], "collective_beside") / calls >= DELAY
    assert slow[contention == 1].all()


def check_layers(file, state):
    """Checks that the ready times come from the passes of one state."""
    layers = file["layers"]
    before, after, seconds = (np.concatenate([layers[one][()] for one in (name, "later_" + name) if one in layers], axis=-1)
                              for name in ("probe_before", "probe_after", "seconds"))
    chosen = ((before > SLOW) == state) & ((after > SLOW) == state)
    assert chosen.size == seconds.shape[2] and chosen.any(), chosen
    ends = np.median(seconds[:, :, chosen], axis=2).cumsum(axis=1).max(axis=0)
    assert np.allclose(layers["ready"][()], ends[file["model/operation"][()]]), chosen


def check_run(turn, file_name):
    """The prediction must be for the state with the most samples in the sweep, from the tables of that state."""
    out, errors = start("run", turn, file_name)
    assert "warning: most of the sweep" not in errors, errors
    with h5py.File(file_name) as file:
        sweep = file["sweep"]
        assert np.allclose(file["states/round_trip"][()], [50e-9, 300e-9]), "the two planted states must stay apart"
        state = scored_state(states_of(sweep))
        assert file["states/scored"][()].item() == state
        check_medians(sweep, state)
        check_tables(file, state)
        check_layers(file, state)
        a = np.interp  # interpolates a(x) between the sizes of the table
        first, count, sizes = file["plans/first"][()], file["plans/count"][()], file["plans/bytes"][()]
        for case in range(2):  # naive and flat make their calls one after another after the backward pass
            buckets = sizes[first[case]:first[case] + count[case]]
            known = a(buckets, file["allreduce/table_bytes"][()], file["allreduce/table_seconds"][()]).sum()
            assert np.isclose(sweep["comm"][case], sweep["predicted_exposed"][case], rtol=1e-6)
            assert np.isclose(known, sweep["comm"][case], rtol=0.3), (known, sweep["comm"][case])
            if state == 1:
                assert sweep["predicted_exposed"][case] >= DELAY * count[case]
        print(f"turns of {turn}: scored {state}, E of naive and flat: measured {sweep['exposed'][:2]}, "
              f"predicted {sweep['predicted_exposed'][:2]}")
        assert f"Used: the state {[50, 300][state]} ns." in out, out


def check_one_state():
    """The state never changes: nothing may be reported or dropped."""
    out, _ = start("sweep", 1000000, "one.h5")
    with h5py.File("one.h5") as file:
        assert file["states/round_trip"].shape == (1,) and file["states/dropped"][()].item() == 0
        assert (file["sweep/counted"][()] == 1).all()
    assert "states" not in out, out


def check_stop():
    """Each state lasts for three samples, so of the first six samples of a case about three count. The sweep must go on until six count. The target is so
    wide that only the number of samples decides."""
    text = Path(tiny).read_text().split("[sweep]")[0]
    Path("stop.toml").write_text(text + '[sweep]\nstrategies = ["naive", "flat"]\nsamples = 6\ntarget = 1e6\n')
    out, _ = start("sweep", 12, "stop.h5", "--max-seconds", "20", toml="stop.toml")
    with h5py.File("stop.h5") as file:
        sweep = file["sweep"]
        stops, counted = sweep["stopped_by"].asstr()[()], (sweep["counted"][()] == 1).sum(axis=1)
        assert file["states/round_trip"].shape == (2,) and sweep["state"].shape[1] > 6, sweep["state"][()]
    for case, stop in enumerate(stops):
        assert stop == "budget" or (stop == "target" and counted[case] >= 6), (stops, counted)
    assert ("E of every case is known" in out) == (set(stops) == {"target"}), out


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    check_turns_of_three()
    check_stop()
    check_unsteady()
    check_one_state()
    for turn in (40, 54):
        check_run(turn, f"run{turn}.h5")
    page = subprocess.run([sys.executable, "-B", Path(source) / "results/report.py", "run40.h5"], capture_output=True, text=True)
    assert page.returncode == 0 and "50 ns, 300 ns" in Path("run40.html").read_text(), page.stderr
    print("passed")
