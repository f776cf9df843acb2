# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""record_sharded_torch_test.py RECORD_SHARDED_TORCH DDPROXY_MODEL: two ranks train a tiny GPT-2 with FSDP2 and with ZeroRedundancyOptimizer. The sizes of the
recorded collectives of each verb must add up to the bytes of the parameters. Only the all-gathers of FSDP2 must add up to more: between one and two times
these bytes. Also tests wrong options. Exits with 77 if this Python has no torch with FSDP."""
import json
import os
import subprocess
import sys
import tempfile

RECORD, DDPROXY = (os.path.abspath(path) for path in sys.argv[1:])
TINY = ["--layers", "2", "--d-model", "32", "--heads", "2", "--vocabulary", "64", "--context", "32", "--batch", "1", "--sequence", "16",
        "--passes", "2", "--samples", "2"]


def start(*options):
    return subprocess.run([sys.executable, "-B", RECORD, *TINY, *options], capture_output=True, text=True)


def refused(part, *options):
    done = start(*options)
    assert done.returncode == 2 and part in done.stderr and "Traceback" not in done.stderr, (options, done)


if subprocess.run([sys.executable, "-c", "import torch.distributed.fsdp; torch.distributed.fsdp.fully_shard"], capture_output=True).returncode != 0:
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    done = start("--model-program", DDPROXY, "-o", "out")
    assert done.returncode == 0, done
    with open("out/sharded.json", encoding="utf-8") as file:
        recording = json.load(file)
    parameters = 4 * recording["parameters"]  # bytes
    fsdp2, zero1 = recording["methods"]
    assert (fsdp2["method"], zero1["method"]) == ("fsdp2", "zero1")
    # FSDP gathers every unit for the forward pass, and each block again for its backward pass. The root unit stays gathered.
    assert set(fsdp2["verbs"]) == {"all_gather", "reduce_scatter"} and fsdp2["waits"], fsdp2["verbs"]
    assert fsdp2["verbs"]["reduce_scatter"] == [3, parameters], (fsdp2["verbs"], parameters)
    calls, gathered = fsdp2["verbs"]["all_gather"]
    assert calls == 5 and parameters < gathered < 2 * parameters, (fsdp2["verbs"], parameters)
    assert zero1["verbs"]["broadcast"][1] == zero1["verbs"]["all_reduce"][1] == parameters, (zero1["verbs"], parameters)
    for found in recording["methods"]:
        assert found["predicted_s"] > found["alone_s"] > 0 and found["measured_s"] > 0, found
    refused("is unknown", "--methods", "zero9")
    refused("--ranks", "--ranks", "1")
    refused("--d-model", "--heads", "5")
    refused("--model-program", "--model-program", "./absent", "--methods", "zero1", "-o", "out")
