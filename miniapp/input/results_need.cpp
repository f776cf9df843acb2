// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/results_need.hpp"

#include <algorithm>
#include <variant>

namespace ddproxy {
namespace {

// Bytes of the parts of a results file. They are estimated from the layout of HDF5, not fitted to files.
constexpr double headers = 1 << 20;        // headers of about 130 datasets with their attributes
constexpr double bytes_of_gradient = 150;  // numbers and texts of one gradient
constexpr double bytes_of_event = 130;     // numbers and texts of one event of a timeline
constexpr double bytes_of_step_event =
    256;                     // one event of a whole step: also a phase, a prediction, a longer name
constexpr double value = 8;  // one number
// Bytes of one task of a whole step while its timeline is recorded: its gathered times (24), its times in the
// trace (24), and its values in the columns (196). The columns count twice, because a vector can reserve
// twice the size of its contents.
constexpr double bytes_of_recording = 24 + 24 + 2 * 196;
constexpr double per_step = 11;   // numbers of a sample of a step: 9 parts, alone, host_waits
constexpr double per_rank = 4;    // numbers of a sample on a rank: measured, compute, backward_end, arrival
constexpr double per_sample = 8;  // numbers of a sample: order, comm_alone, four probes, state, counted

// Returns the number of buckets of all cases. A plan that is not known yet is counted as one bucket for each
// gradient, which is the largest possible number of buckets.
double buckets(std::span<Case const> cases, Workload const& workload) {
  double sum = 0;
  for (auto const& item : cases)
    sum += static_cast<double>(item.plan.empty() ? workload.pass.gradients.size() : item.plan.size());
  return sum;
}

// Returns the number of tasks that the timeline has. It leaves out those in which only the host waits.
std::ptrdiff_t events_of(model::StepGraph const& graph) {
  return std::ranges::count_if(graph.tasks, [](model::Task const& task) {
    return !std::holds_alternative<model::HostWait>(task.work);
  });
}

}  // namespace

double results_file_bytes(Config const& config, Workload const& workload, std::span<Case const> cases,
                          int ranks) {
  const double samples = static_cast<double>(cases.size()) * config.samples;
  const double operations = static_cast<double>(workload.pass.operations.size());
  const double all_buckets = buckets(cases, workload);  // with several ranks each bucket has a time
  const double events = static_cast<double>(cases.size()) * operations + all_buckets;  // of one rank
  return headers + bytes_of_gradient * static_cast<double>(workload.pass.gradients.size()) +
         value * samples * (per_rank * ranks + per_sample) + value * ranks * operations * config.samples +
         (ranks > 1 ? value * config.samples * all_buckets : 0) + bytes_of_event * ranks * events;
}

double step_results_file_bytes(Config const& config, Workload const& workload, model::StepGraph const& graph,
                               int processes) {
  return headers + bytes_of_gradient * static_cast<double>(workload.pass.gradients.size()) +
         value * per_step * config.samples +
         bytes_of_step_event * processes * static_cast<double>(events_of(graph));
}

double step_results_memory(Config const& config, Workload const& workload, model::StepGraph const& graph,
                           int processes) {
  const double file = step_results_file_bytes(config, workload, graph, processes);
  const double recording = bytes_of_recording * processes * static_cast<double>(graph.tasks.size());
  return file + std::max(file, recording);  // the copy of the file is made after the recording is freed
}

double results_memory(Config const& config, Workload const& workload, std::span<Case const> cases,
                      int ranks) {
  return 2 * results_file_bytes(config, workload, cases, ranks);
}

}  // namespace ddproxy
