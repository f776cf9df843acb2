// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "miniapp/measure/calibration/calibrate.hpp"
#include "miniapp/measure/calibration/measure.hpp"
#include "miniapp/predict/analysis/analysis.hpp"
#include "miniapp/predict/analysis/stopping.hpp"
#include "model/predict/uncertainty.hpp"

namespace ddproxy {

// The tables and lines that a run prints, and the CSV files of docs/results.md. All functions except beside()
// return text. If `replayed` is true, the text says that the times are replayed, not measured. A verb is the
// kind of a collective, and a case is a row of the sweep (docs/glossary.md).

/// Returns a table with a row for each layer: the time on the slowest rank, its share of the sum of these
/// times, and the number of the slowest rank.
std::string layer_table(Workload const& workload, OperationTimes const& times, bool replayed);
/// Returns a table with a row for each message size: the times and bandwidths of all-reduces over `ranks`
/// ranks.
std::string allreduce_table(std::vector<SizeTimes> const& times, int ranks, bool replayed);
/// Returns a table with a row for each piece size: the time in which `total` bytes were reduced in such
/// pieces.
std::string pieces_table(std::vector<SizeTimes> const& times, std::int64_t total);
/// Returns a table with a row for each verb and size: the times and bandwidths of collectives over groups of
/// ranks.
std::string collectives_table(std::vector<SizeTimes> const& rows, Grouping groups, bool replayed);
/// Returns a table with a row for each verb and piece size: the time in which `total` bytes were moved in
/// such pieces.
std::string collective_pieces_table(std::vector<SizeTimes> const& rows, std::int64_t total, Grouping groups);
/// Returns a table with a row for each measured case: T and E beside their predictions, tail and overlap.
/// `stops` [case] says why no more samples of a case were taken. If `predicted` is false, the columns of
/// predictions show "-".
std::string sweep_table(Config const& config, std::vector<CaseReport> const& reports,
                        std::vector<Stop> const& stops, bool predicted);
/// Returns a line with the predicted memory need of a rank, `need`, and the largest of the measured `peaks`,
/// both in bytes. Returns an empty text if both are below 1 GiB: a small peak is mostly memory of the linked
/// libraries, which differs from build to build and is not predicted.
std::string memory_line(std::vector<double> const& peaks, double need);
/// Returns a line with the lower bound on E (`floor`, seconds; left out if NaN), and a line with the best
/// measured cap. The second line says how much longer the worst cap takes than the best cap. If 25 MiB was
/// measured and is not the best cap, the line says the same about 25 MiB. Returns an empty text if no
/// bucketed case was measured.
std::string tuning_line(std::vector<CaseReport> const& reports, double floor);
/// Returns a line with the difference between the measured E of a case and the E that was predicted before
/// the sweep. The line says how much of the difference comes from the drift of the machine, and how much from
/// the model. If the difference and both parts are smaller than the noise of E, the line says only that.
/// Returns an empty text if report.same_round is not available.
std::string miss_line(CaseReport const& report);
/// Returns a line with the causes of E of a measured case. If each cause is smaller than the
/// noise of E, the line says so and names no cause. If E is less than the ideal E, the line says
/// that E cannot be split. Returns an empty text if contention, copies and jitter add nothing to the ideal E.
std::string waterfall_line(CaseReport const& report, model::Waterfall const& terms);

/// Lists the endings of the CSV files that a run may write beside its results file.
inline constexpr char const* table_endings[] = {".layers.csv", ".gradients.csv", ".allreduce.csv",
                                                ".collectives.csv", ".contention.csv"};
/// Returns the path of the results file with its ending replaced by `ending`.
inline std::filesystem::path beside(std::filesystem::path results, std::string const& ending) {
  return results.replace_extension(ending);
}

/// Returns the text of a CSV file with the columns `layer,seconds`.
std::string layer_csv(Workload const& workload, OperationTimes const& times, bool replayed);
/// Returns the text of a CSV file with the columns `name,numel,seconds`.
std::string gradient_csv(Workload const& workload, ReadyTimes const& times, bool replayed);
/// Returns the text of a CSV file with the columns `ranks,bytes,seconds`. Bytes are counted on the wire, here
/// and below.
std::string allreduce_csv(std::vector<SizeTimes> const& times, int ranks, bool replayed);
/// Returns the text of a CSV file with the columns `verb,ranks,bytes,seconds,nodes`. `ranks` has the number
/// of ranks of a group. `nodes` has the number of nodes on which they are; 0: not known.
std::string collectives_csv(std::vector<SizeTimes> const& rows, Grouping groups, bool replayed);
/// Returns the text of a CSV file with the columns `bytes,kappa,gamma`.
std::string contention_csv(std::vector<ContentionSample> const& runs, WireFormat wire);

}  // namespace ddproxy
