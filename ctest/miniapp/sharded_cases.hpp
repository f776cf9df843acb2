// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ctest/miniapp/step_run.hpp"

// The models and the ways of sharding that the tests of sharded steps run.
namespace ddproxy {

inline int ranks() {
  return test_runtime->ranks();
}

/// Returns a small GPT-2 and a small Llama. With three ranks most of their messages have padding.
inline std::vector<model::Shape> shapes() {
  return {model::find_preset("tiny"), small_llama()};
}

/// Returns a GPT-2 and a Llama. In both, the number of elements of each tensor is a multiple of 12. So every
/// bucket and every unit is divided among 2, 3 or 4 ranks without padding.
inline std::vector<model::Shape> shapes_without_padding() {
  const model::Shape gpt2{
      .layers = 2, .d_model = 24, .heads = 4, .d_ff = 36, .vocabulary = 53, .context = 17};
  model::Shape llama = small_llama();
  llama.d_model = 24;
  llama.d_ff = 36;
  return {gpt2, llama};
}

inline StepCase case_of(model::Shape const& shape, model::Sharding const& sharding,
                        model::Strategy strategy = {}) {
  strategy.ddp.plan = plan_of(shape);
  strategy.sharding = sharding;
  return {.shape = shape, .tokens = {2, 13}, .strategy = strategy};
}

/// Adds an update by AdamW to a step, and clipping if `clip` is given.
inline StepCase updated(StepCase c, std::optional<double> clip = std::nullopt) {
  c.strategy.optimizer = model::Optimizer::adamw;
  c.strategy.clipped = clip.has_value();
  c.clip = clip;
  return c;
}

struct NamedSharding {
  std::string name;
  model::Sharding sharding;
};

/// Returns every kind of sharding. HSDP needs four ranks and is left out with fewer.
inline std::vector<NamedSharding> shardings() {
  using model::Sharding;
  using model::ShardStage;
  using model::Verb;
  const Sharding zero1{.stage = ShardStage::zero1}, zero2{.stage = ShardStage::zero2},
      fsdp{.stage = ShardStage::fsdp};
  std::vector<NamedSharding> all{{"zero1", zero1}, {"zero2", zero2}, {"fsdp", fsdp}};
  const auto add = [&](std::string name, Sharding sharding, auto change) {
    change(sharding);
    all.push_back({std::move(name), sharding});
  };
  add("zero1 all_reduce", zero1, [](Sharding& s) { s.reduce = Verb::all_reduce; });
  add("zero1 broadcast", zero1, [](Sharding& s) { s.update = Verb::broadcast; });
  add("zero1 two lanes", zero1, [](Sharding& s) { s.lanes = 2; });
  add("fsdp two lanes", fsdp, [](Sharding& s) { s.lanes = 2; });
  add("fsdp no prefetch", fsdp, [](Sharding& s) { s.prefetch = 0; });
  add("fsdp prefetch 2", fsdp, [](Sharding& s) { s.prefetch = 2; });
  add("fsdp keeps units", fsdp, [](Sharding& s) { s.reshard_after_forward = false; });
  add("fsdp whole", fsdp, [](Sharding& s) { s.unit = model::ShardUnit::whole; });
  if (ranks() == 4) add("hsdp", fsdp, [](Sharding& s) { s.group = 2; });
  return all;
}

}  // namespace ddproxy
