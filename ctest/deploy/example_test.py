# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""example_test.py ROOT DDPROXY_MODEL: this build must predict deploy/example/prediction.json, and must find slower.h5 beside it slower than base.h5.

The stand-alone tests of Spack read these files. If a change of the model changes the prediction, write prediction.json anew:
ddproxy-model predict deploy/example/twin.toml --json deploy/example/prediction.json"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile

ROOT, MODEL = pathlib.Path(sys.argv[1]), sys.argv[2]
EXAMPLE = ROOT / "deploy" / "example"


def run(code, *words):
    done = subprocess.run([MODEL, *map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode == code, (words, done)
    return done.stdout


def check_same(stored, found, where):
    """Compares two values of JSON. Numbers that are not whole may have a relative difference of 1e-9."""
    if isinstance(stored, dict):
        assert stored.keys() == found.keys(), (where, stored.keys() ^ found.keys())
        for key, value in stored.items():
            check_same(value, found[key], f"{where}/{key}")
    elif isinstance(stored, list):
        assert len(stored) == len(found), where
        for k, value in enumerate(stored):
            check_same(value, found[k], f"{where}/{k}")
    elif isinstance(stored, float):
        assert math.isclose(stored, found, rel_tol=1e-9, abs_tol=1e-15), (where, stored, found)
    else:
        assert stored == found, (where, stored, found)


with tempfile.TemporaryDirectory() as folder:
    prediction = pathlib.Path(folder) / "prediction.json"
    run(0, "predict", EXAMPLE / "twin.toml", "--json", prediction)
    check_same(json.loads((EXAMPLE / "prediction.json").read_text()), json.loads(prediction.read_text()), "prediction")
assert "unchanged: " in run(0, "compare", EXAMPLE / "slower.h5", EXAMPLE / "base.h5")
assert "slower: 4 of the 4 cases (simulated times)" in run(1, "compare", EXAMPLE / "base.h5", EXAMPLE / "slower.h5")
