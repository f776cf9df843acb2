// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <numeric>

#include "layers.hpp"

namespace ddproxy::model {

std::size_t Layers::offset(std::size_t layer) const {
  return std::accumulate(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(layer), std::size_t{0});
}

namespace {

/// The gradients of the layers `first` to `last` in one buffer, in the order of the layers.
struct LayerBucket {
  std::size_t first, last;
  Slice model;
  std::size_t padded;  ///< elements; with sharding a multiple of the number of ranks
  BufferId gradients;
  BufferId optimizer;
};

class DdpStep {
 public:
  DdpStep(Layers const& model, DdpOptions const& options) : model_(model), options_(options) {
    for (std::size_t end = model.sizes.size(); end > 0;) {
      const std::size_t first = end > options.bucket ? end - options.bucket : 0;
      add_bucket(first, end - 1);
      end = first;
    }
    // Parameters are stored bucket by bucket. With sharding each bucket is padded, so that its shards are
    // equal.
    for (LayerBucket const& bucket : buckets_) {
      const BufferState held{Content::parameter, bucket.model};
      parameters_.push_back(builder_.buffer(
          {.kind = BufferKind::parameter, .elements = bucket.padded, .at_entry = held, .at_exit = held}));
    }
    if (options.clipped) norm_ = builder_.buffer({.kind = BufferKind::scalar, .elements = 1});
  }

  RankGraphs build() {
    LayerTasks layers(builder_, model_, options_.micro_batches);
    for (int m = 0; m < options_.micro_batches; ++m) {
      for (std::size_t l = 0; l < model_.sizes.size(); ++l) layers.forward(l, m, weights(l));
      for (std::size_t l = model_.sizes.size(); l-- > 0;) backward(layers, l, m);
    }
    if (norm_) clip();
    for (std::size_t b = 0; b < buckets_.size(); ++b) update(b);
    Expected expected{world, options_.micro_batches, expected_gradients(model_), options_.clipped, true};
    RankGraphs step{{all_of(options_.ranks)}, {{builder_.finish(std::move(expected)), {}}}};
    step.classes[0].ranks = step.communicators[0].groups[0];
    return step;
  }

 private:
  bool sharded() const { return options_.zero != Zero::none; }

  void add_bucket(std::size_t first, std::size_t last) {
    LayerBucket bucket{.first = first,
                       .last = last,
                       .model = {model_.offset(first), model_.offset(last + 1) - model_.offset(first)},
                       .padded = 0,
                       .gradients = {},
                       .optimizer = {}};
    bucket.padded = sharded() ? padded(bucket.model.count, options_.ranks) : bucket.model.count;
    const bool reused = options_.zero == Zero::stage2 && buckets_.size() >= 2;
    bucket.gradients = reused ? buckets_[buckets_.size() - 2].gradients
                              : builder_.buffer({.kind = BufferKind::bucket, .elements = largest_bucket()});
    BufferState state{Content::optimizer_state, bucket.model};
    if (sharded()) state.shard = world;
    const std::size_t held = sharded() ? bucket.padded / options_.ranks : bucket.padded;
    bucket.optimizer = builder_.buffer(
        {.kind = BufferKind::optimizer_state, .elements = held, .at_entry = state, .at_exit = state});
    if (sharded()) shards_.push_back(builder_.buffer({.kind = BufferKind::gradient, .elements = held}));
    buckets_.push_back(bucket);
  }

  std::size_t largest_bucket() const { return padded(model_.elements(), options_.ranks); }

  std::size_t bucket_of(std::size_t layer) const {
    std::size_t b = 0;
    while (layer < buckets_[b].first) ++b;
    return b;
  }

  Access layer_access(std::size_t l, BufferId buffer, AccessMode mode, Content content) const {
    LayerBucket const& bucket = buckets_[bucket_of(l)];
    return {.buffer = buffer,
            .slice = {model_.offset(l) - bucket.model.offset, model_.sizes[l]},
            .mode = mode,
            .content = content,
            .model = model_.offset(l)};
  }

  std::vector<Access> weights(std::size_t l) const {
    std::vector<Access> accesses{
        layer_access(l, parameters_[bucket_of(l)], AccessMode::read, Content::parameter)};
    if (model_.tied && l + 1 == model_.sizes.size() && l > 0) {
      accesses.push_back(layer_access(0, parameters_[bucket_of(0)], AccessMode::read, Content::parameter));
    }
    return accesses;
  }

