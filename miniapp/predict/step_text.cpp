// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/predict/step_text.hpp"

#include <fmt/format.h>

#include <iterator>

#include "miniapp/input/step_strategy.hpp"
#include "miniapp/input/units.hpp"
#include "miniapp/input/words.hpp"
#include "model/cost/topology.hpp"
#include "model/step/describe.hpp"

namespace ddproxy {
namespace {

using Json = nlohmann::ordered_json;
using Out = std::back_insert_iterator<std::string>;

// Says in which micro-batches the gradients are averaged. If the stage divides the gradients among the ranks,
// they are averaged in each micro-batch, whatever `sync` says.
char const* average_text(model::Strategy const& how) {
  const bool each = how.sync == model::Sync::each || how.sharding.way().divided.gradients;
  return each ? "each micro-batch" : "the last micro-batch";
}

std::string heading(StepPrediction const& step) {
  auto const& how = step.strategy;
  const bool sharded = how.sharding.way().divided.any();
  return fmt::format(
      "{}whole step on {}: {} micro-batch{}; gradients are averaged in {} and {}; optimizer {}; activations "
      "are {}{}; global batch {} sequences, {} tokens\n",
      step.memory.hypothetical() ? "hypothetical " : "", model::ranks_text(step.ranks), how.micro_batches,
      how.micro_batches == 1 ? "" : "es", average_text(how), how.clipped ? "clipped" : "not clipped",
      word_of(how.optimizer, optimizer_words),
      how.checkpoint == model::Checkpoint::layer ? "computed again in the backward pass" : "kept",
      sharded ? "; " + sharding_sentence(how.sharding) : "", step.sequences, step.tokens);
}

// Says why E of the whole step differs from E of the backward pass, which is printed above it.
std::string exposed_text(model::Strategy const& how) {
  if (how.sharding.way().divided.any())
    return "E: exposed communication of the whole step. It differs from E above, because a sharded step has "
           "other collectives\n";
  if (!how.clipped && how.optimizer == model::Optimizer::none) return "";
  return fmt::format(
      "E: exposed communication of the whole step. It can be smaller than E above: the {} of reduced buckets "
      "is computed while later buckets are reduced, and hides more communication\n",
      how.clipped ? "norm" : "update");
}

std::string memory_text(StepMemory const& memory) {
  std::string text =
      fmt::format("peak memory: {:.2f} GB on each rank", static_cast<double>(memory.peak) / giga);
  if (memory.device > 0) fmt::format_to(Out(text), "; a device has {:.2f} GB", memory.device / giga);
  const auto note = hypothetical_note(memory);
  return text + '\n' + (note.empty() ? "" : note + '\n');
}

Json lanes_json(PredictedStep const& c) {
  Json json = Json::object();
  for (auto const& [lane, seconds] : c.lane_busy) json[name_of(lane)] = seconds;
  return json;
}

Json case_json(StepPrediction const& step, PredictedStep const& c) {
  auto const& p = c.time.phases;
  return {{"strategy", c.item.strategy.name},
          {"bucket_mib", c.item.has_cap() ? Json(c.item.cap_mib) : Json(nullptr)},
          {"buckets", c.item.plan.size()},
          {"forward_s", p.forward},
          {"recompute_s", p.recompute},
          {"backward_s", p.backward},
          {"exposed_s", c.time.exposed()},
          {"clip_s", p.clip},
          {"update_s", p.update},
          {"step_s", p.step},
          {"bubble_s", c.bubble},
          {"lane_busy_s", lanes_json(c)},
          {"tokens_per_s", step.tokens_per_s(c)}};
}

}  // namespace

std::string describe(StepPrediction const& step) {
  std::string text = heading(step);
  fmt::format_to(Out(text), "{:<16} {:>11} {:>12} {:>11} {:>11} {:>9} {:>10} {:>11} {:>11}\n", "case",
                 "forward ms", "recompute ms", "backward ms", "E ms", "clip ms", "update ms", "step ms",
                 "tokens/s");
  for (auto const& c : step.cases) {
    auto const& p = c.time.phases;
    fmt::format_to(
        Out(text), "{:<16} {:>11.3f} {:>12.3f} {:>11.3f} {:>11.3f} {:>9.3f} {:>10.3f} {:>11.3f} {:>11.6g}\n",
        c.name, p.forward * milli, p.recompute * milli, p.backward * milli, c.time.exposed() * milli,
        p.clip * milli, p.update * milli, p.step * milli, step.tokens_per_s(c));
  }
  return text + exposed_text(step.strategy) + memory_text(step.memory);
}

nlohmann::ordered_json step_json(StepPrediction const& step) {
  auto const& how = step.strategy;
  Json json{{"accumulation", how.micro_batches},
            {"sync", word_of(how.sync, sync_words)},
            {"optimizer", word_of(how.optimizer, optimizer_words)},
            {"clipped", how.clipped},
            {"checkpoint", word_of(how.checkpoint, checkpoint_words)},
            {"sharding", sharding_text(how.sharding)},
            {"global_batch", step.sequences},
            {"tokens", step.tokens},
            {"peak_memory_bytes", step.memory.peak},
            {"device_memory_bytes", step.memory.device > 0 ? Json(step.memory.device) : Json(nullptr)},
            {"hypothetical", step.memory.hypothetical()},
            {"cases", Json::array()}};
  for (auto const& c : step.cases) json["cases"].push_back(case_json(step, c));
  return json;
}

}  // namespace ddproxy
