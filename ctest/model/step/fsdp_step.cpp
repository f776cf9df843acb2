// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "layers.hpp"

namespace ddproxy::model {
namespace {

// Three lanes, each with its own communicator: units are gathered on the first lane, gradients are
// reduce-scattered on the second, and shards of gradients are all-reduced over the replicas on the third.
constexpr CommunicatorId gathers{1}, reduces{2}, replicas{3};

std::vector<Communicator> communicators(std::size_t shards, std::size_t copies) {
  std::vector<std::vector<std::size_t>> spread(copies), equal(shards);
  for (std::size_t rank = 0; rank < shards * copies; ++rank) {
    spread[rank / shards].push_back(rank);
    equal[rank % shards].push_back(rank);
  }
  return {all_of(shards * copies), {spread}, {spread}, {equal}};
}

/// One use of a unit by a compute task.
struct Use {
  Phase phase;
  std::size_t layer;
  int micro_batch;
  BufferId unit;
  bool gathered;  ///< true: a gather is issued for this use; false: an earlier gather serves it
  bool last;      ///< true: no later use is served by the same gather
};

class FsdpStep {
 public:
  FsdpStep(Layers const& model, FsdpOptions const& options) : model_(model), options_(options) {
    std::size_t largest = 0;
    for (std::size_t l = 0; l < model.sizes.size(); ++l) {
      add_shards(l);
      largest = std::max(largest, unit_elements(l));
    }
    for (std::size_t s = 0; s < options.slots; ++s) {
      units_.push_back(builder_.buffer({.kind = BufferKind::gathered_unit, .elements = largest}));
      gradients_.push_back(builder_.buffer({.kind = BufferKind::gradient, .elements = largest}));
    }
    for (std::size_t l = 0; l < model.sizes.size() && !options.reshard; ++l) {
      kept_.push_back(builder_.buffer({.kind = BufferKind::gathered_unit, .elements = largest}));
    }
    if (options.clipped) norm_ = builder_.buffer({.kind = BufferKind::scalar, .elements = 1});
  }

  RankGraphs build() {
    const auto uses = order_of_uses();
    LayerTasks layers(builder_, model_, options_.micro_batches, options_.checkpoint);
    const std::size_t ahead = options_.slots - 1;
    for (std::size_t i = 0; i < uses.size(); ++i) {
      // With `regather`, a kept unit can be gathered again only after the backward pass that reads it. So no
      // gather is issued before the micro-batch that uses the unit starts.
      const auto same = [&](std::size_t j) {
        return !options_.regather || uses[j].micro_batch == uses[i].micro_batch;
      };
      const bool starts = i == 0 || !same(i - 1);
      for (std::size_t j = starts ? i : i + ahead; j <= i + ahead && j < uses.size(); ++j) {
        if (same(j)) gather(uses[j]);
      }
      if (uses[i].phase == Phase::forward) {
        layers.forward(uses[i].layer, uses[i].micro_batch, {weights(uses[i])});
      } else {
        backward(layers, uses[i], gradients_[i % options_.slots]);
      }
    }
    if (norm_) clip();
    for (std::size_t l = 0; l < model_.sizes.size(); ++l) update(l);
    Expected expected{world, options_.micro_batches, expected_gradients(model_), options_.clipped, true};
    RankGraphs step{communicators(options_.shards, options_.replicas),
                    {{builder_.finish(std::move(expected)), {}}}};
    step.classes[0].ranks = step.communicators[0].groups[0];
    return step;
  }

 private:
  std::size_t unit_elements(std::size_t l) const { return padded(model_.sizes[l], options_.shards); }
  Slice model_of(std::size_t l) const { return {model_.offset(l), model_.sizes[l]}; }

  void add_shards(std::size_t l) {
    const std::size_t held = unit_elements(l) / options_.shards;
    const auto state = [&](Content content) { return BufferState{content, model_of(l), gathers}; };
    const BufferState parameter = state(Content::parameter), optimizer = state(Content::optimizer_state);
    shards_.push_back(builder_.buffer(
        {.kind = BufferKind::parameter, .elements = held, .at_entry = parameter, .at_exit = parameter}));
    optimizer_.push_back(builder_.buffer({.kind = BufferKind::optimizer_state,
                                          .elements = held,
                                          .at_entry = optimizer,
                                          .at_exit = optimizer}));
    gradient_shards_.push_back(builder_.buffer({.kind = BufferKind::gradient, .elements = held}));
  }

