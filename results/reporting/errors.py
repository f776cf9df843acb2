# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""The errors that end the report."""


class ReportError(Exception):
    """Reports wrong input. The text is one line that says what is wrong and where."""
