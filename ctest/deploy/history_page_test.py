# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""history_page_test.py ROOT: the title of each plot of the page of nights must say what changed."""
import importlib.util
import pathlib
import sys
import unittest.mock

if importlib.util.find_spec("matplotlib") is None:
    sys.exit(77)
sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / "deploy" / "spack" / "ci"))
import history_page  # noqa: E402

CREATED = [f"2026-11-{day}T02:00:00Z" for day in (18, 19, 20)]


def nights_of(*log_ratios, deviation=0.01, rounds=16):
    """Returns one night for each log ratio. Each night has the case `naive` and `the whole` (the mean over the cases). The log
    ratio of `the whole` is half as large."""
    return [(created, "abc", rounds, {name: {"log_ratio": factor * value, "deviation": deviation} for name, factor in (("naive", 1.0), ("the whole", 0.5))})
            for created, value in zip(CREATED, log_ratios)]


def decision_of(verdict, ratio=None, since=""):
    """Returns the decision file of a history in which only `naive` has this verdict."""
    return {"reason": "a reason", "history": {"case": ["naive", "the whole"], "ratio": [ratio, 1.0], "seen_after_1": [0.05, 0.0431], "since": [since, ""],
                                              "verdict": [verdict, "unchanged"]}}


def check(found, expected):
    assert found == expected, (found, expected)


def check_verdicts():
    """The title repeats the verdict of its own case."""
    nights = nights_of(0.0, 0.02, 0.03)
    slow = decision_of("slower than the nights before", 1.0214, CREATED[1])
    check(history_page.finding("naive", nights, slow), "naive: 2.1 % slower than the nights before, since night 1 (2026-11-19)")
    check(history_page.finding("the whole", nights, slow), "the whole: no slowdown found (one of 4.3 % would show after one night)")
    check(history_page.finding("naive", nights, decision_of("slower than the best level so far", 1.05, "2026-10-02T02:00:00Z")),
          "naive: 5.0 % slower than the best level so far, since 2026-10-02")
    check(history_page.finding("naive", nights, decision_of("faster", 1.0, CREATED[2])), "naive: faster since night 2 (2026-11-20)")


def check_doubts():
    """Without a verdict, or if it is undecided, the title says how the last night that measured the case differs from the reference build, and
    whether the difference is noise. If the verdict is undecided, the title also gives the reason."""
    check(history_page.finding("naive", nights_of(0.0, 0.02), {}), "naive: 2.0 % slower than the reference build in night 1")
    check(history_page.finding("naive", nights_of(0.02, -0.004), {}), "naive: 0.4 % faster than the reference build in night 1, within the noise")
    check(history_page.finding("naive", nights_of(0.02, deviation=None, rounds=1), {}),
          "naive: 2.0 % slower than the reference build in night 0;\nwith a single round, the noise is not known")
    check(history_page.finding("naive", nights_of(0.0, 0.02), decision_of("undecided")),
          "naive: 2.0 % slower than the reference build in night 1;\nthe nights are too few or too noisy to exclude a slowdown")
    nights = nights_of(0.02, 0.0)
    del nights[1][3]["naive"]
    check(history_page.finding("naive", nights, decision_of("undecided")),
          "naive: 2.0 % slower than the reference build in night 0;\nthe newest night did not measure this case")


def check_page():
    """Each plot must have its title, and the page must have the reason of the decision."""
    nights, decision = nights_of(0.0, 0.02, deviation=None, rounds=1), decision_of("faster", 1.0, CREATED[1])
    with unittest.mock.patch.object(history_page.pyplot, "close") as closed:
        text = history_page.page(nights, decision)
    drawn = [text.get_text() for call in closed.call_args_list if hasattr(call.args[0], "texts") for text in call.args[0].texts]
    check(drawn, ["the whole: no slowdown found (one of 4.3 % would show after one night)", "naive: faster since night 1 (2026-11-19)"])
    assert "<p>a reason<p>" in text and text.count("<svg") == 2, text[:500]
    assert "The first night: nothing to compare with yet." in history_page.page(nights, {})


check_verdicts()
check_doubts()
check_page()
