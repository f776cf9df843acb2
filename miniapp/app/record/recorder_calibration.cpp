// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <functional>

#include "miniapp/app/record/recorder.hpp"
#include "miniapp/app/record/recorder_columns.hpp"
#include "miniapp/measure/calibration/handover.hpp"

// The samples of the calibration. When the calibration has ended, only the file holds them. The tables and
// the prediction get them back from passes(), sizes(), runs() and handovers().
namespace ddproxy {
namespace {

using Counts = std::vector<std::size_t>;

constexpr std::pair<char const*, Reals ContentionSample::*> run_times[] = {
    {"compute_alone", &ContentionSample::compute_alone},
    {"compute_beside", &ContentionSample::compute_beside},
    {"collective_alone", &ContentionSample::collective_alone},
    {"collective_beside", &ContentionSample::collective_beside}};
constexpr char const* before_and_after_sweep[] = {"", "later_"};

// Writes the samples of all contention runs. Long contention runs have fewer samples, so NaN fills the rest
// of their rows.
void write_contention_samples(results::Writer& writer, std::string const& prefix,
                              std::vector<ContentionSample> const& runs) {
  for (auto const& [name, times] : run_times) {
    const auto [values, extents] = matrix(runs, times);
    writer.write("/calibration/" + prefix + name, values, extents);
  }
  write_probes(writer, "/calibration/" + prefix,
               column<std::vector<model::Probes>>(runs, &ContentionSample::probes),
               matrix(runs, &ContentionSample::compute_alone).extents[1]);
}

// Returns how many samples each row of a dataset [row, sample] has: the number of values before the NaN that
// fill the rest of the row. Returns zeros if the file does not have the dataset.
Counts samples_of_rows(results::Reader const& file, std::string const& dataset, std::size_t rows) {
  Counts counts(rows, 0);
  if (!file.has(dataset)) return counts;
  const auto values = file.reals(dataset);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isnan(values[i])) ++counts[i / (values.size() / rows)];
  return counts;
}

// Adds the first counts[row] values of each row of a dataset to the list `member` of that row. Adds nothing
// if the file does not have the dataset.
template <class Rows, class Member>
void add_samples(results::Reader const& file, std::string const& dataset, Counts const& counts, Rows& rows,
                 Member member) {
  if (!file.has(dataset)) return;
  const auto values = file.reals(dataset);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(row * (values.size() / rows.size()));
    Reals& list = std::invoke(member, rows[row]);
    list.insert(list.end(), first, first + static_cast<std::ptrdiff_t>(counts[row]));
  }
}

template <class Rows>
void add_probes(results::Reader const& file, std::string const& prefix, Counts const& counts, Rows& rows) {
  add_samples(file, prefix + "probe_before", counts, rows, [](auto& r) -> Reals& { return r.probes.before; });
  add_samples(file, prefix + "probe_after", counts, rows, [](auto& r) -> Reals& { return r.probes.after; });
}

}  // namespace

void write_passes(results::Writer& writer, std::string const& prefix, OperationTimes const& times) {
  writer.write("/layers/" + prefix + "seconds", times.seconds,
               {times.ranks, times.operations, times.samples});
  if (times.probes.before.empty()) return;
  writer.write("/layers/" + prefix + "probe_before", times.probes.before);
  writer.write("/layers/" + prefix + "probe_after", times.probes.after);
}

void write_probes(results::Writer& writer, std::string const& prefix, std::vector<model::Probes> const& rows,
                  std::size_t samples) {
  if (std::ranges::all_of(rows, [](auto const& row) { return row.before.empty(); })) return;
  for (auto const& [name, probes] :
       {std::pair("before", &model::Probes::before), std::pair("after", &model::Probes::after)}) {
    const auto [values, extents] = matrix(rows, probes, samples);
    writer.write(prefix + "probe_" + name, values, extents);
  }
}

void Recorder::calibration(std::vector<ContentionSample> const& runs) {
  if (runs.empty()) return;
  writer_.write("/calibration/bytes", column<Integers>(runs, [](auto& run) { return run.bytes; }));
  writer_.write("/calibration/calls", column<Integers>(runs, [](auto& run) { return run.calls; }));
  write_contention_samples(writer_, "", runs);
}

