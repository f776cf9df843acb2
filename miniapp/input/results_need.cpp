// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/results_need.hpp"

namespace ddproxy {
namespace {

// Bytes of the parts of a results file. They are estimated from the layout of HDF5, not fitted to files.
constexpr double headers = 1 << 20;        // headers of about 130 datasets with their attributes
constexpr double bytes_of_gradient = 150;  // numbers and texts of one gradient
constexpr double bytes_of_event = 130;     // numbers and texts of one event of a timeline
constexpr double value = 8;                // one number
constexpr double per_rank = 4;    // numbers of a sample on a rank: measured, compute, backward_end, arrival
constexpr double per_sample = 8;  // numbers of a sample: order, comm_alone, four probes, state, counted

// Returns the number of timeline events on one rank, for one pass of each case. A plan that is not known yet
// is counted as one bucket for each gradient, which is the largest possible number of buckets.
double events(std::span<Case const> cases, Workload const& workload) {
  double sum = 0;
  for (auto const& item : cases)
    sum += static_cast<double>(workload.pass.operations.size()) +
           static_cast<double>(item.plan.empty() ? workload.pass.gradients.size() : item.plan.size());
  return sum;
}

}  // namespace

double results_file_bytes(Config const& config, Workload const& workload, std::span<Case const> cases,
                          int ranks) {
  const double samples = static_cast<double>(cases.size()) * config.samples;
  const double operations = static_cast<double>(workload.pass.operations.size());
  return headers + bytes_of_gradient * static_cast<double>(workload.pass.gradients.size()) +
         value * samples * (per_rank * ranks + per_sample) + value * ranks * operations * config.samples +
         bytes_of_event * ranks * events(cases, workload);
}

double results_memory(Config const& config, Workload const& workload, std::span<Case const> cases,
                      int ranks) {
  return 2 * results_file_bytes(config, workload, cases, ranks);
}

}  // namespace ddproxy
