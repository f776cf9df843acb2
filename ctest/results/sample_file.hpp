// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "results/file/writer.hpp"

namespace ddproxy::test {

/// Properties of a results file with a sweep and whole steps. Its datasets have values of two ranks. Its
/// model has 37 equal layers with one gradient each, and a large last gradient.
struct Sample {
  bool steps_only = false;  ///< true: a file of `ddproxy step`, which has whole steps and no sweep
  bool replay = true;
  double factor = 1.0;         ///< multiplies T of each sample, and the times of the gate's parts
  std::string only_case = "";  ///< if not empty, `factor` applies only to this case or part
  std::string left_out = "";   ///< a case that is not in the sweep
  /// If not empty, the name of a further strategy, with the caps 4 and 25 MiB. Its T is 3 % below that of
  /// `bucketed` with the same cap.
  std::string added = "";
  double noise = 0.002;      ///< standard deviation of ln(time), for T, T_compute, layers and gate parts
  double disturbance = 1.0;  ///< multiplies T of each sample except the first two of a case
  unsigned seed = 1;
  std::size_t samples = 5;
  std::size_t not_counted = 0;  ///< samples of each case that take three times as long and do not count
  std::int64_t ranks = 8;       ///< the attribute `ranks` of /sweep
  std::string precision = "fp32";
  std::string host = "node1";
  std::string created = "";  ///< if not empty, the attribute `created`, instead of the time of writing
  bool is_right = true;      ///< the verification found the gradients right
  bool is_complete = true;
  std::int64_t first_bucket = -1;  ///< cap of the first bucket in bytes; -1: the cap of the other buckets
  bool says_more = true;           ///< false: as in an earlier version, without the attributes `threads`,
                                   ///< `piece_mib`, `priority` and `warmup`
  std::string threads = "2";
  double piece_mib = 16;
  std::string priority = "normal";
  std::string allreduce = "mpi, host buffers, fp32, thread";
  std::int64_t warmup = 1;
  std::string compute_source = "own";
  std::string session = "";  ///< if not empty, the run is a round of a gate, with parts besides its cases
  std::int64_t round = 0;
  std::string left_out_part = "";  ///< a part of the gate that is missing
  bool is_verified = true;         ///< false: stored as -1, neither right nor wrong
  bool has_verified = true;        ///< false: there is no /sweep/verified
  std::string source = "ddproxy";
  std::string valid = "";          ///< valid of /fom; empty: what a run would write; "none": no attribute
  std::string label = "";          ///< label of the offer; empty: none
  std::string call = "";           ///< MPI call: blocking or nonblocking; empty: no attribute
  std::string call_setting = "";   ///< auto, blocking or nonblocking; empty: a file of an earlier version
  std::string binding = "0";       ///< processors of rank 0
  double clock_hz = 2.5e9;         ///< clock of rank 0
  double round_trip = 55e-9;       ///< probe in seconds, in the state of the samples that count
  double memory_clock_hz = 1.2e9;  ///< memory clock of rank 0
  std::map<std::string, std::string> provenance = {};  ///< replaces attributes of /provenance
};

struct SampleCase {
  std::string name;
  std::string strategy;
  std::int64_t cap;  ///< bytes; -1 for a strategy without a cap
};

/// Returns the ten usual cases: naive, flat, per_tensor, and bucketed with seven caps from 1 to 1024 MiB.
std::vector<SampleCase> sample_cases();

/// Writes every group (/gate only with a session). With `steps_only` leaves out what write_sweep() and
/// write_score() write (sample_parts.hpp). Does not finish the file.
void write_sample(results::Writer& writer, Sample const& sample);

/// Writes a file to `path`. Without `is_complete` the file has the attribute complete = 0.
void make_sample(std::filesystem::path const& path, Sample const& sample = {});

}  // namespace ddproxy::test
