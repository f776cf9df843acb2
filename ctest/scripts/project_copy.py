# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Makes copies of the project for tests that change or commit its files."""
import shutil
import subprocess

NOT_SOURCES = (".git", "build", "build-*", ".deps", "out", "__pycache__", "*.egg-info")
PERSON = ("-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "init.defaultBranch=main")


def copy_project(root, folder):
    """Copies the sources of the project to a new folder, without the git repository."""
    shutil.copytree(root, folder, ignore=shutil.ignore_patterns(*NOT_SOURCES), symlinks=True)


def git(folder, *words):
    """Runs git in a folder. Returns what it printed."""
    return subprocess.run(["git", "-C", folder, *PERSON, *words], check=True, capture_output=True, text=True).stdout.strip()


def commit_all(folder):
    """Makes a repository of a folder, with all files in one commit. Returns its revision."""
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Test")
    return git(folder, "rev-parse", "HEAD")
