// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "model/step/strategies/sharded_builder.hpp"
#include "model/step/strategies/sharded_steps.hpp"

namespace ddproxy::model {
namespace {

/// Parameters that are gathered together, and their buffers. The root unit has two such structs, one for each
/// of its runs (fsdp_step() in sharded_steps.hpp).
struct Unit {
  std::optional<std::size_t> block;  // none: parameters outside the blocks, or the whole model
  ShardedSlice sharded;
  BufferId parameters = {}, shard = {};  // this rank's shards of the parameters and the gradients
  BufferId moments[2] = {};
  std::optional<BufferId> kept = std::nullopt;  // the gathered unit, if it is gathered once in a micro-batch
  // The buffer of its gradients. Nothing if the unit uses the two buffers that all blocks share in turn.
  std::optional<BufferId> gradients = std::nullopt;
  bool is_root() const { return !block; }
};

/// One use of a block: its forward pass, or its recomputation and backward pass.
struct UnitUse {
  std::size_t unit;
  Phase phase;              // forward or backward
  std::size_t first, last;  // indices of its first and last task in tasks_
  bool gathered = true;     // true: the unit is gathered for this use
  BufferId buffer = {};     // the gathered unit
};

std::vector<Unit> units_of(BackwardPass const& pass, ShardUnit unit, std::size_t ranks) {
  std::vector<Unit> units;
  for (Gradient const& tensor : pass.gradients) {
    const auto of_layer = pass.operations[tensor.operation].block;
    const auto block = unit == ShardUnit::layer ? of_layer : std::nullopt;
    if (units.empty() || units.back().block != block)
      units.push_back({.block = block, .sharded = {tensor.slice(), ranks}});
    Slice& model = units.back().sharded.model;
    model.count = tensor.slice().end() - model.offset;
  }
  return units;
}

/// Returns whether a unit is gathered once in a micro-batch.
bool stays_gathered(Unit const& unit, Sharding const& sharding) {
  return unit.is_root() || !sharding.reshard_after_forward;
}

class FsdpStep : ShardedBuilder {
 public:
  FsdpStep(BackwardPass const& pass, Strategy const& strategy, ShardGroups const& groups,
           std::vector<Unit> units, std::optional<std::size_t> place)
      : ShardedBuilder(pass, strategy, groups, place), units_(std::move(units)) {
    for (Unit& unit : units_) add_shards(unit);
    for (Unit& unit : units_) {
      if (stays_gathered(unit, strategy.sharding))
        unit.kept = add(BufferKind::gathered_unit, unit.sharded.padded());
      if (unit.is_root()) unit.gradients = add(BufferKind::bucket, unit.sharded.padded());
    }
    if (has_blocks() && strategy.sharding.reshard_after_forward)
      for (int slot = 0; slot <= ahead(); ++slot)
        slots_.push_back(add(BufferKind::gathered_unit, largest_block()));
    if (has_blocks())
      for (BufferId& slot : gradient_slots_) slot = add(BufferKind::bucket, largest_block());
  }

  StepGraph build(ForwardPass const& forward, std::int64_t tokens) {
    const BufferId any{0};  // place_parameters() replaces it
    tasks_ = micro_batch(builder_, forward, layout_, any, tokens, strategy_.checkpoint);
    find_uses();
    place_parameters();
    for (int m = 0; m < strategy_.micro_batches; ++m) run(m);
    std::vector<Access> gradients;
    for (Unit const& unit : units_)
      gradients.push_back(own(unit.shard, unit.sharded, AccessMode::read, Content::gradient));
    add_norm(gradients, true);
    for (Unit const& unit : units_) finish_unit(unit);
    return finish();
  }

 private:
  // ---- buffers

  BufferId add(BufferKind kind, std::size_t elements) {
    return builder_.buffer({.kind = kind, .elements = elements});
  }

  void add_shards(Unit& unit) {
    unit.parameters = shard_buffer(BufferKind::parameter, Content::parameter, unit.sharded, true);
    unit.shard = shard_buffer(BufferKind::gradient, Content::gradient, unit.sharded, false, !updates());
    for (BufferId& moments : unit.moments)
      if (updates())
        moments = shard_buffer(BufferKind::optimizer_state, Content::optimizer_state, unit.sharded, true);
  }

  bool has_blocks() const { return !std::ranges::all_of(units_, &Unit::is_root); }
  int ahead() const { return strategy_.ddp.overlapped ? strategy_.sharding.prefetch : 0; }
  std::size_t largest_block() const {
    std::size_t largest = 0;
    for (Unit const& unit : units_)
      if (!unit.is_root()) largest = std::max(largest, unit.sharded.padded());
    return largest;
  }

