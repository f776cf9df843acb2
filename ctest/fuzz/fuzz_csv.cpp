// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <stdexcept>

#include "ctest/fuzz/memory_file.hpp"
#include "model/cost/collective_tables.hpp"
#include "model/cost/csv.hpp"
#include "model/cost/step_times.hpp"

template <class Read>
void attempt(Read const& read) {
  try {
    read();
  } catch (std::invalid_argument const&) {
  }
}

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* bytes, std::size_t count) {
  using namespace ddproxy::model;
  const auto file = ddproxy::fuzz::memory_file(bytes, count);
  attempt([&] { read_layer_times(file); });
  attempt([&] { read_layer_sizes(file); });
  attempt([&] { read_gradient_times(file); });
  attempt([&] { read_allreduce(file); });
  attempt([&] { read_allreduce(file, 8); });
  attempt([&] { allreduce_ranks(file); });
  attempt([&] { read_collectives(file, 2); });
  attempt([&] { read_contention(file); });
  attempt([&] { read_curve(file); });
  attempt([&] { read_step_times(file); });
  attempt([&] { read_step_shares(file, {}); });
  return 0;
}
