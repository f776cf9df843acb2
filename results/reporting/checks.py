# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the datasets that are drawn: type, shape and range. docs/results.md lists them."""
import numpy as np

# {group: {dimensions: (names of datasets with numbers, names of datasets with texts)}}
DATASETS = {
    "sweep": {
        "case sample rank": ("measured compute backward_end", ""),
        "case sample": ("order counted", ""),
        "case": ("bucket_bytes first_bucket_bytes buckets verified measured_median ci_low ci_high over_best over_best_low over_best_high predicted predicted_low "
                 "predicted_high predicted_exposed ideal uncontended with_contention with_copies with_jitter comm exposed "
                 "exposed_low exposed_high slowdown tail overlap overlap_low overlap_high same_round_exposed",
                 "name strategy source stopped_by"),
        "contradiction": ("", "contradictions"),
        "": ("floor", "")},
    "layers": {"rank operation sample": ("seconds", ""), "operation": ("flops bytes modelled", "operation operation_layer")},
    "allreduce": {"size sample": ("seconds", ""), "size": ("bytes median p99 algbw busbw wrong_elements", "")},
    "collectives": {"row": ("ranks groups nodes bytes median min max algbw busbw wrong_elements", "verb")},
    "calibration": {"": ("alpha beta fit_error_mean", "")},
    "score": {"predictor": ("mean_error max_error beyond_noise pairs_in_order regret tail_error slowdown_error", "predictor"),
              "": ("b_star_low b_star_high", "")},
    "provenance": {"rank": ("numa_node clock peak_memory", "host device binding"), "line": ("", "command_line input"),
                   "variable": ("", "environment"), "table": ("", "table_file table_hash")},
    "states": {"state": ("round_trip samples", "name"), "": ("scored dropped", "")},
    "timeline": {"case": ("first count", ""), "event": ("start end predicted_start predicted_end event_rank live_bytes_start live_bytes_end predicted_live_bytes_start "
                                                   "predicted_live_bytes_end", "resource label phase")},
    "step": {"row sample": ("measured", ""), "row": ("median ci_low ci_high mean deviation predicted uncontended first", "part"),
             "kind": ("kind_forward kind_backward kind_step", "kind"), "lane": ("lane_busy predicted_lane_busy", "lane"),
             "": ("bubble predicted_bubble loss verified global_batch model_flops measured_peak peak_flops", "")},
    "memory": {"case kind": ("kind_at_peak kind_peak", ""), "case": ("live_at_start live_peak predicted_peak", ""), "kind": ("", "kind"), "": ("allocated", "")},
    "plans": {"case": ("first count", ""), "bucket": ("last_gradient bytes", "")},
}
WITHOUT_CAP = ("naive", "flat", "per_tensor", "optimal")  # strategies whose buckets have no cap, whatever /sweep/bucket_bytes holds
OF_SWEEP = "case"  # the only dimension that must have the same length in all groups
MAY_BE_EMPTY = ("event", "bucket", "contradiction", "variable")
MAY_BE_INFINITE = ("/calibration/beta",)  # infinite if the time does not grow with the size
WITHOUT_GAPS = (*(f"/timeline/{name}" for name in ("start", "end", "predicted_start", "predicted_end", "event_rank", "live_bytes_start", "live_bytes_end",
                                                   "predicted_live_bytes_start", "predicted_live_bytes_end")),
                "/allreduce/bytes", "/collectives/bytes")
RAGGED = {"timeline": "start", "plans": "bytes"}
REMEDY = "; take the file as ddproxy wrote it, or measure again"


def _listed():
    """Yields (group, path, dimensions, is text) of every dataset in DATASETS."""
    for group, by_dimensions in DATASETS.items():
        for dimensions, kinds in by_dimensions.items():
            for is_text, names in enumerate(kinds):
                for name in names.split():
                    yield group, f"/{group}/{name}", dimensions.split(), bool(is_text)


def _kind_fault(path, value, is_text):
    if is_text and not (value.dtype == object and all(isinstance(v, str) for v in value.flat)):
        return f"{path} holds {value.dtype}, not text"
    if not is_text and value.dtype.kind not in "fiub":
        return f"{path} holds {'text' if value.dtype == object else value.dtype}, not numbers"
    if not is_text and path not in MAY_BE_INFINITE and np.isinf(value).any():
        return f"{path} holds infinite values"
    if path in WITHOUT_GAPS and np.isnan(value).any():
        return f"{path} holds missing values (NaN)"
    return None


def _shape_fault(path, shape, group, dimensions, lengths):
    """Returns the fault of a shape in words, or None. `lengths` holds the length of each dimension; the first dataset that has a dimension
    sets it."""
    if len(shape) != len(dimensions) and not (not dimensions and np.prod(shape) == 1):
        return f"{path} has the shape {tuple(shape)}, but it should have a length for each of [{', '.join(dimensions)}]"
    for dimension, length in zip(dimensions, shape):
        first, expected = lengths.setdefault((group if dimension != OF_SWEEP else "", dimension), (path, length))
        if length != expected:
            return f"{path} has the length {length} along the dimension {dimension}, but {first} has {expected}"
        if length == 0 and dimension not in MAY_BE_EMPTY:
            return f"{path} has the length 0 along the dimension {dimension}"
    return None


def _ragged_fault(values, group, items):
    paths = [f"/{group}/{name}" for name in ("first", "count", items)]
    if not all(path in values for path in paths):
        return None
    first, count, length = values[paths[0]], values[paths[1]], len(values[paths[2]])
    there = count > 0  # the count of a case that was not measured is 0 or NaN
    whole = (first % 1 == 0) & (count % 1 == 0)
    fits = (first <= length) & (count <= length - np.minimum(first, length))  # first + count could overflow
    if (there & ~(whole & (first >= 0) & fits)).any():
        return f"{paths[0]} and {paths[1]} point outside of the {length} values of {paths[2]}"
    return None


def _range_fault(values):
    if (values.get("/sweep/measured", np.ones(1)) <= 0).any():
        return "/sweep/measured holds times that are not above 0"
    for path in ("/allreduce/bytes", "/collectives/bytes"):
        if (values.get(path, np.ones(1)) <= 0).any():
            return f"{path} holds sizes that are not above 0"
    if "/sweep/strategy" in values and "/sweep/bucket_bytes" in values:
        caps, strategy = values["/sweep/bucket_bytes"], values["/sweep/strategy"]
        if not (caps[strategy == "bucketed"] > 0).all():
            return "/sweep/bucket_bytes of a bucketed case is not above 0"
        if (caps[~np.isin(strategy, WITHOUT_CAP)] <= 0).any():  # NaN: an added strategy without a cap
            return "/sweep/bucket_bytes of a case with a cap is not above 0"
    return None


def find_fault(values):
    """Returns what is wrong with the datasets {path: array}, in words for a message, or None."""
    lengths = {}
    for group, path, dimensions, is_text in _listed():
        if path in values:
            fault = (_kind_fault(path, values[path], is_text)
                     or _shape_fault(path, values[path].shape, group, dimensions, lengths))
            if fault:
                return fault + REMEDY
    faults = [_ragged_fault(values, group, items) for group, items in RAGGED.items()] + [_range_fault(values)]
    return next((fault + REMEDY for fault in faults if fault), None)