  // ---- uses of the blocks in a micro-batch

  std::size_t unit_of(std::size_t t) const {
    const auto found = std::ranges::find_if(
        units_, [&](Unit const& unit) { return layout_[t].offset < unit.sharded.model.end(); });
    return static_cast<std::size_t>(found - units_.begin());
  }

  /// Returns the index of the unit of the block that a task of the micro-batch belongs to. Returns nothing if
  /// the task belongs to no block, or if blocks are not units.
  std::optional<std::size_t> block_of(Task const& task) const {
    auto const& operation = pass_.operations[index(std::get<Compute>(task.work).op)];
    const auto found = std::ranges::find(units_, operation.block, &Unit::block);
    if (!operation.block || found == units_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - units_.begin());
  }

  void find_uses() {
    for (std::size_t t = 0; t < tasks_.size(); ++t) {
      const auto block = block_of(tasks_[t]);
      if (!block) continue;
      const bool is_forward = std::get<Compute>(tasks_[t].work).phase == Phase::forward;
      const Phase phase = is_forward ? Phase::forward : Phase::backward;
      if (uses_.empty() || uses_.back().unit != *block || uses_.back().phase != phase)
        uses_.push_back({*block, phase, t, t});
      uses_.back().last = t;
    }
    std::size_t turn = 0;
    for (std::size_t u = 0; u < uses_.size(); ++u) place(u, turn);
  }

  /// Chooses the buffer of a use. `turn` counts the gathers into slots.
  void place(std::size_t u, std::size_t& turn) {
    UnitUse& use = uses_[u];
    if (units_[use.unit].kept) {
      use.gathered = use.phase == Phase::forward;
      use.buffer = *units_[use.unit].kept;
    } else if (u > 0 && uses_[u - 1].unit == use.unit) {  // the backward pass begins with the last block
      use.gathered = false;
      use.buffer = uses_[u - 1].buffer;
    } else {
      use.buffer = slots_[turn++ % slots_.size()];
    }
  }

  /// Points the reads of parameters to the gathered units, and marks the last use of each tensor.
  void place_parameters() {
    std::set<std::size_t> read_later;  // tensors
    std::size_t u = uses_.size();
    for (std::size_t t = tasks_.size(); t-- > 0;) {
      if (u > 0 && uses_[u - 1].last >= t && uses_[u - 1].first <= t) {
        place_reads(tasks_[t], &uses_[u - 1], read_later);
        if (uses_[u - 1].first == t) forget(uses_[--u], read_later);
      } else {
        place_reads(tasks_[t], nullptr, read_later);
      }
    }
  }

  /// Removes the tensors of the unit from `read_later` if the unit is gathered for `use`. This gather makes a
  /// new copy of each tensor. So the last read before it is the last use of the old copy.
  void forget(UnitUse const& use, std::set<std::size_t>& read_later) const {
    if (use.gathered)
      std::erase_if(read_later, [&](std::size_t tensor) { return unit_of(tensor) == use.unit; });
  }

  void place_reads(Task& task, UnitUse const* use, std::set<std::size_t>& read_later) const {
    for (Access& access : task.accesses) {
      if (access.content != Content::parameter) continue;
      const std::size_t t = layout_.tensor_of(access.model);
      Unit const& unit = units_[unit_of(t)];
      const BufferId buffer = use != nullptr && !unit.is_root() ? use->buffer : *unit.kept;
      access = tensor(buffer, unit.sharded, t, AccessMode::read, Content::parameter);
      access.last_use = read_later.insert(t).second;
    }
  }

  // ---- micro-batches

  void run(int m) {
    for (auto unit = units_.rbegin(); unit != units_.rend(); ++unit)  // the embeddings first
      if (unit->is_root()) gather(*unit, *unit->kept);
    std::size_t next_use = 0, looked_at = 0, backward = 0;
    for (std::size_t t = 0; t < tasks_.size(); ++t) {
      const bool begins = next_use < uses_.size() && uses_[next_use].first == t;
      if (begins) gather_ahead(next_use, looked_at);
      UnitUse const* use = next_use < uses_.size() && uses_[next_use].first <= t ? &uses_[next_use] : nullptr;
      add_task(tasks_[t], m, use, gradient_slots_[backward % 2]);
      if (use == nullptr || use->last != t) continue;
      if (use->phase == Phase::backward) reduce(units_[use->unit], gradient_slots_[backward++ % 2], m);
      ++next_use;
    }
    for (Unit const& unit : units_)
      if (unit.is_root()) reduce(unit, *unit.gradients, m);
  }

