// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "ctest/folders.hpp"
#include "ctest/miniapp/golden_case.hpp"

// Compares the first update of a whole step with that of PyTorch (golden_updates.py). Each uses the gradients
// that it has computed itself.
namespace ddproxy {
namespace {

/// An element of a tensor in golden_updates.csv.
struct Row {
  std::string tensor;
  std::size_t element;
  double gradient;  ///< relative to the largest gradient of the tensor
  double change;    ///< change of the parameter, in units of the learning rate
};

std::vector<Row> golden_rows(std::string const& model) {
  std::ifstream file(std::string(source_folder) + "/ctest/miniapp/golden_updates.csv");
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string name;
    Row row{};
    char comma = ',';
    std::getline(fields, name, ',');
    std::getline(fields, row.tensor, ',');
    if (name == model && fields >> row.element >> comma >> row.gradient >> comma >> row.change)
      rows.push_back(row);
  }
  return rows;
}

/// What a comparison of all rows found.
struct Comparison {
  std::size_t compared = 0, left_out = 0;
  double worst = 0;  ///< the largest error of a change, in units of the learning rate
  std::string where;
};

/// Some gradients are mathematically zero, for example those of the biases of the keys. AdamW turns their
/// rounding noise into an update of a whole learning rate. So elements with a small gradient are counted, not
/// compared.
Comparison compare(StepRun& step, std::vector<float> const& before, std::vector<Row> const& rows, double lr) {
  constexpr double smallest = 1e-6;
  Comparison found;
  for (auto const& row : rows) {
    if (std::abs(row.gradient) <= smallest) {
      ++found.left_out;
      continue;
    }
    const std::size_t place = step.slice_of(row.tensor).offset + row.element;
    const double change =
        (static_cast<double>(step.parameters()[place]) - static_cast<double>(before[place])) / lr;
    const double error = std::abs(change - row.change);
    ++found.compared;
    if (error > found.worst || std::isnan(error)) {
      found.worst = std::isnan(error) ? 1e30 : error;
      found.where = row.tensor + "[" + std::to_string(row.element) + "]";
    }
  }
  return found;
}

Comparison first_update(std::string const& name, model::Shape const& shape) {
  const StepCase training = golden_case(shape, model::Checkpoint::none);
  StepRun step(training);
  assign_formula_weights(step, shape);
  const std::vector<float> before(step.parameters().begin(), step.parameters().end());
  step.run();
  return compare(step, before, golden_rows(name), training.optimizer.learning_rate);
}

// Left out are the 128 elements of the biases of the keys, and rows of positions that no token has.
TEST(StepOwnGradients, UpdateGpt2AsPyTorchDoes) {
  const auto found = first_update("gpt2", model::find_preset("tiny"));
  EXPECT_LT(found.worst, 1e-3) << found.where;
  EXPECT_EQ(found.left_out, 207U);
  EXPECT_EQ(found.compared, 3106U);
}

// Left out are rows of tokens that do not occur.
TEST(StepOwnGradients, UpdateLlamaAsPyTorchDoes) {
  const auto found = first_update("llama", small_llama());
  EXPECT_LT(found.worst, 1e-3) << found.where;
  EXPECT_EQ(found.left_out, 73U);
  EXPECT_EQ(found.compared, 2501U);
}

}  // namespace
}  // namespace ddproxy
