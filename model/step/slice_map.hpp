// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <iterator>
#include <map>

#include "model/transformer/tensor_layout.hpp"

namespace ddproxy::model {

/// Keeps a value for each element of a buffer. Stores one value for each run, which is a range of consecutive
/// elements that were set together.
template <class T>
class SliceMap {
 public:
  explicit SliceMap(std::size_t elements, T value = {}) : runs_{{0, std::move(value)}}, elements_(elements) {}

  /// Calls visit(run, value) for the runs of `slice`, in ascending order. A run that reaches beyond the slice
  /// is split at the ends of the slice first. `visit` may change `value`.
  template <class Visit>
  void for_each(Slice slice, Visit const& visit) {
    if (slice.count == 0) return;
    auto run = split(slice.offset);
    const auto last = split(slice.end());
    while (run != last) {
      const auto next = std::next(run);
      const std::size_t end = next == runs_.end() ? elements_ : next->first;
      visit(Slice{run->first, end - run->first}, run->second);
      run = next;
    }
  }

  /// Sets all elements of `slice` to `value`. They become one run.
  void set(Slice slice, T const& value) {
    if (slice.count == 0) return;
    const auto run = split(slice.offset);
    const auto last = split(slice.end());
    run->second = value;
    runs_.erase(std::next(run), last);
  }

 private:
  using Runs = std::map<std::size_t, T>;  // [first element]

  /// Returns the run that starts at an element. If no run starts there, first splits the run that contains
  /// the element. Returns end() at the end of the buffer.
  typename Runs::iterator split(std::size_t at) {
    if (at >= elements_) return runs_.end();
    const auto next = runs_.upper_bound(at);
    const auto run = std::prev(next);
    return run->first == at ? run : runs_.emplace_hint(next, at, run->second);
  }

  Runs runs_;
  std::size_t elements_;
};

}  // namespace ddproxy::model
