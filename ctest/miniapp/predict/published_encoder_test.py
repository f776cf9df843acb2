#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""An encoder with DDP and with FSDP: compares the predictions of `ddproxy-model memory` and `predict` with published figures, and prints the errors.
Started as TEST.py PROGRAM INPUTS. docs/measurements/published-sharding.md has the numbers."""
import csv
import json
import subprocess
import unittest

from predict_case import INPUTS, PROGRAM, PUBLISHED, PredictCase

FILE = INPUTS / "encoder-step-4gpu.toml"
GPUS, GIGA = 4, 1e9
METHOD = {"ddp": "none", "fsdp": "fsdp"}  # word of the published table: word of ddproxy
BATCHES = (64, 16)  # global


def published():
    with open(PUBLISHED / "fsdp-encoder-4gpu.csv") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return {(METHOD[row["method"]], int(row["global_batch"])): (float(row["samples_per_s"]), float(row["peak_gb"])) for row in rows}


class PublishedEncoder(PredictCase):
    def input(self, sequences):
        """Returns the path of the input with this micro-batch."""
        text = FILE.read_text().replace('table = "', f'table = "{INPUTS}/')
        self.assertEqual(text.count("\nbatch = 16\n"), 1)
        return self.path(f"{sequences}.toml", text.replace("\nbatch = 16\n", f"\nbatch = {sequences}\n"))

    def memory(self, sequences):
        file = self.path("memory.json")
        done = subprocess.run([PROGRAM, "memory", self.input(sequences), "--ranks", str(GPUS), "--shard", "none,fsdp", "--json", file], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        report = json.loads(file.read_text())
        return report, {case["shard"]: case for case in report["cases"]}

    def saved(self, sequences):
        """Returns the GB that FSDP saves at the peak."""
        cases = self.memory(sequences)[1]
        return (cases["none"]["peak_bytes"] - cases["fsdp"]["peak_bytes"]) / GIGA

    def steps(self, global_batch, *arguments):
        """Returns the seconds of a step with each method."""
        rows = self.predict(self.input(global_batch // GPUS), "--shard", "none,fsdp", *arguments)[0]["sharding"]
        return {row["method"]: row["step_s"] for row in rows}

    def test_the_input_is_the_published_model(self):
        report, _ = self.memory(16)
        self.assertEqual(report["sequence"], 512)
        self.assertLess(abs(report["parameters"] / 109e6 - 1), 0.002)
        for global_batch in BATCHES:
            self.assertEqual(self.predict(self.input(global_batch // GPUS))[0]["step"]["global_batch"], global_batch)

    def test_memory_saved_by_sharding_is_near_the_published_value(self):
        """The peak of DDP lies later in the backward pass if the activations are small. So at 4 sequences a rank, gradients are live at the peak,
        and sharding saves a part of them, too."""
        rows = published()
        for global_batch, largest_error in ((64, 0.10), (16, 0.34)):
            measured = rows["none", global_batch][1] - rows["fsdp", global_batch][1]
            report, cases = self.memory(global_batch // GPUS)
            saved = self.saved(global_batch // GPUS)
            print(f"global batch {global_batch}: published {measured:.2f} GB saved, predicted {saved:.3f} GB, error {saved / measured - 1:+.1%}, "
                  f"{abs(saved - measured) / rows['none', global_batch][1]:.1%} of the published peak")
            self.assertLess(abs(saved / measured - 1), largest_error)
            self.assertLess(saved, 12 * report["parameters"] / GIGA)  # four GPUs can save at most 3/4 of the 16 bytes of each parameter
            none, fsdp = cases["none"]["peak"], cases["fsdp"]["peak"]
            for kind in ("parameter", "optimizer_state"):
                self.assertAlmostEqual(fsdp[kind] / none[kind], 1 / GPUS, places=4)

    def test_saved_memory_is_close_if_activations_are_as_large_as_published(self):
        rows = published()
        each = (rows["none", 64][1] - rows["none", 16][1]) / 12  # GB that one more sequence on each GPU needs: 64 / 4 - 16 / 4 = 12
        case = self.memory(16)[1]["none"]["peak"]
        kernels = (case["activation"] + case["activation_gradient"]) / 16 / GIGA
        print(f"published {each:.2f} GB a sequence, predicted {kernels:.3f} GB, {each / kernels:.2f} times")
        self.assertAlmostEqual(each / kernels, 5.3, delta=0.05)
        for global_batch in BATCHES:
            measured = rows["none", global_batch][1] - rows["fsdp", global_batch][1]
            saved = self.saved(round(global_batch / GPUS * each / kernels))
            print(f"global batch {global_batch}, with as many activations as the source: predicted {saved:.3f} GB saved, error {saved / measured - 1:+.1%}")
            self.assertLess(abs(saved / measured - 1), 0.10)

    def test_predicted_samples_per_second_are_near_the_published_rates(self):
        """The efficiency of the input is fitted to the first row of the published table. In that table FSDP is slower than DDP; in the model it is faster."""
        rows, largest_error = published(), {("none", 64): 0.002, ("fsdp", 64): 0.09, ("none", 16): 0.06, ("fsdp", 16): 0.09}
        for global_batch in BATCHES:
            for method, seconds in self.steps(global_batch).items():
                if (method, global_batch) not in rows:
                    continue  # FSDP that keeps its units after the forward pass
                rate = rows[method, global_batch][0]
                error = global_batch / seconds / rate - 1
                print(f"{method}, global batch {global_batch}: published {rate} samples/s, predicted {global_batch / seconds:.1f}, error {error:+.1%}")
                self.assertLess(abs(error), largest_error.pop((method, global_batch)))
        self.assertEqual(largest_error, {})

    def test_no_link_bandwidth_explains_the_published_cost_of_fsdp(self):
        """FSDP's additional all-gather has the same size at each batch, and more compute hides more of it. So if a link is slow enough to make FSDP slower
        than DDP, the difference is larger at the small batch. In the published table it is larger at the large batch."""
        def more(seconds):
            return 1e3 * (seconds["fsdp"] - seconds["none"])

        rows = published()
        measured = {batch: more({method: batch / rows[method, batch][0] for method in ("none", "fsdp")}) for batch in BATCHES}
        print(f"published: FSDP takes {measured[64]:.1f} ms more at 64, {measured[16]:.1f} ms more at 16")
        self.assertGreater(measured[64], measured[16] + 40)
        for scale in (1, 0.1, 0.05, 0.02, 0.01):
            predicted = {batch: more(self.steps(batch, "--bandwidth-scale", scale)) for batch in BATCHES}
            print(f"link x {scale}: FSDP takes {predicted[64]:+.1f} ms more at 64, {predicted[16]:+.1f} ms more at 16")
            self.assertLess(predicted[64], 0)
            self.assertLess(predicted[64], predicted[16])
        self.assertGreater(predicted[16], 40)


if __name__ == "__main__":
    unittest.main()
