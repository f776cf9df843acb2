# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Finds the outputs that are pasted into a document, and compares them with what the commands print. For pasted_test.py and readme_test.py.

A pasted output has one of two forms:
- A block without a language follows a block of the language sh; at most one line of text may stand between the two. It is the output of all commands
  of the sh block.
- A block without a language, or an indented block, begins with the line `$ COMMAND`. It is the output of this command.

A line `...` in a pasted output stands for lines that are left out. If a pasted output has a warning, it has the lines of standard output, and after them
those of standard error."""
import dataclasses
import difflib
import re

BLOCK = r"(?P<output>(?:(?!```).*\n)*)```$"
AFTER_SH = re.compile(r"^```sh\n(?P<commands>(?:(?!```).*\n)+)```\n(?:\n(?:(?!```).+\n\n)?)```\n(?!\$ )" + BLOCK, re.MULTILINE)
FENCED = re.compile(r"^```\n\$ (?P<commands>.*\n)" + BLOCK, re.MULTILINE)
INDENTED = re.compile(r"^    \$ (?P<commands>.*\n)(?P<output>(?:    .*\n)*)", re.MULTILINE)
LEFT_OUT = "..."
FIGURE = re.compile(r"(?<![\w.])-?\d[\w.+-]*|(?<=[=\s])nan(?!\S)|(?<!\S)-(?!\S)")


@dataclasses.dataclass(frozen=True)
class Pasted:
    commands: list
    lines: list
    span: tuple  # begin and end of the output in the text of the document
    indent: str = ""

    def printed(self, out, error):
        """Returns the lines that the commands print: those of standard output, and those of standard error if the pasted output has a warning."""
        return (out + error if any(line.startswith("warning: ") for line in self.lines) else out).splitlines()


def made(pattern, text, indent=""):
    for found in pattern.finditer(text):
        lines = [line.removeprefix(indent) for line in found["output"].splitlines()]
        yield Pasted(found["commands"].splitlines(), lines, found.span("output"), indent)


def after_sh(text):
    """Returns the outputs of the first form."""
    return list(made(AFTER_SH, text))


def after_prompt(text):
    """Returns the outputs of the second form."""
    return [*made(FENCED, text), *made(INDENTED, text, "    ")]


def words(line):
    """Returns a line with # in place of each figure. A dash or nan for an unknown figure counts as a figure. The name of a row keeps its figures."""
    name, _, rest = line.strip().partition(" ")
    return " ".join([name, *FIGURE.sub("#", rest).split()])


def parts_of(lines):
    """Returns the lines between the lines `...`. A `...` at the beginning or at the end gives an empty part there."""
    parts = [[]]
    for line in lines:
        if line == LEFT_OUT:
            parts.append([])
        else:
            parts[-1].append(line)
    return parts


def place_of(part, present, start):
    """Returns the first place at or after `start` where the present lines have the words of `part`. Raises AssertionError if there is none."""
    wanted, have = ([words(line) for line in lines] for lines in (part, present))
    for place in range(start, len(have) - len(wanted) + 1):
        if have[place:place + len(wanted)] == wanted:
            return place
    raise AssertionError(f"the present output has no such lines after its line {start}: {part[0]}")


def fitted(lines, present):
    """Returns the present lines, without those that a pasted output leaves out. A line `...` stands in their place."""
    first, *others = parts_of(lines)
    if not others:
        return present
    *inner, last = others
    result, place = present[:len(first)], len(first)
    for part in inner:
        place = place_of(part, present, place)
        result += [LEFT_OUT, *present[place:place + len(part)]]
        place += len(part)
    return [*result, LEFT_OUT, *present[max(place, len(present) - len(last)):]] if last else [*result, LEFT_OUT]


# Words that depend on the times. If only one of two outputs has them, they are left out of it.
BY_CHANCE = (r" \(PyTorch's default\)(?=; bucketed)", r"(?<=; )25 MiB \(PyTorch's default\) takes .*? longer, and (?=bucketed)")
# The name of the host depends on the machine. The order of offers depends on the times, and so does what is within the noise.
ALWAYS = ((r"(?<=ranks, )[\w.-]+", "HOST"), (r"\boffer [AB]\b", "offer"), (r", within the noise(?=\) longer)", ""))
# If the noise of E is too large, the second line stands in place of the first.
ERROR, NO_ERROR = r"(?m)^mean error of the predicted E: .*\n", r"(?m)^model_error is not known \(nan\): .*\n"


def settled(pasted, present):
    """Returns both outputs without the words that depend on the times or on the machine."""
    patterns = [pattern for pattern in BY_CHANCE if not (re.search(pattern, pasted) and re.search(pattern, present))]
    if re.search(NO_ERROR, present):
        patterns += [ERROR, NO_ERROR]
    for pattern in patterns:
        pasted, present = re.sub(pattern, "", pasted), re.sub(pattern, "", present)
    for pattern, word in ALWAYS:
        pasted, present = re.sub(pattern, word, pasted), re.sub(pattern, word, present)
    return pasted, present


def differences(pasted, present, name):
    """Returns the lines that differ: those of a document (-), and those that the commands print (+)."""
    return list(difflib.unified_diff(pasted, present, str(name), "present output", lineterm="", n=0))


def word_faults(pasted, out, error, name):
    """Returns the differences in words, columns and rows, but not in figures."""
    texts = settled("\n".join([*pasted.lines, ""]), "\n".join([*pasted.printed(out, error), ""]))
    lines, present = ([words(line) for line in text.splitlines()] for text in texts)
    try:
        return differences(lines, fitted(lines, present), name)
    except AssertionError as fault:
        return [f"{name}: `{'; '.join(pasted.commands)}`: {fault}"]
