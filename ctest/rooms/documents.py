# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""documents.py ROOT: checks the documents of the project in ROOT.

docs/architecture.md has at most two screens, and no line has more than WIDEST characters. It lists all rooms in the order of cmake/DdproxyArrows.cmake,
and names at most 20 files on the way of one gradient. Each path in docs/architecture.md, docs/steps.md and README.md exists. Each relative link in a
document leads to a file and, after a #, to a heading in it. No document, message or comment has a placeholder for a text that was to be written later.

First plants such faults in a small project, and checks that each is found."""
import re
import sys
import tempfile
from pathlib import Path

COLUMNS = 120  # of a screen; a longer line takes several lines of the screen
TWO_SCREENS = 120  # lines of COLUMNS characters
WIDEST = 400  # characters of a line: a paragraph in one line must not grow without limit
MOST_ON_WAY = 20  # files on the way of one gradient through a pass: the numbered list under the heading WAY
WAY = "## The way of one gradient"
WITH_PATHS = ("docs/architecture.md", "docs/steps.md", "README.md")
FOLDERS = "cmake|ctest|deploy|docs|inputs|kernels|miniapp|model|results|scripts"
PATH = re.compile(rf"(?<![\w/.+-])(?:{FOLDERS})/[\w./*+-]*")
FILE = re.compile(r"(?<=`)[\w*]+\.(?:cmake|cpp|csv|hpp|md|py|toml|\*)(?=`)")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
PLACEHOLDER = re.compile(r"\b(?:EXAMPLE_[A-Z_]+|PASTE_[A-Z_]+|[A-Z]+_HERE|PLACEHOLDERS?|TODO|FIXME|TBD|XXX+)\b|[Ll]orem ipsum")
ROW = re.compile(r"^ddproxy_may_use\(([\w/]+)", re.MULTILINE)


def exists(root, path):
    """Returns whether a path, or a file name without a folder, is in the project. A word in capital letters stands for any text."""
    pattern = re.sub(r"[A-Z]{3,}(?=[_.])", "*", path.rstrip("./"))
    return any(root.glob(pattern if "/" in path else f"[!.b]*/**/{pattern}")) or (root / path).exists()


def without_code(text):
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def headings(text):
    """Returns the anchors of the headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.*)$", without_code(text), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def length_faults(text):
    lines = text.splitlines()
    shown = sum(max(1, -(-len(line) // COLUMNS)) for line in lines)
    if shown > TWO_SCREENS:
        yield f"takes {shown} lines of {COLUMNS} characters, more than {TWO_SCREENS}; move what concerns a single part of the project to its own document"
    for number, line in enumerate(lines, 1):
        if len(line) > WIDEST:
            yield f"line {number} has {len(line)} characters, more than {WIDEST}"


def room_faults(root, text):
    rooms = ROW.findall((root / "cmake/DdproxyArrows.cmake").read_text())
    drawn = [line.split()[0] for line in text.splitlines() if re.match(rf"(?:{FOLDERS})(?:/[\w/]+)? {{2,}}\S", line)]
    for room in sorted(set(rooms) ^ set(drawn)):
        yield f"the room {room} is not in the picture" if room in rooms else f"the picture has {room}, which is not a room"
    if set(rooms) == set(drawn) and rooms != drawn:
        first = next(a for a, b in zip(drawn, rooms) if a != b)
        yield f"the picture has {first} in another place than cmake/DdproxyArrows.cmake"


def way_faults(text):
    section = text.partition(f"\n{WAY}\n")[2].partition("\n## ")[0]
    steps = "\n".join(line for line in section.splitlines() if re.match(r"\d+\. ", line))
    files = set(re.findall(r"(?<=[`/])\w+\.cpp(?=`)", steps))
    if not files:
        yield f"has no numbered list of files under '{WAY}'"
    elif len(files) > MOST_ON_WAY:
        yield f"the way of one gradient has {len(files)} files, more than {MOST_ON_WAY}: {' '.join(sorted(files))}"
    claimed = re.search(r"has (\d+) files", section)
    if claimed and int(claimed.group(1)) != len(files):
        yield f"says that the way of one gradient has {claimed.group(1)} files, but it names {len(files)}: {' '.join(sorted(files))}"


def path_faults(root, text):
    for path in sorted({*PATH.findall(text), *FILE.findall(text)}):
        if not exists(root, path):
            yield f"names {path}, which does not exist"


def link_faults(root, document, text):
    for target in LINK.findall(without_code(text)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = (root / document).parent / name if name else root / document
        if not path.exists():
            yield f"links to {target}, which does not exist"
        elif anchor and anchor not in headings(path.read_text()):
            yield f"links to {target}, but there is no such heading"


def placeholder_faults(text):
    for number, line in enumerate(text.splitlines(), 1):
        for word in PLACEHOLDER.findall(line):
            yield f"line {number} has the placeholder {word}; write the text that belongs there"


def sources(root):
    """Returns the files of the project that have messages and comments. Leaves out tests, because they may plant a placeholder."""
    folders = [root / folder for folder in FOLDERS.split("|") if folder not in ("ctest", "docs")]
    files = (path for folder in folders for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return sorted(str(path.relative_to(root)) for path in files if path.suffix not in (".csv", ".json", ".png", ".h5"))


def documents(root):
    return sorted(str(path.relative_to(root)) for path in [*root.glob("*.md"), *(root / "docs").rglob("*.md")])


def find_faults(root):
    faults = []
    for document in documents(root):
        text = (root / document).read_text()
        found = [*link_faults(root, document, text), *placeholder_faults(text)]
        if document in WITH_PATHS:
            found += path_faults(root, text)
        if document == WITH_PATHS[0]:
            found += [*length_faults(text), *room_faults(root, text), *way_faults(text)]
        faults += [f"{document}: {fault}" for fault in found]
    for source in sources(root):
        faults += [f"{source}: {fault}" for fault in placeholder_faults((root / source).read_text())]
    return faults


SMALL = {"cmake/DdproxyArrows.cmake": "ddproxy_may_use(model/text)\nddproxy_may_use(model/cost model/text)\n",
         "README.md": "[picture](docs/architecture.md#rooms-and-all)\n", "model/text/a.hpp": "", "model/cost/a.cpp": "", "model/cost/options_run.cpp": "",
         "docs/steps.md": "# Steps\n`a.cpp`, `model/cost/options_COMMAND.cpp`\n[page](https://example.org/none) [this](#steps)\n",
         "docs/architecture.md": "# Rooms, and all\n```\nmodel/text   words\nmodel/cost   seconds\n```\n`model/cost/*.cpp`\n"
                                 "## The way of one gradient\n1. `model/cost/a.cpp`\n2. `options_run.cpp`\n"}
PLANTED = (("docs/architecture.md", "\n" * 111 + "x" * 121, "takes 122 lines of 120 characters, more than 120"), ("docs/architecture.md", "x" * 401, "line 10 has 401 characters"),
           ("docs/architecture.md", "3. " + " ".join(f"`a{k}.cpp`" for k in range(19)), "the way of one gradient has 21 files, more than 20"),
           ("docs/architecture.md", "The way has 3 files.\n", "has 3 files, but it names 2: a.cpp options_run.cpp"),
           ("cmake/DdproxyArrows.cmake", "ddproxy_may_use(model/step)\n", "the room model/step is not in the picture"),
           ("docs/architecture.md", "model/other   no room\n", "the picture has model/other, which is not a room"),
           ("docs/architecture.md", "`model/cost/b.cpp`", "names model/cost/b.cpp, which"), ("docs/steps.md", "`b.cpp`", "names b.cpp, which"),
           ("docs/steps.md", "model/cost/other_NAME.cpp", "names model/cost/other_NAME.cpp"), ("README.md", "scripts/none", "names scripts/none, which"),
           ("docs/steps.md", "[text](none.md)", "links to none.md, which"), ("docs/steps.md", "[text](architecture.md#steps)", "architecture.md#steps, but there"),
           ("docs/guides/a.md", "[text](steps.md)", "docs/guides/a.md: links to steps.md, which"),
           ("docs/steps.md", "EXAMPLE_MEMORY", "docs/steps.md: line 4 has the placeholder EXAMPLE_MEMORY"),
           ("docs/steps.md", "```\nTBD\n```\n", "has the placeholder TBD"), ("model/cost/a.cpp", 'throw Error("TODO");', "model/cost/a.cpp: line 1 has the placeholder TODO"),
           ("scripts/run", "echo PASTE_OUTPUT", "scripts/run: line 1 has the placeholder PASTE_OUTPUT"))


def plant(files, expected):
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        found = find_faults(root)
    assert any(expected in fault for fault in found) if expected else not found, (expected, found)


def main():
    plant(SMALL, "")
    for name, more, expected in PLANTED:
        plant(SMALL | {name: SMALL.get(name, "") + more}, expected)
    plant(SMALL | {"cmake/DdproxyArrows.cmake": "ddproxy_may_use(model/cost)\nddproxy_may_use(model/text)\n"}, "the picture has model/text in another place")
    root = Path(sys.argv[1])
    if faults := find_faults(root):
        sys.exit("\n".join(faults))
    print(f"{len(documents(root))} documents keep to the rules")


main()
