# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Describes ddproxy for Ramble, which Benchpark uses."""

from ramble.appkit import *


class Ddproxy(ExecutableApplication):
    """Proxy application for data-parallel training: time of the backward pass and exposed communication over the bucket size"""

    name = "ddproxy"

    tags("proxy-app", "benchmark", "machine-learning")

    # The experiment (experiments/ddproxy/experiment.py) names default-mpi, default-compiler and the spec of ddproxy.
    required_package("ddproxy", package_manager="spack*")

    for kind, use_mpi in (("twin", False), ("measured", True)):
        executable(kind, "{program} run {input} -o results.h5 --json results.json", use_mpi=use_mpi)
        workload(kind, executables=[kind])

    workload_variable("program", default="ddproxy", description="Program to run", workloads=["twin", "measured"])
    workload_variable("input", default="gpt2-large-a100x16-slingshot", description="Input of a twin: a name or a path", workloads=["twin"])
    workload_variable("input", default="gpt2-large-cpu", description="Input with real kernels: a name or a path", workloads=["measured"])

    for figure, units in (("tokens_per_s", "tokens/s"), ("backward_s", "s"), ("bucket_mib", "MiB"), ("exposed_s", "s"), ("tail_s", "s"), ("overlap", ""),
                          ("bus_bw_GBps", "GB/s"), ("model_error", ""), ("regret", ""), ("model_error_beyond_noise", ""), ("valid", "")):
        figure_of_merit(figure, log_file="{log_file}", fom_regex=rf"^DDPROXY_FOM .*\b{figure}=(?P<value>\S+)", group_name="value", units=units)

    success_criteria("valid", mode="string", match=r"^DDPROXY_FOM .*valid=(true|single|replay)$", file="{log_file}")
