# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Adds the cases of DDP to a results file of ddproxy, so that one report shows the cases of ddproxy, the cases
of DDP and the prediction. Needs h5py."""
import h5py
import numpy as np

from .files import write_hdf5
from .ranks import UsageError

if __package__ == "torch_recording":  # files.py has added the folder of `reporting` to the search path
    from reporting.errors import ReportError
    from reporting.reading import read_in_child
else:  # in the Python package
    from ..errors import ReportError
    from ..reading import read_in_child

OF_HDF5 = {"CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST"}


def check(path):
    """Returns the number of ranks of the file and the number of elements of its model. Call it before anything is measured. A child process reads
    the whole file, because a damaged file can crash the HDF5 library. Raises UsageError if the file cannot be read or has no sweep."""
    try:
        values = read_in_child(path)[0]
    except ReportError as error:
        raise UsageError(f"--beside {error}") from error
    measured, elements = values.get("/sweep/measured"), values.get("/model/numel")
    if measured is None or elements is None or measured.ndim != 3:
        raise UsageError(f"--beside {path}: has no sweep of ddproxy; give a file of ddproxy run or sweep")
    return measured.shape[2], int(elements.sum())


def is_text(data):
    return h5py.check_string_dtype(data.dtype) is not None


def fill(shape, data):
    if is_text(data):
        return np.full(shape, "", dtype=object)
    return np.full(shape, np.nan if data.dtype.kind == "f" else -1, dtype=data.dtype)


def dimensions(data):
    return [axis[0].name.rpartition("/")[2] for axis in data.dims]


def padded(values, shape, data):
    result = fill(shape, data)
    result[tuple(slice(n) for n in values.shape)] = values
    return result


def longer(data, extra, count):
    """Returns the values of `data` with more entries in the first dimension: those of `extra`, or `count` fill values if `extra` is None."""
    more = extra[()] if extra is not None else fill((count, *data.shape[1:]), data)
    rest = tuple(max(pair) for pair in zip(data.shape[1:], more.shape[1:]))
    return np.concatenate([padded(data[()], (len(data), *rest), data), padded(more, (len(more), *rest), data)])


def rewrite(group, columns):
    """Replaces all datasets and dimension scales of a group. `columns`: name -> (dimensions, values, attributes, dtype)."""
    for name in list(group):
        del group[name]
    for name, (named, values, attributes, dtype) in columns.items():
        data = group.create_dataset(name, data=values, dtype=dtype)
        data.attrs.update(attributes)
        if list(named) == [name]:  # a dimension scale: it holds the coordinates of the dimension with the same name
            data.make_scale(name)
            continue
        for axis, dimension in enumerate(named):
            if dimension not in group:
                scale = group.create_dataset(dimension, data=np.arange(values.shape[axis]))
                scale.attrs.update({"units": "1", "long_name": "index of the " + dimension})
                scale.make_scale(dimension)
            data.dims[axis].attach_scale(group[dimension])


def join(group, other, count):
    columns = {}
    for name, data in group.items():
        is_scale = data.attrs.get("CLASS") == b"DIMENSION_SCALE"
        if is_scale and not is_text(data):
            continue
        named, values = [name] if is_scale else dimensions(data), data[()]
        if named and (named[0] == "case" or (other is not None and name in other)):
            values = longer(data, other.get(name) if other is not None else None, count)
        elif is_text(data):
            values = data.asstr()[()]
        attributes = {key: value for key, value in data.attrs.items() if key not in OF_HDF5}
        columns[name] = (named, values, attributes, data.dtype)
    if "bytes" in columns:  # /plans: the new buckets follow the existing ones
        columns["first"][1][-count:] += len(group["bytes"])
    elif "start" in columns:  # /timeline: the new cases have no entries
        columns["first"][1][-count:] = columns["count"][1][-count:] = 0
    rewrite(group, columns)


def write(ours, theirs, path):
    """Writes a copy of the results file `ours` to `path`. The cases of `theirs` follow the cases of `ours`."""
    file = h5py.File(ours, "r+", driver="core", backing_store=False)  # in memory: `ours` stays unchanged
    with h5py.File(theirs) as more:
        for name in ("sweep", "plans", "timeline", "memory"):
            if name in file:
                join(file[name], more.get(name), len(more["sweep/strategy"]))
    write_hdf5(path, file)
