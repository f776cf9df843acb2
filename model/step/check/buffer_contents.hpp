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

/// Words for messages: "a gradient".
std::string name_of(Content content);

/// What a run of elements holds.
struct Value {
  Content content = Content::nothing;
  bool padding = false;  ///< its value does not matter
  std::ptrdiff_t model =
      0;                 ///< element of the model less the position in the buffer; activations: the operator
  int version = 0;       ///< updates of a parameter or optimizer state; 1 for a clipped gradient
  int micro_batch = -1;  ///< of an activation; -1: of any
  std::size_t set = 0;   ///< id of the contributions to a gradient, of the elements that a norm covers

  bool by_position() const {
    return content == Content::parameter || content == Content::gradient ||
           content == Content::optimizer_state;
  }
  /// The same content seen from a position that is `by` elements earlier.
  Value moved(std::ptrdiff_t by) const {
    Value value = *this;
    if (by_position()) value.model += by;
    return value;
  }
};

/// A run of elements, counted from the start of the slice that was read.
struct Piece {
  Slice run;
  Value value;
};
using Pieces = std::vector<Piece>;

/// The pieces of a slice of `pieces`, counted from its start.
Pieces cut(Pieces const& pieces, Slice slice);

/// What is wrong, with the task that is being followed.
class Findings {
 public:
  explicit Findings(Violations& violations) : violations_(violations) {}
  void at(std::string where) { where_ = std::move(where); }
  void add(Rule rule, std::size_t rank, std::string const& what);

 private:
  Violations& violations_;
  std::string where_;
};

/// The contents of all buffers of all ranks. At first they are those that the buffers state for the entry.
class BufferContents {
 public:
  explicit BufferContents(RankGraphs const& step, Findings& findings);

  std::size_t ranks() const { return classes_.size(); }
  std::size_t class_of(std::size_t rank) const { return classes_[rank]; }
  StepGraph const& graph(std::size_t rank) const { return step_.classes[classes_[rank]].graph; }

  /// The place of a rank in its group, and the group.
  std::size_t place(std::size_t rank, CommunicatorId id) const { return places_[index(id)][rank].place; }
  std::vector<std::size_t> const& group(std::size_t rank, CommunicatorId id) const {
    return step_.communicators[index(id)].groups[places_[index(id)][rank].group];
  }

  /// The elements that an access means on a rank.
  Slice slice(std::size_t rank, Access const& access) const;
  /// The element of the model (activations: the operator) that they start with.
  std::ptrdiff_t model_start(std::size_t rank, Access const& access) const;
  /// The elements of the model that a buffer holds on this rank in a state.
  Slice model_slice(std::size_t rank, Buffer const& buffer, BufferState const& state) const;

  Pieces read(std::size_t rank, BufferId buffer, Slice slice);
  /// What an access reads. Elements that hold nothing are a violation, save in its padding; then nothing is
  /// returned.
  Pieces filled(std::size_t rank, Access const& access);
  void write(std::size_t rank, BufferId buffer, Slice slice, Pieces const& pieces);
  void write(std::size_t rank, Access const& access, Pieces const& pieces) {
    write(rank, access.buffer, slice(rank, access), pieces);
  }

 private:
  struct Place {
    std::size_t group = 0;
    std::size_t place = 0;
  };
  SliceMap<Value> entry(std::size_t rank, Buffer const& buffer) const;

  RankGraphs const& step_;
  Findings& findings_;
  std::vector<std::size_t> classes_;                   // [rank]
  std::vector<std::vector<Place>> places_;             // [communicator][rank]
  std::vector<std::vector<SliceMap<Value>>> buffers_;  // [rank][buffer]
};

}  // namespace ddproxy::model
