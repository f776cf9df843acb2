# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""pasted_test.py ROOT DDPROXY [--refresh] DOCUMENT...: compares the outputs that are pasted into documents with what the commands print.

pasted.py says what a pasted output is. This test compares every output after an sh block, and the outputs after `$ COMMAND` whose figures cannot vary:
those of predict, memory and account. Outputs of other commands are compared without their figures, in readme_test.py and step_command_test.py. The
commands run in a folder with inputs/, results/ and scripts/ of ROOT and with DDPROXY as build/ddproxy, which may be ddproxy-model. With --refresh the test
writes the present outputs into the documents instead.

First plants faults, such as a wrong number, a missing line and a command that fails, and checks that each is found."""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from pasted import Pasted, after_prompt, after_sh, differences, fitted, word_faults

FIXED = re.compile(r"(?:build/)?ddproxy (?:predict|memory|account) |printf ")  # check_planted() calls printf


def printed(pasted, folder):
    """Returns the lines that the commands print. Raises AssertionError if a command fails."""
    # /usr/bin/python3 has matplotlib, if any has
    environment = {**os.environ, "PATH": f"{folder}/build:/usr/bin:" + os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
    out = error = ""
    for command in pasted.commands:
        done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=50)
        if done.returncode:
            raise AssertionError(f"`{command}` has the exit code {done.returncode}: {done.stderr.strip()}")
        out, error = out + done.stdout, error + done.stderr
    return pasted.printed(out, error)


def outputs(text):
    """Returns the outputs that this test compares, in the order of the document."""
    fixed = [pasted for pasted in after_prompt(text) if FIXED.match(pasted.commands[0])]
    return sorted([*after_sh(text), *fixed], key=lambda pasted: pasted.span)


def refreshed(text, folder):
    """Returns the document with the present outputs in place of the pasted ones."""
    found = outputs(text)
    if not found:
        raise AssertionError("has no command with a pasted output")
    present = [fitted(pasted.lines, printed(pasted, folder)) for pasted in found]
    for pasted, lines in reversed(list(zip(found, present))):
        start, end = pasted.span
        text = text[:start] + "".join(f"{pasted.indent}{line}\n" if line else "\n" for line in lines) + text[end:]
    return text


def faults(name, text, folder):
    """Returns one text for each difference: what the document has (-), and what the program prints (+)."""
    try:
        return differences(text.splitlines(), refreshed(text, folder).splitlines(), name)
    except AssertionError as error:
        return [f"{name}: {error}"]


def expect_fine(text, folder):
    assert faults("D", text, folder) == [], faults("D", text, folder)


def expect_found(text, word, folder):
    found = faults("D", text, folder)
    assert any(word in fault for fault in found), (word, found)


def check_planted(folder):
    good = "```sh\nprintf 'a 1\\nb 2\\n'\n```\n\nIt prints\n\n```\na 1\nb 2\n```\n"
    expect_fine(good, folder)
    assert refreshed(good.replace("b 2\n```", "```"), folder) == good
    for planted, word in ((good.replace("a 1\nb 2", "a 1\nb 3"), "-b 3"), (good.replace("a 1\nb 2\n```", "a 1\n```"), "+b 2"),
                          (good.replace("printf", "false; exit 2 #"), "exit code 2"), ("text\n", "no command")):
        expect_found(planted, word, folder)


def check_planted_prompts(folder):
    """Plants faults in outputs after `$ COMMAND`, some of them shortened and indented."""
    command = "printf 'a 1\\nb 2\\nc 3\\n'"
    for begin, indent, end in (("```\n", "", "```\n"), ("", "    ", "")):
        def form(output):
            return begin + "".join(f"{indent}{line}\n" for line in [f"$ {command}", *output.split(", ")]) + end

        for output in ("a 1, b 2, c 3", "..., b 2, c 3", "a 1, ...", "..., b 2, ...", "a 1, ..., c 3"):
            expect_fine(form(output), folder)
        for output, word in (("a 1, b 2", f"+{indent}c 3"), ("..., b 2, c 4", f"-{indent}c 4"), ("a 2, ...", f"-{indent}a 2"), ("..., b 3, ...", f"-{indent}b 3"),
                             ("..., d 2, ...", "no such lines"), ("..., c 3, ..., a 1, ...", "no such lines"), ("a 1, ..., b 2", f"-{indent}b 2")):
            expect_found(form(output), word, folder)
        assert refreshed(form("..., b 3, ..."), folder) == form("..., b 2, ...")
    warning = "```\n$ printf 'a 1\\n'; printf 'warning: b\\n' >&2\na 1\nwarning: b\n```\n"
    expect_fine(warning, folder)
    expect_found(warning.replace("warning: b\n```", "warning: c\n```"), "+warning: b", folder)


def check_planted_words():
    """Plants faults in an output whose figures vary."""
    shown = ["case T", "bucketed/4 1.5", "bucketed/16 2", "...", "best cap: bucketed/4; 25 MiB (PyTorch's default) takes 1 ms (1.0 %, within the noise) longer, and "
             "bucketed/16 (the worst cap) takes 5 ms (9.0 %) longer", "mean error of the predicted E: 1 %", "offer B: replay, 8 ranks, vm  3", "offer A: replay, 8 ranks, vm  -"]
    present = ["case    T", "bucketed/4    71.5", "bucketed/16     -", "bucketed/25   8", "best cap: bucketed/25 (PyTorch's default); bucketed/4 (the worst cap) takes 6 ms (0.1 %, "
               "within the noise) longer", "mean error of the predicted E: 2e-07 %", "offer A: replay, 8 ranks, host.of-a  3", "offer B: replay, 8 ranks, host.of-a  5"]
    noisy = [*present[:5], "model_error is not known (nan): it is noisy", *present[6:]]

    def found(lines):
        return word_faults(Pasted(["command"], shown, (0, 0)), "\n".join([*lines, ""]), "", "D")

    assert found(present) == found(noisy) == [], (found(present), found(noisy))
    for old, new, word in (("case    T", "case    T ms", "+case T ms"), ("bucketed/16", "bucketed/17", "+bucketed/17 #"), ("worst cap", "slowest cap", "slowest cap"),
                           ("mean error", "error", "+error of"), ("replay", "mpi", "+offer: mpi"), ("bucketed/4    71.5\n", "", "-bucketed/4 #")):
        changed = "\n".join(present).replace(old, new).splitlines()
        assert any(word in fault for fault in found(changed)), (word, found(changed))


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
        check_planted_prompts(folder)
        check_planted_words()
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
