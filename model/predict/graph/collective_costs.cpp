// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/graph/collective_costs.hpp"

#include <cmath>
#include <stdexcept>

#include "model/step/describe.hpp"

namespace ddproxy::model {
namespace {

/// Returns the verb under which the table of `verb` is stored.
Verb table_of(Verb verb) {
  return verb == Verb::receive ? Verb::send : verb;
}

std::string words(Verb verb, CommunicatorId communicator) {
  return std::string(name_of(verb)) + " on communicator " + std::to_string(index(communicator));
}

}  // namespace

void CollectiveCosts::set(Verb verb, CollectiveCost cost) {
  tables_[{table_of(verb), std::nullopt}] = std::move(cost);
}

void CollectiveCosts::set(Verb verb, CommunicatorId communicator, CollectiveCost cost) {
  tables_[{table_of(verb), communicator}] = std::move(cost);
}

CollectiveCost const* CollectiveCosts::find(Verb verb, CommunicatorId communicator) const {
  auto found = tables_.find({verb, communicator});
  if (found == tables_.end()) found = tables_.find({verb, std::nullopt});
  return found == tables_.end() ? nullptr : &found->second;
}

double CollectiveCosts::operator()(Verb verb, CommunicatorId communicator, std::int64_t bytes) {
  CollectiveCost const* cost = find(table_of(verb), communicator);
  double share = 1;
  if (const auto substitute = substitute_of(verb); !cost && substitute) {
    cost = find(substitute->verb, communicator);
    share = substitute->share;
    if (cost) halved_.insert({verb, communicator});
  }
  if (!cost) {
    throw std::invalid_argument("step costs: there is no cost table for " + words(verb, communicator) +
                                "; give one");
  }
  const double seconds = share * (*cost)(bytes);
  if (std::isfinite(seconds) && seconds >= 0) return seconds;
  throw std::invalid_argument("step costs: the cost table for " + words(verb, communicator) + " says " +
                              std::to_string(seconds) + " s at " + std::to_string(bytes) +
                              " bytes; a time must be finite and not negative");
}

std::vector<std::string> CollectiveCosts::warnings() const {
  std::vector<std::string> all;
  for (auto const& [verb, communicator] : halved_) {
    all.push_back(words(verb, communicator) +
                  " has no cost table: half of the time of an all-reduce of the same size is used. Measure "
                  "this collective for a reliable prediction.");
  }
  return all;
}

}  // namespace ddproxy::model
