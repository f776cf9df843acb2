# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Places the cases of a sweep on a horizontal axis."""
import numpy as np

from .checks import WITHOUT_CAP
from .data import MIB
from .errors import ReportError

LEFT, RIGHT = ("per_tensor",), ("optimal", "flat", "naive")
NAMES = {"per_tensor": "per\ntensor", "optimal": "\noptimal", "flat": "flat", "naive": "naive"}
STEP = 1.4


def capped(results):
    """Returns [case], true for a case whose buckets have a cap: a case of `bucketed`, or of an added strategy with caps."""
    return np.isfinite(results["/sweep/bucket_bytes"]) & ~np.isin(results["/sweep/strategy"], WITHOUT_CAP)


def has_caps(results):
    return bool(capped(results).any())


def _caps(results):
    return set((results["/sweep/bucket_bytes"] / MIB)[capped(results)])


class Cases:
    """Holds the position of each case on the axis: the base-2 logarithm of the cap in MiB. Strategies without a cap stand at the edges.
    Each strategy with caps has a line of its own. Only the line of `bucketed` has a best bucket size."""

    def __init__(self, results, beside=()):
        """Places the cases of `results`. `beside` are other files that share the axis. Raises ReportError if no case of `results` has a cap."""
        self.strategy = results["/sweep/strategy"]
        self.ours = results["/sweep/source"] != "pytorch"
        self.mib = results["/sweep/bucket_bytes"] / MIB
        self.bucketed, self.capped = self.strategy == "bucketed", capped(results)
        if not self.capped.any():
            raise ReportError(f"{results.path}: has no case with a bucket size to draw; sweep one bucket size or more")
        self.x = np.where(self.capped, np.log2(np.where(self.capped, self.mib, 1.0)), np.nan)
        files = (results, *beside)
        strategies = set().union(*(f["/sweep/strategy"] for f in files))
        self.caps = sorted(set().union(*(_caps(f) for f in files)))
        low, high = np.log2(self.caps[0]), np.log2(self.caps[-1])
        left = {name: low - STEP * (k + 1) for k, name in enumerate(n for n in LEFT if n in strategies)}
        with_caps = set().union(*(f["/sweep/strategy"][capped(f)] for f in files))
        others = sorted(strategies - {*with_caps, *LEFT, *RIGHT})  # strategies without a cap that have no place of their own
        right = {name: high + STEP * (k + 1) for k, name in enumerate([*others, *(n for n in RIGHT if n in strategies)])}
        self.edges = {**left, **right}
        for name, position in self.edges.items():
            self.x[self.strategy == name] = position
        self.split = (low - STEP / 2, high + STEP / 2)

    def label(self, axes):
        labels, raised = [], True
        near = 0.17 * (self.split[1] - self.split[0])
        for before, cap in zip([0.0, *self.caps], self.caps):  # a label that is close to the one on its left stands one line lower, unless that one does
            raised = not raised or before == 0.0 or np.log2(cap / before) > near
            labels.append(f"{cap:g}" if raised else f"\n{cap:g}")
        axes.set_xticks([np.log2(c) for c in self.caps] + list(self.edges.values()), labels + [NAMES.get(n, n) for n in self.edges])
        for position in self.split:
            axes.axvline(position, color="#808080", linewidth=0.6, alpha=0.6)
        axes.set_xlabel("bucket size (MiB, log scale)\nat the edges: cases without a bucket size")

    def _by_cap(self, mask):
        chosen = np.flatnonzero(mask)
        return chosen[np.argsort(self.x[chosen], kind="stable")]

    def line(self, ours=True):
        """Returns the indices of the bucketed cases of ddproxy, or of PyTorch if `ours` is false, sorted by cap."""
        return self._by_cap(self.bucketed & (self.ours == ours))

    def added_lines(self):
        """Returns {strategy: the indices of its cases, sorted by cap} of the other strategies with caps, sorted by name."""
        mine = self.capped & ~self.bucketed & self.ours
        return {name: self._by_cap(mine & (self.strategy == name)) for name in sorted(set(self.strategy[mine]))}

    def beside(self):
        return np.flatnonzero(~self.capped & np.isfinite(self.x) & self.ours)
