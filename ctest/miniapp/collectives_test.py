# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""collectives_test.py DDPROXY INPUT MPIEXEC...: runs `ddproxy collectives` on 1, 2 and 4 ranks, on groups of ranks, replayed, and with wrong input."""
import json
import os
import re
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
    return {"all_reduce": 2 * others, "reduce_scatter": others, "all_gather": others, "broadcast": 1, "send": 1}


def check_measured(ranks):
    text, _ = start(ranks, tiny, "-o", "c.h5", "--json", "c.json", "--sizes", "0.01,0.1")
    sizes = [10485, 104857]
    rounded = [-(-size // (4 * ranks)) * 4 * ranks for size in sizes]
    assert f"sizes are rounded to multiples of {4 * ranks} bytes" in text, text
    with h5py.File("c.h5") as file:
        table = file["collectives"]
        assert [verb.decode() for verb in table["verb"]] == [verb for verb in VERBS for _ in sizes], table["verb"][:]
        assert table["bytes"][:].tolist() == rounded * 4 and (table["ranks"][:] == ranks).all() and (table["nodes"][:] == 1).all(), table["bytes"][:]
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
    assert rows[0] == ["verb", "ranks", "bytes", "seconds", "nodes\n"] and len(rows) == 9, rows
    assert np.allclose([float(row[3]) for row in rows[1:]], medians) and {row[4] for row in rows[1:]} == {"1\n"}, rows
    assert sum(line.split()[0] in VERBS for line in text.splitlines() if line.strip()) == 8, text


def check_pieces():
    text, _ = start(2, tiny, "-o", "p.h5", "--op", "broadcast,all_gather", "--pieces", "0.05,0.1", "--total", "0.25")
    assert "262144 bytes moved in pieces" in text, text
    assert "busbw" not in text and "valid=false" in text, text  # no single message was measured
    text, _ = start(2, tiny, "-o", "b.h5", "--op", "all_gather", "--sizes", "0.1", "--pieces", "0.05", "--total", "0.25")
    assert "busbw" in text and "262144 bytes moved in pieces" in text and "valid=true" in text, text
    with h5py.File("p.h5") as file:
        table = file["collectives"]
        assert table["piece_verb"][:].tolist() == [b"broadcast"] * 2 + [b"all_gather"] * 2
        assert table["piece_bytes"][:].tolist() == [52432, 104864] * 2, table["piece_bytes"][:]
        assert (table["piece_seconds"][:] > 0).all() and table.attrs["total_bytes"] == 262144 and "seconds" not in table


def check_defaults():
    """Checks the default sizes. They are those of `ddproxy allreduce`: from 1024 bytes to all gradients."""
    start(2, tiny, "-o", "d.h5", "--op", "reduce_scatter")
    with h5py.File("d.h5") as file:
        table = file["collectives"]
        assert set(table["verb"][:]) == {b"reduce_scatter"} and table["bytes"][0] == 1024 and table["bytes"].shape[0] == 7, table["bytes"][:]


def check_memory():
    """Checks that the predicted memory contains the engine's buffer for a reduce-scatter, in a run and in a dry run.
    The buffer holds one piece. If the call is smaller than a piece, the buffer holds its result."""
    pieces = write("pieces.toml", '[model]\npreset = "tiny"\n[allreduce]\nbackend = "mpi"\npiece_mib = 0.0625\n[sweep]\ncaps_mib = [1]\nsamples = 3\n')
    needs = {}
    for op, size in (("all_gather", "0.25"), ("reduce_scatter", "0.25"), ("reduce_scatter", "0.03125")):
        start(2, pieces, "-o", "m.h5", "--op", op, "--sizes", size)
        with h5py.File("m.h5") as file:
            needs[op, size] = file["provenance/memory_need"][:]
    before = needs["all_gather", "0.25"]
    assert (needs["reduce_scatter", "0.25"] - before == 65536).all() and (needs["reduce_scatter", "0.03125"] - before == 16384).all(), needs
    large = write("large.toml", '[model]\npreset = "gpt2"\n[allreduce]\nbackend = "mpi"\npiece_mib = 256\n')
    told = [start(1, large, "--dry-run", "--op", op)[0] for op in ("all_gather", "reduce_scatter")]
    gather, scatter = (float(re.search(r"memory: (\S+) GiB", text)[1]) for text in told)
    assert abs(scatter - gather - 0.25) < 0.011, told


def check_replay():
    """Checks that a twin can read tables in the format of `ddproxy collectives`, which has every verb, and in that of a(x)."""
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


def check_sends(ranks, *groups):
    """Checks transfers between pairs of ranks. With an odd number of ranks, the last rank transfers nothing."""
    of_group = int(groups[1]) if groups else ranks
    text, _ = start(ranks, tiny, "-o", "send.h5", "--op", "send,allreduce", "--sizes", "0.01,0.1", *groups)
    assert [line.split()[0] for line in text.splitlines() if line.startswith(("send ", "all_reduce "))] == ["send"] * 2 + ["all_reduce"] * 2, text
    with h5py.File("send.h5") as file:
        table = file["collectives"]
        assert table["verb"][:].tolist() == [b"send"] * 2 + [b"all_reduce"] * 2 and (table["ranks"][:] == of_group).all(), table["verb"][:]
        assert (table["seconds"][:, 0] > 0).all() and (table["wrong_elements"][:] == 0).all(), table["wrong_elements"][:]
        assert np.allclose(table["busbw"][:2], table["algbw"][:2])
        medians = table["median"][:2]
    rows = [line.split(",") for line in open("send.collectives.csv") if line.startswith("send,")]
    assert [int(row[1]) for row in rows] == [of_group] * 2 and np.allclose([float(row[3]) for row in rows], medians), rows


def check_pieces_of_sends():
    text, _ = start(2, tiny, "-o", "ps.h5", "--op", "send", "--pieces", "0.05,0.1", "--total", "0.25")
    assert "262144 bytes moved in pieces" in text, text
    with h5py.File("ps.h5") as file:
        assert file["collectives/piece_verb"][:].tolist() == [b"send"] * 2 and (file["collectives/piece_seconds"][:] > 0).all()


def check_replayed_sends():
    """Checks that a twin replays the rows of sends, single and in pieces. Uses the times of check_replay()."""
    verbs = ("send", 2, 1), ("all_reduce", 2, 3), ("all_reduce", 4, 3)  # a replay of 4 ranks also needs all-reduces of 4 ranks
    rows = [f"{verb},{ranks},{size},{share * size * 1e-8:.9g}\n" for verb, ranks, share in verbs for size in (100000, 1000000)]
    write("send.csv", "verb,ranks,bytes,seconds\n" + "".join(rows))
    for ranks, option in (2, ()), (4, ("--group", "2")):
        twin = write("send.toml", REPLAY.replace("TABLE", "send.csv").replace("ranks = 2", f"ranks = {ranks}"))
        text, said = start(1, twin, "-o", "ts.h5", "--op", "send", "--sizes", "0.2,1", "--pieces", "0.5", "--total", "1", *option)
        assert "replay" in text and "warning" not in said, (text, said)
        with h5py.File("ts.h5") as file:
            table = file["collectives"]
            per_byte = table["min"][:] / table["bytes"][:]
            assert (table["wrong_elements"][:] == -1).all() and (table["ranks"][:] == 2).all()
            assert (per_byte >= 1e-8 * (1 - 1e-6)).all() and (per_byte < 1.9e-8).any(), per_byte  # a busy machine makes a replay late
            assert table["piece_seconds"][0].min() >= 1048576 * 1e-8 * (1 - 1e-6), table["piece_seconds"][:]
    write("lacks.csv", "verb,ranks,bytes,seconds\nall_reduce,2,100000,0.001\nall_reduce,2,1000000,0.01\n")
    refused("lacks.csv: the times of send for 2 ranks are missing", write("lacks_send.toml", REPLAY.replace("TABLE", "lacks.csv")), "--op", "send")


def check_refused_sends():
    """Checks that one rank cannot send, and that the messages and the help name send."""
    refused("--op: send needs at least two ranks, one that sends and one that receives; start more ranks, or remove send from --op", tiny, "--op", "send")
    refused("--op: send needs at least two ranks", tiny, "--op", "broadcast,send")
    refused("--op: 'receive' is unknown; use one or more of: allreduce, reduce_scatter, all_gather, broadcast, send", tiny, "--op", "receive")
    text, _ = start(1, "--help")
    assert "send (transfers" in " ".join(text.split()), text
    text, _ = start(1, tiny, "--dry-run", "--op", "send", "--sizes", "0.1")
    assert "collectives: send; backend mpi" in text and "memory:" in text, text


def check_groups():
    """Checks two groups of two ranks. Checks that one group of all ranks is reported as if there were no groups."""
    text, _ = start(4, tiny, "-o", "g.h5", "--json", "g.json", "--sizes", "0.01,0.1", "--group", "2")
    assert "collectives, 2 groups of 2 ranks at the same time" in text and "multiples of 8 bytes" in text, text
    with h5py.File("g.h5") as file:
        table = file["collectives"]
        assert (table["ranks"][:] == 2).all() and (table["groups"][:] == 2).all() and (table["wrong_elements"][:] == 0).all()
        assert (table["nodes"][:] == 1).all(), table["nodes"][:]
        assert [verb.decode() for verb in table["verb"]] == [verb for verb in VERBS for _ in range(2)], table["verb"][:]
        factor = np.array([factors(2)[verb.decode()] for verb in table["verb"]])
        assert np.allclose(table["busbw"][:], factor * table["algbw"][:]) and (table["seconds"][:, 0] > 0).all()
        assert len(file["provenance/host"]) == 4
    tables = json.load(open("g.json"))["tables"]["collectives"]
    assert tables["ranks"] == tables["groups"] == [2] * 8, tables
    lines = open("g.collectives.csv").read().splitlines()
    assert lines[0] == "# 2 groups of 2 ranks at the same time" and all(line.split(",")[1] == "2" for line in lines[3:]), lines
    text, _ = start(4, tiny, "-o", "gp.h5", "--op", "all_gather", "--pieces", "0.05", "--total", "0.25", "--group", "2")
    assert "bytes moved in pieces, 2 groups of 2 ranks at the same time" in text, text
    with h5py.File("gp.h5") as file:
        assert file["collectives/piece_ranks"][:].tolist() == file["collectives/piece_groups"][:].tolist() == [2]
    text, _ = start(4, tiny, "-o", "w.h5", "--op", "all_reduce", "--sizes", "0.01,0.4", "--group", "4")
    assert "collectives, 4 ranks\n" in text, text
    with h5py.File("w.h5") as file:
        assert (file["collectives/ranks"][:] == 4).all() and (file["collectives/groups"][:] == 1).all()


def check_strided_groups():
    """Checks the groups of ranks 0 and 2, and of ranks 1 and 3. With two ranks on a node, each group spans two nodes.
    So a twin must use the times of 2 ranks on 2 nodes."""
    text, _ = start(4, tiny, "-o", "s.h5", "--sizes", "0.01,0.1", "--group", "2", "--strided")
    assert "collectives, 2 groups of 2 ranks (rank numbers 2 apart) at the same time" in text, text
    with h5py.File("s.h5") as file:
        table = file["collectives"]
        assert (table["ranks"][:] == 2).all() and (table["groups"][:] == 2).all() and (table["wrong_elements"][:] == 0).all(), table["wrong_elements"][:]
    assert open("s.collectives.csv").readline() == "# 2 groups of 2 ranks (rank numbers 2 apart) at the same time\n"
    write("nodes.csv", "verb,ranks,bytes,seconds,nodes\n" + "".join(f"all_reduce,{ranks},{size},{nodes * size * 1e-8:.9g},{nodes}\n"
                                                                   for ranks, nodes in ((2, 1), (2, 2), (4, 2)) for size in (10000, 100000)))
    twin = write("nodes.toml", REPLAY.replace("TABLE", "nodes.csv").replace("ranks = 2", "ranks = 4") + "[machine]\nranks_per_node = 2\n")
    for strided, nodes in (([], 1), (["--strided"], 2)):
        start(1, twin, "-o", "n.h5", "--op", "all_reduce", "--sizes", "0.05", "--group", "2", *strided)
        with h5py.File("n.h5") as file:
            per_byte = file["collectives/min"][0] / file["collectives/bytes"][0]
            assert file["collectives/nodes"][:].tolist() == [nodes] and nodes * 1e-8 * (1 - 1e-6) <= per_byte < (nodes + 0.9) * 1e-8, (nodes, per_byte)
    refused("--strided requires --group", tiny, "--strided")


def check_group_tables():
    """Reads the tables of check_groups(): a prediction of HSDP takes rs(x) and ag(x) of its groups from them, and a twin replays them."""
    rows = [line for name in ("g", "w") for line in open(f"{name}.collectives.csv") if line.startswith(tuple(VERBS))]
    write("both.csv", "verb,ranks,bytes,seconds,nodes\n" + "".join(rows))
    write("world.csv", "verb,ranks,bytes,seconds,nodes\n" + "".join(row for row in rows if ",4," in row))
    shard = REPLAY.replace('times = "times.csv"\n', "").replace("ranks = 2", "ranks = 4") + '[shard]\nstage = "fsdp"\ngroup = 2\n[machine]\npeak_flops = 1e10\nbandwidth = 1e10\n'
    for table, part in (("both.csv", ""), ("world.csv", "no table has the time of")):
        done = subprocess.run([ddproxy, "predict", write("hsdp.toml", shard.replace("TABLE", table))], capture_output=True, text=True)
        assert ("half of the time" not in done.stderr + done.stdout) and part in done.stderr + done.stdout, (table, done)
        assert part or done.returncode == 0 and "fsdp" in done.stdout, done
    text, said = start(1, write("twin4.toml", REPLAY.replace("TABLE", "both.csv").replace("ranks = 2", "ranks = 4")), "-o", "t4.h5", "--sizes", "0.01,0.1",
                       "--group", "2")
    assert "collectives, 2 groups of 2 ranks at the same time, replay" in text and "warning" not in said, (text, said)
    with h5py.File("t4.h5") as file, h5py.File("g.h5") as measured:
        assert (file["collectives/ranks"][:] == 2).all() and (file["collectives/groups"][:] == 2).all() and (file["collectives/wrong_elements"][:] == -1).all()
        assert (file["collectives/min"][:] >= measured["collectives/median"][:] * (1 - 1e-6)).all()  # a replay is never faster than its table
    refused("the times of reduce_scatter for 2 ranks are missing", write("lacks.toml", REPLAY.replace("TABLE", "world.csv").replace("ranks = 2", "ranks = 4")),
            "--op", "reduce_scatter", "--group", "2")


def check_compare():
    """Checks that `compare` refuses files of collectives, here of different groups, and says why."""
    done = subprocess.run([ddproxy, "compare", "g.h5", "w.h5"], capture_output=True, text=True)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1, done
    assert "g.h5: has only collectives over groups of 2 ranks, and `ddproxy compare` reads only sweeps and steps" in done.stderr, done


def check_wrong_groups():
    for ranks, group in ((4, 3), (4, 8), (2, 4)):
        done = subprocess.run([*mpiexec, "-n", str(ranks), ddproxy, "collectives", tiny, "--group", str(group), "-o", "no.h5"], capture_output=True, text=True)
        lines = [line for line in done.stderr.splitlines() if line.startswith("ddproxy: ")]
        assert done.returncode == 2 and len(lines) == 1 and f"--group: {ranks} ranks cannot be divided into groups of {group};" in lines[0], done
    refused("--group: 1 rank cannot be divided into groups of 2;", tiny, "--group", "2")
    refused("--group: 2 ranks cannot be divided into groups of 4;", "twin.toml", "--group", "4")  # the file of check_replay()
    for text in ("1", "0", "-2", "2.5", "two"):
        refused(f"--group: {text} is not a group size; give a whole number of ranks, 2 or more", tiny, "--group", text)


def check_wrong_input():
    refused("--op: 'alltoall' is unknown; use one or more of: allreduce,", tiny, "--op", "alltoall")
    refused("--op: all_reduce is given twice", tiny, "--op", "allreduce,all_reduce")
    refused("0 is not a message size", tiny, "--sizes", "1,0")
    refused("is more than the", tiny, "--sizes", "1e6")
    refused("is less than one element", tiny, "--sizes", "2e-6")
    refused("[allreduce] ranks: is missing", write("none.toml", REPLAY.replace("ranks = 2\n", "").replace("TABLE", "all.csv")))
    write("bad.csv", "verb,ranks,bytes,seconds\nreduce,2,1,1\n")
    refused('bad.csv:2: the verb "reduce" is unknown', write("bad.toml", REPLAY.replace("TABLE", "bad.csv")))


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    check_measured(1)
    check_measured(2)
    check_sends(2)
    check_sends(3)
    check_sends(4, "--group", "2")
    check_sends(4, "--group", "2", "--strided")
    for check in (check_pieces, check_pieces_of_sends, check_defaults, check_memory, check_replay, check_replayed_sends, check_refused_sends, check_groups,
                  check_strided_groups, check_group_tables, check_compare, check_wrong_groups, check_wrong_input):
        check()
        print(check.__name__, "passed")
