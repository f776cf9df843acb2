# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""shard_command_test.py DDPROXY INPUTS MPIEXEC...: runs `ddproxy step` with sharded steps on two and four ranks and as a twin, and with wrong input."""
import itertools
import os
import re
import subprocess
import sys
import tempfile

import h5py
import numpy as np

ddproxy, inputs, *mpiexec = sys.argv[1:]
BASE = """[model]
preset = "tiny"
[step]
batch = 2
sequence = 24
[shard]
SHARD
[allreduce]
ALLREDUCE
[sweep]
caps_mib = [0.05]
samples = 3
warmup = 3
[machine]
peak_flops = 1e10
bandwidth = 1e10
"""
MPI = 'backend = "mpi"'
# Keys of [shard], and by how many seconds a task may differ from its predicted time. A lane that wakes up late reports its transfer late, and
# the transfer of another lane may then end too early (ReplayLink). So a task may differ more if there are two lanes.
TWINS = (('stage = "zero1"', 2e-6), ('stage = "zero2"', 2e-6), ('stage = "fsdp"', 2e-6),
         ('stage = "fsdp"\ngroup = 4', 1e-4), ('stage = "fsdp"\nlanes = 2\nprefetch = 2', 1e-4), ('stage = "zero1"\nlanes = 2', 1e-4))
ROUNDS = 5  # other programs can only add time, so a twin that was disturbed is run again


def write(name, shard, allreduce=MPI + '\ncall = "nonblocking"', more=""):
    """Writes an input. By default it sets `call`, because choosing a call takes a third of a run. The inputs of the project leave the choice to ddproxy."""
    with open(name, "w") as file:
        file.write(BASE.replace("SHARD", shard).replace("ALLREDUCE", allreduce) + more)
    return name


def start(ranks, *arguments):
    return subprocess.run([*mpiexec, "-n", str(ranks), ddproxy, "step", "--kokkos-num-threads", "1", *arguments], capture_output=True, text=True)


def run(ranks, *arguments):
    done = start(ranks, *arguments)
    assert done.returncode == 0, (arguments, done.returncode, done.stdout, done.stderr)
    return done


def refused(ranks, part, *arguments):
    done = start(ranks, *arguments)
    lines = [line for line in done.stderr.splitlines() if line.startswith("ddproxy: ")]
    assert done.returncode == 2 and len(lines) == 1 and part in lines[0], (part, arguments, done.returncode, done.stderr)


def check_file(name, stage, verbs):
    with h5py.File(name) as file:
        step = file["/step"]
        assert str(step.attrs["sharding"]).startswith(stage), dict(step.attrs)
        measured = step["measured"][...]
        assert np.isfinite(measured).all() and np.isfinite(step["loss"][...]).all(), measured
        row = [text.decode() for text in step["part"][...]].index("step")
        assert step["predicted"][row] > 0 and (measured[row] > 0).all()
        found = {text.decode() for text in file["/collectives/verb"][...]}
        assert found == set(verbs), found
        assert (file["/collectives/wrong_elements"][...] == 0).all() and (file["/collectives/nodes"][...] == 1).all()


def loss_of(name):
    """Returns the loss of the last warm-up step. Two updates come before it, because every input here has three warm-up steps."""
    with h5py.File(f"{name}.h5") as file:
        return float(file["/step/loss"][()])


def is_close(name, other, within=1e-6):
    return abs(loss_of(name) / loss_of(other) - 1) < within


def measures_every_stage():
    cases = {"zero1": ('stage = "zero1"', {"reduce_scatter", "all_gather"}),
             "zero1_all": ('stage = "zero1"\nreduce = "all_reduce"\nupdate = "broadcast"', {"all_reduce", "broadcast"}),
             "zero2": ('stage = "zero2"', {"reduce_scatter", "all_gather"}),
             "fsdp": ('stage = "fsdp"', {"reduce_scatter", "all_gather"}),
             "lanes": ('stage = "fsdp"\nlanes = 2\nprefetch = 2', {"reduce_scatter", "all_gather"})}
    for name, (shard, verbs) in cases.items():
        done = run(2, write(f"{name}.toml", shard), "-o", f"{name}.h5")
        assert re.search(r"^DDPROXY_STEP_FOM .* valid=\S+$", done.stdout, re.M), done.stdout
        check_file(f"{name}.h5", shard.split('"')[1], verbs)
    run(2, write("none.toml", 'stage = "none"'), "-o", "none.h5")
    for name in cases:  # with two ranks all ways to average give the same bits
        assert loss_of(name) == loss_of("none"), (name, loss_of(name), loss_of("none"))


