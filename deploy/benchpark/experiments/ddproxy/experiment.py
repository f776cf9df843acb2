# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Describes the experiments with ddproxy for Benchpark."""

from benchpark.directives import variant
from benchpark.experiment import Experiment


class Ddproxy(Experiment):
    """Runs a twin (a simulated machine) in one process, or GPT-2-large on the processors or GPUs of one node and of two nodes."""

    variant("workload", default="twin", values=("twin", "cpu", "cuda", "rocm"), description="what computes: a twin (simulated), the processors (cpu), or the GPUs (cuda, rocm)")

    def workload(self):
        return next(name for name in ("twin", "cpu", "cuda", "rocm") if self.spec.satisfies(f"workload={name}"))

    def compute_applications_section(self):
        workload = self.workload()
        if workload == "twin":
            variables = {"input": ["gpt2-large-a100x8", "gpt2-large-a100x16-slingshot"], "n_ranks": "1", "n_nodes": "1"}
        elif workload == "cpu":
            variables = {"input": "gpt2-large-cpu", "n_nodes": ["1", "2"], "n_ranks": "{n_nodes}*2"}
        else:
            variables = {"input": "gpt2-large-8gpu-nccl", "n_nodes": ["1", "2"], "n_gpus": "{n_nodes}*{sys_gpus_per_node}", "n_ranks": "{n_gpus}"}
        experiment = {"variants": {"package_manager": "spack"}, "variables": variables}
        kind = "twin" if workload == "twin" else "measured"
        return {"ddproxy": {"workloads": {kind: {"experiments": {"ddproxy_{input}_{n_nodes}": experiment}}}}}

    def compute_spack_section(self):
        architecture = {"cuda": "+cuda cuda_arch={cuda_arch}", "rocm": "+rocm amdgpu_target={rocm_arch}"}.get(self.workload(), "~cuda~rocm")
        return {
            "packages": {"ddproxy": {"pkg_spec": f"ddproxy@main {architecture}", "compiler": "default-compiler"}},
            "environments": {"ddproxy": {"packages": ["default-mpi", "ddproxy"]}},
        }
