// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "ctest/folders.hpp"
#include "ctest/kernels/reference_model.hpp"
#include "ctest/miniapp/step_run.hpp"

// Trains small models for a few steps as golden_steps.py does with PyTorch: gradients are accumulated over
// micro-batches and averaged over ranks, clipped, and AdamW updates the parameters.
namespace ddproxy {
namespace {

constexpr int sequences = 8, length = 16, batch = 2;

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

/// Returns this rank's share of the batch, two sequences in each micro-batch.
std::vector<TokenBatch> own_batches(model::Shape const& shape) {
  const auto all = reference::formula_step(shape, sequences, length);
  const int own = sequences / test_runtime->ranks();
  std::vector<TokenBatch> batches;
  for (int first = test_runtime->rank() * own; first < (test_runtime->rank() + 1) * own; first += batch) {
    const auto part = [&](std::vector<int> const& tokens) {
      return std::vector<int>(tokens.begin() + first * length, tokens.begin() + (first + batch) * length);
    };
    batches.push_back({part(all.inputs), part(all.targets)});
  }
  return batches;
}

/// Returns the training of golden_steps.py.
StepCase golden_case(model::Shape const& shape, model::Checkpoint checkpoint) {
  StepCase c{shape, {batch, length}};
  c.batches = own_batches(shape);
  c.strategy.plan = plan_of(shape);
  c.strategy.micro_batches = static_cast<int>(c.batches.size());
  c.strategy.clipped = true;
  c.strategy.optimizer = model::Optimizer::adamw;
  c.strategy.checkpoint = checkpoint;
  c.clip = 0.5;
  c.optimizer = {.learning_rate = 3e-3, .beta2 = 0.95, .weight_decay = 0.1};
  return c;
}

void expect_golden(std::string const& name, model::Shape const& shape, model::Checkpoint checkpoint) {
  StepRun step(golden_case(shape, checkpoint));
  for (auto const& [tensor, values] : reference::formula_weights(shape)) {
    const Slice slice = step.layout().of(tensor);
    std::ranges::transform(values, step.parameters().subspan(slice.offset, slice.count).begin(),
                           [](double value) { return static_cast<float>(value); });
  }
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
