// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "model/cost/kernel_work.hpp"

namespace ddproxy::model {

// Readers of published step times (docs/predict.md, "Published step times"). They read CSV files as the
// readers of csv.hpp do, and throw the same errors: std::invalid_argument "FILE:LINE: what is wrong".

/// Returns the word that stands for the value in a CSV file.
std::string_view name_of(TimedPart part);
std::string_view name_of(KernelKind kind);

/// The model and the batch that a published number belongs to.
struct PublishedCase {
  std::string series;  ///< measurements that were made in the same way have the same name
  std::string preset;
  Shape shape;  ///< dimensions of the preset
  Tokens tokens;
  TimedPart part = TimedPart::forward;
};

/// One published time.
struct StepTime {
  PublishedCase of;
  bool mixed = false;   ///< true: elements of activations and weights have 2 bytes; false: 4 bytes
  bool warm = true;     ///< false: no warm-up; the published mean includes the first steps
  bool fitted = false;  ///< true: the roofline is fitted to this row
  double seconds = 0;
};

/// One published share: the part of a published time that a kind of kernel takes.
struct StepShare {
  PublishedCase of;
  KernelKind kind = KernelKind::product;
  double share = 0;  ///< in [0, 1]
};

/// Reads `series,precision,warm,use,preset,batch,context,phase,seconds` with a row for each time. The rows
/// keep their order. Throws also if two rows are for the same case, if the rows of a series differ in
/// `precision` or `warm`, if the first series has no warm-up, or if a series has too few rows with `use` =
/// fit. The first series needs three such rows, every other series with warm-up two, and a series without
/// warm-up one.
std::vector<StepTime> read_step_times(std::filesystem::path const& file);

/// Reads `series,preset,batch,context,phase,kind,share`. Throws also if `times` has no row of a series, if a
/// share is above 1, or if a row repeats an earlier row.
std::vector<StepShare> read_step_shares(std::filesystem::path const& file,
                                        std::vector<StepTime> const& times);

}  // namespace ddproxy::model
