// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/measure/calibration/measure.hpp"

namespace ddproxy {

/// Returns whether some rank hands the calls of its lane `allreduce` over to a communication thread that
/// shares its core with compute. If so, the model adds the time of a handover to a(x) for a bucket that is
/// reduced while compute runs. a(x) itself contains no handover: it is measured while the host waits, and a
/// waiting host carries out the calls itself (LaneWorker). The result is the same on all ranks. Collective.
bool hands_over(RankContext const& context);

/// The number of samples in all rounds together.
inline constexpr int samples_of_handover = 36;

/// Adds the samples of round `round` (from 0) of `rounds` to `times`: the seconds of handing one bucket over
/// and getting the core back. A sample is the difference of two times, each for one all-reduce of the
/// smallest gradient. Both are measured over many all-reduces, and the host waits for each all-reduce before
/// it starts the next one. In one measurement progress() hands the all-reduces over, and the communication
/// thread carries them out. In the other measurement the waiting host carries them out; the time of this
/// measurement is subtracted. Both times are maxima over the ranks. A sample can be negative. Assigns the
/// bytes of this gradient in fp32, not those on the wire, to times.bytes. Runs no case of the sweep. Returns
/// early if a signal arrived. Does nothing if hands_over() is false. Collective.
void add_handovers(RankContext& context, SizeTimes& times, int round, int rounds);

/// Returns the median of the samples in seconds, but at least 0. Returns 0 if there are none.
double handover_seconds(SizeTimes const& times);

}  // namespace ddproxy