def groups_of_ranks_have_the_loss_of_the_unsharded_step():
    run(4, write("hsdp.toml", 'stage = "fsdp"\ngroup = 2'), "-o", "hsdp.h5")
    check_file("hsdp.h5", "fsdp", {"reduce_scatter", "all_gather", "all_reduce"})
    run(4, write("none4.toml", 'stage = "none"'), "-o", "none4.h5")
    assert is_close("hsdp", "none4"), (loss_of("hsdp"), loss_of("none4"))


def every_way_to_communicate_gives_the_loss_of_the_unsharded_step():
    """Reads a file of measures_every_stage()."""
    for name, shard, allreduce in (("blocking", 'stage = "zero1"\nlanes = 2', 'call = "blocking"'), ("poll", 'stage = "fsdp"\nlanes = 2', 'progress = "poll"')):
        run(2, write(f"{name}.toml", shard, f"{MPI}\n{allreduce}"), "-o", f"{name}.h5")
        check_file(f"{name}.h5", shard.split('"')[1], {"reduce_scatter", "all_gather"})
        assert loss_of(name) == loss_of("none"), (name, loss_of(name), loss_of("none"))


def gradients_are_rounded_and_clipped_as_in_the_unsharded_step():
    """Sharded ranks add the squares of the gradients in another order than an unsharded rank, so the loss may differ in the last digits."""
    clip, bf16 = "[optimizer]\nclip = 1.0\n", MPI + '\ncall = "nonblocking"\nwire = "bf16"'
    run(2, write("bf16.toml", 'stage = "fsdp"', bf16, clip), "-o", "bf16.h5")
    check_file("bf16.h5", "fsdp", {"reduce_scatter", "all_gather", "all_reduce"})
    run(2, write("none_bf16.toml", 'stage = "none"', bf16, clip), "-o", "none_bf16.h5")
    run(2, write("none_clip.toml", 'stage = "none"', more=clip), "-o", "none_clip.h5")
    assert is_close("bf16", "none_bf16", 1e-7), (loss_of("bf16"), loss_of("none_bf16"))
    assert not is_close("none_bf16", "none_clip"), "the loss does not show whether gradients are rounded"


def inputs_of_the_project_have_the_loss_of_the_unsharded_step():
    """Runs the inputs with fewer samples and more warm-up steps than they have."""
    for name, stage in (("step-gpt2-zero1", "zero1"), ("step-llama-fsdp", "fsdp")):
        with open(os.path.join(inputs, name + ".toml")) as file:
            text, found = re.subn("samples = 10\n", "samples = 3\nwarmup = 3\n", file.read())
        unsharded, sections = re.subn(r"\[shard\]\n(?:.+\n)+", "", text)
        assert found == sections == 1, name
        for copy, content in (("sharded", text), ("unsharded", unsharded)):
            with open(copy + ".toml", "w") as file:
                file.write(content)
            run(2, copy + ".toml", "-o", copy + ".h5")
        check_file("sharded.h5", stage, {"reduce_scatter", "all_gather", "all_reduce"})
        assert is_close("sharded", "unsharded"), (name, loss_of("sharded"), loss_of("unsharded"))


def is_on_time(name, late=2e-6):
    """Returns whether each task of the recorded step ran within `late` seconds of its predicted time, counted from the end of the first task. Also, the
    median of the steps must be at most 2 % above the prediction. The default of 2 us is for one lane, as in the test miniapp.step_replay."""
    with h5py.File(name) as file:
        start, end, predicted_start, predicted_end = (file["timeline"][n][:] for n in ("start", "end", "predicted_start", "predicted_end"))
        row = [text.decode() for text in file["/step/part"][...]].index("step")
        measured, predicted = file["/step/median"][row], file["/step/predicted"][row]
    assert 0 < predicted < 1.001 * measured, (name, measured, predicted)  # a replay is never faster than its tables
    begin = end[0] - predicted_end[0]
    return max(np.abs(start - begin - predicted_start)[1:].max(), np.abs(end - begin - predicted_end).max()) < late and measured < 1.02 * predicted


