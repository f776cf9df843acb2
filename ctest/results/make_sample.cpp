// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <iostream>

#include "ctest/results/sample_file.hpp"

// make_sample FILE [mpi]: writes the file that the Python tests read.
int main(int argc, char** argv) {
  if (argc < 2) return 2;
  ddproxy::test::Sample sample;
  sample.replay = argc < 3;
  ddproxy::test::make_sample(argv[1], sample);
  return 0;
}