  std::vector<Use> order_of_uses() const {
    std::vector<Use> uses;
    for (int m = 0; m < options_.micro_batches; ++m) {
      for (std::size_t l = 0; l < model_.sizes.size(); ++l)
        uses.push_back({Phase::forward, l, m, {}, true, true});
      for (std::size_t l = model_.sizes.size(); l-- > 0;)
        uses.push_back({Phase::backward, l, m, {}, true, true});
    }
    std::size_t turn = 0;
    for (std::size_t i = 0; i < uses.size(); ++i) {
      Use& use = uses[i];
      if (!options_.reshard) {
        use.unit = kept_[use.layer];
        use.gathered = use.phase == Phase::forward && (use.micro_batch == 0 || options_.regather);
        use.last = use.phase == Phase::backward &&
                   (use.micro_batch + 1 == options_.micro_batches || options_.regather);
      } else if (i > 0 &&
                 uses[i - 1].layer == use.layer) {  // stays gathered for the next pass of the same layer
        use.unit = uses[i - 1].unit;
        use.gathered = uses[i - 1].last = false;
      } else {
        use.unit = units_[turn++ % options_.slots];
      }
    }
    return uses;
  }

  Access shard(std::size_t l, BufferId buffer, AccessMode mode, Content content) const {
    return {.buffer = buffer,
            .slice = {0, unit_elements(l) / options_.shards},
            .mode = mode,
            .content = content,
            .model = model_.offset(l),
            .shard = gathers};
  }
  Access unit(std::size_t l, BufferId buffer, AccessMode mode, Content content) const {
    return {.buffer = buffer,
            .slice = {0, unit_elements(l)},
            .mode = mode,
            .content = content,
            .padding = unit_elements(l) - model_.sizes[l]};
  }

  void gather(Use const& use) {
    if (!use.gathered) return;
    builder_.task(collective(Verb::all_gather, gathers,
                             {shard(use.layer, shards_[use.layer], AccessMode::read, Content::parameter),
                              unit(use.layer, use.unit, AccessMode::assign, Content::parameter)}));
  }

  Access weights(Use const& use) const {
    return {.buffer = use.unit,
            .slice = {0, model_.sizes[use.layer]},
            .mode = AccessMode::read,
            .content = Content::parameter,
            .model = model_.offset(use.layer),
            .last_use = use.last};
  }

  void backward(LayerTasks& layers, Use const& use, BufferId gradient) {
    layers.backward(use.layer, use.micro_batch,
                    {weights(use),
                     {.buffer = gradient,
                      .slice = {0, model_.sizes[use.layer]},
                      .mode = AccessMode::assign,
                      .content = Content::gradient,
                      .model = model_.offset(use.layer)}});
    const auto mode = use.micro_batch == 0 ? AccessMode::assign : AccessMode::contribute;
    Access full = unit(use.layer, gradient, AccessMode::read, Content::gradient);
    full.last_use = true;
    builder_.task(collective(Verb::reduce_scatter, reduces,
                             {full, shard(use.layer, gradient_shards_[use.layer], mode, Content::gradient)}));
    if (options_.replicas == 1 || use.micro_batch + 1 < options_.micro_batches) return;
    builder_.task(
        collective(Verb::all_reduce, replicas,
                   {shard(use.layer, gradient_shards_[use.layer], AccessMode::modify, Content::gradient)}));
  }

  void clip() {
    Access scalar{.buffer = *norm_, .slice = {0, 1}, .mode = AccessMode::assign, .content = Content::norm};
    std::vector<Access> all{scalar};
    for (std::size_t l = 0; l < model_.sizes.size(); ++l)
      all.push_back(shard(l, gradient_shards_[l], AccessMode::read, Content::gradient));
    builder_.task({.work = Compute{{}, Phase::norm}, .accesses = all});
    scalar.mode = AccessMode::modify;
    builder_.task(collective(Verb::all_reduce, reduces, {scalar}, Reduction::sum));
    scalar.mode = AccessMode::read;
    for (std::size_t l = 0; l < model_.sizes.size(); ++l) {
      builder_.task(
          {.work = Compute{{}, Phase::clip},
           .accesses = {scalar, shard(l, gradient_shards_[l], AccessMode::modify, Content::gradient)}});
    }
  }

  void update(std::size_t l) {
    builder_.task({.work = Compute{{}, Phase::update},
                   .accesses = {shard(l, gradient_shards_[l], AccessMode::read, Content::gradient),
                                shard(l, shards_[l], AccessMode::modify, Content::parameter),
                                shard(l, optimizer_[l], AccessMode::modify, Content::optimizer_state)}});
  }

  Layers const& model_;
  FsdpOptions const& options_;
  GraphBuilder builder_;
  std::vector<BufferId> shards_, optimizer_, gradient_shards_;  // [layer]
  std::vector<BufferId> units_, gradients_;                     // [slot]
  std::vector<BufferId> kept_;                                  // [layer] used without resharding
  std::optional<BufferId> norm_;
};

}  // namespace

RankGraphs fsdp_step(Layers const& model, FsdpOptions const& options) {
  return FsdpStep(model, options).build();
}

}  // namespace ddproxy::model
