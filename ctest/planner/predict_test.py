#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""`ddproxy-model predict` as a user calls it, on the published tables: predict_test.py PROGRAM INPUTS."""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM, INPUTS = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
PUBLISHED = INPUTS / "published"
SLINGSHOT = INPUTS / "gpt2-large-a100x16-slingshot.toml"
NODE = INPUTS / "gpt2-large-a100x8.toml"


class Predict(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name, text=None):
        path = pathlib.Path(self.folder.name) / name
        if text is not None:
            path.write_text(text)
        return path

    def call(self, *arguments):
        return subprocess.run([PROGRAM, "predict", *map(str, arguments)], capture_output=True, text=True)

    def predict(self, *arguments):
        file = self.path("out.json")
        done = self.call(*arguments, "--json", file)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(file.read_text()), done

    def refused(self, *arguments):
        """The one line with which the arguments are refused."""
        done = self.call(*arguments)
        self.assertEqual(done.returncode, 2, done)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def small(self):
        """Four gradients of 1 MiB, one a second, on a network of 0.1 s a call and 4 MiB/s, in exact arithmetic."""
        rows = "".join(f"g{i},262144,1\n" for i in range(4))
        gradients = self.path("gradients.csv", "name,numel,seconds\n" + rows)
        points = "".join(f"{m * 2**20},{0.1 + m / 4}\n" for m in (1, 2, 3, 4))
        return ["--gradients", gradients, "--allreduce", self.path("table.csv", "bytes,seconds\n" + points)]

    def test_half_the_bytes_on_the_wire_and_the_same_buckets(self):
        whole, _ = self.predict(*self.small(), "--caps", "1,2")
        half, done = self.predict(*self.small(), "--caps", "1,2", "--wire", "bf16")
        self.assertEqual([c["buckets"] for c in half["cases"][:-1]], [c["buckets"] for c in whole["cases"][:-1]])
        self.assertAlmostEqual(half["t_comm_s"], 0.6)
        seconds = {(c["strategy"], c["bucket_mib"]): c["predicted_s"] for c in half["cases"]}
        self.assertAlmostEqual(seconds["flat", None], 4.6)
        self.assertAlmostEqual(seconds["bucketed", 2], 4.35)
        self.assertIn("1048576 to 4194304 bytes, where a(x) is extrapolated: naive, per_tensor, bucketed/1", done.stderr)

    def test_the_numbers_of_a_small_job(self):
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

    def test_the_affine_fit_tells_how_far_it_is_from_the_table(self):
        bent = self.path("bent.csv", "bytes,seconds\n1048576,1\n2097152,1\n4194304,4\n")
        result, done = self.predict(*self.small()[:2], "--allreduce", bent)
        fit, table = result["affine_fit"], {1 << 20: 1, 1 << 21: 1, 1 << 22: 4}
        errors = [abs(fit["alpha_s"] + x / fit["beta_bytes_per_s"] - s) / s for x, s in table.items()]
        self.assertAlmostEqual(fit["error_mean"], sum(errors) / 3)
        self.assertAlmostEqual(fit["error_max"], max(errors))
        self.assertGreater(fit["error_max"], 0.1)
        self.assertIn(f"off by {100 * fit['error_mean']:.1f} % on average, {100 * max(errors):.1f} % at most", done.stdout)

    def test_a_job_given_by_layers_and_in_forward_order(self):
        table = self.small()[2:]
        sizes = self.path("sizes.csv", "layer,numel\nin,262144\nhidden,262144\nout,524288\n")
        times = self.path("times.csv", "layer,ms\nin,1000\nhidden,2000\nout,1000\nloss,500\n")
        layers = ["--layer-sizes", sizes, "--layer-times", times, *table, "--caps", "1"]
        result, _ = self.predict(*layers, "--order", "forward")
        self.assertEqual(result["t_compute_s"], 4.5)
        seconds = {c["strategy"]: c["predicted_s"] for c in result["cases"]}
        self.assertAlmostEqual(seconds["bucketed"], 4.85)  # the last gradient is "in"
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

    def test_contention_by_size(self):
        """Four gradients of 1 MiB: calls of 1 MiB crawl beside compute, those of 2 MiB do not."""
        by_size = self.path("size.csv", "bytes,kappa,gamma\n1048576,1,0.2\n2097152,1,1\n")
        result, _ = self.predict(*self.small(), "--caps", "1,2", "--contention", by_size)
        seconds = {(c["strategy"], c["bucket_mib"]): c["predicted_s"] for c in result["cases"]}
        self.assertAlmostEqual(seconds["bucketed", 2], 4.6)
        # alone 0.35 s: 0.2 s of it are done in each second of compute, and the third call is late by its rest
        self.assertAlmostEqual(seconds["bucketed", 1], 4 + 3 * 0.35 - 3 * 0.2 + 0.35)
        self.assertLessEqual(seconds["optimal", None], 4.6)
        self.assertIn("size.csv:2", self.refused(*self.small(), "--contention", self.path("size.csv", "bytes,kappa,gamma\n1,0,1\n")))
        self.assertIn("excludes", self.refused(*self.small(), "--contention", by_size, "--gamma", "0.5"))

    def test_the_list_is_never_slower_than_the_cap(self):
        for number in range(6):
            rows = "".join(f"g{i},{1 + (i * i * 7919 + number * 104729) % 400000},{0.2 + (i * 31 + number) % 7 / 10}\n" for i in range(24))
            files = ["--gradients", self.path("uneven.csv", "name,numel,seconds\n" + rows), *self.small()[2:]]
            contention = self.path("size.csv", "bytes,kappa,gamma\n65536,0.9,0.2\n1048576,0.6,0.9\n4194304,0.3,0.9\n")
            advice = self.predict(*files, "--contention", contention, "--copies", "in+out", "--copy-bandwidth", "0.004")[0]["pytorch"]
            self.assertLessEqual(advice["bucket_cap_mb_list_s"], advice["bucket_cap_mb_s"])

    def test_the_published_twins(self):
        result, done = self.predict(SLINGSHOT, "--pytorch")
        cases = {c["bucket_mib"]: c for c in result["cases"] if c["strategy"] == "bucketed"}
        self.assertEqual([cases[cap]["buckets"] for cap in (1, 25, 1024)], [146, 109, 3])
        low, high = result["best"]["interval_mib"]
        self.assertLess(low, 6.3)
        self.assertGreater(high, 25)
        self.assertEqual(result["best"]["bucket_mib"], 25)
        best = min(c["predicted_s"] for c in result["cases"])
        self.assertEqual(result["plan"]["predicted_s"], best)
        self.assertIn("Leave the default", done.stdout)
        self.assertIn("extrapolated: flat, bucketed/1024", done.stderr)
        result, done = self.predict(NODE)
        self.assertLess(result["t_comm_s"] / result["t_compute_s"], 0.05)
        self.assertIn("compute-bound", done.stdout)
        self.assertIn("running maximum", done.stderr)

    def test_pytorch_gains_where_latency_is_large(self):
        result, done = self.predict(SLINGSHOT, "--latency-scale", "16", "--pytorch")
        advice = result["pytorch"]
        self.assertLess(advice["bucket_cap_mb_list_s"], 0.95 * advice["default_s"])
        self.assertLess(advice["bucket_cap_mb_s"], 0.95 * advice["default_s"])
        printed = done.stdout.split("bucket_cap_mb_list=")[1].split("\n")[0]
        self.assertEqual(json.loads(printed), result["plan"]["bucket_cap_mb_list"])
        self.assertIn(f"bucket_cap_mb={result['plan']['bucket_cap_mb']:g}\n", done.stdout)
        self.assertNotIn("Leave the default", done.stdout)

    def test_the_best_cap_is_the_best_of_the_caps_tried(self):
        caps = [2.0**k for k in range(-3, 13)]
        result, _ = self.predict(SLINGSHOT, "--latency-scale", "4", "--caps", ",".join(map(str, caps)))
        for case in result["cases"]:
            if case["strategy"] == "bucketed":
                self.assertGreaterEqual(case["predicted_s"] * (1 + 1e-9), result["best"]["predicted_s"])
        result, _ = self.predict(SLINGSHOT, "--latency-scale", "4", "--caps", result["best"]["bucket_mib"])
        self.assertAlmostEqual(result["cases"][3]["predicted_s"], result["best"]["predicted_s"])

    def test_ranks_that_were_not_measured(self):
        tables = ["--allreduce", PUBLISHED / "allreduce-16xa100-slingshot.csv", "--allreduce",
                  PUBLISHED / "allreduce-4xa100-polaris.csv", "--table-ranks", "16,4"]
        result, done = self.predict(SLINGSHOT, *tables, "--ranks", "4,16,64,4096", "--ranks-per-node", "4")
        by_ranks = {p["ranks"]: p["best"]["predicted_s"] for p in result["by_ranks"]}
        self.assertEqual(list(by_ranks), [4, 16, 64, 4096])
        self.assertEqual(list(by_ranks.values()), sorted(by_ranks.values()))
        self.assertIn("64 ranks is extrapolated from 16", done.stderr)
        self.assertEqual(result["ranks"], 4)
        one = self.predict(SLINGSHOT)[0]["best"]["predicted_s"]
        self.assertAlmostEqual(by_ranks[16], one)
        self.assertIn("multiple", self.refused(SLINGSHOT, "--ranks", "18", "--ranks-per-node", "4"))
        self.assertIn("--ranks-per-node", self.refused(SLINGSHOT, "--ranks", "32"))
        self.assertIn("nothing to reduce", self.refused(SLINGSHOT, "--ranks", "1"))
        self.assertIn("--table-ranks", self.refused(*self.small(), "--ranks", "8", "--ranks-per-node", "8"))

    def test_one_node_says_nothing_about_a_network(self):
        two_nodes = [NODE, "--ranks", "16", "--ranks-per-node", "8"]
        self.assertIn("2 nodes, but the table speaks of one", self.refused(*two_nodes))
        result, done = self.predict(*two_nodes, "--node-latency", "5e-6", "--node-bandwidth", "25")
        self.assertGreater(result["t_comm_s"], self.predict(NODE)[0]["t_comm_s"])
        self.assertIn("stated link", done.stderr)
        link = ["--node-latency", "5e-6", "--node-bandwidth", "25"]
        self.assertIn("leave them out", self.refused(NODE, *link))
        self.predict(NODE, "--ranks", "8,16", "--ranks-per-node", "8", *link)  # 16 need it

    def test_what_if_scales(self):
        plain = self.predict(SLINGSHOT)[0]
        self.assertLess(self.predict(SLINGSHOT, "--bandwidth-scale", "2")[0]["t_comm_s"], 0.6 * plain["t_comm_s"])
        self.assertGreater(self.predict(SLINGSHOT, "--latency-scale", "9")[0]["cases"][0]["predicted_s"],
                           plain["cases"][0]["predicted_s"])
        slow, done = self.predict(NODE, "--latency-scale", "16")  # the scaled table would fall at 512 KiB
        self.assertIn("derived a(x) falls", done.stderr)
        self.assertNotIn("derived", self.predict(NODE)[1].stderr)
        halved = self.predict(SLINGSHOT, "--precision", "bf16")[0]
        self.assertLess(halved["t_compute_s"], 0.6 * plain["t_compute_s"])

    def test_somebodys_curve_is_scored(self):
        cases = [c for c in self.predict(SLINGSHOT)[0]["cases"] if c["strategy"] == "bucketed"]
        rows = [f"{c['bucket_mib']},{c['predicted_s']!r}\n" for c in cases]
        same = self.path("same.csv", "bucket_mib,seconds\n" + "".join(rows))
        worse = self.path("worse.csv", "bucket_mib,ms\n" + "".join(f"{c['bucket_mib']},200\n" for c in cases))
        done = self.call(SLINGSHOT, "--measured", same, "--measured", worse)
        lines = {line.split("  ")[0]: line for line in done.stdout.splitlines()}
        self.assertRegex(lines["ddproxy"], r"0\.0 % +0\.0 % +100 % +0\.00 %")
        self.assertNotRegex(lines["worse.csv"], r" 0\.0 % ")
        for baseline in ("best constant", "near 25 MiB", "a(last bucket)"):
            self.assertIn(baseline, lines)
        scores, _ = self.predict(SLINGSHOT, "--measured", same, "--measured", worse)
        errors = {row["predictor"]: row["mean_error"] for row in scores["score"]["predictors"]}
        self.assertLess(errors["ddproxy"], 1e-9)
        self.assertGreater(errors["worse.csv"], 0.1)
        limits = ["--max-model-error", "0.05", "--max-regret", "0.01"]
        self.assertEqual(self.call(SLINGSHOT, "--measured", same, *limits).returncode, 0)
        done = self.call(SLINGSHOT, "--measured", worse, *limits)
        self.assertEqual(done.returncode, 1)
        self.assertIn("model-error is", done.stderr)
        self.assertIn("--measured", self.refused(SLINGSHOT, *limits))
        short = self.path("short.csv", "bucket_mib,seconds\n1,0.2\n")
        self.assertIn("no row for bucket_mib 4", self.refused(SLINGSHOT, "--measured", same, "--measured", short))

    def test_sensitivity(self):
        file = self.path("sensitivity.csv")
        done = self.call(SLINGSHOT, "--sensitivity", "--csv", file)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = list(csv.DictReader(file.read_text().splitlines()))
        self.assertEqual({r["quantity"] for r in rows}, {"bytes", "model", "latency", "bandwidth", "ranks"})
        for quantity, rising in (("bytes", True), ("latency", True), ("bandwidth", False)):
            exposed = [float(r["exposed_plan_s"]) for r in rows if r["quantity"] == quantity]
            self.assertEqual(exposed, sorted(exposed, reverse=not rising), quantity)
        four_times, _ = self.predict(SLINGSHOT, "--latency-scale", "4")
        row = next(r for r in rows if r["quantity"] == "latency" and r["value"] == "4")
        self.assertAlmostEqual(four_times["best"]["predicted_s"] - four_times["t_compute_s"], float(row["exposed_best_s"]))
        for r in rows:
            self.assertLessEqual(float(r["floor_s"]), float(r["exposed_plan_s"]) + 1e-12)
            self.assertLessEqual(float(r["exposed_best_s"]), float(r["exposed_25_s"]) + 1e-12)

    def test_the_table_as_csv(self):
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
        self.assertIn("--allreduce", self.refused(*gradients))
        self.assertIn("--gradients", self.refused(*table))
        self.assertIn("/nowhere.csv", self.refused("--gradients", "/nowhere.csv", *table))
        self.assertIn("/nowhere/out", self.refused(*self.small(), "--json", "/nowhere/out"))
        self.assertIn("peak_flops", self.refused(INPUTS / "tiny.toml", *table))
        self.assertIn("--caps", self.refused(*self.small(), "--caps", "0"))
        self.assertIn("--caps", self.refused(*self.small(), "--caps", "nan"))
        self.assertIn("bf17", self.refused(SLINGSHOT, "--precision", "bf17"))
        self.assertIn("seconds of one precision", self.refused(*self.small(), "--precision", "bf16"))
        empty = self.path("empty.csv", "name,numel,seconds\nloss,0,1\n")
        self.assertIn("no gradient", self.refused("--gradients", empty, *table))
        still = self.path("still.csv", "name,numel,seconds\nw,8,0\n")
        self.assertIn("sum to 0", self.refused("--gradients", still, *table))
        several = PUBLISHED / "allreduce-2gpu-pcie.csv"
        self.assertIn("2, 4", self.refused(*gradients, "--allreduce", several))
        self.assertIn("excludes", self.refused(SLINGSHOT, *gradients))

    def test_a_table_of_several_ranks_is_chosen_from(self):
        gradients = self.small()[:2]
        behind = self.predict("--allreduce", PUBLISHED / "allreduce-16xa100-slingshot.csv", SLINGSHOT)[0]
        self.assertEqual(behind, self.predict(SLINGSHOT)[0])  # the input is no second table
        several = PUBLISHED / "allreduce-2gpu-pcie.csv"
        result, _ = self.predict(*gradients, "--allreduce", several, "--ranks", "2,4")
        two, four = result["by_ranks"]
        self.assertLess(two["t_comm_s"], four["t_comm_s"])

    def test_other_commands_need_the_other_program(self):
        done = subprocess.run([PROGRAM, "run", SLINGSHOT], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        done = subprocess.run([PROGRAM, "run", SLINGSHOT, "--dry-run"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0)
        self.assertIn("436 gradients", done.stdout)


if __name__ == "__main__":
    unittest.main()
