// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/check/buffer_contents.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "model/step/merged_order.hpp"

namespace ddproxy::model {
namespace {

constexpr std::array<std::string_view, 6> content_names{"nothing",         "a parameter",   "a gradient",
                                                        "optimizer state", "an activation", "a norm"};

}  // namespace

std::string name_of(Content content) {
  return std::string(content_names[static_cast<std::size_t>(content)]);
}

Segments cut(Segments const& segments, Slice slice) {
  Segments result;
  for (auto const& [held, value] : segments) {
    const std::size_t first = std::max(held.offset, slice.offset), end = std::min(held.end(), slice.end());
    if (first >= end) continue;
    result.push_back(
        {{first - slice.offset, end - first}, value.moved(static_cast<std::ptrdiff_t>(slice.offset))});
  }
  return result;
}

void Findings::add(Rule rule, std::size_t rank, std::string const& what) {
  violations_.push_back({rule, "rank " + std::to_string(rank) + ": " + where_ + what});
}

BufferContents::BufferContents(RankGraphs const& step, Findings& findings)
    : step_(step), findings_(findings), classes_(class_of_ranks(step)) {
  for (auto const& [groups] : step.communicators) {
    auto& places = places_.emplace_back(classes_.size());
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (std::size_t p = 0; p < groups[g].size(); ++p) places[groups[g][p]] = {g, p};
    }
  }
  for (std::size_t rank = 0; rank < classes_.size(); ++rank) {
    auto& buffers = buffers_.emplace_back();
    for (Buffer const& buffer : graph(rank).buffers) buffers.push_back(entry(rank, buffer));
  }
}

SliceMap<Value> BufferContents::entry(std::size_t rank, Buffer const& buffer) const {
  BufferState const& state = buffer.at_entry;
  SliceMap<Value> elements(buffer.elements);
  if (state.content == Content::nothing) return elements;
  Value value{.content = state.content, .model = static_cast<std::ptrdiff_t>(state.model.offset)};
  if (!value.by_position()) return elements.set({0, buffer.elements}, value), elements;
  const Slice held = model_slice(rank, buffer, state);
  value.model = static_cast<std::ptrdiff_t>(held.offset);
  const std::size_t count = std::min(held.count, buffer.elements);
  elements.set({0, count}, value);
  elements.set({count, buffer.elements - count}, {.padding = true});
  return elements;
}

Slice BufferContents::slice(std::size_t rank, Access const& access) const {
  if (!access.part) return access.slice;
  return own_part(access.slice, group(rank, *access.part).size(), place(rank, *access.part));
}

std::ptrdiff_t BufferContents::model_start(std::size_t rank, Access const& access) const {
  std::size_t model = access.model;
  if (access.content == Content::activation) return static_cast<std::ptrdiff_t>(model);
  model += slice(rank, access).offset - access.slice.offset;
  if (access.shard) model += place(rank, *access.shard) * access.slice.count;
  return static_cast<std::ptrdiff_t>(model);
}

Slice BufferContents::model_slice(std::size_t rank, Buffer const& buffer, BufferState const& state) const {
  if (!state.shard) return state.model;
  return held_part(state.model, buffer.elements, place(rank, *state.shard));
}

Segments BufferContents::read(std::size_t rank, BufferId buffer, Slice slice) {
  Segments segments;
  const auto start = static_cast<std::ptrdiff_t>(slice.offset);
  buffers_[rank][index(buffer)].for_each(slice, [&](Slice held, Value const& value) {
    segments.push_back({{held.offset - slice.offset, held.count}, value.moved(start)});
  });
  return segments;
}

Segments BufferContents::filled(std::size_t rank, Access const& access) {
  const Slice slice = this->slice(rank, access);
  const std::size_t padding = access.slice.end() - access.padding;  // the first element of the padding
  const Segments contents = read(rank, access.buffer, slice);
  check_padding(rank, access, contents);
  Segments segments;
  for (auto const& [held, value] : contents) {
    const std::size_t first = slice.offset + held.offset;
    const std::size_t kept = first >= padding ? 0 : std::min(held.count, padding - first);
    if (kept > 0) segments.push_back({{held.offset, kept}, value});
    if (kept < held.count) segments.push_back({{held.offset + kept, held.count - kept}, {.padding = true}});
    if (kept == 0 || value.padding || value.content != Content::nothing) continue;
    findings_.add(Rule::filled, rank,
                  "reads elements " + std::to_string(first) + " to " + std::to_string(first + kept - 1) +
                      " of buffer " + std::to_string(index(access.buffer)) +
                      ", which are empty: no earlier task wrote them, or an earlier task was declared as "
                      "their last use");
    return {};
  }
  return segments;
}

// Returns whether a value in the padding of an access is data of the access. Returns false if the value is
// left over from another bucket or unit. `before` is the last value before the padding.
bool BufferContents::belongs_to(std::size_t rank, Access const& access, Value const& value,
                                Value const& before) const {
  if (value.padding || value.content == Content::nothing || value.content != access.content) return false;
  if (!value.by_position() || access.padding == access.slice.count) return true;
  const bool continues = before.content == value.content && before.model == value.model;
  return continues || value.model == model_start(rank, access);
}

void BufferContents::check_padding(std::size_t rank, Access const& access, Segments const& segments) {
  if (access.padding == 0) return;
  const Slice slice = this->slice(rank, access);
  const std::size_t padding = access.slice.end() - access.padding;  // the first element of the padding
  Value before;
  // The range from the first to the last element of the padding that contains data of the access.
  Slice hidden{0, 0};
  for (auto const& [held, value] : segments) {
    const std::size_t first = std::max(slice.offset + held.offset, padding), end = slice.offset + held.end();
    if (slice.offset + held.offset < padding) before = value;
    if (first >= end || !belongs_to(rank, access, value, before)) continue;
    if (hidden.count == 0) hidden.offset = first;
    hidden.count = end - hidden.offset;
  }
  if (hidden.count == 0) return;
  findings_.add(Rule::right_content, rank,
                "declares elements " + std::to_string(hidden.offset) + " to " +
                    std::to_string(hidden.end() - 1) + " of buffer " + std::to_string(index(access.buffer)) +
                    " as padding, but they contain " + name_of(access.content));
}

void BufferContents::write(std::size_t rank, BufferId buffer, Slice slice, Segments const& segments) {
  const auto start = static_cast<std::ptrdiff_t>(slice.offset);
  for (auto const& [held, value] : segments) {
    buffers_[rank][index(buffer)].set({slice.offset + held.offset, held.count}, value.moved(-start));
  }
}

}  // namespace ddproxy::model
