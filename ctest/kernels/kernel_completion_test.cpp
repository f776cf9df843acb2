// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "device.hpp"
#include "miniapp/compute/kernel_backward.hpp"

// For each gradient the model declares the operation that completes it. The all-reduce of a bucket starts
// when the declared operation of its last gradient has ended. Verification uses integers instead of the
// kernels, so it does not check this declaration. These tests check that the kernels have completed each
// gradient by then.
namespace ddproxy {
namespace {

struct Case {
  std::string name;
  model::Shape shape;
  model::Tokens tokens;
};

/// Returns models with tied and untied heads, odd dimensions, one token, and one layer.
std::vector<Case> small_cases() {
  model::Shape untied = model::find_preset("tiny");
  untied.tied = false;
  return {{"untied", untied, {2, 24}},
          {"one_token", model::find_preset("tiny"), {1, 1}},
          {"odd", {3, 60, 3, 100, 301, 70}, {3, 67}},
          {"one_layer", {1, 40, 5, 90, 97, 140}, {1, 139}}};
}

/// Returns small_cases() and every preset, reduced to few layers and a small vocabulary.
std::vector<Case> all_cases() {
  std::vector<Case> cases = small_cases();
  for (auto const& preset : model::presets) {
    model::Shape shape = preset.shape;
    shape.layers = shape.d_model > 1000 ? 1 : 2;
    shape.vocabulary = std::min<std::int64_t>(shape.vocabulary, 509);
    shape.context = 32;
    std::string name(preset.name);
    std::ranges::replace(name, '-', '_');
    cases.push_back({name, shape, {1, 17}});
  }
  return cases;
}

void PrintTo(Case const& test, std::ostream* out) {
  *out << test.name;
}

/// Copies of each gradient: `early` after an operation of the pass, `late` at the end of the pass.
struct Snapshots {
  std::vector<std::vector<float>> early, late;
};

std::vector<float> copy_of(kernels::Floats const& arena, std::size_t offset, std::size_t count) {
  std::vector<float> copy(count);
  Kokkos::deep_copy(Kokkos::View<float*, Kokkos::HostSpace>(copy.data(), count),
                    Kokkos::subview(arena, std::pair(offset, offset + count)));
  return copy;
}

/// Runs one pass into an arena of NaN. If `early` is 0, takes the early snapshot of a gradient after the
/// operation that is declared to complete it. If `early` is k, takes the snapshot k operations earlier, but
/// not before the first operation has ended.
Snapshots take_snapshots(Case const& test, std::size_t early) {
  const auto pass = model::backward_pass(test.shape);
  const auto arena = kernels::poisoned(static_cast<std::size_t>(model::parameters(pass)));
  KernelBackward backward(test.shape, pass, test.tokens, 42, 0, arena);
  Snapshots snapshots{std::vector<std::vector<float>>(pass.gradients.size()),
                      std::vector<std::vector<float>>(pass.gradients.size())};
  const auto copy_completed = [&](std::vector<std::vector<float>>& to, auto is_due) {
    std::size_t offset = 0;
    for (std::size_t i = 0; i < pass.gradients.size(); ++i) {
      auto const& gradient = pass.gradients[i];
      const auto count = static_cast<std::size_t>(gradient.numel);
      if (is_due(gradient.operation)) to[i] = copy_of(arena, offset, count);
      offset += count;
    }
  };
  for (std::size_t i = 0; i < backward.operations(); ++i) {
    backward.run(i);
    backward.fence();
    copy_completed(snapshots.early,
                   [&](std::size_t operation) { return std::max(operation, early) - early == i; });
  }
  copy_completed(snapshots.late, [](std::size_t) { return true; });
  return snapshots;
}

bool is_complete(std::vector<float> const& early, std::vector<float> const& late) {
  return early.size() == late.size() &&
         std::ranges::all_of(early, [](float value) { return std::isfinite(value); }) &&
         std::memcmp(early.data(), late.data(), early.size() * sizeof(float)) == 0;
}

class GradientCompletion : public testing::TestWithParam<Case> {};

TEST_P(GradientCompletion, EachGradientIsCompleteAfterItsDeclaredOperation) {
  const auto pass = model::backward_pass(GetParam().shape);
  const auto [early, late] = take_snapshots(GetParam(), 0);
  for (std::size_t i = 0; i < early.size(); ++i)
    EXPECT_TRUE(is_complete(early[i], late[i])) << pass.gradients[i].name << " changes after the operation "
                                                << pass.operations[pass.gradients[i].operation].name;
}

class EarlierCompletion : public GradientCompletion {};

// Shows that the test above can fail: it finds a declaration that names the operation before the right one.
TEST_P(EarlierCompletion, NoGradientIsCompleteOneOperationEarlier) {
  const auto pass = model::backward_pass(GetParam().shape);
  const auto [early, late] = take_snapshots(GetParam(), 1);
  for (std::size_t i = 0; i < early.size(); ++i)
    EXPECT_FALSE(is_complete(early[i], late[i])) << pass.gradients[i].name;
}

INSTANTIATE_TEST_SUITE_P(Kernels, GradientCompletion, testing::ValuesIn(all_cases()),
                         [](auto const& test) { return test.param.name; });
INSTANTIATE_TEST_SUITE_P(Kernels, EarlierCompletion, testing::ValuesIn(small_cases()),
                         [](auto const& test) { return test.param.name; });

}  // namespace
}  // namespace ddproxy
