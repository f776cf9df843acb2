#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""predict_network_test.py PROGRAM INPUTS: tests predictions for other networks than the measured one, and measured curves of users."""
import csv
import unittest

from predict_case import INPUTS, NODE, PUBLISHED, SLINGSHOT, PredictCase


class PredictNetwork(PredictCase):
    def test_times_for_unmeasured_numbers_of_ranks_are_extrapolated(self):
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
        self.assertIn("one rank alone reduces nothing", self.refused(SLINGSHOT, "--ranks", "1"))
        self.assertIn("--table-ranks", self.refused(*self.small(), "--ranks", "8", "--ranks-per-node", "8"))
        alone = self.path("alone.csv", "ranks,bytes,seconds\n1,8,1\n1,16,1\n")
        self.assertIn("the all-reduce table is for 1 rank", self.refused(*self.small()[:2], "--allreduce", alone))
        two = self.path("two.csv", "ranks,bytes,seconds\n2,1024,1e-3\n2,1073741824,1\n")
        self.assertIn("the input is for 16 ranks, but the all-reduce table is for 2 ranks", self.predict(SLINGSHOT, "--allreduce", two)[1].stderr)

    def test_each_number_of_ranks_has_throughput_scaling_and_efficiency(self):
        result, done = self.predict(SLINGSHOT, "--ranks", "16,64", "--ranks-per-node", "4")
        rows = [line.split() for line in done.stdout.split("results of each number of ranks with its best cap:")[1].splitlines()[2:]]
        self.assertEqual([row[0] for row in rows], ["16", "64"])
        for prediction, row in zip(result["by_ranks"], rows):
            best, ranks = prediction["best"], prediction["ranks"]
            self.assertAlmostEqual(best["tokens_per_s"], ranks * 1024 / best["predicted_s"], delta=1e-6 * best["tokens_per_s"])
            self.assertAlmostEqual(best["parallel_efficiency"], prediction["t_compute_s"] / best["predicted_s"])
            self.assertAlmostEqual(best["scaling"], ranks * best["parallel_efficiency"])
            self.assertAlmostEqual(float(row[3]), best["tokens_per_s"], delta=1e-5 * best["tokens_per_s"])
            self.assertIn(f"throughput with the best cap: {best['tokens_per_s']:.6g} tokens/s, {best['scaling']:.4g} times that of one rank,", done.stdout)

    def test_no_throughput_is_given_if_ranks_and_tokens_are_unknown(self):
        result, done = self.predict(*self.small(), "--caps", "1")
        self.assertEqual([result["best"][key] for key in ("tokens_per_s", "scaling", "parallel_efficiency")], [None] * 3)
        self.assertNotIn("throughput", done.stdout)

    def test_a_table_of_one_node_needs_a_stated_link_for_two_nodes(self):
        two_nodes = [NODE, "--ranks", "16", "--ranks-per-node", "8"]
        self.assertIn("need 2 nodes, but the table covers one node", self.refused(*two_nodes))
        result, done = self.predict(*two_nodes, "--node-latency", "5e-6", "--node-bandwidth", "25")
        self.assertGreater(result["t_comm_s"], self.predict(NODE)[0]["t_comm_s"])
        self.assertIn("latency and bandwidth between nodes", done.stderr)
        link = ["--node-latency", "5e-6", "--node-bandwidth", "25"]
        self.assertIn("remove these options", self.refused(NODE, *link))
        self.predict(NODE, "--ranks", "8,16", "--ranks-per-node", "8", *link)  # 16 ranks need the link between nodes

    def test_stated_links_replace_a_table(self):
        gpus = INPUTS / "gpt2-large-8gpu-nccl.toml"
        inside, between = ["--link-latency", "3e-6", "--link-bandwidth", "200"], ["--node-latency", "5e-6", "--node-bandwidth", "25"]
        bytes_of_gradients = 4 * 774030080
        result, done = self.predict(gpus, "--ranks", "8", *inside)
        self.assertEqual(result["ranks"], 8)
        self.assertAlmostEqual(result["t_comm_s"], 14 * 3e-6 + 14 / 8 * bytes_of_gradients / 200e9)  # ring: 2(n-1) hops
        self.assertIn("computed from the stated latency and bandwidth of the links, not measured", done.stderr)
        result, _ = self.predict(gpus, "--ranks", "8,16", *inside, *between)
        two_nodes = result["by_ranks"][1]["t_comm_s"] - result["by_ranks"][0]["t_comm_s"]
        self.assertAlmostEqual(two_nodes, 2 * 5e-6 + bytes_of_gradients / 25e9)
        doubled = self.predict(gpus, "--ranks", "8", *inside, "--bandwidth-scale", "2")[0]["t_comm_s"]
        self.assertAlmostEqual(doubled, 14 * 3e-6 + 7 / 8 * bytes_of_gradients / 200e9, delta=2e-4)
        self.assertEqual(self.call(gpus, "--ranks", "8", *inside, "--sensitivity").returncode, 0)

    def test_missing_or_unused_options_of_stated_links_are_refused(self):
        gpus = INPUTS / "gpt2-large-8gpu-nccl.toml"
        inside = ["--link-latency", "3e-6", "--link-bandwidth", "200"]
        for option in ("--allreduce", "--ranks", "--ranks-per-node", "--link-latency", "--link-bandwidth"):
            self.assertIn(option, self.refused(gpus))
        self.assertIn("--ranks", self.refused(gpus, *inside))
        self.assertIn("--link-bandwidth", self.refused(gpus, "--ranks", "8", *inside[:2]))
        self.assertIn("--link-latency", self.refused(gpus, "--ranks", "8", *inside[2:]))
        self.assertIn("16 ranks need 2 nodes: give the latency and the bandwidth of the link between nodes, --node-latency", self.refused(gpus, "--ranks", "16", *inside))
        self.assertIn("remove these options", self.refused(gpus, "--ranks", "8", *inside, "--node-latency", "0", "--node-bandwidth", "9"))
        self.assertIn("--ranks-per-node", self.refused(*self.small()[:2], "--ranks", "8", *inside))
        self.assertIn("a table of all-reduce times is given, too", self.refused(*self.small(), "--ranks", "8", "--ranks-per-node", "8", *inside))
        self.assertIn("a table of all-reduce times is given, too", self.refused(NODE, "--ranks", "8", *inside))
        self.assertIn("one rank alone reduces nothing", self.refused(gpus, "--ranks", "1", *inside))
        self.assertIn("too large", self.refused(gpus, "--ranks", "8", "--link-latency", "0", "--link-bandwidth", "1e-306"))

    def test_scaled_bandwidth_latency_and_precision_change_the_prediction(self):
        plain = self.predict(SLINGSHOT)[0]
        self.assertLess(self.predict(SLINGSHOT, "--bandwidth-scale", "2")[0]["t_comm_s"], 0.6 * plain["t_comm_s"])
        self.assertGreater(self.predict(SLINGSHOT, "--latency-scale", "9")[0]["cases"][0]["predicted_s"],
                           plain["cases"][0]["predicted_s"])
        slow, done = self.predict(NODE, "--latency-scale", "16")  # the scaled table would decrease at 512 KiB
        self.assertIn("the all-reduce times that are derived from the table fall somewhere as bytes grow", done.stderr)
        self.assertNotIn("derived", self.predict(NODE)[1].stderr)
        halved = self.predict(SLINGSHOT, "--precision", "bf16")[0]
        self.assertLess(halved["t_compute_s"], 0.6 * plain["t_compute_s"])

    def test_measured_curves_of_users_are_scored(self):
        cases = [c for c in self.predict(SLINGSHOT)[0]["cases"] if c["strategy"] == "bucketed"]
        rows = [f"{c['bucket_mib']},{c['predicted_s']!r}\n" for c in cases]
        same = self.path("same.csv", "bucket_mib,seconds\n" + "".join(rows))
        worse = self.path("worse.csv", "bucket_mib,ms\n" + "".join(f"{c['bucket_mib']},200\n" for c in cases))
        done = self.call(SLINGSHOT, "--measured", same, "--measured", worse)
        lines = {line.split("  ")[0]: line for line in done.stdout.splitlines()}
        self.assertRegex(lines["ddproxy"], r"0\.0 % +0\.0 % +0\.0 % +100 % +0\.00 %")
        self.assertNotRegex(lines["worse.csv"], r" 0\.0 % ")
        for baseline in ("best constant", "near 25 MiB", "without contention"):
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
        ranks = ["--ranks", "16,32", "--ranks-per-node", "4"]
        self.assertIn("one number of ranks", self.refused(SLINGSHOT, *ranks, "--measured", same))
        first = cases[0]["bucket_mib"]
        hasty = self.path("hasty.csv", f"bucket_mib,seconds\n{first},0.1\n" + "".join(rows[1:]))
        doubts = self.predict(SLINGSHOT, "--measured", hasty)[0]["warnings"]
        self.assertTrue(any(f"bucket_mib {first:g} the time is below T_compute" in doubt for doubt in doubts), doubts)
        short = self.path("short.csv", "bucket_mib,seconds\n1,0.2\n")
        self.assertIn("no row for bucket_mib 4", self.refused(SLINGSHOT, "--measured", same, "--measured", short))
        for cap in ("1e17", "1e-8"):
            odd = self.path("odd.csv", f"bucket_mib,seconds\n{cap},1\n")
            self.assertRegex(self.refused(SLINGSHOT, "--measured", odd), r"odd\.csv: bucket_mib 1e\S+ is not a bucket size")

    def test_the_rows_of_sensitivity_agree_with_predictions(self):
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
        self.call(SLINGSHOT, "--sensitivity", "--first-bucket", "200", "--csv", file)
        first, _ = self.predict(SLINGSHOT, "--first-bucket", "200")
        row = next(r for r in csv.DictReader(file.read_text().splitlines()) if (r["quantity"], r["value"]) == ("bytes", "1"))
        self.assertAlmostEqual(first["best"]["predicted_s"] - first["t_compute_s"], float(row["exposed_best_s"]))
        self.assertNotEqual(row["exposed_best_s"], next(r for r in rows if (r["quantity"], r["value"]) == ("bytes", "1"))["exposed_best_s"])
        for r in rows:
            self.assertLessEqual(float(r["floor_s"]), float(r["exposed_plan_s"]) + 1e-12)
            self.assertLessEqual(float(r["exposed_best_s"]), float(r["exposed_25_s"]) + 1e-12)

    def test_each_number_of_ranks_uses_its_rows_of_a_table(self):
        gradients = self.small()[:2]
        behind = self.predict("--allreduce", PUBLISHED / "allreduce-16xa100-slingshot.csv", SLINGSHOT)[0]
        self.assertEqual(behind, self.predict(SLINGSHOT)[0])  # the table of the input does not count as a second one
        several = PUBLISHED / "allreduce-2gpu-pcie.csv"
        result, _ = self.predict(*gradients, "--allreduce", several, "--ranks", "2,4")
        two, four = result["by_ranks"]
        self.assertLess(two["t_comm_s"], four["t_comm_s"])


if __name__ == "__main__":
    unittest.main()
