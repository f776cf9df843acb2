# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""ReFrame checks of ddproxy: twins (simulated machines) with reference figures, and small measured runs on one rank and on two ranks.

    reframe -C settings.py -c ddproxy.py --system=ddproxy:local -r

The environment variable DDPROXY names the program (default: ddproxy on PATH). The program finds the inputs by their names."""
import json
import os
import pathlib

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import deferrable, parameter, performance_function, run_after, sanity_function


class DdproxyCheck(rfm.RunOnlyRegressionTest):
    """Runs `ddproxy run` on an input of ddproxy and reads the figures of its JSON file.

    A class that derives from this one sets `workload`, the name of the input, and `expected_valid`, the right value of the
    figure `valid`."""

    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    time_limit = "10m"
    tags = {"ddproxy"}

    @run_after("init")
    def set_command(self):
        self.executable = os.environ.get("DDPROXY", "ddproxy")
        self.executable_opts = ["run", self.workload, "-o", "results.h5", "--json", "results.json"]
        self.keep_files = ["results.h5", "results.json"]

    @deferrable
    def figure(self, name):
        """Returns a figure of merit of the JSON file."""
        return json.loads(pathlib.Path(self.stagedir, "results.json").read_text())["fom"][name]

    @sanity_function
    def assert_valid(self):
        return sn.assert_eq(self.figure("valid"), self.expected_valid, msg="the figure `valid` is {0}; expected: {1}")

    @performance_function("s")
    def backward(self):
        return self.figure("backward_s")

    @performance_function("s")
    def exposed(self):
        return self.figure("exposed_s")

    @performance_function("tokens/s")
    def throughput(self):
        return self.figure("tokens_per_s")

    @performance_function("GB/s")
    def bus_bandwidth(self):
        return self.figure("bus_bw_GBps")


# T and E of the best bucketed case, in seconds, from the prediction of the input (`ddproxy predict`). A twin replays tables, so these
# figures are the same on every machine. Only the threads of the twin are real; they can only add time. model_error compares E with its prediction. Only the
# twin with a large E has this performance variable. E of gpt2-large-a100x8 is below 0.5 % of T. The noise of a busy machine is too large for so
# small an E, and then model_error is not a number. ReFrame fails a check if a performance variable is not a number, even without a reference.
TWINS = {
    "gpt2-large-a100x8": {"backward": (0.5983, -0.01, 0.02, "s"), "exposed": (0.002087, -0.05, 0.5, "s")},
    "gpt2-large-a100x16-slingshot": {"backward": (0.18882, -0.01, 0.02, "s"), "exposed": (0.03976, -0.02, 0.1, "s"), "model_error": (0, None, 0.1, "1")},
}


@rfm.simple_test
class DdproxyTwin(DdproxyCheck):
    """The twin of a machine takes the time that its tables give, and E agrees with its prediction."""

    workload = parameter(TWINS)
    expected_valid = "replay"
    num_tasks = 1

    @run_after("init")
    def set_reference(self):
        self.reference = {"*": TWINS[self.workload]}
        if "model_error" in TWINS[self.workload]:
            self.perf_variables["model_error"] = sn.make_performance_function(self.figure("model_error"), "1")


@rfm.simple_test
class DdproxyMeasured(DdproxyCheck):
    """A small model with real kernels and real all-reduces. Its times have no reference values, because every machine has
    other times. Derive a class from this one, and set its `reference` to the figures of your machine."""

    workload = parameter(["tiny"])
    ranks = parameter([1, 2])

    @run_after("init")
    def set_ranks(self):
        self.num_tasks = self.num_tasks_per_node = self.ranks
        self.expected_valid = "single" if self.ranks == 1 else "true"
