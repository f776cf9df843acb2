// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/file/validity.hpp"

#include <algorithm>

namespace ddproxy::results {

std::string_view word_of(Validity validity) {
  return std::ranges::find(validity_rules, validity, &ValidityRule::value)->word;
}

ValidityRule const* find_validity(std::string_view word) {
  const auto found = std::ranges::find(validity_rules, word, &ValidityRule::word);
  return found == validity_rules.end() ? nullptr : &*found;
}

Validity validity_of(bool replays_compute, bool replays_reductions, int ranks) {
  if (replays_compute || replays_reductions) return Validity::replay;
  return ranks == 1 ? Validity::single : Validity::yes;
}

std::string updated_validity(std::string const& word, bool replays_compute, bool replays_reductions,
                             int ranks) {
  if (word != word_of(Validity::yes)) return word;
  return std::string(word_of(validity_of(replays_compute, replays_reductions, ranks)));
}

}  // namespace ddproxy::results
