#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""predict_test.py PROGRAM INPUTS: runs `ddproxy-model predict` as a user does, on small tables with exact results and on the published tables."""
import csv
import json
import resource
import subprocess
import unittest

from predict_case import INPUTS, NODE, PROGRAM, PUBLISHED, SLINGSHOT, PredictCase


class Predict(PredictCase):
    def test_bf16_halves_the_bytes_on_the_wire_and_keeps_the_buckets(self):
        whole, _ = self.predict(*self.small(), "--caps", "1,2")
        half, done = self.predict(*self.small(), "--caps", "1,2", "--wire", "bf16")
        buckets = [[c["buckets"] for c in result["cases"] if c["strategy"] != "optimal"] for result in (half, whole)]
        self.assertEqual(*buckets)
        self.assertAlmostEqual(half["t_comm_s"], 0.6)
        seconds = {(c["strategy"], c["bucket_mib"]): c["predicted_s"] for c in half["cases"]}
        self.assertAlmostEqual(seconds["flat", None], 4.6)
        self.assertAlmostEqual(seconds["bucketed", 2], 4.35)
        self.assertIn("the all-reduce table covers 1048576 to 4194304 bytes, and the times of other sizes are extrapolated.", done.stderr)
        self.assertIn("less certain: naive, per_tensor, bucketed/1", done.stderr)

    def test_bf16_halves_the_ratio_of_the_rough_check(self):
        regimes = {wire: self.call(SLINGSHOT, "--wire", wire).stdout.split("of the affine fit takes ")[1].split(" times")[0] for wire in ("fp32", "bf16")}
        self.assertAlmostEqual(float(regimes["bf16"]), float(regimes["fp32"]) / 2, delta=0.01)

    def test_too_large_gradients_and_invalid_bucket_sizes_are_refused(self):
        huge = self.path("huge.csv", f"name,numel,seconds\na,{2**62},1\nb,{2**62},1\n")
        arguments = self.small()
        arguments[1] = huge
        self.assertIn("huge.csv: the gradients have 9.22e+18 elements", self.refused(*arguments))
        for cap in ("1e14", "1e-9", "nan"):
            self.assertIn("is not a bucket size", self.refused(*self.small(), "--caps", cap))
        self.assertIn("is not a bucket size", self.refused(*self.small(), "--first-bucket", "1e14"))

    def test_predictions_of_a_small_job_are_exact(self):
        result, done = self.predict(*self.small(), "--caps", "1,2")
        self.assertEqual(result["t_compute_s"], 4)
        self.assertAlmostEqual(result["t_comm_s"], 1.1)
        seconds = {(c["strategy"], c["bucket_mib"]): c["predicted_s"] for c in result["cases"]}
        self.assertAlmostEqual(seconds["naive", None], 4 + 4 * 0.35)
        self.assertAlmostEqual(seconds["flat", None], 5.1)
        self.assertAlmostEqual(seconds["per_tensor", None], 4.35)
        self.assertAlmostEqual(seconds["bucketed", 1], 4.35)
        self.assertAlmostEqual(seconds["bucketed", 2], 4.6)
        self.assertAlmostEqual(seconds["optimal", None], 4.35)
        low, high = result["best"]["interval_mib"]
        self.assertLess(low, 1e-5)
        self.assertEqual(high, 1)
        self.assertEqual(result["plan"]["bucket_cap_mb_list"][-1], 1)
        self.assertAlmostEqual(result["floor_s"], 0.35)
        self.assertAlmostEqual(result["affine_fit"]["alpha_s"], 0.1)
        self.assertLess(result["affine_fit"]["error_max"], 1e-9)
        self.assertEqual(done.stderr, "")

    def test_small_buckets_are_less_certain_with_a_table_of_large_messages(self):
        large = self.path("large.csv", "bytes,seconds\n4194304,1\n16777216,4\n")
        _, done = self.predict(*self.small()[:2], "--allreduce", large, "--caps", "64")
        self.assertIn("less certain: naive, per_tensor, optimal, the best cap, the buckets that --pytorch prints, the cap that --pytorch prints", done.stderr)

    def test_caps_with_the_same_time_can_have_different_bucket_counts(self):
        text = self.call(NODE, "--caps", "1").stdout
        self.assertRegex(text, r"best cap \(b\*\): up to 5\.01 MiB \(436 to \d+ buckets\)")
        self.assertRegex(text, r"tuning: T with the best cap is 0\.039 ms \(0\.0 %\) smaller than T with 25 MiB, and 0\.000 ms ")

    def test_a_dry_run_gives_the_compute_time_if_the_machine_has_a_roofline(self):
        def said(text):
            done = subprocess.run([PROGRAM, "run", self.path("real.toml", text), "--dry-run"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout.splitlines()[-1]
        real = '[model]\npreset = "tiny"\n[sweep]\nstrategies = ["flat"]\nsamples = 3\n'
        self.assertEqual(said(real), "time: not known before the run, because the input has no roofline ([machine] peak_flops and bandwidth)")
        machine = "[machine]\npeak_flops = 1e6\nbandwidth = 1e18\n"
        text = said(real + machine)
        self.assertRegex(text, r"^time: at least [\d.e+]+ s of compute, from the roofline of \[machine\], plus the all-reduces, whose time is not known")
        twice = said(real + machine.replace("1e6", "5e5"))
        seconds = [float(t.split("at least ")[1].split(" s ")[0]) for t in (text, twice)]
        self.assertAlmostEqual(seconds[1] / seconds[0], 2, delta=0.1)

    def test_predict_warns_if_the_efficiency_is_for_another_precision(self):
        self.assertIn("the efficiency 0.252 was given for tf32; the efficiency of bf16 may differ",
                      self.predict(SLINGSHOT, "--precision", "bf16")[1].stderr)
        self.assertNotIn("efficiency", self.predict(SLINGSHOT, "--precision", "tf32")[1].stderr)

    def test_a_cap_or_a_number_of_ranks_given_twice_is_refused(self):
        self.assertIn("--caps: 25 is given twice", self.refused(NODE, "--caps", "25,1,25"))
        self.assertIn("--ranks: 8 is given twice", self.refused(NODE, "--ranks", "8,4,8", "--ranks-per-node", "8"))

    def test_a_file_with_a_byte_order_mark_and_crlf_is_read(self):
        gradients, table = self.small()[1], self.small()[3]
        with open(gradients) as file:
            marked = self.path("marked.csv", "\ufeff" + file.read().replace("\n", "\r\n"))
        self.assertEqual(self.call("--gradients", marked, "--allreduce", table).returncode, 0)

    def test_order_and_regret_are_not_known_from_one_measured_cap(self):
        curve = self.path("one.csv", "bucket_mib,seconds\n1,4.5\n")
        result, done = self.predict(*self.small(), "--measured", curve)
        self.assertRegex(done.stdout, r"ddproxy .* - +-\n")
        self.assertIn("regret: not known, because at least 3 caps are needed; measured: 1", done.stdout)
        self.assertNotIn("nan", done.stdout)
        self.assertIsNone(result["score"]["predictors"][0]["regret"])
        done = self.call(*self.small(), "--measured", curve, "--max-regret", "1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("regret is not known (nan), so it cannot be compared with --max-regret: at least 3 caps", done.stderr)

    def test_a_measured_curve_with_too_much_noise_is_not_scored(self):
        curve = self.path("flat.csv", "bucket_mib,seconds\n1,4.05\n2,4.5\n4,5\n")  # E is 0.05 s, its noise 0.02 s
        result, done = self.predict(*self.small(), "--measured", curve)
        self.assertRegex(done.stdout, r"ddproxy +- +- +- ")
        self.assertIn("error: not known, because the noise of E of bucketed/1 is 20.2 ms, above the limit of 10 ms, which is 20 % of E", done.stdout)
        self.assertIsNone(result["score"]["predictors"][0]["mean_error"])
        done = self.call(*self.small(), "--measured", curve, "--max-model-error", "100")
        self.assertEqual(done.returncode, 1)
        self.assertIn("model-error is not known (nan), so it cannot be compared with --max-model-error: the noise of E of bucketed/1", done.stderr)

    def test_times_that_are_too_large_to_add_are_refused(self):
        huge = self.path("huge.csv", "name,numel,seconds\n" + "".join(f"g{i},262144,1e308\n" for i in range(4)))
        self.assertRegex(self.refused("--gradients", huge, *self.small()[2:]), r"huge\.csv:2: .*1e308.* too large to add")
        table = self.path("slow.csv", "bytes,ms\n1048576,1\n4194304,1e308\n")
        self.assertRegex(self.refused(*self.small()[:2], "--allreduce", table), r"slow\.csv:3: .* too large to add")
        for scale in (("--latency-scale", "1e308"), ("--copies", "in", "--copy-bandwidth", "1e-312")):
            self.assertIn("too large to add", self.refused(*self.small(), *scale))
        curve = self.path("curve.csv", "bucket_mib,seconds\n1,1e308\n")
        self.assertIn("too large to add", self.refused(*self.small(), "--measured", curve))

    def test_the_errors_of_the_affine_fit_are_reported(self):
        bent = self.path("bent.csv", "bytes,seconds\n1048576,1\n2097152,1\n4194304,4\n")
        result, done = self.predict(*self.small()[:2], "--allreduce", bent)
        fit, table = result["affine_fit"], {1 << 20: 1, 1 << 21: 1, 1 << 22: 4}
        errors = [abs(fit["alpha_s"] + x / fit["beta_bytes_per_s"] - s) / s for x, s in table.items()]
        self.assertAlmostEqual(fit["error_mean"], sum(errors) / 3)
        self.assertAlmostEqual(fit["error_max"], max(errors))
        self.assertGreater(fit["error_max"], 0.1)
        self.assertIn(f"mean error {100 * fit['error_mean']:.1f} %, largest {100 * max(errors):.1f} %", done.stdout)

    def test_a_job_given_by_layers_is_read_in_forward_and_backward_order(self):
        table = self.small()[2:]
        sizes = self.path("sizes.csv", "layer,numel\nin,262144\nhidden,262144\nout,524288\n")
        times = self.path("times.csv", "layer,ms\nin,1000\nhidden,2000\nout,1000\nloss,500\n")
        layers = ["--layer-sizes", sizes, "--layer-times", times, *table, "--caps", "1"]
        result, _ = self.predict(*layers, "--order", "forward")
        self.assertEqual(result["t_compute_s"], 4.5)
        seconds = {c["strategy"]: c["predicted_s"] for c in result["cases"]}
        self.assertAlmostEqual(seconds["bucketed"], 4.85)  # the last gradient belongs to the layer "in"
        result, _ = self.predict(*layers)
        self.assertAlmostEqual({c["strategy"]: c["predicted_s"] for c in result["cases"]}["bucketed"], 4.6)

    def test_contention_and_copies_cost_time(self):
        plain, _ = self.predict(*self.small())
        slowed, _ = self.predict(*self.small(), "--kappa", "0.5", "--gamma", "0.8")
        copied, _ = self.predict(*self.small(), "--copies", "in+out", "--copy-bandwidth", "0.01")
        pair = self.path("pair.csv", "bytes,kappa,gamma\n1048576,0.5,0.8\n")
        self.assertEqual(self.predict(*self.small(), "--contention", pair)[0], slowed)
        for other in (slowed, copied):
            self.assertGreater(other["best"]["predicted_s"], plain["best"]["predicted_s"])
        for word in ("0", "-1", "1.5", "nan"):
            self.assertIn("--kappa", self.refused(*self.small(), "--kappa", word))
            self.assertIn("--gamma", self.refused(*self.small(), "--gamma", word))
        self.assertIn("--copy-bandwidth", self.refused(*self.small(), "--copies", "in"))

    def test_contention_depends_on_the_message_size(self):
        """Four gradients of 1 MiB. While compute runs, all-reduces of 1 MiB have a fifth of their speed, and all-reduces of 2 MiB have their full speed."""
        by_size = self.path("size.csv", "bytes,kappa,gamma\n1048576,1,0.2\n2097152,1,1\n")
        result, _ = self.predict(*self.small(), "--caps", "1,2", "--contention", by_size)
        seconds = {(c["strategy"], c["bucket_mib"]): c["predicted_s"] for c in result["cases"]}
        self.assertAlmostEqual(seconds["bucketed", 2], 4.6)
        # A call takes 0.35 s alone. From 1 s to 4 s, while compute runs, the first three calls do 3 * 0.2 s of their work.
        # The rest of their work and the fourth call follow after compute, at full speed.
        self.assertAlmostEqual(seconds["bucketed", 1], 4 + 3 * 0.35 - 3 * 0.2 + 0.35)
        self.assertLessEqual(seconds["optimal", None], 4.6)
        self.assertIn("size.csv:2", self.refused(*self.small(), "--contention", self.path("size.csv", "bytes,kappa,gamma\n1,0,1\n")))
        self.assertIn("give either ", self.refused(*self.small(), "--contention", by_size, "--gamma", "0.5"))

    def test_contention_counts_bytes_on_the_wire(self):
        by_size = self.path("size.csv", "bytes,kappa,gamma\n1048576,1,0.5\n2097152,1,0.2\n")
        halves = self.path("half.csv", "bytes,kappa,gamma\n2097152,1,0.5\n4194304,1,0.2\n")
        # a(x) is the same at all sizes, so that only contention depends on the size
        table = ["--allreduce", self.path("flat.csv", "bytes,seconds\n1048576,0.4\n4194304,0.4\n"), "--caps", "1,2,3"]
        bf16, _ = self.predict(*self.small()[:2], *table, "--contention", by_size, "--wire", "bf16")
        fp32, _ = self.predict(*self.small()[:2], *table, "--contention", halves)
        other, _ = self.predict(*self.small()[:2], *table, "--contention", by_size)
        seconds = [[case["predicted_s"] for case in result["cases"][2:]] for result in (bf16, fp32, other)]
        self.assertEqual(seconds[0], seconds[1])
        self.assertNotEqual(seconds[1], seconds[2])

    def test_options_without_effect_are_refused(self):
        self.assertIn("--order", self.refused(SLINGSHOT, "--order", "forward"))
        self.assertIn("nothing is copied", self.refused(*self.small(), "--copy-bandwidth", "1"))

    def test_bucket_cap_mb_list_is_never_slower_than_bucket_cap_mb(self):
        for number in range(6):
            rows = "".join(f"g{i},{1 + (i * i * 7919 + number * 104729) % 400000},{0.2 + (i * 31 + number) % 7 / 10}\n" for i in range(24))
            files = ["--gradients", self.path("uneven.csv", "name,numel,seconds\n" + rows), *self.small()[2:]]
            contention = self.path("size.csv", "bytes,kappa,gamma\n65536,0.9,0.2\n1048576,0.6,0.9\n4194304,0.3,0.9\n")
            conditions = [*files, "--contention", contention, "--copies", "in+out", "--copy-bandwidth", "0.004"]
            plain, behind = self.predict(*conditions)[0], self.predict(*conditions, "--first-bucket", "1")[0]
            self.assertLessEqual(plain["pytorch"]["bucket_cap_mb_list_s"], plain["pytorch"]["bucket_cap_mb_s"])
            for result in (plain, behind):
                optimal = next(case["predicted_s"] for case in behind["cases"] if case["strategy"] == "optimal")
                self.assertLessEqual(optimal, result["best"]["predicted_s"] * (1 + 1e-6))

    def test_the_published_inputs_give_the_expected_advice(self):
        result, done = self.predict(SLINGSHOT, "--pytorch")
        cases = {c["bucket_mib"]: c for c in result["cases"] if c["strategy"] == "bucketed"}
        self.assertEqual([cases[cap]["buckets"] for cap in (1, 25, 1024)], [146, 109, 3])
        low, high = result["best"]["interval_mib"]
        self.assertLess(low, 6.3)
        self.assertGreater(high, 25)
        self.assertEqual(result["best"]["bucket_mib"], 25)
        best = min(c["predicted_s"] for c in result["cases"])
        self.assertEqual(result["plan"]["predicted_s"], best)
        self.assertIn("Keep the default", done.stdout)
        self.assertNotIn("bucket_cap_mb", done.stdout)
        self.assertIn("less certain: flat, bucketed/1024", done.stderr)
        result, done = self.predict(NODE)
        self.assertLess(result["t_comm_s"] / result["t_compute_s"], 0.05)
        self.assertIn("compute-bound", done.stdout)
        self.assertRegex(done.stderr, r"most of all from \S+ us at \d+ bytes to \S+ us at \d+ bytes .* their running maximum: predicted all-reduces of some sizes take up to "
                         r".*, correct these rows of (\S+/allreduce-\S+\.csv), or measure the table again \(`ddproxy allreduce`\)\n")
        self.assertNotIn("[sweep] samples", done.stderr)

    def test_pytorch_advice_saves_5_percent_if_latency_is_large(self):
        result, done = self.predict(SLINGSHOT, "--latency-scale", "16", "--pytorch")
        advice = result["pytorch"]
        self.assertLess(advice["bucket_cap_mb_list_s"], 0.95 * advice["default_s"])
        self.assertLess(advice["bucket_cap_mb_s"], 0.95 * advice["default_s"])
        printed = done.stdout.split("bucket_cap_mb_list=")[1].split("\n")[0]
        self.assertEqual(json.loads(printed), result["plan"]["bucket_cap_mb_list"])
        self.assertIn(f"bucket_cap_mb={result['plan']['bucket_cap_mb']:g}\n", done.stdout)
        self.assertNotIn("eep the default", done.stdout)

    def test_no_given_cap_is_faster_than_the_best_cap(self):
        caps = [2.0**k for k in range(-3, 13)]
        result, _ = self.predict(SLINGSHOT, "--latency-scale", "4", "--caps", ",".join(map(str, caps)))
        for case in result["cases"]:
            if case["strategy"] == "bucketed":
                self.assertGreaterEqual(case["predicted_s"] * (1 + 1e-9), result["best"]["predicted_s"])
        result, _ = self.predict(SLINGSHOT, "--latency-scale", "4", "--caps", result["best"]["bucket_mib"])
        self.assertAlmostEqual(result["cases"][3]["predicted_s"], result["best"]["predicted_s"])

    def test_the_csv_file_has_a_row_for_each_case(self):
        file = self.path("cases.csv")
        self.call(*self.small(), "--caps", "1", "--csv", file)
        rows = list(csv.DictReader(file.read_text().splitlines()))
        self.assertEqual([r["case"] for r in rows], ["naive", "flat", "per_tensor", "bucketed/1", "optimal"])
        for r in rows:
            self.assertAlmostEqual(float(r["tail_s"]) + float(r["slowdown_s"]), float(r["exposed_s"]))

    def test_bad_input_is_refused_in_one_line(self):
        gradients, table = self.small()[:2], self.small()[2:]
        one_row = self.path("one.csv", "bytes,seconds\n1024,1\n")
        self.assertIn("one.csv", self.refused(*gradients, "--allreduce", one_row))
        self.assertIn("no all-reduce times are known; give either --allreduce FILE", self.refused(*gradients))
        self.assertIn("--gradients", self.refused(*table))
        self.assertIn("--allreduce", self.refused())
        results = self.path("x.h5", "")
        results.write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
        self.assertIn("x.h5 is a results file; --measured needs a CSV file", self.refused(*self.small(), "--measured", results))
        self.assertIn("/nowhere.csv", self.refused("--gradients", "/nowhere.csv", *table))
        self.assertIn("/nowhere/out", self.refused(*self.small(), "--json", "/nowhere/out"))
        self.assertIn("peak_flops", self.refused(INPUTS / "tiny.toml", *table))
        self.assertIn("--caps", self.refused(*self.small(), "--caps", "0"))
        self.assertIn("--caps", self.refused(*self.small(), "--caps", "nan"))
        self.assertIn("bf17", self.refused(SLINGSHOT, "--precision", "bf17"))
        self.assertIn("times of one precision", self.refused(*self.small(), "--precision", "bf16"))
        empty = self.path("empty.csv", "name,numel,seconds\nloss,0,1\n")
        self.assertIn("no gradient", self.refused("--gradients", empty, *table))
        still = self.path("still.csv", "name,numel,seconds\nw,8,0\n")
        self.assertIn("are all 0; check the column seconds", self.refused("--gradients", still, *table))
        several = PUBLISHED / "allreduce-2gpu-pcie.csv"
        self.assertIn("2, 4", self.refused(*gradients, "--allreduce", several))
        self.assertIn("give either INPUT or --gradients, not both", self.refused(SLINGSHOT, *gradients))

    def test_run_is_refused_without_dry_run(self):
        done = subprocess.run([PROGRAM, "run", SLINGSHOT], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        done = subprocess.run([PROGRAM, "run", SLINGSHOT, "--dry-run"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0)
        self.assertIn("436 gradients", done.stdout)
        self.assertIn("ranks: 16, as [allreduce] ranks says\n", done.stdout)

    def test_a_dry_run_of_layers_shows_operations_and_no_cases(self):
        for file, words in ((INPUTS / "tiny.toml", "5 samples each, after one pass that is not measured"), (SLINGSHOT, "nothing is measured")):
            done = subprocess.run([PROGRAM, "layers", file, "--dry-run"], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done)
            self.assertRegex(done.stdout, rf"(?m)^\d+ operations of the backward pass.*{words}$")
            self.assertNotIn("naive", done.stdout)

    def test_a_dry_run_of_collectives_shows_verbs_sizes_and_groups(self):
        def plan(*arguments):
            done = subprocess.run([PROGRAM, *arguments, "--dry-run"], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done)
            self.assertNotIn("naive", done.stdout)
            self.assertIn("memory: ", done.stdout)
            return done.stdout
        text = plan("collectives", INPUTS / "tiny.toml")
        self.assertIn("collectives: all_reduce, reduce_scatter, all_gather, broadcast; backend mpi", text)
        self.assertIn("message sizes on the wire (MiB): 0.0009766, ", text)
        text = plan("collectives", INPUTS / "tiny.toml", "--op", "broadcast", "--sizes", "0.25,0.125")
        self.assertIn("collectives: broadcast; backend", text)
        self.assertIn("2 message sizes on the wire (MiB): 0.25, 0.125\n", text)
        self.assertIn("total: 0.25 MiB, in pieces of these sizes (MiB): 0.125\n", plan("collectives", INPUTS / "tiny.toml", "--pieces", "0.125", "--total", "0.25"))
        self.assertRegex(plan("collectives", INPUTS / "tiny.toml", "--sizes", "0.25", "--pieces", "0.125"), r"1 message sizes .*: 0.25\ntotal: .*: 0.125\n")
        self.assertIn("collectives: all_reduce; backend replay", plan("allreduce", SLINGSHOT))
        self.assertIn("collectives: broadcast on groups of 2 ranks, all groups at the same time; backend mpi",
                      plan("collectives", INPUTS / "tiny.toml", "--op", "broadcast", "--group", "2"))
        self.assertIn("collectives: broadcast on strided groups of 2 ranks, all groups at the same time; backend mpi",
                      plan("collectives", INPUTS / "tiny.toml", "--op", "broadcast", "--group", "2", "--strided"))

    def test_the_help_says_that_the_program_measures_nothing(self):
        done = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0)
        self.assertIn("This program measures nothing. The commands run, sweep, step, layers, allreduce and collectives need --dry-run here", " ".join(done.stdout.split()))
        self.assertNotIn("main command", done.stdout)
        for word in ("layers", "collectives"):
            self.assertNotRegex(done.stdout, rf"(?m)^ +{word} ")


class FullDisk(PredictCase):
    def test_a_failed_write_keeps_the_old_file_and_names_the_reason(self):
        old = self.path("old.csv", "old")
        for option in ("--csv", "--json"):
            done = subprocess.run([PROGRAM, "predict", *map(str, self.small()), option, old], restore_signals=False, capture_output=True, text=True,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
            self.assertEqual((done.returncode, done.stdout), (4, ""), done)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn(f"cannot write {old}: File too large", done.stderr)
            self.assertEqual(old.read_text(), "old")
            self.assertEqual(len(list(old.parent.glob("old*"))), 1)
        self.assertIn("No such file", self.refused(*self.small(), "--csv", self.path("none") / "t.csv"))

    def test_predict_fails_if_standard_output_cannot_be_written(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([PROGRAM, "predict", *map(str, self.small())], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 4)
        self.assertIn("cannot write standard output: ", done.stderr)


if __name__ == "__main__":
    unittest.main()
