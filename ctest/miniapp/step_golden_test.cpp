// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "ctest/folders.hpp"
#include "ctest/miniapp/golden_case.hpp"

// Trains small models for four steps as golden_steps.py does with PyTorch, and compares the loss and the norm
// of the gradients of each step. Gradients are accumulated over micro-batches, averaged over ranks and
// clipped; AdamW updates the parameters.
namespace ddproxy {
namespace {

struct Row {
  int step;
  double loss, norm;
};

/// Returns the rows of golden_steps.csv that belong to a model.
std::vector<Row> golden_rows(std::string const& model) {
  std::ifstream file(std::string(source_folder) + "/ctest/miniapp/golden_steps.csv");
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string name;
    std::getline(fields, name, ',');
    Row row{};
    char comma = ',';
    if (name == model && fields >> row.step >> comma >> row.loss >> comma >> row.norm) rows.push_back(row);
  }
  return rows;
}

void expect_golden(std::string const& name, model::Shape const& shape, model::Checkpoint checkpoint) {
  StepRun step(golden_case(shape, checkpoint));
  assign_formula_weights(step, shape);
  const auto rows = golden_rows(name);
  ASSERT_EQ(rows.size(), 4U);
  for (auto const& row : rows) {
    step.run();
    EXPECT_NEAR(step.mean_loss() / row.loss, 1, 1e-5) << row.step;
    EXPECT_NEAR(static_cast<double>(step.lane->norm()) / row.norm, 1, 1e-5) << row.step;
  }
}

TEST(StepGolden, Gpt2FollowsPyTorch) {
  for (const auto checkpoint : {model::Checkpoint::none, model::Checkpoint::layer})
    expect_golden("gpt2", model::find_preset("tiny"), checkpoint);
}

TEST(StepGolden, LlamaFollowsPyTorch) {
  for (const auto checkpoint : {model::Checkpoint::none, model::Checkpoint::layer})
    expect_golden("llama", small_llama(), checkpoint);
}

}  // namespace
}  // namespace ddproxy
