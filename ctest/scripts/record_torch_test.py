# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""record_torch_test.py RECORD_TORCH DDPROXY_MODEL REPORT MAKE_SAMPLE: two ranks record a small model, and ddproxy predicts its backward pass. DDP's own
buckets must follow from the recorded ready order. A report must show the sweep of PyTorch beside ddproxy's cases. Exits with 77 if this Python has no
torch."""
import csv
import importlib.util
import os
import re
import subprocess
import sys
import tempfile

RECORD, DDPROXY, REPORT, MAKE_SAMPLE = (os.path.abspath(path) for path in sys.argv[1:])
MIB = 2**20
MODEL = """
import torch
def make():
    model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 8))
    x = torch.ones(4, 64)
    return model, lambda net: net(x).square().sum()
def only_model():
    return torch.nn.Linear(2, 2)
def detached():
    model = torch.nn.Linear(2, 2)
    return model, lambda net: torch.ones(1, requires_grad=True).sum()
def pair():
    model = torch.nn.Linear(2, 2)
    return model, lambda net: (net(torch.ones(1, 2)).sum(), 1)
def wrong():
    model = torch.nn.Linear(2, 2)
    return model, lambda net: net[3]
def only_weight():
    model = torch.nn.Linear(2, 2, bias=False)
    return model, lambda net: net(torch.ones(1, 2)).sum()
def uneven():
    model, passes = torch.nn.ModuleList([torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)]), [0]
    def loss(net):
        passes[0] += 1
        x = net[0](torch.ones(1, 2))
        return (net[1](x) if passes[0] % 2 else x).sum()
    return model, loss
