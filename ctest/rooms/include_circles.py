# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""include_circles.py ROOT: fails if units of ROOT include each other in a circle, and names them.

A unit is the header and the source of one name, for example model/step/describe, and an .inc file of this name. First plants circles and checks
that they are found."""
import re
import sys
import tempfile
from pathlib import Path

HOUSES = ("model", "kernels", "results", "miniapp")
SUFFIXES = (".cpp", ".hpp", ".inc", ".cu")
INCLUDE = re.compile(r'^\s*#\s*include "([^"]+)"', re.MULTILINE)


def unit(path):
    return str(Path(path).with_suffix(""))


def read_includes(root):
    """Returns {unit: the units that it includes}."""
    found = {}
    for path in (p for house in HOUSES for p in (root / house).rglob("*") if p.suffix in SUFFIXES):
        own = unit(path.relative_to(root))
        found.setdefault(own, set()).update(unit(name) for name in INCLUDE.findall(path.read_text()) if unit(name) != own)
    return found


def circle(includes):
    """Returns the units in circles, and those on a path from one circle to another. Repeatedly removes the units that include no remaining unit, and then
    the units that no remaining unit includes."""
    left = {name: set(others) & includes.keys() for name, others in includes.items()}
    while free := [name for name, others in left.items() if not others & left.keys()]:
        for name in free:
            del left[name]
    users = {name: {other for other in left if name in left[other]} for name in left}
    while free := [name for name in left if not users[name] & left.keys()]:
        for name in free:
            del left[name]
    return sorted(left)


def plant_circles():
    """Checks that a circle is found in a graph, and in files of which one is an .inc file."""
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"e"}, "e": set()}) == ["b", "c"]
    with tempfile.TemporaryDirectory() as folder:
        room = Path(folder) / "model/step"
        room.mkdir(parents=True)
        (room / "rule.hpp").write_text('#include "model/step/table.inc"\n')
        (room / "table.inc").write_text('#include "model/step/rule.hpp"\n')
        assert circle(read_includes(Path(folder))) == ["model/step/rule", "model/step/table"]


def main():
    plant_circles()
    includes = read_includes(Path(sys.argv[1]))
    if not includes:
        sys.exit(f"no source was found in {sys.argv[1]}")
    if found := circle(includes):
        sys.exit("these units include each other: " + ", ".join(found) + ". Move what they share into a unit that includes none of them.")
    print(f"{len(includes)} units, and no circle of includes")


main()