  void backward(LayerTasks& layers, std::size_t l, int m) {
    const bool fresh = m == 0 || options_.zero == Zero::stage2;
    const bool head = model_.tied && l + 1 == model_.sizes.size() && l > 0;
    const auto mode = [&](bool first) {
      return fresh && first ? AccessMode::assign : AccessMode::contribute;
    };
    auto accesses = weights(l);
    const bool second = model_.tied && l == 0 && model_.sizes.size() > 1;
    accesses.push_back(layer_access(l, buckets_[bucket_of(l)].gradients, mode(!second), Content::gradient));
    if (head)
      accesses.push_back(layer_access(0, buckets_[bucket_of(0)].gradients, mode(true), Content::gradient));
    layers.backward(l, m, accesses);
    const std::size_t b = bucket_of(l);
    if (l == buckets_[b].first && (options_.zero == Zero::stage2 || m + 1 == options_.micro_batches))
      reduce(b, m);
  }

  Access whole(std::size_t b, BufferId buffer, AccessMode mode, Content content) const {
    return {.buffer = buffer,
            .slice = {0, buckets_[b].padded},
            .mode = mode,
            .content = content,
            .model = buckets_[b].model.offset,
            .padding = buckets_[b].padded - buckets_[b].model.count};
  }
  /// Returns an access to the rank's shard of a bucket. `buffer` holds this shard and nothing else.
  Access shard(std::size_t b, BufferId buffer, AccessMode mode, Content content) const {
    return {.buffer = buffer,
            .slice = {0, buckets_[b].padded / options_.ranks},
            .mode = mode,
            .content = content,
            .model = buckets_[b].model.offset,
            .shard = world};
  }

  void reduce(std::size_t b, int m) {
    if (!sharded()) {
      builder_.task(collective(Verb::all_reduce, world,
                               {whole(b, buckets_[b].gradients, AccessMode::modify, Content::gradient)}));
      return;
    }
    const bool adds = options_.zero == Zero::stage2 && m > 0;
    builder_.task(collective(
        Verb::reduce_scatter, world,
        {whole(b, buckets_[b].gradients, AccessMode::read, Content::gradient),
         shard(b, shards_[b], adds ? AccessMode::contribute : AccessMode::assign, Content::gradient)}));
  }

  Access reduced(std::size_t b, AccessMode mode) const {
    return sharded() ? shard(b, shards_[b], mode, Content::gradient)
                     : whole(b, buckets_[b].gradients, mode, Content::gradient);
  }

  void clip() {
    const Access scalar{
        .buffer = *norm_, .slice = {0, 1}, .mode = AccessMode::assign, .content = Content::norm};
    std::vector<Access> all{scalar};
    for (std::size_t b = 0; b < buckets_.size(); ++b) all.push_back(reduced(b, AccessMode::read));
    builder_.task({.work = Compute{{}, Phase::norm}, .accesses = all});
    Access use = scalar;
    use.mode = AccessMode::modify;
    if (sharded()) builder_.task(collective(Verb::all_reduce, world, {use}, Reduction::sum));
    use.mode = AccessMode::read;
    for (std::size_t b = 0; b < buckets_.size(); ++b) {
      builder_.task({.work = Compute{{}, Phase::clip}, .accesses = {use, reduced(b, AccessMode::modify)}});
    }
  }

  void update(std::size_t b) {
    Access parameters = whole(b, parameters_[b], AccessMode::modify, Content::parameter);
    Access optimizer = whole(b, buckets_[b].optimizer, AccessMode::modify, Content::optimizer_state);
    if (sharded()) {
      parameters.part = world;
      optimizer = shard(b, buckets_[b].optimizer, AccessMode::modify, Content::optimizer_state);
    }
    builder_.task({.work = Compute{{}, Phase::update},
                   .accesses = {reduced(b, AccessMode::read), parameters, optimizer}});
    if (!sharded()) return;
    parameters.mode = AccessMode::read;
    builder_.task(collective(Verb::all_gather, world,
                             {parameters, whole(b, parameters_[b], AccessMode::assign, Content::parameter)}));
  }

  Layers const& model_;
  DdpOptions const& options_;
  GraphBuilder builder_;
  std::vector<LayerBucket> buckets_;
  std::vector<BufferId> parameters_;  // [bucket]
  std::vector<BufferId> shards_;      // [bucket] shards of gradients
  std::optional<BufferId> norm_;
};

}  // namespace

RankGraphs ddp_step(Layers const& model, DdpOptions const& options) {
  return DdpStep(model, options).build();
}

}  // namespace ddproxy::model