"""


def start(*command, env=None):
    return subprocess.run([sys.executable, "-B", *command], capture_output=True, text=True, env={**os.environ, **(env or {})})


def record(*options):
    return start(RECORD, "--backend", "gloo", "--passes", "1", *options)


def rows(path):
    with open(path) as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def buckets(sizes, first, cap):
    """Returns the sizes of the buckets that DDP's rule gives, in bytes. `sizes`: bytes of the gradients in ready order. `first` and `cap`: caps of
    the first and of the other buckets, in bytes."""
    closed, size = [], 0
    for each in sizes:
        size += each
        if size >= (cap if closed else first):
            closed.append(size)
            size = 0
    return closed + [size] if size else closed


def check_refusals():
    for command, text in ((["model"], "expected MODULE:FUNCTION"), (["nothing_there:make"], "nothing_there"),
                          (["tiny:only_model"], "must return"), (["--beside", "none.h5"], "--beside none.h5: use it only with --sweep")):
        env = {"RANK": "0", "WORLD_SIZE": "1", "LOCAL_RANK": "0", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "0"}
        done = start(RECORD, "--backend", "gloo", *command, env=env)
        lines = [line for line in done.stderr.splitlines() if not line.startswith("warning: one rank")]
        assert done.returncode == 2 and text in lines[-1] and "Traceback" not in done.stderr, (command, done)
        assert text != "expected MODULE:FUNCTION" or len(lines) == 1, done.stderr
    os.makedirs("none/torch")
    with open("none/torch/__init__.py", "w") as file:
        file.write("raise ImportError('no torch here')")
    done = start(RECORD, env={"PYTHONPATH": os.path.abspath("none")})
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "install PyTorch" in done.stderr, done


def make_model_as_large(path, total):
    """Checks that --beside rejects a file of another model or number of ranks, and a damaged file. Then gives the file a model of `total` parameters."""
    import h5py
    with h5py.File(path) as file:
        ranks, numel = file["sweep/measured"].shape[2], file["model/numel"][()].sum()
    done = record("--ranks", str(ranks), "--layers", "1", "--d-model", "32", "--heads", "1", "--vocabulary", "64", "--sweep", "--beside", path,
                  "-o", "other")
    assert done.returncode == 2 and f"the model of this file has {numel} parameters, but the model that DDP runs has" in done.stderr, done
    done = record("--ranks", "1", "--layers", "1", "--d-model", "32", "--heads", "1", "--vocabulary", "64", "--sweep", "--beside", path, "-o", "other")
    assert done.returncode == 2 and f"start this program with {ranks} ranks, as many as the run in this file had, not with 1" in done.stderr, done
    with open(path, "rb") as whole, open("damaged.h5", "wb") as damaged:  # a wrong length in the heap of texts crashes some versions of HDF5
        contents = bytearray(whole.read())
        heap = contents.index(b"GCOL")
        contents[heap + 27:heap + 32] = b"\x91" + b"\xff" * 4
        damaged.write(contents)
    done = record("--ranks", str(ranks), "--layers", "1", "--d-model", "32", "--heads", "1", "--vocabulary", "64", "--sweep", "--beside", "damaged.h5",
                  "-o", "other")
    assert done.returncode == 2 and "--beside damaged.h5: " in done.stderr and "is of a model" not in done.stderr and "Traceback" not in done.stderr, done
    with h5py.File(path, "r+") as file:
        file["model/numel"][-1] += total - numel


def check_gpt2(has_h5py):
    subprocess.run([MAKE_SAMPLE, "sample.h5"], check=True)
    total = 512 * 128 + 64 * 128 + 2 * (12 * 128 * 128 + 13 * 128) + 2 * 128
    if has_h5py:
        make_model_as_large("sample.h5", total)
    sweep = ["--sweep", "--caps", "0.2,0.5,25", "--samples", "3", "--beside", "sample.h5"] if has_h5py else []
    done = record("--ranks", "2", "--layers", "2", "--d-model", "128", "--heads", "2", "--vocabulary", "512", "--context", "64",
                  "--sequence", "32", "-o", "rec", *sweep)
    assert done.returncode == 0, done
    gradients, table = rows("rec/gradients.csv"), rows("rec/allreduce.csv")
    names = [row["name"] for row in gradients]
    assert names[:2] in (["ln_f.bias", "ln_f.weight"], ["ln_f.weight", "ln_f.bias"]), names
    assert set(names[-3:]) == {"wte.weight", "wpe.weight", "end_of_pass"} and names[-1] == "end_of_pass", names
    assert sum(int(row["numel"]) for row in gradients) == total and len(names) == 2 * 12 + 4 + 1
    assert all(float(row["seconds"]) >= 0 for row in gradients) and {row["ranks"] for row in table} == {"2"}
    assert int(table[-1]["bytes"]) == 4 * total and float(table[-1]["seconds"]) > 0
    line = next(line for line in done.stdout.splitlines() if line.startswith("ddproxy predict"))
    contention = rows("rec/contention.csv")
    assert "--contention rec/contention.csv" in line and len(contention) == 6, (line, contention)
    assert all(0 < float(row[name]) <= 1 for row in contention for name in ("kappa", "gamma")), contention
    assert int(contention[0]["bytes"]) == 4 * 128 and int(contention[-1]["bytes"]) == 4 * total, contention
    measured = ["--measured", "rec/curve.csv"] if has_h5py else []
    predict = [DDPROXY, *line.split()[1:]]
    predicted = subprocess.run([*predict, *measured], capture_output=True, text=True)
    if "no time is above T_compute" in predicted.stderr:  # the recording was disturbed, but the sweep was not
        predicted = subprocess.run(predict, capture_output=True, text=True)
    assert predicted.returncode == 0 and re.search(r"bucket_cap_mb_list=\[|Keep the default", predicted.stdout), predicted
    if has_h5py:
        check_sweep([4 * int(row["numel"]) for row in gradients])


def check_sweep(sizes):
    import h5py
    with h5py.File("rec/sweep.h5") as file:
        sweep, plans = file["sweep"], file["plans"]
        sweep_sources = list(sweep["source"].asstr())
        assert set(sweep_sources) == {"pytorch"} and sweep["measured"].shape[1:] == (3, 2)
        assert sorted(sweep["order"][()].ravel()) == list(range(sweep["order"].size))
        assert (sweep["measured"][()] > 0).all() and (sweep["compute"][()] > 0).all()
        for case, name in enumerate(sweep["name"].asstr()):
            first, count = plans["first"][case], plans["count"][case]
            expected = buckets([s for s in sizes if s], sweep["first_bucket_bytes"][case], sweep["bucket_bytes"][case])
            # Two gradients of one operation may be ready in either order. So the sizes of buckets may differ
            # slightly from `expected`. Their number and their sum may not.
            assert count == len(expected), (name, plans["bytes"][first:first + count], expected)
            assert sum(plans["bytes"][first:first + count]) == sum(sizes), name
        assert sweep["buckets"][1] > sweep["buckets"][0]
    with h5py.File("rec/beside.h5") as both, h5py.File("sample.h5") as ours:
        sources = list(both["sweep/source"].asstr())
        assert sources == ["ddproxy"] * len(ours["sweep/source"]) + ["pytorch"] * len(sweep_sources), sources
        old = ours["sweep/measured"].shape
        assert (both["sweep/measured"][:old[0], :old[1]] == ours["sweep/measured"][()]).all()
        assert (both["sweep/measured_median"][old[0]:] > 0).all() and both["sweep/measured"].dims[0][0].name == "/sweep/case"
        assert both["plans/first"][old[0]] == len(ours["plans/bytes"]), both["plans/first"][()]
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        return
    for name in ("sweep", "beside"):
        done = start(REPORT, f"rec/{name}.h5", "-o", "page")
        assert done.returncode == 0 and os.path.exists(f"page/{name}-sweep.png"), done
        with open(f"page/{name}.html") as page:
            assert "PyTorch DDP, measured" in page.read(), name


def check_own_model():
    done = record("tiny:make", "--ranks", "2", "-o", "own")
    assert done.returncode == 0, done
    assert [row["name"] for row in rows("own/gradients.csv")][-1] == "end_of_pass"
    assert sum(int(row["numel"]) for row in rows("own/gradients.csv")) == 64 * 256 + 256 + 256 * 8 + 8
    for function, text in (("detached", "reaches no parameter"), ("pair", "the loss, on rank 0: must return a tensor of one element"),
                           ("wrong", "the loss, on rank 0: TypeError: "), ("uneven", "1.bias gets a gradient only in some passes")):
        done = record(f"tiny:{function}", "--ranks", "2", "--passes", "2")
        assert done.returncode == 2 and done.stderr.count(text) == 1 and "Traceback" not in done.stderr, done


def check_reuse():
    done = record("tiny:only_weight", "--ranks", "2", "-o", "own", "--reuse", "--sweep")
    text = "own/gradients.csv belongs to another model: weight has 0 elements there, and 4 in this model; record again"
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and text in done.stderr, done


if not importlib.util.find_spec("torch"):
    print("this Python has no torch")
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    with open("tiny.py", "w") as file:
        file.write(MODEL)
    check_refusals()
    check_own_model()
    if importlib.util.find_spec("h5py"):
        check_reuse()
    check_gpt2(importlib.util.find_spec("h5py") is not None)
