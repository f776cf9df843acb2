# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""late_half_test.py DDPROXY_LATE_HALF DDPROXY_LOST_HALF DDPROXY_SCATTERED PROJECT BUILD MPIEXEC...: a strategy that is added by one file and one row
must be run, checked, verified, predicted, stored and drawn. The same is tested for a way of sharding, and for a second strategy, whose rule is
`cap`. The second strategy must not change the best case. A wrong strategy, and one that a sweep cannot run, must be refused.
BUILD has the copies of model/step/strategies from which CMake built the programs."""
import difflib
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import numpy as np

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[3] / "results")]
from reporting import style, timeline_figure  # noqa: E402
from reporting.data import Results  # noqa: E402
from reporting.sweep_figure import draw_sweep  # noqa: E402
from small_twin import write_step_twin, write_twin  # noqa: E402

ddproxy, wrong_ddproxy, scattered_ddproxy, project, build, *mpiexec = sys.argv[1:]
project, build, rows = Path(project), Path(build), Path("model/step/strategies")
tiny, report = project / "inputs" / "tiny.toml", project / "results" / "report.py"
STRATEGIES = 'strategies = ["flat", "per_tensor", "bucketed", "late_half"]\n'


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert done.returncode == 0, (done.returncode, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout


def changed_lines(before, after):
    """Returns {file: (lines added, lines deleted)} of the files that differ between two folders, as `git diff --numstat` does."""
    def lines(folder):
        return {path.name: path.read_text().splitlines() for path in folder.iterdir()}
    old, new = lines(before), lines(after)
    changed = {}
    for name in sorted(old.keys() | new.keys()):
        marks = [line[0] for line in difflib.ndiff(old.get(name, []), new.get(name, []))]
        if old.get(name) != new.get(name):
            changed[name] = marks.count("+"), marks.count("-")
    return changed


def check_that_one_file_and_one_row_suffice(name, strategies, ways=()):
    """The folder from which ddproxy_NAME was built must differ from that of the project only in one new file and one new row for each of its strategies
    and ways of sharding."""
    expected = {f"{own}.cpp": (len(Path(__file__).with_name(f"{own}.cpp").read_text().splitlines()), 0) for own in [*strategies, *ways]}
    expected |= {table: (len(added), 0) for table, added in (("table.inc", strategies), ("shard_table.inc", ways)) if added}
    changed = changed_lines(project / rows, build / name / rows)
    assert changed == expected, changed


def case(file, name):
    return [value.decode() if isinstance(value, bytes) else value for value in file["/sweep/strategy"][()]].index(name)


def events(file, number, resource):
    first, count = file["/timeline/first"][number], file["/timeline/count"][number]
    part = slice(first, first + count)
    mine = (file["/timeline/resource"].asstr()[part] == resource) & (file["/timeline/event_rank"][part] == 0)
    return file["/timeline/start"][part][mine], file["/timeline/end"][part][mine]


def check_stored(path):
    with h5py.File(path) as file:
        late = case(file, "late_half")
        assert file["/sweep/verified"][late] == 1
        assert np.isfinite(file["/sweep/predicted"][late]) and np.isfinite(file["/sweep/measured"][late]).all()
        starts, _ = events(file, late, "communication")
        _, ends = events(file, late, "compute")
        buckets, after = len(starts), int((starts >= ends.max() - 5e-5).sum())
        assert after >= buckets // 2, (buckets, after, "every second bucket waits for the end of the backward pass")


def least_of_twin(folder):
    """Runs the twin. Returns the predicted T and the smallest measured T of late_half, in seconds."""
    run(ddproxy, "run", folder / "twin.toml", "-o", folder / "twin.h5")
    check_stored(folder / "twin.h5")
    with h5py.File(folder / "twin.h5") as file:
        predicted, measured = file["/sweep/predicted"][()], file["/sweep/measured"][()].reshape(len(file["/sweep/predicted"]), -1)
        late, tensors = case(file, "late_half"), case(file, "per_tensor")
        assert predicted[late] > predicted[tensors]
        return predicted[late], np.nanmin(measured[late])


def check_twin(folder):
    """The least disturbed sample must agree with the predicted T of late_half. The predicted T of per_tensor must be smaller."""
    write_twin(folder, STRATEGIES + "caps_mib = [0.125]\nsamples = 15\n")
    for _ in range(5):  # other programs can only add time, so a disturbed run is repeated
        predicted, least = least_of_twin(folder)
        assert least >= 0.999 * predicted, (least, predicted)
        if least <= 1.15 * predicted:
            return
    raise AssertionError((least, predicted))


def check_predicted(folder):
    """`predict` knows the strategy too. The late buckets make it slower than per_tensor."""
    run(ddproxy, "predict", folder / "twin.toml", "--json", folder / "predicted.json")
    seconds = {one["strategy"]: one["predicted_s"] for one in json.loads((folder / "predicted.json").read_text())["cases"]}
    assert seconds["late_half"] > seconds["per_tensor"], seconds


def check_that_a_wrong_one_is_refused(folder):
    """lost_half never reduces every second bucket. The check of its graph must find that before anything is measured."""
    (folder / "wrong.toml").write_text(tiny.read_text().replace("[sweep]\n", '[sweep]\nstrategies = ["lost_half"]\n'))
    done = subprocess.run([*mpiexec, "-n", "2", wrong_ddproxy, "run", folder / "wrong.toml", "-o", folder / "wrong.h5"], capture_output=True, text=True)
    assert done.returncode == 3 and "verification failed: lost_half: the step graph is wrong" in done.stderr, (done.returncode, done.stderr[-2000:])


def check_that_another_collective_is_refused(folder):
    """The step of scattered is correct, but a sweep cannot measure it. No command may measure or predict it."""
    write_twin(folder / "scattered", 'strategies = ["scattered"]\n')
    (folder / "real.toml").write_text(tiny.read_text().replace("[sweep]\n", '[sweep]\nstrategies = ["scattered"]\n'))
    for command in ([*mpiexec, "-n", "2", scattered_ddproxy, "run", folder / "real.toml", "-o", folder / "scattered.h5"],
                    [scattered_ddproxy, "predict", folder / "scattered" / "twin.toml"]):
        done = subprocess.run(command, capture_output=True, text=True)
        lines = [line for line in done.stderr.splitlines() if line.startswith("ddproxy: ")]
        assert done.returncode == 2 and len(lines) == 1, (command, done.returncode, done.stderr[-2000:])
        assert "strategies: scattered: a strategy of a sweep can only" in lines[0] and "it has the task reduce_scatter" in lines[0], lines


def drawn_spans(timeline, resource):
    """Returns the left ends of the spans of a resource in the SVG of a timeline, in the units of the drawing. Leaves out the legend: its lines are wider."""
    colours = "|".join("var\\(--measured\\)" if colour == style.MEASURED else colour.lower() for colour in timeline_figure.COLOURS[resource])
    return [float(x) for x in re.findall(rf'<path d="M ([\d.]+) [^"]*"[^>]* style="fill: (?:{colours}); [^"]*stroke-width: 0.3"', timeline)]


def check_drawn(folder):
    """The page has a timeline of late_half with a span for each event of rank 0. Every second bucket begins after the last operator has begun."""
    run(sys.executable, "-B", report, folder / "real.h5", "-o", folder / "page")
    page = next((folder / "page").glob("*.html")).read_text()
    timeline, = re.findall(r"<summary>late_half</summary>(.*?)</details>", page, re.DOTALL)
    assert "This is the last sample of late_half." in timeline, timeline[:500]
    buckets, operators = drawn_spans(timeline, "communication"), drawn_spans(timeline, "compute")
    with h5py.File(folder / "real.h5") as file:
        late = case(file, "late_half")
        for resource, drawn in (("communication", buckets), ("compute", operators)):
            assert len(drawn) == len(events(file, late, resource)[0]) > 0, (resource, len(drawn))
    after = sum(x > max(operators) for x in buckets)
    assert after >= len(buckets) // 2, (after, len(buckets))


def check_stored_caps(path):
    """The strategy in_place must be verified, predicted and stored with its caps. It must be faster than each case of bucketed, so that a wrong choice of the best
    case would be seen. Returns the name of the fastest case of bucketed."""
    with h5py.File(path) as file:
        strategy, names = file["/sweep/strategy"].asstr()[()], file["/sweep/name"].asstr()[()]
        in_place, bucketed = strategy == "in_place", strategy == "bucketed"
        assert list(names[in_place]) == ["in_place/0.0625", "in_place/0.25"], names
        for name in "bucket_bytes", "first_bucket_bytes":
            assert list(file[f"/sweep/{name}"][()][in_place]) == [2**16, 2**18], (name, file[f"/sweep/{name}"][()])
        assert (file["/sweep/verified"][()] == 1).all()
        for name in "measured_median", "predicted":
            seconds = file[f"/sweep/{name}"][()]
            assert seconds[in_place].max() < seconds[bucketed].min(), (name, seconds)
        totals = file["/sweep/measured_median"][()]
        assert file["/fom"].attrs["backward_s"] == totals[bucketed].min(), (file["/fom"].attrs["backward_s"], totals)
        return names[bucketed][np.argmin(totals[bucketed])]


def check_caps(folder):
    """The screen and the page must name the same best case, which is one of bucketed, although in_place is faster."""
    write_twin(folder, 'strategies = ["bucketed", "in_place"]\ncaps_mib = [0.0625, 0.25]\nsamples = 4\n[machine]\nbandwidth = 1e8\n')
    twin = folder / "caps.toml"
    twin.write_text((folder / "twin.toml").read_text().replace("[allreduce]\n", '[allreduce]\ncopies = "in"\n'))
    out = run(ddproxy, "run", twin, "-o", folder / "caps.h5")
    best = check_stored_caps(folder / "caps.h5")
    assert f"best cap: {best}" in out, out
    assert f"bucket_mib={best.removeprefix('bucketed/')} " in out, out
    run(sys.executable, "-B", report, folder / "caps.h5", "-o", folder / "page")
    page = next((folder / "page").glob("*.html")).read_text()
    gain, = re.findall(r'<p class="gain">(.*?)</p>', page, re.DOTALL)
    size = best.removeprefix("bucketed/") + " MiB"
    assert f"Best bucket size: {size}" in gain or f"{size} has the smallest T" in gain, (best, gain)
    assert "<summary>in_place/0.25</summary>" in page
    legend = [text.get_text() for text in draw_sweep(Results(folder / "caps.h5")).axes[0].get_legend().get_texts()]
    assert [text for text in legend if text.startswith("in_place, measured")] and "in_place, predicted" in legend, legend
    run(ddproxy, "predict", twin, "--json", folder / "predicted.json")
    caps = [one["bucket_mib"] for one in json.loads((folder / "predicted.json").read_text())["cases"] if one["strategy"] == "in_place"]
    assert caps == [0.0625, 0.25], caps


def check_stored_sharding(path):
    """The step must be verified, and the last bucket must be updated and gathered first."""
    with h5py.File(path) as file:
        assert file["/step/verified"][()] == 1
        assert file["/step"].attrs["sharding"] == "reversed, reduce reduce_scatter, update all_gather, 1 lane", dict(file["/step"].attrs)
        assert np.isfinite(file["/step/measured"][()]).all() and np.isfinite(file["/step/predicted"][()]).all()
        first = file["/timeline/event_rank"][()] == 0
        start, phase, label = (file[f"/timeline/{name}"][()][first] for name in ("start", "phase", "label"))
        buckets = file["/plans/last_gradient"].size
        assert buckets > 2
        for part in "update", "all_gather":
            found = [text.decode() for text in label[phase == part.encode()][np.argsort(start[phase == part.encode()], kind="stable")]]
            assert found == [f"{part}, bucket {bucket}" for bucket in reversed(range(buckets))], found


def check_drawn_sharding(folder):
    """The page has the timeline of the step, and the folder has it as a picture."""
    run(sys.executable, "-B", report, folder / "shard.h5", "-o", folder / "page")
    page = next((folder / "page").glob("*.html")).read_text()
    assert "<svg" in page.partition("<h2>Timeline of a step</h2>")[2], page[:500]
    assert (folder / "page" / "shard-timeline.png").stat().st_size > 0


def check_sharding(folder):
    """`step`, `predict`, `memory` and `account` know the way of sharding `reversed`. It needs as much memory as zero1, and accepts the keys of [shard] that its row names."""
    folder.mkdir()
    (folder / "shard.toml").write_text(tiny.read_text().replace('"mpi"\n', '"mpi"\ncall = "nonblocking"\n').replace("samples = 5", "samples = 2") + '[shard]\nstage = "reversed"\n')
    out = run(*mpiexec, "-n", "2", ddproxy, "step", folder / "shard.toml", "-o", folder / "shard.h5")
    assert "reversed: reduce_scatter averages the gradients" in out, out
    check_stored_sharding(folder / "shard.h5")
    check_drawn_sharding(folder)
    run(ddproxy, "memory", folder / "shard.toml", "--shard", "zero1,reversed", "--ranks", "2", "--json", folder / "memory.json")
    zero1, own = json.loads((folder / "memory.json").read_text())["cases"]
    assert own["shard"] == "reversed" and own["closed_form"] == zero1["closed_form"] and own["peak"] == zero1["peak"], own
    assert "\nreversed reduce_scatter" in run(ddproxy, "account", folder / "shard.toml", "--ranks", "8")
    write_step_twin(folder, 1)
    run(ddproxy, "predict", folder / "twin.toml", "--shard", "zero1,reversed", "--json", folder / "predicted.json")
    zero1, own = json.loads((folder / "predicted.json").read_text())["sharding"]
    assert own["method"] == "reversed" and own["step_s"] > 0 and own["step_s"] != zero1["step_s"], (own, zero1)
    for stage, key, stages in (("reversed", 'unit = "whole"', '"fsdp"'), ("zero2", 'reduce = "all_reduce"', '"zero1" and "reversed"')):
        (folder / "key.toml").write_text(tiny.read_text() + f'[shard]\nstage = "{stage}"\n{key}\n')
        done = subprocess.run([ddproxy, "memory", folder / "key.toml"], capture_output=True, text=True)
        assert done.returncode == 2 and f"is for stage = {stages} only" in done.stderr, done.stderr


check_that_one_file_and_one_row_suffice("late_half", ["late_half", "in_place"], ["reversed"])
for name in "lost_half", "scattered":
    check_that_one_file_and_one_row_suffice(name, [name])
with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    text = tiny.read_text().replace("[sweep]\n", "[sweep]\n" + STRATEGIES)
    (folder / "real.toml").write_text(text)
    out = run(*mpiexec, "-n", "2", ddproxy, "run", folder / "real.toml", "-o", folder / "real.h5")
    assert "late_half" in out
    check_stored(folder / "real.h5")
    check_twin(folder / "twin")
    check_predicted(folder / "twin")
    check_that_a_wrong_one_is_refused(folder)
    check_drawn(folder)
    check_that_another_collective_is_refused(folder)
    check_caps(folder / "caps")
    check_sharding(folder / "sharding")
