// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "model/cost/allreduce_cost.hpp"
#include "model/cost/contention.hpp"

namespace ddproxy::model {

// The CSV files of docs/results.md. Lines that start with '#' are comments, a header names the columns, their
// order is free. `ms` or `us` may stand for `seconds`. Every reader throws std::invalid_argument "FILE:LINE:
// what is wrong" for a file that cannot be opened, a missing or unknown column, a value that is no number, is
// NaN, infinite or negative, a duplicate row.

struct LayerTime {
  std::string layer;
  double seconds;
};

struct GradientTime {
  std::string name;
  std::int64_t numel;  ///< 0: time only
  double seconds;      ///< since the previous row's ready time
};

struct LayerSize {
  std::string layer;
  std::int64_t numel;
};

/// `layer,seconds`
std::vector<LayerTime> read_layer_times(std::filesystem::path const& file);
/// `layer,numel`
std::vector<LayerSize> read_layer_sizes(std::filesystem::path const& file);
/// `name,numel,seconds`
std::vector<GradientTime> read_gradient_times(std::filesystem::path const& file);
/// `bytes,seconds`, optionally `ranks`: then only the rows of `ranks` ranks; 0 takes the only number there
/// is, else an error. Optionally `verb`: then only the rows of all_reduce.
std::vector<CostPoint> read_allreduce(std::filesystem::path const& file, int ranks = 0);

/// The numbers of ranks in an all-reduce file, rising; empty where it has no such column.
std::vector<int> allreduce_ranks(std::filesystem::path const& file);

/// `bytes,kappa,gamma`, in any order of the rows; speeds outside (0, 1] are an error.
std::vector<SpeedPoint> read_contention(std::filesystem::path const& file);

struct CurvePoint {
  double bucket_mib;
  double seconds;  ///< T
};

/// `bucket_mib,seconds`: somebody's own T(b), measured or predicted, in the file's order.
std::vector<CurvePoint> read_curve(std::filesystem::path const& file);

/// True where the file's header has the column: tells a per-gradient file from a per-layer one.
bool has_column(std::filesystem::path const& file, std::string const& column);

}  // namespace ddproxy::model
