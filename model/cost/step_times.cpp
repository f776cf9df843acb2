// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/cost/step_times.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "model/text/csv_table.hpp"
#include "model/text/echo.hpp"

namespace ddproxy::model {
namespace {

template <class Value, std::size_t n>
using Words = std::array<std::pair<std::string_view, Value>, n>;

constexpr Words<TimedPart, 4> part_words{{{"forward", TimedPart::forward},
                                          {"backward", TimedPart::backward},
                                          {"forward_backward", TimedPart::forward_backward},
                                          {"step", TimedPart::step}}};
constexpr Words<KernelKind, 6> kind_words{{{"product", KernelKind::product},
                                           {"norm", KernelKind::norm},
                                           {"softmax", KernelKind::softmax},
                                           {"activation", KernelKind::activation},
                                           {"update", KernelKind::update},
                                           {"other", KernelKind::other}}};
constexpr Words<bool, 2> precision_words{{{"fp32", false}, {"mixed", true}}};
constexpr Words<bool, 2> warm_words{{{"yes", true}, {"no", false}}};
constexpr Words<bool, 2> use_words{{{"fit", true}, {"compare", false}}};

constexpr std::int64_t most_tokens = 1 << 30;  // keeps batch x context in 64 bits

template <class Value, std::size_t n>
std::string_view word_of(Value value, Words<Value, n> const& words) {
  for (auto const& [word, meaning] : words)
    if (meaning == value) return word;
  return "?";
}

template <class Value, std::size_t n>
Value word_in(CsvTable const& table, std::size_t row, std::string const& column,
              Words<Value, n> const& words) {
  std::string const& text = table.text(row, column);
  std::string known;
  for (auto const& [word, meaning] : words) {
    if (word == text) return meaning;
    known += (known.empty() ? "" : ", ") + std::string(word);
  }
  table.fail(row, std::string("\"").append(echo(text)) + "\" in column \"" + column +
                      "\" is unknown; give one of " + known);
}

std::string series_in(CsvTable const& table, std::size_t row) {
  std::string const& name = table.text(row, "series");
  if (name.empty()) table.fail(row, "the field series is empty; give a name");
  if (!is_printable(name))
    table.fail(row, "the series \"" + echo(name) + "\" has control characters or is not UTF-8; rename it");
  return name;
}

Shape shape_in(CsvTable const& table, std::size_t row) {
  try {
    return find_preset(table.text(row, "preset"));
  } catch (std::invalid_argument const& error) {
    table.fail(row, error.what());
  }
}

std::int64_t count_in(CsvTable const& table, std::size_t row, std::string const& column) {
  const std::int64_t count = table.integer(row, column);
  if (count == 0 || count > most_tokens)
    table.fail(row, column + " is " + std::to_string(count) + "; it must be positive and at most " +
                        std::to_string(most_tokens));
  return count;
}

PublishedCase case_in(CsvTable const& table, std::size_t row) {
  PublishedCase of{.series = series_in(table, row),
                   .preset = table.text(row, "preset"),
                   .shape = shape_in(table, row),
                   .tokens = {count_in(table, row, "batch"), count_in(table, row, "context")},
                   .part = word_in(table, row, "phase", part_words)};
  if (of.tokens.sequence > of.shape.context)
    table.fail(row, "context is " + std::to_string(of.tokens.sequence) + ", but " + of.preset +
                        " has at most " + std::to_string(of.shape.context) + " positions");
  return of;
}

StepTime time_in(CsvTable const& table, std::size_t row) {
  StepTime time{.of = case_in(table, row),
                .mixed = word_in(table, row, "precision", precision_words),
                .warm = word_in(table, row, "warm", warm_words),
                .fitted = word_in(table, row, "use", use_words),
                .seconds = table.seconds(row)};
  if (time.seconds <= 0) table.fail(row, "the time is 0; it must be positive");
  return time;
}

/// Rejects a row that repeats an earlier row. `kind` is the kind of kernel of a share; it is empty for a
/// time.
class Cases {
 public:
  void add(CsvTable const& table, std::size_t row, PublishedCase const& of, std::string_view kind = {}) {
    const bool is_new =
        seen_.emplace(of.series, of.preset, of.tokens.batch, of.tokens.sequence, of.part, kind).second;
    if (!is_new)
      table.fail(row, std::string("this row repeats the series, preset, batch, context") +
                          (kind.empty() ? " and phase" : ", phase and kind") +
                          " of an earlier row; remove one of the two");
  }

 private:
  std::set<std::tuple<std::string, std::string, std::int64_t, std::int64_t, TimedPart, std::string_view>>
      seen_;
};

/// What is known about a series while its rows are read.
struct Series {
  std::size_t first_row;
  std::size_t fitted;  ///< number of rows with use = fit
};

/// Fails if the first series has no warm-up, or if a series has too few rows to fit.
void check_fitted(CsvTable const& table, std::map<std::string, Series> const& series,
                  std::vector<StepTime> const& times) {
  if (!times.front().warm)
    table.fail(0,
               "the first series has no warm-up; put a series with warm-up first, because the fits of the "
               "other series use its bandwidth");
  for (auto const& [name, found] : series) {
    const std::size_t needed = found.first_row == 0 ? 3 : times[found.first_row].warm ? 2 : 1;
    if (found.fitted < needed)
      table.fail(found.first_row, "the series " + name + " has " + std::to_string(found.fitted) +
                                      " row(s) with use = fit, but the fit needs " + std::to_string(needed) +
                                      "; set use = fit in more rows");
  }
}

}  // namespace

std::string_view name_of(TimedPart part) {
  return word_of(part, part_words);
}

std::string_view name_of(KernelKind kind) {
  return word_of(kind, kind_words);
}

std::vector<StepTime> read_step_times(std::filesystem::path const& file) {
  const CsvTable table(file);
  table.expect_columns(
      {"series", "precision", "warm", "use", "preset", "batch", "context", "phase", "seconds"});
  std::vector<StepTime> times;
  std::map<std::string, Series> series;
  Cases cases;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    StepTime time = time_in(table, row);
    cases.add(table, row, time.of);
    Series& found = series.try_emplace(time.of.series, Series{row, 0}).first->second;
    if (found.first_row < row) {
      StepTime const& first = times[found.first_row];
      if (first.mixed != time.mixed || first.warm != time.warm)
        table.fail(row, "precision or warm differs from earlier rows of the series " + time.of.series +
                            "; use another name for this series");
    }
    found.fitted += time.fitted ? 1 : 0;
    times.push_back(std::move(time));
  }
  check_fitted(table, series, times);
  return times;
}

std::vector<StepShare> read_step_shares(std::filesystem::path const& file,
                                        std::vector<StepTime> const& times) {
  const CsvTable table(file);
  table.expect_columns({"series", "preset", "batch", "context", "phase", "kind", "share"});
  std::vector<StepShare> shares;
  Cases cases;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    StepShare share{case_in(table, row), word_in(table, row, "kind", kind_words), table.number(row, "share")};
    if (share.share > 1) table.fail(row, "share is " + table.text(row, "share") + "; it must be at most 1");
    if (std::ranges::none_of(times, [&](StepTime const& t) { return t.of.series == share.of.series; }))
      table.fail(row, "the series " + share.of.series + " has no times; name a series of the table of times");
    cases.add(table, row, share.of, name_of(share.kind));
    shares.push_back(std::move(share));
  }
  return shares;
}

}  // namespace ddproxy::model
