#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""setup_test.py PROJECT: scripts/setup must not run anything of a downloaded file whose hash is wrong."""
import io
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import zipfile

PROJECT = pathlib.Path(sys.argv[1])
BACKEND = "import pathlib\npathlib.Path({!r}).touch()\n"


def shell(deps, index, command):
    """Runs a function of scripts/lib/kokkos-source with an index that contains only the files of one folder."""
    environment = {**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(index), "PIP_CONFIG_FILE": os.devnull}
    text = f". scripts/lib/common; . scripts/lib/kokkos-source; deps='{deps}'; {command}"
    return subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=PROJECT, env=environment, capture_output=True, text=True)


def write_archive(path, ran):
    """Writes an archive with the name of the archive from which scripts/setup takes Kokkos. If the build backend of the archive runs, it creates the file
    `ran`."""
    files = {"pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n',
             "backend.py": BACKEND.format(str(ran)) + "def prepare_metadata_for_build_wheel(folder, settings=None):\n    raise SystemExit(1)\n",
             "PKG-INFO": "Metadata-Version: 2.1\nName: pygenten\nVersion: 0.1.5\n"}
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo("pygenten-0.1.5/" + name)
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))


def write_wheel(path):
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("scikit_build_core/__init__.py", "")
        info = "scikit_build_core-1.1.2.dist-info/"
        wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\nName: scikit-build-core\nVersion: 1.1.2\n")
        wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(info + "RECORD", "")


def main():
    with tempfile.TemporaryDirectory() as name:
        deps, index = pathlib.Path(name, "deps"), pathlib.Path(name, "index")
        deps.mkdir()
        index.mkdir()
        ran = pathlib.Path(name, "ran")
        write_archive(index / "pygenten-0.1.5.tar.gz", ran)
        write_wheel(index / "scikit_build_core-1.1.2-py3-none-any.whl")
        done = shell(deps, index, "fetch_backend")
        assert done.returncode == 4 and "hash" in done.stderr, done
        assert not list(deps.glob("venv/lib/*/site-packages/scikit_build_core")), done
        done = shell(deps, index, "fetch_archive")
        assert done.returncode == 4 and "DO NOT MATCH THE HASHES" in done.stderr, done
        assert not ran.exists() and not list(deps.glob("pygenten*")), done
        # If pip checks no hash, the backend must run. So the hash, and not a fault of the archive, stopped the backend above.
        plain = "download -q --no-deps --no-build-isolation --no-binary pygenten -d \"$deps\" pygenten==0.1.5"
        shell(deps, index, f'"$deps/venv/bin/pip" {plain} || true')
        assert ran.exists()


main()
