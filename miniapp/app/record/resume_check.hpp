// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "miniapp/input/config.hpp"

namespace ddproxy {

/// What must be equal in an interrupted run and in the run that continues it.
struct ResumeConditions {
  std::string command;             ///< run, sweep or step
  std::string git_revision;        ///< revision of the source
  std::string compiler, flags;     ///< compiler of the build, and its flags
  std::vector<std::string> hosts;  ///< [rank] host name
  std::string input;               ///< text of the input file
  std::vector<NamedTable> tables;  ///< the tables that the input names
};

/// The rounds of a sweep that interrupted runs have taken. A round takes one sample of each case. `step` has
/// one case, so a round is one sample.
struct EarlierRounds {
  std::filesystem::path
      file;            ///< unfinished results file of the last of these runs; empty: none is continued
  std::string run_id;  ///< the attribute run_id of the file
  int rounds = 0;      ///< number of complete rounds of the file and of the runs that its run continued
  double seconds = 0;  ///< time of these rounds; 0 without max_seconds
};

/// A reason why a file cannot be continued, and what the user can do.
struct ResumeObstacle {
  std::string reason, remedy;
};

/// What an unfinished results file offers to a run that continues it.
struct ResumeFinding {
  EarlierRounds earlier;                  ///< holds nothing if there are obstacles
  std::vector<ResumeObstacle> obstacles;  ///< if empty, the file can be continued
};

/// Reads the unfinished results file `file` and compares it with this run, whose conditions are `mine`. A
/// child process reads the file, so that even a damaged file cannot crash or hang this process. Each
/// condition that differs is an obstacle. There is one obstacle and no comparison if the file is missing or
/// damaged, if its run still goes on or has finished, or if neither the file nor the runs that its run
/// continued have a complete round. A file that crashes the child counts as damaged, and so does one that
/// takes longer than results::limits_for() allows. Throws std::runtime_error if no child can be started.
ResumeFinding examine_unfinished(std::filesystem::path const& file, ResumeConditions const& mine);

}  // namespace ddproxy
