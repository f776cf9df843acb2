# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""xarray_test.py MAKE_SAMPLE: xarray must open the file with the dimensions, units and long_name of every dataset."""
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import h5py
    import numpy as np
    import xarray
except ImportError as error:
    print(error)
    sys.exit(77)

ENGINES = {"h5netcdf": "h5netcdf", "netcdf4": "netCDF4"}
GROUPS = ["provenance", "model", "layers", "allreduce", "collectives", "calibration", "sweep", "wire", "precision", "phases", "states", "step", "plans", "timeline", "memory",
          "score"]
RANKS, SAMPLES, CASES = 2, 5, 10


def available():
    for engine, module in ENGINES.items():
        try:
            __import__(module)
            yield engine
        except ImportError:
            print(f"{module} is not installed: not tried")


def check_values(sweep):
    buckets = int(sweep.buckets.sum())  # of all cases, one after another
    assert dict(sweep.sizes) == {"case": CASES, "sample": SAMPLES, "rank": RANKS, "contradiction": 1, "bucket": buckets}, sweep.sizes
    assert sweep.measured.dims == ("case", "sample", "rank")
    assert sweep.measured.dtype == np.float64 and np.isfinite(sweep.measured.values).all()
    assert list(sweep.strategy.values[:3]) == ["naive", "flat", "per_tensor"]
    assert np.isnan(sweep.bucket_bytes.values[0]) and sweep.bucket_bytes.values[-1] == 2**30
    assert np.isnan(sweep.skew.values).all()
    assert sweep.attrs["ranks"] == 8
    by_hand = sweep.measured.max("rank").median("sample").values
    assert np.allclose(by_hand, sweep.measured_median.values, rtol=0, atol=0)


def check_group(path, group, engine):
    with xarray.open_dataset(path, group=group, engine=engine) as data:
        for name, variable in data.variables.items():
            assert variable.attrs.get("long_name"), (group, name)
            assert variable.attrs.get("units"), (group, name)
        assert not [d for d in data.dims if d.startswith("phony")], data.dims
        if group == "sweep":
            check_values(data.load())
        if group == "layers":
            assert data.indexes["operation"][-1] == "wte.weight"


def main(make_sample):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sample.h5"
        subprocess.run([make_sample, path], check=True)
        with h5py.File(path) as file:
            assert sorted(file) == sorted(GROUPS + ["fom"]), list(file)
        engines = list(available())
        for engine in engines:
            for group in GROUPS:
                check_group(path, group, engine)
        return 0 if engines else 77


sys.exit(main(sys.argv[1]))
