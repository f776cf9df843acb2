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

/// A sweep as a run would write it: two ranks, five samples, a model of 37 equal layers and a large last
/// gradient.
struct Sample {
  bool replay = true;
  double factor = 1.0;         ///< every measured T is multiplied by it
  std::string only_case = "";  ///< where not empty, only that case
  std::string left_out = "";   ///< a case that is not in the sweep
  double noise = 0.002;        ///< standard deviation of log T
  double disturbance = 1.0;    ///< every T but the first two of a case is multiplied by it
  unsigned seed = 1;
  std::size_t samples = 5;
  std::size_t not_counted = 0;  ///< so many samples of each case take three times as long and do not count
  std::int64_t ranks = 8;
  std::string precision = "fp32";
  std::string host = "node1";
  std::string created = "";  ///< where not empty, replaces the time of writing
  bool is_right = true;      ///< verified
  bool is_complete = true;
  std::int64_t first_bucket = -1;  ///< bytes; -1: the cap
  bool says_more = true;  ///< false: as an earlier version wrote it, without threads, pieces and warm-up
  std::string threads = "2";
  double piece_mib = 16;
  std::string priority = "normal";
  std::string allreduce = "mpi, host buffers, fp32, thread";
  std::int64_t warmup = 1;
  std::string compute_source = "own";
  std::string session = "";  ///< where not empty, the run is a round of a gate, with parts beside its cases
  std::int64_t round = 0;
  std::string left_out_part = "";  ///< a part that is not among those of the gate
  bool is_verified = true;         ///< false: -1, neither right nor wrong
  bool has_verified = true;        ///< false: no /sweep/verified
  std::string source = "ddproxy";
  std::string valid = "";     ///< of the figure of merit; empty: what the run would say; "none": no attribute
  std::string label = "";     ///< of the offer; empty: none
  std::string call = "";      ///< blocking or nonblocking; empty: none
  std::string binding = "0";  ///< of rank 0
  double clock_hz = 2.5e9;    ///< of rank 0
  double round_trip = 55e-9;  ///< of the state that the figures are of, seconds
  double memory_clock_hz = 1.2e9;                      ///< of rank 0
  std::map<std::string, std::string> provenance = {};  ///< attributes in place of the usual ones
};

struct SampleCase {
  std::string name;
  std::string strategy;
  std::int64_t cap;  ///< bytes; -1 where there is none
};

std::vector<SampleCase> sample_cases();

/// Writes every group of the schema. Does not finish the file.
void write_sample(results::Writer& writer, Sample const& sample);

/// Writes it to `path`; one that is not complete has the attribute complete = 0.
void make_sample(std::filesystem::path const& path, Sample const& sample = {});

}  // namespace ddproxy::test
