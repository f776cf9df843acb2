# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Sets what pyproject.toml cannot set: the version is that of CMakeLists.txt, and intermediate files do not go to build/, CMake's folder."""
import re
from pathlib import Path

from setuptools import setup

LISTS = (Path(__file__).parent / "CMakeLists.txt").read_text(encoding="utf-8")
VERSION = re.search(r"^project\(ddproxy VERSION ([0-9.]+)", LISTS, re.MULTILINE)
if VERSION is None:
    raise SystemExit("setup.py: CMakeLists.txt has no line 'project(ddproxy VERSION ...'")

setup(version=VERSION[1], options={"build": {"build_base": "build-python"}})