def a_twin_replays_collectives():
    with open("table.csv", "w") as file:
        file.write("verb,ranks,bytes,seconds\n")
        for verb, factor in (("all_reduce", 2), ("reduce_scatter", 1), ("all_gather", 1)):
            for ranks, size in itertools.product((2, 4, 8), (1000, 1000000)):
                file.write(f"{verb},{ranks},{size},{factor * (1e-4 + size * 1e-9)}\n")
    replay = 'backend = "replay"\ntable = "table.csv"\nranks = 8'
    for keys, late in TWINS:
        for _ in range(ROUNDS):
            done = run(1, write("twin.toml", keys, replay, '[compute]\nmode = "replay"\n'), "-o", "twin.h5")
            assert "half of the time" not in done.stderr, done.stderr
            if is_on_time("twin.h5", late):
                break
        assert is_on_time("twin.h5", late), keys
    with open("only.csv", "w") as file:
        file.write("bytes,seconds\n1000,1e-4\n1000000,1e-3\n")
    done = run(1, write("half.toml", 'stage = "zero1"', replay.replace("table.csv", "only.csv"), '[compute]\nmode = "replay"\n'), "-o", "half.h5")
    assert "half of the time of an all_reduce" in done.stderr, done.stderr


def a_twin_takes_the_rows_of_the_nodes_of_its_groups():
    """Replays HSDP on two nodes of two ranks, and then on one node of four ranks. An all-reduce of two ranks takes 5 ms if they are on two nodes.
    Every other collective takes 0.1 ms."""
    with open("nodes.csv", "w") as file:
        file.write("verb,ranks,bytes,seconds,nodes\n")
        for (verb, nodes), size in itertools.product((("all_reduce", 1), ("all_reduce", 2), ("reduce_scatter", 1), ("all_gather", 1)), (1000, 1000000)):
            file.write(f"{verb},2,{size},{5e-3 if nodes == 2 else 1e-4},{nodes}\n")
        file.write("all_reduce,4,1000,1e-4,2\nall_reduce,4,1000000,1e-4,2\n")
    keys = 'stage = "fsdp"\ngroup = 2', 'backend = "replay"\ntable = "nodes.csv"\nranks = 4'
    replay = '[compute]\nmode = "replay"\n'
    for ranks_per_node, seconds in ((2, 5e-3), (4, 1e-4)):
        layout = f"ranks_per_node = {ranks_per_node}\n"
        if ranks_per_node == 4:  # all ranks on one node, but the table has no such rows of all_reduce
            refused(1, "no all_reduce row for 4 ranks on 1 node", write("nodes.toml", *keys, layout + replay), "-o", "nodes.h5")
            with open("nodes.csv", "a") as file:
                file.write("all_reduce,4,1000,1e-4,1\nall_reduce,4,1000000,1e-4,1\n")
        done = run(1, write("nodes.toml", *keys, layout + replay), "-o", "nodes.h5")
        assert "less certain" not in done.stderr, done.stderr
        with h5py.File("nodes.h5") as file:
            reduces = np.char.startswith(file["timeline/label"][...].astype(str), "all_reduce, unit")
            for name in ("", "predicted_"):
                times = (file[f"timeline/{name}end"][:] - file[f"timeline/{name}start"][:])[reduces]
                # two lanes share the link, so a time may be longer
                assert times.size > 2 and (times > 0.99 * seconds).all() and (name == "" or times.max() < seconds + 2e-3), (ranks_per_node, name, times)
    refused(1, "on 1 and on 2 nodes", write("nodes.toml", *keys, replay), "-o", "nodes.h5")


def wrong_input_is_one_line():
    refused(1, "there is only one rank", write("wrong.toml", 'stage = "zero1"'))
    refused(2, "'zero9' is unknown", write("wrong.toml", 'stage = "zero9"'))
    refused(2, "prefetch", write("wrong.toml", 'stage = "fsdp"\nprefetch = -1'))
    refused(2, "does not divide the 2 ranks", write("wrong.toml", 'stage = "fsdp"\ngroup = 3'))
    refused(2, "unit: is for stage", write("wrong.toml", 'stage = "zero1"\nunit = "whole"'))
    refused(2, "lanes", write("wrong.toml", 'stage = "fsdp"\nlanes = 3'))
    refused(2, "the step has several communication lanes", write("wrong.toml", 'stage = "fsdp"\nlanes = 2', MPI + '\nprogress = "none"'))
    refused(2, "copies", write("wrong.toml", 'stage = "fsdp"', MPI + '\ncopies = "in"'))


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    measures_every_stage()
    groups_of_ranks_have_the_loss_of_the_unsharded_step()
    every_way_to_communicate_gives_the_loss_of_the_unsharded_step()
    gradients_are_rounded_and_clipped_as_in_the_unsharded_step()
    inputs_of_the_project_have_the_loss_of_the_unsharded_step()
    a_twin_replays_collectives()
    a_twin_takes_the_rows_of_the_nodes_of_its_groups()
    wrong_input_is_one_line()
