// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ctest/bench/collective_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "ctest/bench/transfers.hpp"
#include "model/step/describe.hpp"

namespace ddproxy::bench {
namespace {

// Returns the number of iterations: 512 MiB / bytes_of_row, limited to the range from 7 to 101, and at most
// settings.iterations.
std::int64_t iterations(Settings const& settings, std::size_t bytes_of_row) {
  const auto wanted = std::clamp<std::size_t>(512 * mib / bytes_of_row, 7, 101);
  return static_cast<std::int64_t>(std::min(wanted, settings.iterations));
}

/// Returns the first part of the name of a row. Rows of all-reduces keep their old names, which do not name
/// the verb.
std::string_view what(Row const& row) {
  if (row.lanes == 2) return "two_lanes";
  if (row.train) return "train of 100";
  if (row.verb == model::Verb::all_reduce) return "bucket";
  if (is_transfer(row.verb)) return row.group == 2 ? "exchange" : "send_receive";
  return model::name_of(row.verb);
}

std::string name_of(Row const& row, std::string const& call) {
  return fmt::format("{}/{}/{}KiB", what(row), call, row.bytes / 1024);
}

std::size_t messages_of(Row const& row) {
  return row.train ? train_length : std::clamp<std::size_t>(mib / 4 / row.bytes, 1, 64);
}

}  // namespace

void register_rows(Settings const& settings, Row const& row, std::string const& call,
                   std::function<void(benchmark::State&, Row const&)> const& measure) {
  for (std::size_t bytes = 4096; bytes <= settings.largest; bytes *= 4) {
    const std::size_t whole = row.train ? bytes * train_length : bytes;
    if (whole > settings.largest) break;
    Row sized = row;
    sized.bytes = bytes;
    benchmark::RegisterBenchmark(name_of(sized, call).c_str(),
                                 [=](benchmark::State& state) { measure(state, sized); })
        ->Iterations(iterations(settings, whole))
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
}

std::vector<CollectiveCall> messages(Row const& row, GroupPlace place, std::size_t elements) {
  const std::size_t each = row.bytes / sizeof(float), places = elements / each;
  const auto ranks = static_cast<std::size_t>(place.ranks);
  const std::size_t used = has_parts(row.verb) ? each / ranks * ranks : each;
  std::vector<CollectiveCall> all;
  for (std::size_t i = 0; i < messages_of(row); ++i) {
    const Slice slice{i % places * each, used};
    if (is_transfer(row.verb))
      add_transfers(all, slice, place, elements);
    else
      all.push_back(in_place(row.verb, slice, place));
  }
  return all;
}

}  // namespace ddproxy::bench
