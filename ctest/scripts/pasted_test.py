# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""pasted_test.py ROOT DDPROXY [--refresh] DOCUMENT...: compares the outputs that are pasted into documents with what the commands print.

A pasted output is a block without a language that follows a block of the language sh; at most one line of text may stand between the two. It is the
output of all commands of the sh block. The commands run in a folder with the inputs and scripts of ROOT and with DDPROXY as build/ddproxy, which may
be ddproxy-model. With --refresh the test writes the present outputs into the documents instead.

First plants a wrong number, a missing line, a command that fails and a document without a pasted output, and checks that each is found."""
import difflib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PASTED = re.compile(r"^```sh\n(?P<commands>(?:(?!```).*\n)+)```\n(?P<between>\n(?:(?!```).+\n\n)?)```\n(?P<output>(?:(?!```).*\n)*)```$", re.MULTILINE)

ENVIRONMENT = {**os.environ, "PATH": "/usr/bin:" + os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}  # /usr/bin/python3 has matplotlib, if any has


def printed(commands, folder):
    """Returns what the commands print. Each of them must succeed."""
    text = ""
    for command in commands.splitlines():
        done = subprocess.run(["bash", "-c", command], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=50)
        if done.returncode:
            raise AssertionError(f"`{command}` has the exit code {done.returncode}: {done.stderr.strip()}")
        text += done.stdout
    return text


def refreshed(text, folder):
    """Returns the document with the present outputs in place of the pasted ones."""
    def block(found):
        return f"```sh\n{found['commands']}```\n{found['between']}```\n{printed(found['commands'], folder)}```"

    if not PASTED.search(text):
        raise AssertionError("has no command with a pasted output")
    return PASTED.sub(block, text)


def faults(name, text, folder):
    """Returns one text for each difference: what the document has (-), and what the program prints (+)."""
    try:
        present = refreshed(text, folder)
    except AssertionError as error:
        return [f"{name}: {error}"]
    lines = difflib.unified_diff(text.splitlines(), present.splitlines(), str(name), "present output", lineterm="", n=0)
    return list(lines)


def check_planted(folder):
    good = "```sh\nprintf 'a 1\\nb 2\\n'\n```\n\nIt prints\n\n```\na 1\nb 2\n```\n"
    assert faults("D", good, folder) == [], faults("D", good, folder)
    assert refreshed(good.replace("b 2\n```", "```"), folder) == good
    for planted, word in ((good.replace("a 1\nb 2", "a 1\nb 3"), "-b 3"), (good.replace("a 1\nb 2\n```", "a 1\n```"), "+b 2"),
                          (good.replace("printf", "false; exit 2 #"), "exit code 2"), ("text\n", "no command")):
        found = faults("D", planted, folder)
        assert any(word in fault for fault in found), (word, found)


def main():
    refresh = "--refresh" in sys.argv
    root, ddproxy, *documents = [Path(word) for word in sys.argv[1:] if word != "--refresh"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "build").mkdir()
        (folder / "build/ddproxy").symlink_to(ddproxy.resolve())
        for part in ("inputs", "results", "scripts"):
            (folder / part).symlink_to((root / part).resolve())
        check_planted(folder)
        found = []
        for document in documents:
            text = (root / document).read_text()
            if refresh:
                (root / document).write_text(refreshed(text, folder))
            else:
                found += faults(document, text, folder)
    if found:
        again = f"{sys.argv[0]} {root} {ddproxy} --refresh {' '.join(map(str, documents))}"
        sys.exit("\n".join([*map(str, found), f"If the new output is right, write it into the documents: python3 {again}"]))
    print(f"{'refreshed' if refresh else 'fine'}: {', '.join(map(str, documents))}")


main()
