# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""The report page, plots and tables of one or several results files. docs/results.md describes them."""
