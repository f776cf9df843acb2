// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "step_slice.hpp"

#include <ctime>

#include "model/step/strategies/whole_step.hpp"
#include "model/transformer/presets.hpp"

namespace ddproxy::bench {
namespace {

using model::Phase;

constexpr std::uint32_t seed = 1;

model::StepGraph graph_of(model::Shape const& shape, model::Tokens tokens) {
  const auto pass = model::backward_pass(shape);
  return model::whole_step(pass, model::forward_pass(shape), tokens.count(),
                           {.optimizer = model::Optimizer::adamw}, 1)
      .classes.front()
      .graph;
}

StepInput input_of(model::Shape const& shape, model::Tokens tokens) {
  return {shape, tokens, draw_tokens(shape, tokens, 1, seed)};
}

/// Elapsed time and processor time at one moment.
struct Moment {
  Clock::time_point elapsed = Clock::now();
  std::clock_t processor = std::clock();
};

double elapsed(Moment const& from, Moment const& to) {
  return std::chrono::duration<double>(to.elapsed - from.elapsed).count();
}

double processor(Moment const& from, Moment const& to) {
  return static_cast<double>(to.processor - from.processor) / CLOCKS_PER_SEC;
}

}  // namespace

model::Shape slice_of(std::string const& preset, std::int64_t layers, std::int64_t vocabulary) {
  model::Shape shape = model::find_preset(preset);
  shape.layers = layers;
  shape.vocabulary = vocabulary;
  model::check(shape);
  return shape;
}

StepSlice::StepSlice(model::Shape const& shape, model::Tokens tokens)
    : parameters_(model::parameters(model::backward_pass(shape))),
      graph_(graph_of(shape, tokens)),
      places_(place_buffers(graph_)),
      step_(graph_, places_.first) {
  lane_.emplace(input_of(shape, tokens), graph_, places_, kernels::Floats("step", places_.elements));
  lane_->initialise(seed);
}

StepSeconds StepSlice::run() {
  lane_->begin();
  const Moment start;
  run_phase(Phase::forward);
  const Moment forward;
  run_phase(Phase::backward);
  const Moment backward;
  run_phase(Phase::update);
  const Moment update;
  return {{elapsed(start, forward), elapsed(forward, backward), elapsed(backward, update)},
          {processor(start, forward), processor(forward, backward), processor(backward, update)}};
}

void StepSlice::run_phase(Phase phase) {
  for (auto const& call : step_.phases())
    if (call.compute.phase == phase) lane_->carry_out(call);
  lane_->fence();
}

}  // namespace ddproxy::bench
