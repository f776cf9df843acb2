// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "ctest/folders.hpp"
#include "ctest/miniapp/golden_case.hpp"

// Compares the gradients and the update of the first step with those of PyTorch (golden_updates.py). ddproxy
// updates with its own gradients, and PyTorch with its own.
namespace ddproxy {
namespace {

/// An element of a tensor in golden_updates.csv.
struct Row {
  std::string tensor;
  std::size_t element;
  double gradient;  ///< divided by the norm of all gradients
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

/// Returns the largest gradient of each tensor, in absolute value. golden_updates.csv always has its row.
std::map<std::string, double> largest_gradients(std::vector<Row> const& rows) {
  std::map<std::string, double> largest;
  for (auto const& row : rows) {
    double& of_tensor = largest[row.tensor];
    of_tensor = std::max(of_tensor, std::abs(row.gradient));
  }
  return largest;
}

/// What a comparison found.
struct Comparison {
  std::size_t compared = 0;
  double worst = 0;  ///< the largest error
  std::string where;

  void add(Row const& row, double error) {
    ++compared;
    if (error <= worst) return;
    worst = std::isnan(error) ? 1e30 : error;
    where = row.tensor + "[" + std::to_string(row.element) + "]";
  }
};

/// The comparisons of a first step with PyTorch's.
struct FirstStep {
  std::size_t tensors = 0;   ///< number of tensors in golden_updates.csv
  Comparison gradients;      ///< errors relative to the largest gradient of the tensor
  Comparison changes;        ///< errors in units of the learning rate
  std::size_t left_out = 0;  ///< rows whose change was not compared
};

double norm_of(std::span<const float> values) {
  double sum = 0;
  for (const float value : values) sum += static_cast<double>(value) * static_cast<double>(value);
  return std::sqrt(sum);
}

/// Compares the gradients and the updates of a step with `rows`. `before` has the parameters before the step.
///
/// Some gradients are mathematically zero, for example those of the biases of the keys. AdamW turns their
/// rounding noise into an update of a whole learning rate. So the updates of elements with a small gradient
/// are counted, not compared. Gradients are divided by their norm, so it does not matter whether they are
/// clipped.
FirstStep compare(StepRun& step, std::vector<float> const& before, std::vector<Row> const& rows, double lr) {
  constexpr double smallest = 1e-6;
  FirstStep found;
  const auto largest = largest_gradients(rows);
  found.tensors = largest.size();
  const double norm = norm_of(step.gradients());
  for (auto const& row : rows) {
    const std::size_t place = step.slice_of(row.tensor).offset + row.element;
    const double size = largest.at(row.tensor);
    const double gradient = static_cast<double>(step.gradients()[place]) / norm;
    found.gradients.add(row, std::abs(gradient - row.gradient) / size);
    const double change =
        (static_cast<double>(step.parameters()[place]) - static_cast<double>(before[place])) / lr;
    if (std::abs(row.gradient) > smallest * size)
      found.changes.add(row, std::abs(change - row.change));
    else
      ++found.left_out;
  }
  return found;
}

FirstStep first_step(std::string const& name, model::Shape const& shape) {
  const StepCase training = golden_case(shape, model::Checkpoint::none);
  StepRun step(training);
  assign_formula_weights(step, shape);
  const std::vector<float> before(step.parameters().begin(), step.parameters().end());
  step.run();
  auto found = compare(step, before, golden_rows(name), training.optimizer.learning_rate);
  EXPECT_EQ(found.tensors, step.layout().size());
  return found;
}

void expect_golden(FirstStep const& found) {
  EXPECT_LT(found.gradients.worst, 1e-5) << found.gradients.where;
  EXPECT_LT(found.changes.worst, 1e-3) << found.changes.where;
}

// The updates of the 128 biases of the keys and of positions that no token has are left out.
TEST(StepOwnGradients, AgreeWithPyTorchForGpt2) {
  const auto found = first_step("gpt2", model::find_preset("tiny"));
  expect_golden(found);
  EXPECT_EQ(found.left_out, 207U);
  EXPECT_EQ(found.gradients.compared, 3323U);
}

// The updates of tokens that do not occur are left out.
TEST(StepOwnGradients, AgreeWithPyTorchForLlama) {
  const auto found = first_step("llama", small_llama());
  expect_golden(found);
  EXPECT_EQ(found.left_out, 73U);
  EXPECT_EQ(found.gradients.compared, 2587U);
}

}  // namespace
}  // namespace ddproxy
