# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""A configuration of ReFrame for one machine: the partition `local` starts ranks with mpirun, the partition `slurm` with srun.
Sites that have a configuration of ReFrame use their own. DDPROXY_MPI says how srun starts the MPI library: pmix for Open MPI (the default),
pmi2 for MPICH. The scheduler `squeue` of ReFrame is for a SLURM without an accounting database."""
import os

site_configuration = {
    "systems": [
        {
            "name": "ddproxy",
            "descr": "this machine",
            "hostnames": [".*"],
            "modules_system": "nomod",
            "partitions": [
                {"name": "local", "scheduler": "local", "launcher": "mpirun", "environs": ["ddproxy"]},
                {"name": "slurm", "scheduler": "squeue", "launcher": "srun", "environs": ["ddproxy"], "sched_options": {"use_nodes_option": True},
                 "env_vars": [["SLURM_MPI_TYPE", os.environ.get("DDPROXY_MPI", "pmix")]]},
            ],
        },
    ],
    "environments": [{"name": "ddproxy"}],
}