// These datasets cannot grow, so they have their full length from the start. NaN stands for samples that are
// not taken yet.
void Recorder::handovers(SizeTimes const& times) {
  const auto write = [&](std::string const& name, Reals values) {
    if (values.empty()) return;
    values.resize(samples_of_handover, not_available);
    writer_.write("/calibration/handover_" + name, values);
  };
  write("seconds", times.seconds);
  write("probe_before", times.probes.before);
  write("probe_after", times.probes.after);
}

void Recorder::handover(double seconds) {
  if (writer_.reader().has("/calibration/handover_seconds"))
    writer_.write("/calibration/handover", Reals{seconds});
}

void Recorder::later(Tables const& tables) {
  if (tables.operations.samples > 0) write_passes(writer_, "later_", tables.operations);
  const auto [seconds, extents] = matrix(tables.sizes, &SizeTimes::seconds);
  if (!seconds.empty()) {
    writer_.write("/allreduce/later_seconds", seconds, extents);
    write_probes(writer_, "/allreduce/later_",
                 column<std::vector<model::Probes>>(tables.sizes, &SizeTimes::probes), extents[1]);
  }
  if (!matrix(tables.runs, &ContentionSample::compute_alone).values.empty())
    write_contention_samples(writer_, "later_", tables.runs);
}

OperationTimes Recorder::passes() const {
  const auto file = writer_.reader();
  OperationTimes times;
  for (const std::string prefix : before_and_after_sweep) {
    const std::string start = "/layers/" + prefix;
    if (!file.has(start + "seconds")) continue;
    const auto extents = file.extents(start + "seconds");  // ranks, operations, samples
    OperationTimes part{extents[0], extents[1], extents[2], file.reals(start + "seconds")};
    if (file.has(start + "probe_before"))
      part.probes = {file.reals(start + "probe_before"), file.reals(start + "probe_after")};
    append(times, part);
  }
  return times;
}

std::vector<SizeTimes> Recorder::sizes() const {
  const auto file = writer_.reader();
  if (!file.has("/allreduce/bytes")) return {};
  const auto bytes = file.integers("/allreduce/bytes"), wrong = file.integers("/allreduce/wrong_elements");
  std::vector<SizeTimes> sizes;
  for (std::size_t row = 0; row < bytes.size(); ++row) sizes.push_back({bytes[row], {}, wrong[row]});
  for (const std::string prefix : before_and_after_sweep) {
    const std::string start = "/allreduce/" + prefix;
    const auto counts = samples_of_rows(file, start + "seconds", sizes.size());
    add_samples(file, start + "seconds", counts, sizes, &SizeTimes::seconds);
    add_probes(file, start, counts, sizes);
  }
  return sizes;
}

std::vector<ContentionSample> Recorder::runs() const {
  const auto file = writer_.reader();
  if (!file.has("/calibration/bytes")) return {};
  const auto bytes = file.integers("/calibration/bytes"), calls = file.integers("/calibration/calls");
  std::vector<ContentionSample> runs(bytes.size());
  for (std::size_t row = 0; row < runs.size(); ++row) {
    runs[row].bytes = bytes[row];
    runs[row].calls = calls[row];
  }
  for (const std::string prefix : before_and_after_sweep) {
    const std::string start = "/calibration/" + prefix;
    const auto counts = samples_of_rows(file, start + "compute_alone", runs.size());
    for (auto const& [name, times] : run_times) add_samples(file, start + name, counts, runs, times);
    add_probes(file, start, counts, runs);
  }
  return runs;
}

SizeTimes Recorder::handovers() const {
  const auto file = writer_.reader();
  const std::string start = "/calibration/handover_";
  std::vector<SizeTimes> rows(1);
  const auto counts = samples_of_rows(file, start + "seconds", rows.size());
  add_samples(file, start + "seconds", counts, rows, &SizeTimes::seconds);
  add_probes(file, start, counts, rows);
  return rows.front();
}

}  // namespace ddproxy
