// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/toml/training_sections.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

#include "miniapp/input/words.hpp"

namespace ddproxy {
namespace {

// Upper limits of the input. The comment of most_ranks (training_sections.hpp) says how they are chosen.
constexpr std::int64_t most_layers = 1000, widest = 1000000, most_tokens = 100000000;

model::Shape read_dimensions(Section& section, model::Shape shape) {
  shape.layers = section.integer("layers", shape.layers, 1, most_layers);
  shape.d_model = section.integer("d_model", shape.d_model, 1, widest);
  shape.heads = section.integer("heads", shape.heads, 1, widest);
  shape.kv_heads = section.integer("kv_heads", shape.kv_heads, 0, widest);
  shape.d_ff = section.integer("d_ff", shape.d_ff ? shape.d_ff : 4 * shape.d_model, 1, widest);
  shape.vocabulary = section.integer("vocabulary", shape.vocabulary, 1, most_tokens);
  shape.context = section.integer("context", shape.context, 1, most_tokens);
  return shape;
}

model::Shape read_variant(Section& section, model::Shape shape) {
  shape.tied = section.flag("tied", shape.tied);
  shape.biases = section.flag("biases", shape.biases);
  shape.activation = section.choice("activation", shape.activation, activation_words);
  shape.norm = section.choice("norm", shape.norm, norm_words);
  shape.positions = section.choice("positions", shape.positions, positions_words);
  shape.rope_theta = section.positive("rope_theta", shape.rope_theta);
  if (section.has("rope_theta") && shape.positions != model::Positions::rope)
    section.fail("rope_theta",
                 "is for positions = \"rope\" only; remove this key, or set positions = \"rope\"");
  shape.qkv = section.choice("qkv", shape.qkv, qkv_words);
  return shape;
}

// Returns the end of a message about wrong dimensions: it names those that the input does not give. Returns
// an empty text if the input gives all. kv_heads and d_ff follow from the others.
std::string missing_dimensions(Section const& section, std::string const& preset) {
  std::vector<std::string_view> missing;
  for (std::string_view name : {"layers", "d_model", "heads", "vocabulary", "context"})
    if (!section.has(name)) missing.push_back(name);
  if (missing.empty()) return "";
  if (preset == "free")
    return fmt::format("; these dimensions are not given, so they are 0: {}", fmt::join(missing, ", "));
  return fmt::format("; these dimensions are not given, so they are those of the preset: {}",
                     fmt::join(missing, ", "));
}

void read_model(Config& config, Section section) {
  config.model = section.text("preset", "free");
  model::Shape start;
  if (config.model != "free") try {
      start = model::find_preset(config.model);
    } catch (std::invalid_argument const& error) {
      section.fail("preset", error.what());
    }
  config.shape = read_variant(section, read_dimensions(section, start));
  if (config.model != "free" && config.shape != start) config.model += " (changed)";
  section.finish();
  try {
    model::check(config.shape);
  } catch (std::invalid_argument const& error) {
    section.fail("", error.what() + missing_dimensions(section, config.model));
  }
}

void read_micro_batches(Config& config, Section& section) {
  StepConfig& step = config.step;
  for (auto const* key : {"accumulation", "sync", "checkpoint"}) step.given |= section.has(key);
  step.accumulation = static_cast<int>(section.integer("accumulation", 1, 1, most_tokens));
  step.sync = section.choice("sync", step.sync, sync_words);
  step.checkpoint = section.choice("checkpoint", step.checkpoint, checkpoint_words);
  if (config.tokens.batch % step.accumulation != 0)
    section.fail("accumulation",
                 fmt::format("{} does not divide the batch of {} sequences; a step has `accumulation` "
                             "micro-batches of the same size, so choose a batch that is a multiple of "
                             "`accumulation`",
                             step.accumulation, config.tokens.batch));
  config.tokens.batch /= step.accumulation;
}

void read_step(Config& config, Section section) {
  config.tokens.batch = section.integer("batch", 1, 1, most_tokens);
  config.tokens.sequence = section.integer("sequence", config.shape.context, 1, most_tokens);
  if (config.tokens.sequence > config.shape.context)
    section.fail("sequence",
                 fmt::format("{0} tokens are longer than the model's context of {1}; use at most {1}",
                             config.tokens.sequence, config.shape.context));
  if (config.tokens.count() > most_tokens)
    section.fail("batch", fmt::format("batch x sequence is {} tokens; it must be at most {}",
                                      config.tokens.count(), most_tokens));
  read_micro_batches(config, section);
  section.finish();
}

using KeyUse = bool model::ShardKeys::*;

// The keys of [shard] that not every stage uses.
constexpr std::pair<std::string_view, KeyUse> shard_keys[] = {
    {"unit", &model::ShardKeys::unit},
    {"reshard_after_forward", &model::ShardKeys::reshard_after_forward},
    {"prefetch", &model::ShardKeys::prefetch},
    {"group", &model::ShardKeys::group},
    {"reduce", &model::ShardKeys::reduce},
    {"update", &model::ShardKeys::update},
    {"lanes", &model::ShardKeys::lanes}};

// Returns a text that lists the stages that use a key, for instance: "zero1", "zero2" and "fsdp".
std::string stages_with(KeyUse use) {
  std::string list, last;
  for (model::ShardWay const& way : model::shard_ways()) {
    if (!(way.keys.*use)) continue;
    if (!last.empty()) list += (list.empty() ? "" : ", ") + last;
    last = fmt::format("\"{}\"", way.name);
  }
  return list.empty() ? last : list + " and " + last;
}

// Rejects the keys that the stage of the sharding does not use.
void check_keys_of_stage(Section const& section, model::ShardKeys const& used) {
  for (auto const& [key, use] : shard_keys)
    if (section.has(key) && !(used.*use))
      section.fail(
          key, fmt::format("is for stage = {} only; remove this key, or change the stage", stages_with(use)));
}

void read_shard(Config& config, Section section) {
  model::Sharding& s = config.sharding;
  s = model::default_sharding(section.choice("stage", s.stage, shard_stage_words()));
  s.unit = section.choice("unit", s.unit, shard_unit_words);
  s.reshard_after_forward = section.flag("reshard_after_forward", s.reshard_after_forward);
  s.prefetch = static_cast<int>(section.integer("prefetch", s.prefetch, 0, most_layers));
  s.group = static_cast<std::size_t>(section.integer("group", 0, 1, most_ranks));
  s.reduce = section.choice("reduce", s.reduce, shard_reduce_words);
  s.update = section.choice("update", s.update, shard_update_words);
  s.lanes = static_cast<int>(section.integer("lanes", s.lanes, 1, 2));
  section.finish();
  check_keys_of_stage(section, s.way().keys);
  config.step.given |= is_sharded(config);
}

double read_beta(Section& section, std::string_view key, double fallback) {
  const double beta = section.number(key, fallback);
  if (beta < 0 || beta >= 1)
    section.fail(key, fmt::format("{} is out of range; it must be at least 0 and below 1", beta));
  return beta;
}

void read_adamw(StepConfig& step, Section& section) {
  step.lr = section.positive("lr", step.lr);
  step.beta1 = read_beta(section, "beta1", step.beta1);
  step.beta2 = read_beta(section, "beta2", step.beta2);
  step.eps = section.positive("eps", step.eps);
  step.weight_decay = section.number("weight_decay", step.weight_decay);
  if (step.weight_decay < 0)
    section.fail("weight_decay", fmt::format("{} is too small; it must not be negative", step.weight_decay));
}

void read_optimizer(Config& config, Section section) {
  StepConfig& step = config.step;
  for (auto const* key : {"kind", "lr", "beta1", "beta2", "eps", "weight_decay", "clip"})
    step.given |= section.has(key);
  step.optimizer = section.choice("kind", step.optimizer, optimizer_words);
  if (step.optimizer == model::Optimizer::adamw) read_adamw(step, section);
  if (section.has("clip")) step.clip = section.positive("clip", 0);
  section.finish();
}

}  // namespace

void read_training(Config& config, toml::table const& root) {
  auto const& file = config.file;
  read_model(config, Section(root, "model", file));
  read_step(config, Section(root, "step", file));
  read_shard(config, Section(root, "shard", file));
  read_optimizer(config, Section(root, "optimizer", file));
}

}  // namespace ddproxy
