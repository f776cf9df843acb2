// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/history/history_rows.hpp"

#include <algorithm>
#include <cmath>

#include "results/compare/compare_parts.hpp"

namespace ddproxy::results {
namespace {

using Kind = Column::Kind;

// The smallest number of nights before the newest one that allows the verdict "unchanged" or "faster". With
// fewer nights, slowdowns of the size that the table states are found less often than the table says. In
// simulations with slowdowns of the stated size, 9 of 40 were found with 7 nights before the newest one, and
// 34 of 40 with 30 nights.
constexpr std::size_t nights_for_the_noise = 15;

// The results of one series (a case, or the mean over the cases) that the table shows.
struct Said {
  std::string name;
  std::size_t nights = 0;
  bool is_measured = false;                  ///< true if the newest night measured the series
  double after_one = 0.0, after_five = 0.0;  ///< smallest slowdowns seen after one and five nights, relative
  LevelRatio newest = {};
  LevelTracker const* tracker = nullptr;
};

Said said_of(HistoryTest const& test, std::size_t s) {
  auto const& tracker = test.trackers()[s];
  const NoiseShape shape = test.shape(s);
  return {test.names()[s],
          test.nights(s),
          test.history().nights.back().find(test.names()[s]) != nullptr,
          tracker.smallest_seen(1, shape),
          tracker.smallest_seen(5, shape),
          tracker.newest(shape),
          &tracker};
}

std::string words_for(Against against) {
  switch (against) {
    case Against::best:
      return "the best level so far";
    case Against::pinned:
      return "the pinned level";
    default:
      return "the nights before";
  }
}

std::string alarm_of(Said const& said, Night const& first) {
  return percent(said.newest.ratio - 1.0) + " slower than " + words_for(said.tracker->slowdown()->against) +
         ", since the night of " + first.created + " (" + first.path.filename().string() + ", revision " +
         first.revision + "); fix it, or accept it with --acknowledge REASON";
}

std::string undecided_of(Said const& said, double at_least) {
  if (!said.is_measured) return "the newest night did not measure this case";
  if (!said.tracker->is_tested() || std::isnan(said.after_one))
    return std::to_string(said.nights) + (said.nights == 1 ? " night: " : " nights: ") +
           "the test needs four nights before the newest one to estimate the noise, and " +
           std::to_string(nights_for_the_noise) + " to say that nothing is slower; measure more nights";
  if (said.nights <= nights_for_the_noise)
    return "there are only " + std::to_string(said.nights - 1) +
           " nights before the newest one; the noise is known well enough after " +
           std::to_string(nights_for_the_noise) + ", and until then only large slowdowns are found";
  if (said.after_one > at_least)
    return "one night can show a slowdown of " + percent(said.after_one) +
           " or more, but --at-least asks for " + percent(at_least) +
           "; measure more rounds, use a quieter machine, or raise --at-least";
  return "";
}

// Returns the index of the night with which the open slowdown began. If no slowdown is open, returns the
// index of the night with which the last speed-up began, if there is one (LevelTracker::faster_since()).
std::optional<std::size_t> since_of(LevelTracker const& tracker) {
  return tracker.slowdown() ? tracker.slowdown()->since : tracker.faster_since();
}

std::string verdict_of(Row const& row, LevelTracker const& tracker) {
  if (tracker.slowdown()) return "slower than " + words_for(tracker.slowdown()->against);
  if (!row.undecided.empty()) return "undecided";
  return tracker.faster_since() ? "faster" : "unchanged";
}

Row row_of(HistoryTest const& test, Said const& said, double at_least) {
  auto const& tracker = *said.tracker;
  const auto since = since_of(tracker);
  Row row{{{said.name}, {"", static_cast<double>(said.nights)}}, "", ""};
  append(row, {said.newest.ratio, said.newest.low, said.newest.high});
  if (test.is_pinned()) append(row, {tracker.over_pinned()});
  append(row, {said.after_one, said.after_five});
  Night const* first = since ? &test.history().nights[*since] : nullptr;
  for (auto const& text : {first ? first->created : "", first ? first->path.filename().string() : "",
                           first ? first->revision : ""})
    row.cells.push_back({text});
  if (tracker.slowdown())
    row.alarm = alarm_of(said, *first);
  else
    row.undecided = undecided_of(said, at_least);
  row.cells.push_back({verdict_of(row, tracker)});
  return row;
}

std::vector<Column> columns(bool is_pinned) {
  std::vector<Column> all{{"case", "case", Kind::text},
                          {"nights", "nights", Kind::count},
                          {"ratio", "newest/before", Kind::ratio},
                          {"low", "95 % low", Kind::ratio},
                          {"high", "95 % high", Kind::ratio}};
  if (is_pinned) all.push_back({"over_pinned", "newest/pinned", Kind::ratio});
  all.insert(all.end(), {{"seen_after_1", "seen after 1 night", Kind::share},
                         {"seen_after_5", "after 5 nights", Kind::share},
                         {"since", "since", Kind::text},
                         {"file", "file", Kind::text},
                         {"revision", "revision", Kind::text},
                         {"verdict", "verdict", Kind::text}});
  return all;
}

std::string period_of(HistoryTest const& test) {
  auto const& nights = test.history().nights;
  return std::to_string(nights.size()) + (nights.size() == 1 ? " night, " : " nights, ") +
         nights.front().created + " to " + nights.back().created;
}

// Returns the message of the last row that has one, with the name of its case and the number of the other
// rows, for instance "flat (and 2 more): MESSAGE". Returns an empty text if no row has a message. The mean
// over the cases is the last row of the table, so its message takes precedence. `count` is increased by the
// number of rows with a message.
std::string last_of(Table const& table, std::string Row::*message, std::size_t& count) {
  Row const* last = nullptr;
  for (auto const& row : table.rows)
    if (!(row.*message).empty()) last = &row, ++count;
  if (!last) return "";
  const std::string more = count > 1 ? " (and " + std::to_string(count - 1) + " more)" : "";
  return last->cells[0].text + more + ": " + last->*message;
}

// Returns whether the table is undecided: the mean over the cases is undecided, or the newest night lacks a
// case. A noisy case is listed as undecided but does not make the table undecided.
bool is_undecided(HistoryTest const& test, Table const& table) {
  if (!table.rows.back().undecided.empty()) return true;
  return std::ranges::any_of(test.names(),
                             [&](auto const& name) { return !test.history().nights.back().find(name); });
}

Outcome outcome_of(HistoryTest const& test, Table const& table, double seen) {
  const std::string of_all =
      " of " + std::to_string(table.rows.size()) + " cases in " + period_of(test) + ": ";
  std::size_t slower = 0, undecided = 0;
  const std::string alarm = last_of(table, &Row::alarm, slower);
  const std::string doubt = last_of(table, &Row::undecided, undecided);
  if (slower > 0) return {Decision::slower, "slower: " + std::to_string(slower) + of_all + alarm};
  if (auto const& lost = test.history().lost_newest; !lost.empty())
    return {Decision::undecided,
            "undecided in " + period_of(test) + ": the newest file, " + lost +
                ", cannot be read, and it may be the newest night; remove it, or measure "
                "the night again"};
  if (is_undecided(test, table))
    return {Decision::undecided, "undecided: " + std::to_string(undecided) + of_all + doubt};
  return {Decision::unchanged,
          "unchanged: no slowdown in " + period_of(test) +
              "; a slowdown of the whole (the mean over the cases) by " + percent(seen) +
              " would have been seen after one night with a probability of 80 %" +
              (undecided > 0 ? "; " + std::to_string(undecided) +
                                   (undecided == 1 ? " case is" : " cases are") + " undecided"
                             : "")};
}

}  // namespace

Table table_of(HistoryTest const& test, double at_least) {
  Table table{"history", columns(test.is_pinned()), {}};
  double seen = 0.0;
  for (std::size_t s = 0; s < test.names().size(); ++s) {
    const Said said = said_of(test, s);
    seen = said.after_one;  // the last row is the mean over the cases
    table.rows.push_back(row_of(test, said, at_least));
  }
  table.whole = outcome_of(test, table, seen);
  return table;
}

}  // namespace ddproxy::results
