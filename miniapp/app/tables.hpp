// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "miniapp/analysis/analysis.hpp"
#include "miniapp/analysis/stopping.hpp"
#include "miniapp/measure/calibration/calibrate.hpp"
#include "miniapp/measure/calibration/measure.hpp"
#include "model/predict/uncertainty.hpp"

namespace ddproxy {

// Tables for people, and the CSV files of docs/results.md.

/// Layer by layer: seconds (slowest rank), share of the pass, the slowest rank. `replayed` here and below:
/// labelled as not measured.
std::string layer_table(Workload const& workload, OperationTimes const& times, bool replayed);
std::string allreduce_table(std::vector<SizeTimes> const& times, int ranks, bool replayed);
std::string pieces_table(std::vector<SizeTimes> const& times, std::int64_t total);
/// The same of the command `collectives`: a row for each verb and size.
std::string collectives_table(std::vector<SizeTimes> const& rows, int ranks, bool replayed);
std::string collective_pieces_table(std::vector<SizeTimes> const& rows, std::int64_t total);
/// `stops`: of each case, why it has no more samples.
std::string sweep_table(Config const& config, std::vector<CaseReport> const& reports,
                        std::vector<Stop> const& stops, bool predicted);
/// The predicted need of a rank beside the largest peak, bytes. Empty below 1 GiB: there the peak is mostly
/// the libraries that are linked, which differ from build to build and are not predicted.
std::string memory_line(std::vector<double> const& peaks, double need);
/// The lower bound on E (seconds; NaN: not known), and what the best measured cap is worth against 25 MiB,
/// where that was measured, and against the worst one; empty where nothing bucketed was measured.
std::string tuning_line(std::vector<CaseReport> const& reports, double floor);
/// By how much the prediction from before the sweep misses E of a case, split into the drift of the machine
/// and the model's own miss; empty where the rounds did not measure what that takes.
std::string miss_line(CaseReport const& report);
/// Why E of a measured case is what it is, a term at a time; empty where no term adds to the ideal. Where E
/// is less than the ideal, the line says that it cannot be split.
std::string waterfall_line(CaseReport const& report, model::Waterfall const& terms);

/// The tables' files: that of the results with another ending.
inline constexpr char const* table_endings[] = {".layers.csv", ".gradients.csv", ".allreduce.csv",
                                                ".collectives.csv", ".contention.csv"};
inline std::filesystem::path beside(std::filesystem::path results, std::string const& ending) {
  return results.replace_extension(ending);
}

/// The texts of those files: `layer,seconds`, `name,numel,seconds`, `ranks,bytes,seconds`,
/// `verb,ranks,bytes,seconds` and `bytes,kappa,gamma`.
std::string layer_csv(Workload const& workload, OperationTimes const& times, bool replayed);
std::string gradient_csv(Workload const& workload, ReadyTimes const& times, bool replayed);
std::string allreduce_csv(std::vector<SizeTimes> const& times, int ranks, bool replayed);
std::string collectives_csv(std::vector<SizeTimes> const& rows, int ranks, bool replayed);
/// Its bytes are those on the wire.
std::string contention_csv(std::vector<ContentionSample> const& runs, WireFormat wire);

}  // namespace ddproxy
