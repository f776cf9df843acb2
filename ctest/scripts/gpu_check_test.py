# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""gpu_check_test.py PROJECT DDPROXY: tests what gpu-check and the job for eight GPUs start, with replacements for the GPU, mpirun and srun."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import venv

project, ddproxy = map(pathlib.Path, (sys.argv.pop(1), sys.argv.pop(1)))

NVIDIA_SMI = 'case "$*" in *memory.total*) echo "${MEMORY:-81920}" ;; --query-gpu*) echo 9.0 ;; *) echo "GPU 0: a stand-in" ;; esac'
MPIRUN = 'echo "$LD_LIBRARY_PATH" >>"$RECORD"; echo "$CUDA_VISIBLE_DEVICES $@" >>"$RECORD"; echo "share=$NCCL_MULTI_RANK_GPU_ENABLE" >>"$RECORD"; eval "${DURING:-}"; exec sleep "${STALL:-0}"'
SRUN = 'echo "$OMP_NUM_THREADS $CUDA_DEVICE_ORDER $*"'


def write_program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/bash\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


class GpuCheck(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve() / "with space"
        for part in ("scripts", "inputs"):
            shutil.copytree(project / part, self.root / part)
        bundle = self.root / "prebuilt"
        write_program(bundle / "mpi/bin/mpirun", MPIRUN)
        write_program(self.root / "path/nvidia-smi", NVIDIA_SMI)
        (bundle / "bin").mkdir()
        shutil.copy(ddproxy, bundle / "bin/ddproxy")  # gpu-check looks at its libraries
        for name, text in (("glibc", "2.0"), ("architecture", "90"), ("revision", "0")):
            (bundle / name).write_text(text + "\n", encoding="utf-8")

    def check(self, *steps, **environment):
        path = f"{self.root}/path:{os.environ['PATH']}"
        environment = os.environ | {"PATH": path, "RECORD": f"{self.root}/record"} | environment
        return subprocess.run([self.root / "scripts/gpu-check", self.root / "out", *steps], env=environment, capture_output=True,
                              text=True, check=False)

    def list_tests(self, *lines):
        (self.root / "prebuilt/tests/list").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

    def summary(self):
        return (self.root / "out/summary.txt").read_text(encoding="utf-8")

    def record(self):
        return (self.root / "record").read_text(encoding="utf-8").splitlines()

    def test_the_bundle_comes_before_the_libraries_of_the_user(self):
        done = self.check("nccl", LD_LIBRARY_PATH="/of/the/user")
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(self.record()[0].split(":")[:2], [f"{self.root}/prebuilt/lib", "/of/the/user"])

    def test_bf16_runs_an_input_that_ddproxy_takes(self):
        done = self.check("bf16")
        self.assertEqual(done.returncode, 0, done)
        made = self.root / "out/run-bf16.toml"
        self.assertIn(f"ddproxy run {made}", self.record()[1])
        text = made.read_text(encoding="utf-8")
        for line in ('preset = "gpt2"', 'precision = "bf16"', '[allreduce]\nwire = "bf16"', 'backend = "nccl"'):
            self.assertEqual(text.count(line + "\n"), 1, text)
        planned = subprocess.run([ddproxy, "run", made, "--dry-run"], capture_output=True, text=True, check=False)
        self.assertEqual(planned.returncode, 0, planned)

    def test_a_timeout_fails_the_run_and_all_later_runs_of_its_step(self):
        done = self.check("layers", GPU_CHECK_LIMIT_S="1", STALL="60")
        self.assertEqual(done.returncode, 4, done)
        self.assertIn("FAILED   layers-fp32 (took longer than 1 s)", done.stdout)
        for precision in ("tf32", "bf16"):
            self.assertIn(f"FAILED   layers-{precision} (its step took longer than 1 s)", done.stdout)

    def test_the_time_limit_of_all_steps_ends_the_check_with_a_summary(self):
        done = self.check("layers", "nccl", "bf16", GPU_CHECK_TOTAL_S="8", STALL="60")
        self.assertEqual(done.returncode, 4, done)
        self.assertIn("FAILED   layers-tf32 (all steps together took longer than 8 s)", done.stdout)
        lines = ["passed: none", "skipped: none", "failed: layers", "did not run or did not end: nccl bf16"]
        self.assertEqual(self.summary().splitlines(), lines)
        self.assertIn("\n".join(f"gpu-check: {line}" for line in lines), done.stdout)

    def test_the_summary_is_up_to_date_while_a_step_runs(self):
        done = self.check("nccl", "layers", GPU_CHECK_TOTAL_S="600", DURING='[[ $* != *run-nccl* ]] || cp out/summary.txt "$RECORD.then"')
        self.assertEqual(done.returncode, 0, done)
        then = (self.root / "record.then").read_text(encoding="utf-8")
        self.assertEqual(then, "passed: layers\nskipped: none\nfailed: none\ndid not run or did not end: nccl\n")
        self.assertEqual(self.summary(), "passed: layers nccl\nskipped: none\nfailed: none\ndid not run or did not end: none\n")

    def test_runs_every_test_of_the_bundle(self):
        tests = [self.root / "prebuilt/tests" / name for name in ("test_kernels_gemm", "test_miniapp_device")]
        for test in tests:
            write_program(test, "")
        self.list_tests("1 test_kernels_gemm", "1 test_miniapp_device", "2 test_miniapp_device")
        done = self.check("tests", DURING='echo "$DDPROXY_SOURCES" >"$RECORD.sources"')
        self.assertEqual(done.returncode, 0, done)
        started = [line.split(" -n ")[1] for line in self.record()[1::3]]
        self.assertEqual(started, [f"1 {tests[0]}", f"1 {tests[1]}", f"2 {tests[1]}"])
        self.assertEqual((self.root / "record.sources").read_text(encoding="utf-8"), f"{self.root}\n")

    def test_finds_libraries_in_the_packages_of_a_virtual_environment(self):
        venv.create(self.root / "venv")
        packages = next((self.root / "venv").glob("lib/python*/site-packages"))
        folders = [packages / "nvidia" / name / "lib" for name in ("cu13", "nccl", "cublas")]
        for folder in folders:
            folder.mkdir(parents=True)
        done = self.check("nccl", PATH=f"{self.root}/venv/bin:{self.root}/path:{os.environ['PATH']}")
        self.assertEqual(done.returncode, 0, done)
        searched = self.record()[0].split(":")
        self.assertEqual(sorted(folder for folder in searched if folder.startswith(str(packages))), sorted(map(str, folders)))
        self.assertLess(searched.index("/usr/local/cuda/lib64"), searched.index(str(folders[0])))

    def test_two_ranks_share_the_first_gpu_only_if_it_has_enough_memory(self):
        self.assertEqual(self.check("shared", CUDA_VISIBLE_DEVICES="3,4").returncode, 0)
        self.assertTrue(self.record()[1].startswith("3 "), self.record())
        (self.root / "record").unlink()
        done = self.check("shared", MEMORY="40960")
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("shared: skipped", done.stdout)
        self.assertIn("skipped: shared\n", self.summary())
        self.assertFalse((self.root / "record").exists())

    def test_sharded_steps_run_with_one_and_with_two_micro_batches(self):
        done = self.check("step", CUDA_VISIBLE_DEVICES="3,4")
        self.assertEqual(done.returncode, 0, done)
        runs = [(f"step-{name}{more}", stage, batches) for name, stage in (("gpt2-zero1", "zero1"), ("llama-fsdp", "fsdp")) for more, batches in (("", 1), ("-accumulation2", 2))]
        started = self.record()[1::3]
        self.assertEqual(len(started), len(runs), started)
        for line, (name, stage, batches) in zip(started, runs):
            made = self.root / "out" / name
            self.assertTrue(line.startswith("3 "), line)
            self.assertTrue(line.endswith(f" -n 2 {self.root}/prebuilt/bin/ddproxy step {made}.toml --share-device -o {made}.h5 --json {made}.json"), line)
            text = made.with_suffix(".toml").read_text(encoding="utf-8")
            for key, value in (("stage", f'"{stage}"'), ("accumulation", str(batches)), ("samples", "3")):
                self.assertEqual(re.findall(rf"^{key} = (.*)$", text, re.MULTILINE), [value], text)
            planned = subprocess.run([ddproxy, "step", f"{made}.toml", "--dry-run"], capture_output=True, text=True, check=False)
            self.assertEqual(planned.returncode, 0, planned)

    def starts(self, version, *steps, **environment):
        """Runs steps with this version of NCCL. Returns a list with an item for each start of mpirun, and the output of gpu-check. An item is (the devices,
        the words after -n, whether ranks may share a GPU)."""
        programs = self.root / "prebuilt/bin"
        write_program(programs / "bench_collectives", f'[ "$1" != --nccl_version ] || echo {version}')
        write_program(programs / "bench_device_step", "")
        write_program(programs / "bench_run_step", "")
        done = self.check(*steps, **environment)
        self.assertEqual(done.returncode, 0, done)
        record = self.record()
        starts = []
        for words, share in zip(record[1::3], record[2::3]):
            device, started = words.split(" ", 1)
            starts.append((device, started.split(" -n ")[1].split(), share == "share=1"))
        return starts, done.stdout

    def test_nccl_is_measured_with_two_ranks_only_if_they_may_share_a_gpu(self):
        for step, program in (("collectives", "bench_collectives"), ("host", "bench_device_step")):
            for version, ranks in (("2.28.9", "1"), ("2.9.8", "1"), ("none", "1"), ("2.30.3", "12"), ("2.32.3", "12"), ("3.0.0", "12")):
                with self.subTest(step=step, version=version):
                    starts, told = self.starts(version, step, CUDA_VISIBLE_DEVICES="3,4")
                    (self.root / "record").unlink()
                    self.assertEqual("".join(words[0] for _, words, _ in starts), ranks, starts)
                    for device, words, share in starts:
                        self.assertIn(f"/prebuilt/bin/{program} ", " ".join(words) + " ")
                        self.assertEqual((device, share), ("3", True) if words[0] == "2" else ("3,4", False))
                    self.assertEqual("skipped with two ranks" in told, ranks == "1", told)

    def test_several_ranks_of_a_test_share_the_gpu(self):
        write_program(self.root / "prebuilt/tests/test_miniapp_verbs_device", "")
        self.list_tests(*(f"{ranks} test_miniapp_verbs_device" for ranks in (1, 2, 4)))
        starts, _ = self.starts("2.32.3", "tests")
        self.assertEqual([(words[0], share) for _, words, share in starts], [("1", False), ("2", True), ("4", True)])

    def test_a_step_whose_benchmark_was_not_packed_is_skipped(self):
        done = self.check("collectives", "host")
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("collectives: skipped", done.stdout)
        self.assertIn("host: skipped", done.stdout)

    def test_refuses_unknown_steps_and_invalid_time_limits(self):
        for done in (self.check("layer"), self.check("layers", GPU_CHECK_LIMIT_S="9m"), self.check("layers", GPU_CHECK_TOTAL_S="0")):
            self.assertEqual(done.returncode, 2, done)
            self.assertFalse((self.root / "out").exists())


BUSES = "07 0F 47 4E 87 90 B7 BD"
NODES = 'case "$1" in */0000:07:00.0/* | */0000:0f:00.0/*) echo 3 ;; */0000:4[7e]:00.0/*) echo 1 ;; *) echo "${FAR:-7}" ;; esac'


class Job(unittest.TestCase):
    def submit(self, buses, slurm, files=("path/ddproxy",), words=()):
        """Runs the job file in a folder that has the programs `files`. The folder `path` in it is on PATH. `buses`: the PCI buses of the GPUs of a node.
        `slurm`: environment variables. `words`: arguments of the job file."""
        with tempfile.TemporaryDirectory() as folder:
            for name in files:
                write_program(pathlib.Path(folder) / name, "")
            write_program(pathlib.Path(folder) / "srun", SRUN)
            write_program(pathlib.Path(folder) / "nvidia-smi", f'for bus in {buses}; do echo "00000000:$bus:00.0"; done')
            write_program(pathlib.Path(folder) / "cat", NODES)  # the job reads files of the kernel with cat
            environment = {"PATH": f"{folder}:{folder}/path:/usr/bin:/bin", "SLURM_JOB_ID": "1", "SLURM_CPUS_ON_NODE": "128",
                           "SLURM_TASKS_PER_NODE": "8", "SLURM_GPUS_ON_NODE": "8", "SLURM_GPUS_PER_NODE": "8"} | slurm
            return subprocess.run(["bash", project / "deploy/slurm/run-8gpu.sbatch", *words], cwd=folder, env=environment,
                                  capture_output=True, text=True, check=False)

    def started(self, *files, words=(), **slurm):
        """Returns the program and the input that the job starts in a folder with these files."""
        done = self.submit("", slurm, files, words)
        self.assertEqual(done.returncode, 0, done)
        program, given = re.search(r"--kill-on-bad-exit=1 (\S+) run (\S+) -o", done.stdout).groups()
        return program, given

    def options(self, buses="", **slurm):
        done = self.submit(buses, slurm)
        self.assertEqual(done.returncode, 0, done)
        return done.stdout

    def test_gives_each_of_eight_tasks_an_eighth_of_the_cores(self):
        for cpus, each in (("128", "16"), ("104", "13"), ("2", "1")):
            told = self.options(SLURM_CPUS_ON_NODE=cpus)
            self.assertTrue(told.startswith(each + " "), told)
            self.assertIn(f" --cpus-per-task={each} ", told)

    def test_binds_each_task_to_the_numa_node_of_its_gpu(self):
        self.assertIn(" --cpu-bind=map_ldom:3,3,1,1,7,7,7,7 ", self.options(BUSES))
        for buses, far in (("", "7"), ("07 0F", "7"), (BUSES, "-1")):
            self.assertIn(" --cpu-bind=cores ", self.options(buses, FAR=far))

    def test_uses_the_cpus_per_task_that_sbatch_was_given(self):
        self.assertIn(" --cpus-per-task=3 ", self.options(SLURM_CPUS_PER_TASK="3"))

    def test_binds_four_tasks_per_node_on_two_nodes_with_four_gpus_each(self):
        told = self.options("07 0F 47 90", SLURM_TASKS_PER_NODE="4(x2)", SLURM_GPUS_PER_NODE="a100:4")
        self.assertTrue(told.startswith("32 PCI_BUS_ID "), told)
        self.assertIn(" --cpu-bind=map_ldom:3,3,1,7 ", told)

    def test_refuses_more_tasks_than_gpus(self):
        for gpus in ("4", "a100:4"):
            done = self.submit("", {"SLURM_GPUS_PER_NODE": gpus})  # with --exclusive, SLURM_GPUS_ON_NODE stays 8
            self.assertEqual((done.returncode, done.stdout), (2, ""), done)
            self.assertIn("--ntasks-per-node=4", done.stderr)

    def test_starts_the_build_of_the_project_or_the_installed_program(self):
        build, source = "build-cuda-a100/ddproxy", "inputs/gpt2-large-8gpu-nccl.toml"
        self.assertEqual(self.started(build, source, "path/ddproxy"), (build, source))
        program, given = self.started("path/ddproxy")  # an installed program, started in a folder without the project
        self.assertTrue(program.endswith("/path/ddproxy"), program)
        self.assertEqual(given, "gpt2-large-8gpu-nccl")
        self.assertTrue((project / source).exists())
        self.assertEqual(self.started(build, words=["tiny"], DDPROXY="/prefix/bin/ddproxy"), ("/prefix/bin/ddproxy", "tiny"))

    def test_says_where_it_searched_for_the_program(self):
        done = self.submit("", {}, files=())
        self.assertEqual((done.returncode, done.stdout), (2, ""), done)
        self.assertRegex(done.stderr, "no program: /.* has no build-cuda-a100/ddproxy, and ddproxy is not on PATH; .* in DDPROXY\n$")

    def test_ddproxy_mpi_chooses_the_mpi_option_of_srun(self):
        self.assertIn(" --mpi=pmix ", self.options())
        self.assertIn(" --mpi=cray_shasta ", self.options(DDPROXY_MPI="cray_shasta"))


unittest.main()
