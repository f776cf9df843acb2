# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the report ends with."""


class ReportError(Exception):
    """Wrong input: one line that says what and where."""
