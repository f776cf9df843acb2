#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tests `ddproxy-model account`: the numbers of the preset xxl-ffn (course CS336), text and JSON, and wrong input. Started as account_test.py PROGRAM INPUTS."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM, INPUTS = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
TPU = ("--peak-flops", 4.6e14, "--link-bandwidth", 180)


class Account(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def call(self, *arguments):
        return subprocess.run([PROGRAM, "account", *map(str, arguments)], capture_output=True, text=True)

    def account(self, *arguments):
        file = self.folder / "out.json"
        done = self.call(*arguments, "--json", file)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(file.read_text()), done.stdout

    def refused(self, *arguments):
        done = self.call(*arguments)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done)
        return done.stderr

    def test_the_preset_xxl_ffn_has_the_numbers_of_the_course(self):
        found, text = self.account("--preset", "xxl-ffn", *TPU, "--shard-links", 2, "--tensor-ranks", 4, "--device-gb", 95, "--tokens", 1)
        self.assertEqual(found["parameters"], 219848638464)
        self.assertEqual(found["activation_bytes_per_token"], 17547264)
        self.assertEqual(found["least_ranks_by_formula"], 38)  # 3517.6 / 95 = 37.03
        for shown in ("219848638464 parameters", "3517.6 GB", "17547264 bytes a token", "the step fits from 38 ranks on"):
            self.assertIn(shown, text)
        alpha = 4.6e14 / 1.8e11
        bound = found["compute_bound"]
        self.assertAlmostEqual(bound["alpha"], alpha, places=6)
        self.assertAlmostEqual(bound["fsdp_tokens"], alpha / 2, places=6)
        self.assertAlmostEqual(bound["fsdp_tokens_beside_tensor"], alpha / 2 / 4, places=6)
        self.assertAlmostEqual(bound["both_tokens"], alpha**2 / (2 * 53248), places=6)
        self.assertAlmostEqual(bound["tensor_devices"], 53248 / alpha, places=6)

    def test_methods_move_the_bytes_of_their_closed_forms(self):
        found, text = self.account(INPUTS / "gpt2-large-step-a100x8.toml", "--ranks", 8)
        bytes_of_all = 4 * 774030080
        k = found["micro_batches"]
        moved = {m["method"]: {c["collective"]: c["bytes"] / bytes_of_all for c in m["collectives"]} for m in found["methods"]}
        self.assertEqual(moved, {"none": {"all_reduce": 1}, "zero1": {"reduce_scatter": 1, "all_gather": 1}, "zero2": {"reduce_scatter": k, "all_gather": 1},
                                 "fsdp": {"reduce_scatter": k, "all_gather": 2 * k}})
        sent = {m["method"]: m["sent_bytes"] / (bytes_of_all * 7 / 8) for m in found["methods"]}
        self.assertEqual({name: round(value, 9) for name, value in sent.items()}, {"none": 2, "zero1": 2, "zero2": k + 1, "fsdp": 3 * k})
        flops = found["flops_per_token"] * found["tokens"] * k
        for method in found["methods"]:
            self.assertAlmostEqual(method["flops_per_byte"], flops / method["sent_bytes"])
        self.assertIn("compute-bound: not known; give --link-bandwidth", text)

    def with_group(self, group):
        text = (INPUTS / "gpt2-large-step-a100x8.toml").read_text().replace('table = "', f'table = "{INPUTS}/')
        file = self.folder / f"group{group}.toml"
        file.write_text(f'{text}[shard]\nstage = "fsdp"\ngroup = {group}\n')
        return file

    def test_hsdp_moves_the_bytes_of_its_closed_forms(self):
        """HSDP: Zhao et al., PyTorch FSDP, 2023, section 3.2.2. The test model.graph compares the same closed forms with the step graphs."""
        bytes_of_all = 4 * 774030080
        for group, ranks in ((2, 8), (8, 64), (16, 16)):
            found, text = self.account(self.with_group(group), "--ranks", ranks)
            k, replicas = found["micro_batches"], ranks // group
            method, = [m for m in found["methods"] if m["method"] == f"hsdp/{group}"]
            expected = {("reduce_scatter", group): (k, k * (group - 1) / group), ("all_gather", group): (2 * k, 2 * k * (group - 1) / group)}
            if replicas > 1:
                expected["all_reduce", replicas] = (1 / group, 2 * (replicas - 1) / replicas / group)
            moved = {(c["collective"], c["ranks"]): (c["bytes"] / bytes_of_all, c["sent_bytes"] / bytes_of_all) for c in method["collectives"]}
            self.assertEqual(moved.keys(), expected.keys())
            for key, values in expected.items():
                for one, other in zip(moved[key], values):
                    self.assertAlmostEqual(one, other, places=12, msg=(group, ranks, key))
            self.assertAlmostEqual(method["sent_bytes"] / bytes_of_all, sum(sent for _, sent in expected.values()), places=12)
            others = [c["ranks"] for m in found["methods"] if m is not method for c in m["collectives"]]
            self.assertEqual(others, [ranks] * len(others))
            for verb, size in expected:
                self.assertRegex(text, rf"\n(hsdp/{group})? +{verb} +{size} +\d")

    def test_the_default_number_of_ranks_is_eight_or_eight_groups(self):
        self.assertEqual(self.account(self.with_group(3))[0]["ranks"], 24)
        self.assertEqual(self.account("--preset", "gpt2")[0]["ranks"], 8)

    def test_ranks_that_are_not_a_multiple_of_the_group_are_refused(self):
        file = self.with_group(8)
        for ranks in (1, 4, 12):
            self.assertIn(f"--ranks: {ranks} is not a multiple of the 8 ranks that share a unit ([shard] group in {file}); give multiples of 8, for example 8 or 64",
                          self.refused(file, "--ranks", ranks))
        self.assertIn("a group of 1 rank does not divide its units", self.refused(self.with_group(1)))

    def test_no_batch_is_large_enough_with_too_many_tensor_ranks(self):
        found, text = self.account("--preset", "xxl-ffn", *TPU, "--tensor-ranks", 32)
        self.assertIsNone(found["compute_bound"]["fsdp_tokens_beside_tensor"])
        self.assertIn("tensor parallelism over 32 devices: no batch is large enough", text)

    def test_gathered_units_need_more_ranks_than_the_formula_gives(self):
        """In bf16 a block of the stack has 3.49 GB. A rank has two gathered blocks and the gradients of two."""
        found, text = self.account("--preset", "xxl-ffn", "--device-gb", 95, "--tokens", 1)
        units = 4 * 2 * 2 * 16384 * 53248
        self.assertGreater(found["least_ranks"], found["least_ranks_by_formula"])
        self.assertLessEqual(found["least_ranks"], 16 * found["parameters"] / (95e9 - units) + 1)  # at the peak some gradients may not exist yet
        self.assertLessEqual(found["peak_bytes"], 95e9)
        self.assertIn(f"fits devices of 95 GB from {found['least_ranks']} ranks on", text)
        self.assertIn("gathered units 6.98", text)
        found, text = self.account("--preset", "xxl-ffn", "--device-gb", 20)
        self.assertIsNone(found["least_ranks"])
        self.assertGreater(found["least_ranks_by_formula"], 1000)
        self.assertIn("no number of ranks is enough for devices of 20 GB with FSDP: even with 65536 ranks a rank needs", text)
        self.assertIn("(activations 17.83, buckets 6.98, gathered units 6.98)", text)

    def test_account_and_memory_give_the_same_smallest_number_of_ranks(self):
        """In one of the inputs the unit is the whole model, so all its parameters and gradients are live at once."""
        whole = self.folder / "whole.toml"
        text = re.sub(r'table = "', f'table = "{INPUTS}/', (INPUTS / "llama3-8b-step-a100x8.toml").read_text())
        whole.write_text(text + '[shard]\nstage = "fsdp"\nunit = "whole"\n')
        answers = set()
        for file, precision, device in ((INPUTS / "llama3-8b-step-a100x8.toml", "fp32", 80), (INPUTS / "llama3-8b-step-a100x8.toml", "fp32", 30),
                                        (INPUTS / "llama3-8b-step-a100x8.toml", "bf16", 80), (whole, "fp32", 90), (whole, "fp32", 80), (whole, "bf16", 60)):
            found, text = self.account(file, "--precision", precision, "--device-gb", device)
            out = self.folder / "memory.json"
            done = subprocess.run([PROGRAM, "memory", file, "--ranks", "1", "--shard", "fsdp", "--precision", precision, "--device-gb", str(device), "--json", out],
                                  capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(found["least_ranks"], json.loads(out.read_text())["least_ranks"][0]["ranks"], (file, precision, device))
            answers.add(found["least_ranks"])
        self.assertIn(None, answers)
        self.assertGreater(len(answers), 3, answers)

    def test_a_step_never_fits_if_the_activations_fill_a_device(self):
        found, text = self.account("--preset", "xxl-ffn", "--device-gb", 17, "--tokens", 1000)
        self.assertIsNone(found["least_ranks"])
        self.assertIn("no number of ranks is enough", text)
        self.assertIn("the step never fits, because the activations alone fill a device", text)

    def test_one_rank_moves_nothing(self):
        found, text = self.account("--preset", "gpt2", "--ranks", 1)
        self.assertTrue(all(m["collectives"] == [] and m["flops_per_byte"] is None for m in found["methods"]))
        self.assertIn("none on one rank", text)

    def test_wrong_input_is_refused(self):
        self.assertIn("--preset", self.refused())
        self.assertIn("xxl-ffn", self.refused("--preset", "xxl"))
        self.assertIn("INPUT", self.refused(INPUTS / "tiny.toml", "--preset", "gpt2"))
        self.assertIn("--peak-flops", self.refused("--preset", "gpt2", "--link-bandwidth", 100))
        self.assertIn("--link-bandwidth", self.refused("--preset", "gpt2", "--shard-links", 2))
        self.assertIn("--tokens", self.refused("--preset", "gpt2", "--tokens", 0))
        self.assertIn("--device-gb", self.refused("--preset", "gpt2", "--device-gb", -1))
        same = self.folder / "in.toml"
        same.write_text((INPUTS / "tiny.toml").read_text())
        self.assertIn("overwrite", self.refused(same, "--json", same))


if __name__ == "__main__":
    unittest.main()
