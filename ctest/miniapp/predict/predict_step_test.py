#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tests the prediction of whole steps by `ddproxy-model predict`, with the inputs of the twins. Started as TEST.py PROGRAM INPUTS."""
import re
import subprocess
import sys
import unittest

from predict_case import INPUTS, NODE, PROGRAM, PredictCase

TWINS = {(model, ranks): INPUTS / f"{model}-step-a100x{ranks}.toml" for model in ("gpt2-large", "llama3-8b") for ranks in (8, 64)}
PARAMETERS = {"gpt2-large": 774030080, "llama3-8b": 8030261248}
HSDP_TWINS = {"gpt2-large": 0.939573, "llama3-8b": 3.157846}  # seconds of a step with HSDP (8 groups of 8 ranks), measured at commit 52121d0a; docs/measurements/sharding.md has later values
PARTS = ("forward_s", "recompute_s", "backward_s", "exposed_s", "clip_s", "update_s")


class PredictStep(PredictCase):
    def changed(self, file, *changes):
        """Returns the path of a copy of an input that reads the same tables. Each pattern of `changes` is replaced by its text."""
        text = re.sub(r'table = "', f'table = "{INPUTS}/', file.read_text())
        for pattern, new in changes:
            text, count = re.subn(pattern, new, text)
            self.assertEqual(count, 1, pattern)
        return self.path("changed.toml", text)

    def step(self, file, *arguments):
        return self.predict(file, *arguments)[0]["step"]

    def bucketed(self, step):
        return next(c for c in step["cases"] if c["strategy"] == "bucketed")

    def test_the_parts_and_the_exposed_communication_add_up_to_the_step(self):
        for (model, ranks), file in TWINS.items():
            step = self.step(file)
            self.assertEqual(step["global_batch"] % ranks, 0)
            for case in step["cases"]:
                self.assertAlmostEqual(sum(case[part] for part in PARTS), case["step_s"], places=9)
                self.assertEqual(list(case["lane_busy_s"]), ["compute", "communication"])
                self.assertAlmostEqual(case["lane_busy_s"]["compute"] + case["bubble_s"], case["step_s"], places=9)
                self.assertAlmostEqual(case["tokens_per_s"] * case["step_s"], step["tokens"], places=3)
            self.assertGreater(step["peak_memory_bytes"], 16 * PARAMETERS[model])

    def test_the_text_has_the_figures_of_the_json(self):
        document, done = self.predict(TWINS["gpt2-large", 64])
        case = self.bucketed(document["step"])
        row = next(line for line in done.stdout.split("whole step")[1].splitlines() if line.startswith("bucketed/25"))
        figures = [float(cell) for cell in row.split()[1:]]
        for figure, part in zip(figures, PARTS + ("step_s",)):
            self.assertAlmostEqual(figure, case[part] * 1e3, delta=6e-4)
        self.assertIn("global batch 256 sequences, 262144 tokens", done.stdout)
        self.assertIn("E: exposed communication of the whole step. It can be smaller than E above: the norm of reduced buckets", done.stdout)
        self.assertIn("1 micro-batch; gradients are averaged in the last micro-batch and clipped; optimizer adamw", done.stdout)
        self.assertIn("peak memory: 25.36 GB on each rank; a device has 40.00 GB", done.stdout)

    def test_the_table_of_shardings_compares_every_stage(self):
        file = self.changed(TWINS["llama3-8b", 64])
        document, done = self.predict(file, "--shard", "all")
        rows = {row["method"]: row for row in document["sharding"]}
        self.assertLessEqual({"none", "zero1", "zero2", "fsdp", "fsdp, reshard_after_forward = false"}, set(rows))
        peaks = {name: row["peak_memory_bytes"] for name, row in rows.items()}
        for stage in ("zero1", "zero2"):  # zero2 may exceed zero1: its buckets can need more memory than it saves, because the largest gradient has 2.1 GB
            self.assertTrue(peaks["fsdp"] < peaks[stage] < peaks["none"], peaks)
        self.assertFalse(rows["none"]["fits"])
        self.assertTrue(rows["fsdp"]["fits"])
        self.assertIn("sharding on 64 ranks", done.stdout)
        self.assertIn("half of the time of an all_reduce", done.stderr)

    def test_the_row_of_hsdp_is_within_2_percent_of_its_twin(self):
        for model, measured in HSDP_TWINS.items():
            document, done = self.predict(TWINS[model, 64], "--shard", "all")
            row = next(row for row in document["sharding"] if row["method"] == "hsdp, groups of 8")
            self.assertNotIn("problem", row)
            self.assertLess(abs(row["step_s"] / measured - 1), 0.02, row)
            self.assertNotIn("over 8 ranks on 1 node; half", done.stderr)
            self.assertNotIn("same table", done.stderr)

    def test_a_table_for_all_ranks_is_not_used_for_the_groups_of_hsdp(self):
        """Without a column `ranks` the rows are for the number of ranks that the key `ranks` of [allreduce] gives, whether the file has a column `verb` or not."""
        rows = (INPUTS / "derived/allreduce-64xa100-slingshot.csv").read_text().split("seconds\n")[1].splitlines()
        verbs = [f"{verb},{row}" for verb in ("all_reduce", "reduce_scatter", "all_gather") for row in rows]
        for header, lines in (("bytes,seconds", rows), ("verb,bytes,seconds", verbs)):
            table = self.path("all.csv", "\n".join([header, *lines]) + "\n")
            document, done = self.predict(TWINS["llama3-8b", 64], "--allreduce", table, "--shard", "all")
            found = {row["method"]: row for row in document["sharding"]}
            missing = ("no table has the time of all_gather over 8 ranks on 1 node, nor of all_reduce over 8 ranks on 1 node, nor of all_reduce over 8 ranks on 8 nodes, "
                       "nor of reduce_scatter over 8 ranks on 1 node")
            self.assertIn(missing, found["hsdp, groups of 8"]["problem"])
            self.assertGreater(found["fsdp"]["step_s"], 0)
            file = self.changed(TWINS["llama3-8b", 64], (r"\[allreduce\]", '[shard]\nstage = "fsdp"\ngroup = 8\n[allreduce]'))
            self.assertIn(missing, self.refused(file, "--allreduce", table))

    def test_a_table_of_each_verb_is_used(self):
        """With rs(x) = ag(x) = 1 ns a sharded step has little exposed communication; with 10 s each it has much."""
        text = TWINS["gpt2-large", 8].read_text()
        for seconds in (1e-9, 10.0):
            rows = ["verb,ranks,bytes,seconds"] + [f"{verb},8,{size},{1e-3 if verb == 'all_reduce' else seconds}"
                                                   for verb in ("all_reduce", "reduce_scatter", "all_gather") for size in (1000, 10**10)]
            table = self.path(f"verbs{seconds}.csv", "\n".join(rows) + "\n")
            file = self.path(f"verbs{seconds}.toml", re.sub(r'table = ".*"', f'table = "{table}"', text))
            document, done = self.predict(file, "--shard", "fsdp")
            row = document["sharding"][0]
            self.assertNotIn("half of the time", done.stderr)
            (self.assertGreater if seconds > 1 else self.assertLess)(row["exposed_s"], 10.0)

    def test_four_micro_batches_compute_four_times_as_long_and_update_once(self):
        twin = TWINS["gpt2-large", 64]
        more = self.step(self.changed(twin, ("accumulation = 1", "accumulation = 4"), ("(?m)^batch = 4", "batch = 16")))
        one, four = self.bucketed(self.step(twin)), self.bucketed(more)
        self.assertEqual(more["global_batch"], 4 * 256)
        for part, factor in (("forward_s", 4), ("backward_s", 4), ("clip_s", 1), ("update_s", 1)):
            self.assertAlmostEqual(four[part], factor * one[part], places=9, msg=part)
        self.assertAlmostEqual(four["exposed_s"], one["exposed_s"], places=9)  # one all-reduce for each bucket
        each = self.step(self.changed(twin, ("accumulation = 1", 'accumulation = 4\nsync = "each"'), ("(?m)^batch = 4", "batch = 16")))
        self.assertGreater(self.bucketed(each)["exposed_s"], 3.5 * one["exposed_s"])

    def test_a_checkpoint_takes_less_memory_and_more_time(self):
        twin = TWINS["gpt2-large", 8]
        kept, again = self.step(twin), self.step(self.changed(twin, ("accumulation = 1", 'accumulation = 1\ncheckpoint = "layer"')))
        self.assertLess(again["peak_memory_bytes"], 0.8 * kept["peak_memory_bytes"])
        self.assertEqual(self.bucketed(kept)["recompute_s"], 0)
        self.assertGreater(self.bucketed(again)["recompute_s"], 0.5 * self.bucketed(kept)["forward_s"])

    def test_a_step_that_does_not_fit_is_labelled_hypothetical(self):
        for (model, ranks), file in TWINS.items():
            document, done = self.predict(file)
            too_large = model == "llama3-8b"
            self.assertEqual(document["step"]["hypothetical"], too_large, file)
            self.assertEqual("hypothetical whole step on" in done.stdout, too_large, file)
            self.assertEqual("but a device has 80 GB ([machine] memory)" in done.stdout, too_large, file)
            self.assertEqual("\n# Hypothetical:" in file.read_text(), too_large, file)

    def test_a_step_is_hypothetical_if_it_exceeds_the_device_memory(self):
        twin = TWINS["gpt2-large", 8]
        peak = self.step(twin)["peak_memory_bytes"]
        for memory, too_large in ((peak, False), (peak - 1, True)):
            self.assertEqual(self.step(self.changed(twin, ("memory = 40e9", f"memory = {memory}")))["hypothetical"], too_large, memory)
        unknown = self.step(self.changed(twin, ("(?m)^memory = .*$", "")))
        self.assertIsNone(unknown["device_memory_bytes"])
        self.assertFalse(unknown["hypothetical"])

    def test_no_step_is_predicted_for_an_input_of_a_backward_pass(self):
        document, done = self.predict(NODE)
        self.assertNotIn("step", document)
        self.assertNotIn("whole step", done.stdout)

    def test_says_why_a_step_is_not_predicted(self):
        table = INPUTS / "published/allreduce-8xa100-1node.csv"
        text = '[model]\npreset = "tiny"\n[step]\naccumulation = 1\n'
        machine = "[machine]\npeak_flops = 1e9\nbandwidth = 1e9\n"
        unknown = self.path("unknown.toml", text + machine)
        document, done = self.predict(unknown, "--allreduce", table)
        self.assertNotIn("step", document)
        self.assertIn("the whole step is not predicted: the all-reduce table does not say its number of ranks", done.stderr)
        self.assertIn("step", self.predict(unknown, "--allreduce", table, "--table-ranks", 8)[0])
        times = self.path("times.csv", "layer,seconds\nlm_head,1\nln_f,1\nh.1,1\nh.0,1\nembedding,1\n")
        replayed = self.path("replayed.toml", text + f'[compute]\nmode = "replay"\ntimes = "{times}"\n' + machine)
        document, done = self.predict(replayed, "--allreduce", table, "--table-ranks", 8)
        self.assertNotIn("step", document)
        self.assertIn("the whole step is not predicted: [compute] times has only the backward pass", done.stderr)

    def test_the_derived_table_equals_the_output_of_derive_allreduce(self):
        table = INPUTS / "derived/allreduce-64xa100-slingshot.csv"
        done = subprocess.run([sys.executable, "-B", INPUTS.parent / "scripts/derive-allreduce", PROGRAM], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, table.read_text())

    def test_the_derived_collectives_equal_the_output_of_derive_collectives(self):
        done = subprocess.run([sys.executable, "-B", INPUTS.parent / "scripts/derive-collectives"], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, (INPUTS / "derived/collectives-64xa100.csv").read_text())


if __name__ == "__main__":
    unittest.main()
