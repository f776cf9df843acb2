#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tests `ddproxy-model memory`: the peaks and the closed forms, the smallest number of ranks, the largest micro-batch, the page, and wrong
input. Started as memory_command_test.py PROGRAM ROOT."""
import csv
import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM, ROOT = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
INPUTS = ROOT / "inputs"
PSI = 774030080  # parameters of gpt2-large
STATE = ("parameter", "gradient", "bucket", "optimizer_state")


def total(case, moment="peak"):
    return sum(case[moment].values())


class Memory(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def call(self, *arguments):
        return subprocess.run([PROGRAM, "memory", *map(str, arguments)], capture_output=True, text=True)

    def memory(self, *arguments):
        file = self.folder / "out.json"
        done = self.call(*arguments, "--json", file)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(file.read_text()), done.stdout

    def refused(self, *arguments):
        done = self.call(*arguments)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done)
        return done.stderr

    def large(self, batch=4, text=""):
        """Returns the path of an input of gpt2-large with this batch and the sections in `text`."""
        path = self.folder / "large.toml"
        path.write_text(f'[model]\npreset = "gpt2-large"\n[step]\nbatch = {batch}\nsequence = 1024\n[optimizer]\nkind = "adamw"\n{text}')
        return path

    def test_the_state_at_the_start_is_the_closed_form(self):
        found, _ = self.memory(self.large(), "--ranks", "1,8,64", "--precision", "fp32,bf16,autocast")
        self.assertEqual(len(found["cases"]), 3 * 4 * 3)
        self.assertEqual(self.memory(self.large(), "--ranks", "1,8,64", "--precision", "fp32,bf16,autocast", "--shard", "all")[0], found)
        for case in found["cases"]:
            who = (case["precision"], case["shard"], case["ranks"])
            for kind in ("parameter", "optimizer_state"):
                closed = case["closed_form"][kind]
                self.assertLess(abs(case["start"].get(kind, 0) / closed - 1), 1e-4, (who, kind))  # padding
            self.assertLessEqual(total(case, "start"), case["peak_bytes"])
            self.assertEqual(total(case), case["peak_bytes"])
            self.assertLessEqual(case["peak_bytes"], case["buffers_bytes"])
            longest = [sum(values) for values in zip(*case["timeline"]["bytes"].values())]
            self.assertLessEqual(max(longest), case["peak_bytes"], who)
            self.assertEqual(case["timeline"]["seconds"], sorted(case["timeline"]["seconds"]))

    def test_the_gradients_before_the_update_are_the_closed_form(self):
        """With clipping, all gradients exist right before the update, because the norm needs all of them."""
        clipped = 'clip = 1.0\n[shard]\nstage = "zero1"\n'
        whole, divided = (self.memory(self.large(text=clipped + reduce), "--ranks", "8,64", "--precision", "fp32,bf16")[0]["cases"] for reduce in ('reduce = "all_reduce"\n', ""))
        self.assertEqual((len(whole), len(divided)), (2 * 4 * 2, 2 * 4 * 2))
        for case, of_default in zip(whole, divided):
            who = (case["precision"], case["shard"], case["ranks"])
            found, default, closed = ({kind: moment.get(kind, 0) for kind in STATE} for moment in (case["before_update"], of_default["before_update"], case["closed_form"]))
            self.assertAlmostEqual((found["gradient"] + found["bucket"]) / (closed["gradient"] + closed["bucket"]), 1, delta=1e-4, msg=who)
            self.assertAlmostEqual(sum(found.values()) / sum(closed.values()), 1, delta=1e-4, msg=who)
            if case["shard"] != "zero1":
                self.assertEqual(default, found, who)
            else:  # by a reduce-scatter each rank gets only its part, and the buckets are released
                each, other = (4, 12) if case["precision"] == "fp32" else (2, 14)
                self.assertAlmostEqual(sum(default.values()) / PSI / (each + other / case["ranks"]), 1, delta=1e-4, msg=who)

    def test_more_ranks_and_later_stages_take_less_memory(self):
        found, _ = self.memory(self.large(), "--ranks", "8,64")
        peak = {(case["shard"], case["ranks"]): case["peak_bytes"] for case in found["cases"]}
        self.assertEqual(peak["none", 8], peak["none", 64])
        for shard in ("zero1", "zero2", "fsdp"):
            self.assertGreater(peak[shard, 8], peak[shard, 64])
        for ranks in (8, 64):
            self.assertGreater(peak["none", ranks], peak["zero1", ranks])
            self.assertGreater(peak["zero1", ranks], peak["fsdp", ranks])

    def test_autocast_adds_two_bytes_for_each_weight_of_a_product(self):
        found, _ = self.memory(self.large(), "--ranks", 8, "--shard", "none", "--precision", "autocast")
        weights = 36 * 12 * 1280**2 + 1280 * 50257
        self.assertEqual(found["cases"][0]["peak"]["cached_weight"], 2 * weights)

    def test_peaks_of_whole_steps_are_close_to_the_published_peaks(self):
        """The figures and errors of docs/measurements/published-sharding.md."""
        with open(INPUTS / "published/memory-cs336.csv") as file:
            rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
        published = {row["precision"]: float(row["peak_gb"]) for row in rows if row["preset"] == "cs336-2.7b-gelu" and row["phase"] == "step"}
        path = self.folder / "published.toml"
        path.write_text('[model]\npreset = "cs336-2.7b-gelu"\n[step]\nbatch = 16\nsequence = 128\n[optimizer]\nkind = "adamw"\n')
        found, _ = self.memory(path, "--ranks", 1, "--shard", "none", "--precision", "fp32,autocast")
        document = (ROOT / "docs/measurements/published-sharding.md").read_text()
        for case, name, word, bound in zip(found["cases"], ("fp32", "mixed"), ("fp32", "mixed (autocast)"), (0.01, 0.05)):
            peak, gb = case["peak_bytes"] / 1e9, published[name]
            self.assertLess(abs(peak / gb - 1), bound, case["precision"])
            self.assertIn(f"| {word} | {gb} | {peak:.2f} | {100 * (peak / gb - 1):+.1f} % |", document)

    def test_the_smallest_ranks_and_the_largest_micro_batch_just_fit_a_device(self):
        file = self.large()
        for gb in (8, 12, 24):
            found, text = self.memory(file, "--ranks", "8", "--device-gb", gb)
            for least in found["least_ranks"]:
                if least["ranks"] is None or least["shard"] == "none":
                    continue
                tried = sorted({max(1, least["ranks"] - 1), least["ranks"]})
                near, _ = self.memory(file, "--ranks", ",".join(map(str, tried)), "--shard", least["shard"])
                fits = {case["ranks"]: case["peak_bytes"] <= gb * 1e9 for case in near["cases"]}
                self.assertTrue(fits[least["ranks"]], least)
                self.assertTrue(least["ranks"] == 1 or not fits[least["ranks"] - 1], least)
            for case in found["cases"]:
                batch = case["largest_micro_batch"]
                self.assertEqual(case["fits"], batch >= 4, case["shard"])
                for tried, fits in ((batch, True), (batch + 1, False)):
                    if tried < 1:
                        continue
                    near, _ = self.memory(self.large(tried), "--ranks", 8, "--shard", case["shard"])
                    self.assertEqual(near["cases"][0]["peak_bytes"] <= gb * 1e9, fits, (case["shard"], tried))
            self.assertIn(f"smallest number of ranks with which a step fits {gb} GB", text)
            self.large()

    def test_says_why_no_number_of_ranks_is_enough(self):
        found, text = self.memory(self.large(), "--ranks", "8", "--device-gb", 5)
        self.assertEqual([least["ranks"] for least in found["least_ranks"]], [None] * 4)
        why = dict(re.findall(r"fp32 +(zero1|zero2|fsdp) +does not fit with up to 65536 ranks: a rank then still needs (.*)", text))
        self.assertRegex(why["zero1"], r"^[\d.]+ GB \(activations [\d.]+, parameters 3\.1")
        self.assertRegex(why["fsdp"], r"^[\d.]+ GB \(activations [\d.]+, .*gathered units 0\.\d+")
        self.assertNotIn("optimizer", why["fsdp"])

    def test_copies_add_buckets_and_checkpoints_shrink_activations(self):
        plain, _ = self.memory(self.large(), "--ranks", 8, "--shard", "none")
        copied, _ = self.memory(self.large(text='[allreduce]\ncopies = "in+out"\n'), "--ranks", 8, "--shard", "none")
        self.assertEqual(copied["cases"][0]["peak"]["bucket"], 4 * PSI)
        # Without buckets the peak lies in the backward pass, before all gradients are complete.
        more = copied["cases"][0]["peak_bytes"] - plain["cases"][0]["peak_bytes"]
        self.assertGreater(more, 0)
        self.assertLessEqual(more, 4 * PSI)
        self.large()
        path = self.folder / "large.toml"
        path.write_text(path.read_text().replace("sequence = 1024\n", 'sequence = 1024\ncheckpoint = "layer"\n'))
        again, _ = self.memory(path, "--ranks", 8, "--shard", "none")
        self.assertLess(again["cases"][0]["peak"]["activation"], plain["cases"][0]["peak"]["activation"] / 5)

    def test_the_settings_of_shard_change_only_the_stage_of_the_input(self):
        def gathered(text):
            found, _ = self.memory(self.large(text=text), "--ranks", 8)
            return {case["shard"]: case["peak"].get("gathered_unit", 0) for case in found["cases"]}, {case["shard"]: case["peak_bytes"] for case in found["cases"]}

        default, peaks = gathered("")
        ahead = {number: gathered(f'[shard]\nstage = "fsdp"\nprefetch = {number}\n') for number in (0, 1, 2)}
        self.assertEqual(ahead[1], (default, peaks))
        self.assertLess(ahead[0][0]["fsdp"], ahead[1][0]["fsdp"])
        self.assertLess(ahead[1][0]["fsdp"], ahead[2][0]["fsdp"])
        for number in (0, 2):
            self.assertEqual({**ahead[number][1], "fsdp": 0}, {**peaks, "fsdp": 0})
        of_group = gathered('[shard]\nstage = "fsdp"\ngroup = 2\n')[1]
        self.assertGreater(of_group.pop("hsdp/2"), peaks["fsdp"])
        self.assertEqual(of_group, {shard: peak for shard, peak in peaks.items() if shard != "fsdp"})

    def test_hsdp_needs_the_memory_of_fsdp_on_one_group(self):
        """With groups of 8 ranks (HSDP) the peak is that of FSDP on 8 ranks, however many groups there are. `predict --shard` has the same peak."""
        groups = self.large(text='[shard]\nstage = "fsdp"\ngroup = 8\n')
        found, text = self.memory(groups, "--ranks", "8,16,64", "--precision", "fp32,bf16", "--shard", "fsdp")
        self.assertEqual(self.memory(groups, "--precision", "fp32,bf16", "--shard", "fsdp")[0]["cases"], [case for case in found["cases"] if case["ranks"] != 16])
        all_ranks, _ = self.memory(self.large(text='[shard]\nstage = "fsdp"\n'), "--ranks", "8", "--precision", "fp32,bf16", "--shard", "fsdp")
        one_group = {case["precision"]: case for case in all_ranks["cases"]}
        self.assertEqual(len(found["cases"]), 6)
        for case in found["cases"]:
            expected = one_group[case["precision"]]
            self.assertEqual(case["shard"], "hsdp/8")
            self.assertIn(f"{case['precision']:<9} hsdp/8 {case['ranks']:>6} ", text)
            for name in ("start", "peak", "before_update", "after_update", "phases", "closed_form"):
                self.assertEqual(case[name], expected[name], (case["precision"], case["ranks"], name))
        twin = self.folder / "twin.toml"
        twin.write_text(re.sub(r'table = "', f'table = "{INPUTS}/', (INPUTS / "gpt2-large-step-a100x64.toml").read_text()) + '[shard]\nstage = "fsdp"\ngroup = 8\n')
        done = subprocess.run([PROGRAM, "predict", twin, "--shard", "fsdp", "--json", self.folder / "predict.json"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = {row["method"]: row for row in json.loads((self.folder / "predict.json").read_text())["sharding"]}
        case, = self.memory(twin, "--ranks", 64, "--shard", "fsdp")[0]["cases"]
        self.assertEqual(case["peak_bytes"], rows["hsdp, groups of 8"]["peak_memory_bytes"])

    def test_the_smallest_number_of_ranks_is_a_multiple_of_the_group(self):
        group = self.large(text='[shard]\nstage = "fsdp"\ngroup = 8\n')
        for gb, ranks in ((15.5, 8), (15, None)):  # FSDP takes 15.36 GB on 8 ranks, and 14.35 on 64
            found, text = self.memory(group, "--device-gb", gb, "--shard", "zero2,fsdp")
            self.assertEqual(found["least_ranks"][1], {"precision": "fp32", "shard": "hsdp/8", "ranks": ranks})
            self.assertEqual([case["fits"] for case in found["cases"] if case["shard"] == "hsdp/8"], [ranks is not None] * 2)
            account = subprocess.run([PROGRAM, "account", group, "--device-gb", str(gb)], capture_output=True, text=True).stdout
            self.assertIn("with HSDP (hsdp/8)", account)
            if ranks is None:
                self.assertRegex(text, r"fp32 +hsdp/8 does not fit: more groups do not help, because each group holds a whole replica; a rank needs 15\.36 GB \(")
                self.assertIn("even with 65536 ranks a rank needs 15.36 GB", account)
            else:
                self.assertIn("fits devices of 15.5 GB from 8 ranks on", account)

    def test_numbers_of_ranks_that_are_not_multiples_of_the_group_are_refused(self):
        group = self.large(text='[shard]\nstage = "fsdp"\ngroup = 8\n')
        for ranks in ("1", "4", "12", "8,64,65"):
            wrong = ranks.split(",")[-1]
            self.assertIn(f"--ranks: {wrong} is not a multiple of the 8 ranks that share a unit ([shard] group in {group}); give multiples of 8, for example 8 or 64, or remove group",
                          self.refused(group, "--ranks", ranks))
        self.memory(group, "--ranks", "1,12", "--shard", "none,zero1")  # the group is not used
        alone = self.large(text='[shard]\nstage = "fsdp"\ngroup = 1\n')
        self.assertIn("a group of 1 rank does not divide its units", self.refused(alone, "--ranks", "8"))
        account = subprocess.run([PROGRAM, "account", alone, "--device-gb", "80"], capture_output=True, text=True)
        self.assertEqual((account.returncode, account.stdout, account.stderr.count("\n")), (2, "", 1), account)
        self.assertIn("a group of 1 rank does not divide its units", account.stderr)

    def test_a_unit_of_a_group_that_is_too_large_is_refused(self):
        """The unit is padded to equal shards of the group, to 3096120328 bytes. Equal shards of all 70000 ranks would need 3096240000."""
        group = self.large(text='[shard]\nstage = "fsdp"\nunit = "whole"\ngroup = 7\n')
        self.assertIn("the whole model as one unit of 3.096 GB", self.refused(group, "--ranks", "70000", "--shard", "fsdp", "--device-gb", 3.096))
        found, _ = self.memory(group, "--ranks", "70000", "--shard", "fsdp", "--device-gb", 3.0962)
        self.assertFalse(found["cases"][0]["fits"])

    def test_the_text_has_the_figures_of_the_json(self):
        found, text = self.memory(self.large(), "--ranks", "1,8", "--device-gb", 80)
        rows = [line.split() for line in text.splitlines() if re.match(r"(fp32|bf16|autocast) +\w+ +\d+ +[\d.]+ +[\d.]+ +[\d.]+ ", line)]
        self.assertEqual(len(rows), len(found["cases"]))
        for row, case in zip(rows, found["cases"]):
            self.assertEqual(row[:3], [case["precision"], case["shard"], str(case["ranks"])])
            self.assertAlmostEqual(float(row[3]), case["peak"]["parameter"] / 1e9, delta=6e-4)
            self.assertAlmostEqual(float(row[9]), case["peak_bytes"] / 1e9, delta=6e-4)
            self.assertAlmostEqual(float(row[10]), sum(case["closed_form"][kind] for kind in STATE) / 1e9, delta=6e-4)
            self.assertEqual(row[12], str(case["largest_micro_batch"] or "-"))

    def test_wrong_input_is_refused(self):
        file = self.large()
        self.assertIn("INPUT", self.refused())
        self.assertIn("--ranks", self.refused(file, "--ranks", "0"))
        self.assertIn("8 is given twice", self.refused(file, "--ranks", "8,8"))
        self.assertIn("ZeRO-3 is called fsdp", self.refused(file, "--shard", "zero3"))
        self.assertNotIn("ZeRO-3", self.refused(file, "--shard", "zero4"))
        self.assertIn("given twice", self.refused(file, "--shard", "fsdp,fsdp"))
        self.assertIn("fp8", self.refused(file, "--precision", "fp8"))
        self.assertIn("--device-gb", self.refused(file, "--device-gb", "0"))
        self.assertIn("overwrite", self.refused(file, "--json", file))
        self.refused(self.folder / "absent.toml")

    @unittest.skipUnless(importlib.util.find_spec("matplotlib") and importlib.util.find_spec("h5py"), "no matplotlib or no h5py")
    def test_the_legend_of_the_timelines_has_all_kinds(self):
        """In this step buckets are live, but in at least one case not at the peak."""
        sys.path.insert(0, str(ROOT / "results"))
        from reporting import memory_page
        data, _ = self.memory(self.large(), "--ranks", "8", "--shard", "zero1,fsdp")
        kinds = {kind for case in data["cases"] for kind in case["timeline"]["bytes"]}
        self.assertTrue(any("bucket" not in case["peak"] for case in data["cases"]) and "bucket" in kinds, kinds)
        drawn = memory_page.draw_timelines(data)
        labels = {text.get_text() for legend in drawn.legends for text in legend.get_texts()}
        self.assertEqual(labels, {label for of_kinds, label, *_ in memory_page.LAYERS if set(of_kinds) & kinds})

    @unittest.skipUnless(importlib.util.find_spec("matplotlib") and importlib.util.find_spec("h5py"), "no matplotlib or no h5py")
    def test_memory_py_writes_a_page_and_refuses_wrong_json(self):
        self.memory(self.large(), "--ranks", "1,8", "--device-gb", 16)

        def draw(path):
            return subprocess.run([sys.executable, "-B", ROOT / "results" / "memory.py", path], capture_output=True, text=True)
        done = draw(self.folder / "out.json")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stderr)
        self.assertEqual([pathlib.Path(line).name for line in done.stdout.splitlines()], ["out.html", "out-bars.png", "out-timeline.png"])
        page = (self.folder / "out.html").read_text()
        for text in ("gpt2-large", "Smallest number of ranks for devices of 16 GB. fp32, none: does not fit with any number; fp32, zero1: ", "optimizer state (GB)"):
            self.assertIn(text, page)
        bars, timelines = (" ".join(re.findall(r"<!--(.*?)-->", svg)) for svg in re.findall(r"<svg.*?</svg>", page, re.DOTALL))  # the texts of a figure
        self.assertRegex(bars, r"Largest peak: [\d.]+ GB \(fp32, none, 1 rank\),.* \d+ % of it activations")
        self.assertRegex(timelines, r"fp32, none, 8 ranks:.* the peak of [\d.]+ GB is reached after \d+ % of the step")
        self.assertIn("td.number { white-space: nowrap; }", page)
        self.assertRegex(page, r'<td class="number" data-label="peak \(GB\)">[\d.]+</td>')
        for name in ("out-bars.png", "out-timeline.png"):
            self.assertTrue((self.folder / name).read_bytes().startswith(b"\x89PNG"), name)
        good = (self.folder / "out.json").read_text()
        for text in ("{", '{"cases": [], "least_ranks": []}', good.replace('"peak_bytes"', '"p"', 1), good.replace('"seconds"', '"s"', 1)):
            (self.folder / "bad.json").write_text(text)
            done = draw(self.folder / "bad.json")
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), (text[:80], done))
            self.assertIn("bad.json", done.stderr)


if __name__ == "__main__":
    unittest.main()
