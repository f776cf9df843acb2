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

// The tables and lines that a run prints, and the CSV files of docs/results.md. All functions return text.

/// Returns a row for each layer: the time on the slowest rank, its share of the pass, and that rank. Here and
/// below, `replayed` marks the times as replayed, not measured.
std::string layer_table(Workload const& workload, OperationTimes const& times, bool replayed);
/// Returns a row for each message size: the times and bandwidths of all-reduces over `ranks` ranks.
std::string allreduce_table(std::vector<SizeTimes> const& times, int ranks, bool replayed);
/// Returns a row for each piece size: the time in which `total` bytes were reduced in such pieces.
std::string pieces_table(std::vector<SizeTimes> const& times, std::int64_t total);
/// Returns a row for each verb and size: the times and bandwidths of collectives over `ranks` ranks.
std::string collectives_table(std::vector<SizeTimes> const& rows, int ranks, bool replayed);
/// Returns a row for each verb and piece size: the time in which `total` bytes were moved in such pieces.
std::string collective_pieces_table(std::vector<SizeTimes> const& rows, std::int64_t total);
/// Returns a row for each measured case: T and E beside their predictions, tail and overlap. `stops` [case]
/// says why a case has no more samples. If `predicted` is false, the columns of predictions show "-".
std::string sweep_table(Config const& config, std::vector<CaseReport> const& reports,
                        std::vector<Stop> const& stops, bool predicted);
/// Returns a line with the predicted memory need of a rank, `need`, and the largest of the measured `peaks`,
/// both in bytes. Returns an empty text if both are below 1 GiB: a small peak is mostly memory of the linked
/// libraries, which differs from build to build and is not predicted.
std::string memory_line(std::vector<double> const& peaks, double need);
/// Returns a line with the lower bound on E (`floor`, seconds; left out if NaN), and a line with the best
/// measured cap. The second line says how much faster the best cap is than the worst cap, and than 25 MiB if
/// 25 MiB was measured. Returns an empty text if no case with a cap was measured.
std::string tuning_line(std::vector<CaseReport> const& reports, double floor);
/// Returns a line with the difference between E of a case and its prediction from before the sweep. The
/// difference is split into the drift of the machine and the error of the model. Returns an empty text if the
/// rounds of the sweep did not measure what the split needs.
std::string miss_line(CaseReport const& report);
/// Returns a line with the causes of E of a measured case, term by term. If E is less than the ideal E, the
/// line says that E cannot be split. Returns an empty text if no term adds to the ideal overlap.
std::string waterfall_line(CaseReport const& report, model::Waterfall const& terms);

/// The endings of the tables' files.
inline constexpr char const* table_endings[] = {".layers.csv", ".gradients.csv", ".allreduce.csv",
                                                ".collectives.csv", ".contention.csv"};
/// Returns the path of the results file with another ending.
inline std::filesystem::path beside(std::filesystem::path results, std::string const& ending) {
  return results.replace_extension(ending);
}

/// Returns the text of a CSV file with the columns `layer,seconds`.
std::string layer_csv(Workload const& workload, OperationTimes const& times, bool replayed);
/// Returns the text of a CSV file with the columns `name,numel,seconds`.
std::string gradient_csv(Workload const& workload, ReadyTimes const& times, bool replayed);
/// Returns the text of a CSV file with the columns `ranks,bytes,seconds`; bytes on the wire.
std::string allreduce_csv(std::vector<SizeTimes> const& times, int ranks, bool replayed);
/// Returns the text of a CSV file with the columns `verb,ranks,bytes,seconds`; bytes on the wire.
std::string collectives_csv(std::vector<SizeTimes> const& rows, int ranks, bool replayed);
/// Returns the text of a CSV file with the columns `bytes,kappa,gamma`; bytes on the wire.
std::string contention_csv(std::vector<ContentionSample> const& runs, WireFormat wire);

}  // namespace ddproxy
