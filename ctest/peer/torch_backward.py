#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""torch_backward.py KERNELS_WORKER [PYTHON...]   times the backward pass of GPT-2-large, cut to --layers layers, in ddproxy and in PyTorch.

Each PYTHON is an interpreter that has torch (default: /usr/bin/python3). All programs are started first. Then they take
turns, one backward pass each, so that other load on the machine slows all of them alike. The medians are compared.
With one thread the time is processor time, which leaves out the time of other programs. With several threads, and on
a device, it is elapsed time. --device cuda needs a KERNELS_WORKER of a build for CUDA. --precision tf32 and bf16
need a device. --compile measures each PYTHON a second time, with torch.compile.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent


class Worker:
    def __init__(self, command, threads, on_device):
        # keeps freed memory: otherwise PyTorch would allocate new pages in every pass
        keep = {"MALLOC_MMAP_THRESHOLD_": "4294967296", "MALLOC_TRIM_THRESHOLD_": "17179869184"}
        env = dict(os.environ, OMP_NUM_THREADS=str(threads), OMP_PROC_BIND="false", **keep)
        self.process = subprocess.Popen(command, env=env, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.counts_processor = threads == 1 and not on_device
        self.name = self.process.stdout.readline().strip()
        self.samples = []

    def sample(self, keep=True):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        elapsed, processor = map(float, self.process.stdout.readline().split())
        if keep:
            self.samples.append(processor if self.counts_processor else elapsed)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def measure(commands, threads, on_device, samples):
    workers = [Worker(command, threads, on_device) for command in commands]
    for turn in range(samples + 2):
        for worker in workers:
            time.sleep(0.02)  # lets the threads of the previous worker stop spinning
            worker.sample(keep=turn >= 2)
    for worker in workers:
        worker.close()
    return workers


def row(arguments, threads, vocabulary, tokens):
    size = [str(n) for n in (arguments.layers, vocabulary, tokens)]
    batch = str(arguments.batch)
    modes = ["eager", "compile"] if arguments.compile else ["eager"]
    commands = [[arguments.worker, *size, arguments.precision, batch]]
    commands += [[python, str(HERE / "torch_worker.py"), str(threads), *size, arguments.device, arguments.precision, batch, mode]
                 for python in arguments.pythons for mode in modes]
    workers = measure(commands, threads, arguments.device != "cpu", arguments.samples)
    medians = [statistics.median(worker.samples) for worker in workers]
    peers = " | ".join(f"{1e3 * m:.1f}" for m in medians[1:])
    return workers, f"| {threads} | {vocabulary} | {tokens} | {1e3 * medians[0]:.1f} | {peers} | {medians[0] / min(medians[1:]):.2f} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("worker")
    parser.add_argument("pythons", nargs="*", default=["/usr/bin/python3"])
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--samples", type=int, default=7)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--vocabulary", type=int, nargs="+", default=[8192, 50257])
    parser.add_argument("--tokens", type=int, nargs="+", default=[64, 256, 1024])
    parser.add_argument("--batch", type=int, default=1, help="number of sequences in a pass")
    parser.add_argument("--compile", action="store_true", help="also measure torch.compile")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--precision", choices=["fp32", "tf32", "bf16"], default="fp32")
    arguments = parser.parse_args()
    header = True
    for threads in arguments.threads:
        for vocabulary in arguments.vocabulary:
            for tokens in arguments.tokens:
                workers, line = row(arguments, threads, vocabulary, tokens)
                if header:
                    print("# " + "; ".join(worker.name for worker in workers))
                    names = " | ".join("PyTorch " + worker.name + " ms" for worker in workers[1:])
                    print(f"| threads | vocabulary | tokens | ddproxy ms | {names} | ratio to the fastest PyTorch |")
                    print("|" + "---|" * (len(workers) + 4))
                    header = False
                print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
