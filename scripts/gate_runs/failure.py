# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Defines the exit codes of scripts/gate, and the exception that ends it without a verdict."""
import sys

USAGE, RUN_FAILED, UNDECIDED, INTERRUPTED = 2, 4, 5, 75


class Failed(Exception):
    """Holds a message for the user and the exit code."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


def say(text):
    print(f"gate: {text}", file=sys.stderr, flush=True)
