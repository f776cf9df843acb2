# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""collectives_test.py DDPROXY INPUT MPIEXEC...: runs `ddproxy collectives` on 1 and 2 ranks, replayed, and with wrong input."""
import json
import os
import subprocess
import sys
import tempfile

import h5py
import numpy as np

ddproxy, tiny, *mpiexec = sys.argv[1:]
VERBS = ["all_reduce", "reduce_scatter", "all_gather", "broadcast"]
REPLAY = ('[model]\npreset = "tiny"\n[compute]\nmode = "replay"\ntimes = "times.csv"\n[allreduce]\nbackend = "replay"\n'
          'table = "TABLE"\nranks = 2\n[sweep]\ncaps_mib = [1]\nsamples = 3\n')


def write(name, text):
    with open(name, "w") as file:
        file.write(text)
    return name


def start(ranks, *arguments):
    done = subprocess.run([*mpiexec, "-n", str(ranks), ddproxy, "collectives", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, (arguments, done.returncode, done.stdout, done.stderr)
    return done.stdout, done.stderr


def refused(part, *arguments):
    done = subprocess.run([ddproxy, "collectives", *arguments], capture_output=True, text=True)
    assert done.returncode == 2 and part in done.stderr and len(done.stderr.splitlines()) == 1, (arguments, done.returncode, done.stderr)


def factors(ranks):
    others = (ranks - 1) / ranks
    return {"all_reduce": 2 * others, "reduce_scatter": others, "all_gather": others, "broadcast": 1}


def check_measured(ranks):
    text, _ = start(ranks, tiny, "-o", "c.h5", "--json", "c.json", "--sizes", "0.01,0.1")
    sizes = [10485, 104857]
    rounded = [-(-size // (4 * ranks)) * 4 * ranks for size in sizes]
    assert f"sizes are rounded to multiples of {4 * ranks} bytes" in text, text
    with h5py.File("c.h5") as file:
        table = file["collectives"]
        assert [verb.decode() for verb in table["verb"]] == [verb for verb in VERBS for _ in sizes], table["verb"][:]
        assert table["bytes"][:].tolist() == rounded * 4 and (table["ranks"][:] == ranks).all(), table["bytes"][:]
        seconds = table["seconds"][:]
        assert (seconds[:, 0] > 0).all() and (table["wrong_elements"][:] == 0).all()
        assert np.allclose(table["median"][:], np.nanmedian(seconds, axis=1)) or "states" in file
        assert (table["min"][:] <= table["median"][:]).all() and (table["median"][:] <= table["max"][:]).all()
        assert np.allclose(table["algbw"][:], table["bytes"][:] / table["median"][:] / 1e9)
        factor = np.array([factors(ranks)[verb.decode()] for verb in table["verb"]])
        assert np.allclose(table["busbw"][:], factor * table["algbw"][:])
        assert json.load(open("c.json"))["tables"]["collectives"]["bytes"] == rounded * 4
        assert "allreduce" not in file and "call" in table.attrs
        medians = table["median"][:]
    rows = [line.split(",") for line in open("c.collectives.csv") if not line.startswith("#")]
    assert rows[0] == ["verb", "ranks", "bytes", "seconds\n"] and len(rows) == 9, rows
    assert np.allclose([float(row[3]) for row in rows[1:]], medians)
    assert sum(line.split()[0] in VERBS for line in text.splitlines() if line.strip()) == 8, text


def check_pieces():
    text, _ = start(2, tiny, "-o", "p.h5", "--op", "broadcast,all_gather", "--pieces", "0.05,0.1", "--total", "0.25")
    assert "262144 bytes moved in pieces" in text, text
    with h5py.File("p.h5") as file:
        table = file["collectives"]
        assert table["piece_verb"][:].tolist() == [b"broadcast"] * 2 + [b"all_gather"] * 2
        assert table["piece_bytes"][:].tolist() == [52432, 104864] * 2, table["piece_bytes"][:]
        assert (table["piece_seconds"][:] > 0).all() and table.attrs["total_bytes"] == 262144 and "seconds" not in table


def check_defaults():
    """Checks the sizes of `allreduce`. The last one is that of all gradients."""
    start(2, tiny, "-o", "d.h5", "--op", "reduce_scatter")
    with h5py.File("d.h5") as file:
        table = file["collectives"]
        assert set(table["verb"][:]) == {b"reduce_scatter"} and table["bytes"][0] == 1024 and table["bytes"].shape[0] == 7, table["bytes"][:]


def check_replay():
    """Checks that a twin can read the tables of the command, for every verb and for a(x)."""
    write("times.csv", "layer,seconds\nlm_head,1e-3\nln_f,1e-3\nh.1,1e-3\nh.0,1e-3\nembedding,1e-3\n")
    write("all.csv", "verb,ranks,bytes,seconds\n" + "".join(f"{verb},2,{size},{(k + 1) * size * 1e-8:.9g}\n"
                                                             for k, verb in enumerate(VERBS) for size in (100000, 1000000)))
    text, said = start(1, write("twin.toml", REPLAY.replace("TABLE", "all.csv")), "-o", "t.h5", "--sizes", "0.2,1")
    assert "replay" in text and "warning" not in said, (text, said)
    with h5py.File("t.h5") as file:
        table = file["collectives"]
        assert (table["wrong_elements"][:] == -1).all() and (table["ranks"][:] == 2).all()
        per_byte = table["min"][:] / table["bytes"][:]
        for k in range(4):  # on a busy machine a replay ends late, but never early
            assert (per_byte[2 * k:2 * k + 2] >= (k + 1) * 1e-8 * (1 - 1e-6)).all(), per_byte
            assert (per_byte[2 * k:2 * k + 2] <= (k + 1.9) * 1e-8).any(), per_byte
    write("half.csv", "bytes,seconds\n100000,0.002\n1000000,0.02\n")
    twin = write("half.toml", REPLAY.replace("TABLE", "half.csv"))
    refused("half.csv: the times of broadcast for 2 ranks are missing", twin, "-o", "h.h5")
    _, said = start(1, twin, "-o", "h.h5", "--op", "all_gather", "--sizes", "0.1,0.5")
    assert "has no times of all_gather for 2 ranks, so half of the time of an all_reduce" in said, said
    with h5py.File("h.h5") as file:
        per_byte = file["collectives/min"][:] / file["collectives/bytes"][:]
        assert (per_byte >= 1e-8 * (1 - 1e-6)).all() and (per_byte < 1.9e-8).any(), per_byte
    done = subprocess.run([ddproxy, "run", "twin.toml", "-o", "r.h5"], capture_output=True, text=True)
    assert done.returncode == 0 and "valid=replay" in done.stdout, done


def check_wrong_input():
    refused("--op: 'alltoall' is unknown; use one or more of: allreduce,", tiny, "--op", "alltoall")
    refused("--op: all_reduce is given twice", tiny, "--op", "allreduce,all_reduce")
    refused("0 is not a message size", tiny, "--sizes", "1,0")
    refused("is more than the", tiny, "--sizes", "1e6")
    refused("is less than one element", tiny, "--sizes", "2e-6")
    refused("--sizes excludes --pieces", tiny, "--sizes", "1", "--pieces", "1")
    refused("[allreduce] ranks: is missing", write("none.toml", REPLAY.replace("ranks = 2\n", "").replace("TABLE", "all.csv")))
    write("bad.csv", "verb,ranks,bytes,seconds\nreduce,2,1,1\n")
    refused('bad.csv:2: the verb "reduce" is unknown', write("bad.toml", REPLAY.replace("TABLE", "bad.csv")))


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    check_measured(1)
    check_measured(2)
    for check in (check_pieces, check_defaults, check_replay, check_wrong_input):
        check()
        print(check.__name__, "passed")
