# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""calibration_rounds.py: prints root-mean-square errors of a prediction from six samples that are taken before a sweep, for machines that drift
(docs/model.md, "When the tables are measured"). Needs numpy."""
import numpy as np

REPETITIONS = 40000
SWEEP = np.linspace(0, 180, 40)  # seconds
TAKEN = {  # seconds before the sweep at which the six samples are taken
    "one block": np.linspace(-90, -82, 6),
    "spread, before verifying": np.linspace(-90, -45, 6),
    "four before, two after": np.r_[np.linspace(-90, -60, 4), np.linspace(-15, -1, 2)],
    "three before, three after": np.r_[np.linspace(-90, -67, 3), np.linspace(-23, -1, 3)],
    "two before, four after": np.r_[np.linspace(-90, -75, 2), np.linspace(-33, -1, 4)],
    "all directly before the sweep": np.linspace(-47, -1, 6),
}


def error(samples, truth):
    return np.sqrt(np.mean((np.median(samples, axis=0) - np.median(truth, axis=0)) ** 2))


def of_process(random, taken, forgets):
    times = np.r_[taken, SWEEP]
    covariance = np.exp(-np.abs(times[:, None] - times[None, :]) / forgets)
    paths = np.linalg.cholesky(covariance + 1e-9 * np.eye(len(times))) @ random.normal(size=(len(times), REPETITIONS))
    return error(paths[:6] + 0.5 * random.normal(size=(6, REPETITIONS)), paths[6:])


def of_step(random, taken, last):
    step = random.uniform(-90, last, REPETITIONS)
    samples = (taken[:, None] > step) + 0.1 * random.normal(size=(6, REPETITIONS))
    return error(samples, (SWEEP[:, None] > step) * 1.0)


generator = np.random.default_rng(1)
for name, seconds in TAKEN.items():
    errors = [of_process(generator, seconds, forgets) for forgets in (5, 20, 60, 200, 1000)]
    errors += [of_step(generator, seconds, last) for last in (180, 0)]
    print(f"{name:30}", *(f"{value:.2f}" for value in errors))
