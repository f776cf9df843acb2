// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
// Tries results files with wrong bytes. Each must be read, or rejected with one line that names the file.
// DDPROXY_MUTATIONS=8500 tries more files, DDPROXY_MUTATION_SEED=2 tries other files.
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>
#include <random>

#include "ctest/results/compare_runs.hpp"
#include "results/run/run_file.hpp"

namespace ddproxy::test {
namespace {

constexpr double patience = 1.0;  // seconds, for read_run(); reading an undamaged file takes 0.01 s

int number_from(char const* variable, int otherwise) {
  char const* text = std::getenv(variable);
  return text ? std::atoi(text) : otherwise;
}

// Returns `bytes` with one fault: one to eight wrong bytes in a row, a truncation, or a range of zeros.
std::string mutated(std::string bytes, std::mt19937& engine) {
  const auto at = engine() % bytes.size();
  switch (engine() % 8) {
    case 0:
      bytes.resize(at);
      return bytes;
    case 1:
      for (auto k = at; k < std::min(at + 512, bytes.size()); ++k) bytes[k] = '\0';
      return bytes;
    default:
      for (auto k = at; k < std::min<std::size_t>(at + 1 + engine() % 8, bytes.size()); ++k)
        bytes[k] = static_cast<char>(engine() % 3 == 0 ? 0xFF : engine());
      return bytes;
  }
}

// Returns how the child process that read the file failed, for instance "crashed (Aborted)". `message` is the
// message with which the file was rejected. Returns "refused" if the child did not fail: the reader itself
// rejected the file.
std::string kind_of(std::string const& message) {
  const std::string mark = "the process that read it ";
  const auto start = message.find(mark);
  if (start == std::string::npos) return "refused";
  return message.substr(start + mark.size(), message.find(';') - start - mark.size());
}

class Damaged : public Compare {
 protected:
  // Returns what happens to a file with these bytes: "read", or kind_of() the message that rejects the file.
  std::string outcome(std::string const& bytes) {
    const auto path = folder / "damaged.h5";
    std::ofstream(path, std::ios::binary) << bytes;
    try {
      results::read_run(path, patience);
      return "read";
    } catch (std::invalid_argument const& error) {
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with(path.string() + ": ")) << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
      return kind_of(message);
    }
  }

  // Writes a file with the properties `sample`, and tries `files` mutated copies of it, or as many as
  // DDPROXY_MUTATIONS says.
  void try_mutations(Sample const& sample, int files);
};

void Damaged::try_mutations(Sample const& sample, int files) {
  make_sample(folder / "whole.h5", sample);
  const auto whole = contents(folder / "whole.h5");
  ASSERT_EQ(outcome(whole), "read");
  files = number_from("DDPROXY_MUTATIONS", files);
  std::mt19937 engine(static_cast<unsigned>(number_from("DDPROXY_MUTATION_SEED", 1)));
  std::map<std::string, int> outcomes;
  double slowest = 0.0;
  for (int k = 0; k < files; ++k) {
    const auto began = std::chrono::steady_clock::now();
    ++outcomes[outcome(mutated(whole, engine))];
    slowest =
        std::max(slowest, std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
  }
  for (auto const& [kind, count] : outcomes) std::cout << count << " of " << files << ": " << kind << '\n';
  std::cout << "slowest: " << slowest << " s\n";
  EXPECT_LT(slowest, patience + 10.0);
  EXPECT_GT(outcomes["read"], 0);
  EXPECT_GT(outcomes["refused"], 0);
}

TEST_F(Damaged, every_mutated_file_is_read_or_rejected_in_one_line) {
  try_mutations({.session = "gate", .round = 1}, 300);
}

TEST_F(Damaged, every_mutated_file_of_steps_is_read_or_rejected_in_one_line) {
  try_mutations({.steps_only = true}, 150);
}

}  // namespace
}  // namespace ddproxy::test
