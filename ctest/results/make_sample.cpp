// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <string>

#include "ctest/results/sample_file.hpp"

// make_sample FILE [mpi|step]: writes the results file that the Python tests read. Without a second argument
// it is the file of a replay. With mpi it is the file of a measured run. With step it is the file of a
// measured `ddproxy step`, without a sweep.
int main(int argc, char** argv) {
  if (argc < 2) return 2;
  ddproxy::test::Sample sample;
  sample.steps_only = argc > 2 && std::string(argv[2]) == "step";
  sample.replay = argc < 3;
  ddproxy::test::make_sample(argv[1], sample);
  return 0;
}
