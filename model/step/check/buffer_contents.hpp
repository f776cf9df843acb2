// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/step/slice_map.hpp"
#include "model/step/step_graph.hpp"
#include "model/step/violation.hpp"

namespace ddproxy::model {

/// Returns the words for a content in messages, for example "a gradient".
std::string name_of(Content content);

/// What each element of a range of elements contains. This is the symbolic value that check() (check.hpp)
/// follows from task to task, not a number.
struct Value {
  Content content = Content::nothing;
  bool padding = false;  ///< the elements belong to no tensor, so their value does not matter
  /// For activations: the number of the tensor (Access::model). For parameters, gradients and optimizer
  /// states: the index of an element in the model minus its position in the buffer, or in the slice that was
  /// read (Segment). The difference is the same for all elements of the range.
  std::ptrdiff_t model = 0;
  int version = 0;       ///< number of updates of a parameter or optimizer state; 1 for a clipped gradient
  int micro_batch = -1;  ///< micro-batch of an activation; -1: any
  /// For a gradient: the id of its contributions in ContributionSets. For a norm: the id of the elements that
  /// it covers in CoveredElements (contributions.hpp).
  std::size_t set = 0;

  /// Returns true if each element stands for one element of the model.
  bool by_position() const {
    return content == Content::parameter || content == Content::gradient ||
           content == Content::optimizer_state;
  }
  /// Returns this value for positions that count from a start `by` elements later.
  Value moved(std::ptrdiff_t by) const {
    Value value = *this;
    if (by_position()) value.model += by;
    return value;
  }
};

/// A range of elements with one value. Positions count from the start of the slice that was read.
struct Segment {
  Slice slice;
  Value value;
};
using Segments = std::vector<Segment>;

/// Returns the parts of the segments that lie in `slice`. Their positions count from the start of `slice`.
Segments cut(Segments const& segments, Slice slice);

/// Collects violations. Each message starts with the rank and says where the rule is broken, for example in
/// which task.
class Findings {
 public:
  /// `violations` must outlive this object.
  explicit Findings(Violations& violations) : violations_(violations) {}
  /// Sets the words that say in all later messages where the rule is broken.
  void at(std::string where) { where_ = std::move(where); }
  /// Adds a violation on a rank.
  void add(Rule rule, std::size_t rank, std::string const& what);
  /// Returns whether there are violations, including those from before this object was made.
  bool any() const { return !violations_.empty(); }

 private:
  Violations& violations_;
  std::string where_;
};

/// The contents of all buffers of all ranks. At the start of the step each buffer contains what its at_entry
/// declares.
class BufferContents {
 public:
  /// `step` and `findings` must outlive this object.
  explicit BufferContents(RankGraphs const& step, Findings& findings);

  std::size_t ranks() const { return classes_.size(); }
  std::size_t class_of(std::size_t rank) const { return classes_[rank]; }
  StepGraph const& graph(std::size_t rank) const { return step_.classes[classes_[rank]].graph; }

  /// Returns the place of a rank in its group: its rank in the communicator.
  std::size_t place(std::size_t rank, CommunicatorId id) const { return places_[index(id)][rank].place; }
  /// Returns the group of a rank. The reference is valid as long as the step exists.
  std::vector<std::size_t> const& group(std::size_t rank, CommunicatorId id) const {
    return step_.communicators[index(id)].groups[places_[index(id)][rank].group];
  }

  /// Returns the elements of the buffer that an access uses on a rank.
  Slice slice(std::size_t rank, Access const& access) const;
  /// Returns the element of the model that the first element of slice() stands for. For activations, returns
  /// the number of the tensor (Access::model).
  std::ptrdiff_t model_start(std::size_t rank, Access const& access) const;
  /// Returns the elements of the model that a buffer in the given state contains on a rank.
  Slice model_slice(std::size_t rank, Buffer const& buffer, BufferState const& state) const;

  /// Returns the contents of a slice.
  Segments read(std::size_t rank, BufferId buffer, Slice slice);
  /// Returns what an access reads. If an element outside the access's padding contains nothing, adds a
  /// violation and returns no segments. Also calls check_padding().
  Segments filled(std::size_t rank, Access const& access);
  /// Adds a violation if the elements that an access declares as padding contain data of the access.
  /// `segments` is what the access reads or writes; positions count from the start of slice(). Content that
  /// an earlier bucket or unit has left in the padding is no violation.
  void check_padding(std::size_t rank, Access const& access, Segments const& segments);
  /// Replaces the contents of a slice. Positions of `segments` count from the start of the slice.
  void write(std::size_t rank, BufferId buffer, Slice slice, Segments const& segments);
  void write(std::size_t rank, Access const& access, Segments const& segments) {
    write(rank, access.buffer, slice(rank, access), segments);
  }

 private:
  struct Place {
    std::size_t group = 0;
    std::size_t place = 0;
  };
  SliceMap<Value> entry(std::size_t rank, Buffer const& buffer) const;
  bool belongs_to(std::size_t rank, Access const& access, Value const& value, Value const& before) const;

  RankGraphs const& step_;
  Findings& findings_;
  std::vector<std::size_t> classes_;                   // [rank]
  std::vector<std::vector<Place>> places_;             // [communicator][rank]
  std::vector<std::vector<SliceMap<Value>>> buffers_;  // [rank][buffer]
};

}  // namespace ddproxy::model
