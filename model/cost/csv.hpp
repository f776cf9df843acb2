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

// Readers of the CSV files that docs/results.md describes. Lines that start with '#' are comments. A header
// line names the columns, in any order. `ms` or `us` may replace `seconds`. A reader keeps the order of the
// rows unless its comment says that it sorts them.
//
// Every reader throws std::invalid_argument "FILE:LINE: what is wrong" if a column is missing or unknown, a
// value is not a number, a value is NaN, infinite or negative, or a row is a duplicate. If the file cannot be
// opened or is too large, the message is "FILE: what is wrong".

/// One row of a per-layer time file.
struct LayerTime {
  std::string layer;
  double seconds;
};

/// One row of a per-gradient time file.
struct GradientTime {
  std::string name;
  std::int64_t numel;  ///< 0: the row has a time but no gradient
  double seconds;      ///< seconds since the ready time of the previous row
};

/// One row of a per-layer size file.
struct LayerSize {
  std::string layer;
  std::int64_t numel;
};

/// Reads `layer,seconds`.
std::vector<LayerTime> read_layer_times(std::filesystem::path const& file);
/// Reads `layer,numel`.
std::vector<LayerSize> read_layer_sizes(std::filesystem::path const& file);
/// Reads `name,numel,seconds`.
std::vector<GradientTime> read_gradient_times(std::filesystem::path const& file);
/// Reads `bytes,seconds` and the optional columns `ranks`, `nodes` and `verb` (the kind of the collective).
/// Returns the rows of all_reduce, sorted by bytes. If there is a column `ranks`, returns only rows of
/// `ranks` ranks; 0 stands for the only number of ranks in the file. If there is a column `nodes`, returns
/// only rows of one number of nodes. nodes_of_rows() (collective_tables.hpp) chooses this number, for nodes
/// with `ranks_per_node` ranks each; `ranks_per_node` is 0 if it is not known. Throws also if the file has no
/// such row, or if `ranks` is 0 and the file has several numbers of ranks.
std::vector<CostPoint> read_allreduce(std::filesystem::path const& file, int ranks = 0,
                                      int ranks_per_node = 0);

/// Returns the numbers of ranks in an all-reduce file, in ascending order. If `ranks_per_node` is not 0,
/// returns only those for which read_allreduce() finds rows with the right number of nodes. Returns an empty
/// list if the file has no column `ranks`.
std::vector<int> allreduce_ranks(std::filesystem::path const& file, int ranks_per_node = 0);

/// Reads `bytes,kappa,gamma`, with rows in any order. Returns the rows sorted by bytes. Throws also for
/// speeds outside (0, 1] and for 0 bytes.
std::vector<SpeedPoint> read_contention(std::filesystem::path const& file);

/// One row of a T(b) file.
struct CurvePoint {
  double bucket_mib;
  double seconds;  ///< T: time of the backward pass and its all-reduces
};

/// Reads `bucket_mib,seconds`: a user's own T(b), measured or predicted.
std::vector<CurvePoint> read_curve(std::filesystem::path const& file);

/// Returns true if the file's header has the column. Callers use it to distinguish a per-gradient file from a
/// per-layer file.
bool has_column(std::filesystem::path const& file, std::string const& column);

}  // namespace ddproxy::model
