# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Reads results files of ddproxy, and writes the report page, plots and tables. docs/results.md describes the files and the page.

In the project this package is `reporting` in the folder results; `pip install .` installs it as `ddproxy`."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .data import Results
    from .errors import ReportError

__all__ = ["ReportError", "Results"]


def __getattr__(name: str) -> Any:
    """Imports Results and ReportError when they are first used, because Results needs h5py and other modules of the package do not."""
    if name == "Results":
        from .data import Results
        return Results
    if name == "ReportError":
        from .errors import ReportError
        return ReportError
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
