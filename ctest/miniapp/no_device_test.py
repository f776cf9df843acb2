# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""no_device_test.py DDPROXY INPUT TESTS MPIEXEC...: tests a device build on a machine where the driver finds no device. Runs must end with one
line and exit code 4, and --dry-run must work. Four test programs in the folder TESTS, which need a device, must be skipped. LD_LIBRARY_PATH
must have a driver that finds no device, for example the stub of the CUDA toolkit."""
import pathlib
import subprocess
import sys

ddproxy, model_input, tests, *mpiexec = sys.argv[1:]


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


def expect_no_device(*command):
    done = run(*command)
    lines = [line for line in done.stderr.splitlines() if line.startswith("ddproxy: ")]
    assert done.returncode == 4, (command, done)
    assert len(lines) == 1 and "no device was found (" in lines[0], (command, done)
    assert "DDPROXY_FOM" not in done.stdout, done


for command in ("run", "sweep", "layers", "allreduce"):
    expect_no_device(ddproxy, command, model_input)
expect_no_device(*mpiexec, "-n", "2", ddproxy, "run", model_input)

planned = run(ddproxy, "run", model_input, "--dry-run")
assert planned.returncode == 0 and "memory:" in planned.stdout, planned

programs = sorted(pathlib.Path(tests).glob("test_*"))
needing = [p for p in programs if p.name in ("test_miniapp_device", "test_miniapp_fences", "test_kernels_gemm", "test_kernels_backward")]
assert len(needing) == 4, programs
for program in needing:
    done = run(str(program))
    assert done.returncode == 77 and "no device" in done.stdout, (program, done)
print("passed")