  /// Adds the gathers for `use` and for the next ahead() uses, except those that were added before.
  /// `looked_at` is the number of uses whose gathers were added, or were not needed.
  void gather_ahead(std::size_t use, std::size_t& looked_at) {
    const std::size_t end = std::min(uses_.size(), use + static_cast<std::size_t>(ahead()) + 1);
    for (; looked_at < end; ++looked_at)
      if (uses_[looked_at].gathered) gather(units_[uses_[looked_at].unit], uses_[looked_at].buffer);
  }

  void gather(Unit const& unit, BufferId to) {
    collective(Verb::all_gather, groups_.gathers,
               {shard(unit.parameters, unit.sharded, AccessMode::read, Content::parameter),
                whole(to, unit.sharded, AccessMode::assign, Content::parameter)});
  }

  void add_task(Task task, int m, UnitUse const* use, BufferId gradients) {
    auto& compute = std::get<Compute>(task.work);
    compute.micro_batch = m;
    if (const auto before = std::exchange(wait_, std::nullopt)) task.after.push_back(*before);
    if (compute.phase == Phase::backward)
      for (auto const& [t, second] : computed_gradients(pass_, index(compute.op), head_)) {
        Unit const& unit = units_[unit_of(t)];
        const BufferId buffer = use != nullptr && !unit.gradients ? gradients : *unit.gradients;
        task.accesses.push_back(tensor(buffer, unit.sharded, t,
                                       second ? AccessMode::contribute : AccessMode::assign,
                                       Content::gradient));
      }
    builder_.task(std::move(task));
  }

  void reduce(Unit const& unit, BufferId gradients, int m) {
    const auto mode = m == 0 ? AccessMode::assign : AccessMode::contribute;
    const TaskId reduced = reduce_scatter(unit.sharded, gradients, unit.shard, mode, true);
    if (!strategy_.ddp.overlapped) wait_ = reduced;
    if (m + 1 == strategy_.micro_batches) reduce_replicas(unit.sharded, unit.shard);
  }

  // ---- after the micro-batches

  void finish_unit(Unit const& unit) {
    const Access gradients = own(unit.shard, unit.sharded, AccessMode::read, Content::gradient);
    if (!updates()) {
      if (norm_) add_clip(gradients);
      return;
    }
    std::vector<Access> state;
    for (const BufferId moments : unit.moments)
      state.push_back(own(moments, unit.sharded, AccessMode::modify, Content::optimizer_state));
    add_update(gradients, own(unit.parameters, unit.sharded, AccessMode::modify, Content::parameter), state);
  }

  std::vector<Unit> units_;      // in ready order
  std::vector<BufferId> slots_;  // buffers of gathered blocks
  BufferId gradient_slots_[2] = {};
  std::vector<Task> tasks_;     // of a micro-batch
  std::vector<UnitUse> uses_;   // of a micro-batch
  std::optional<TaskId> wait_;  // the next compute task waits for this reduction
};

}  // namespace

std::vector<GatheredUnit> gathered_units(BackwardPass const& pass, Sharding const& sharding,
                                         std::size_t ranks) {
  std::vector<GatheredUnit> found;
  for (Unit const& unit : units_of(pass, sharding.unit, ranks)) {
    auto same = std::ranges::find(found, unit.block, &GatheredUnit::block);
    if (same == found.end()) {
      found.push_back({unit.block, 0, stays_gathered(unit, sharding)});
      same = found.end() - 1;
    }
    same->elements += unit.sharded.padded();
  }
  return found;
}

RankGraphs fsdp_step(BackwardPass const& pass, ForwardPass const& forward, std::int64_t tokens,
                     Strategy const& strategy, std::size_t ranks, RankClasses classes) {
  const ShardGroups groups = shard_groups(strategy.sharding, ranks);
  const auto units = units_of(pass, strategy.sharding.unit, groups.ranks);
  std::vector<ShardedSlice> slices;
  for (Unit const& unit : units) slices.push_back(unit.sharded);
  return for_each_class(groups, slices, false, classes, [&](std::optional<std::size_t> place) {
    return FsdpStep(pass, strategy, groups, units, place).build(forward, tokens);
  });
}

}  // namespace ddproxy::model
