// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/history/history.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <stdexcept>
#include <type_traits>

#include "model/statistics/mean.hpp"
#include "model/statistics/quantile.hpp"
#include "model/text/echo.hpp"
#include "results/compare/compare_parts.hpp"
#include "results/compare/family_test.hpp"
#include "results/output/output_files.hpp"
#include "results/run/against.hpp"

namespace ddproxy::results {
namespace {

using Path = std::filesystem::path;

bool is_night_file(Path const& path) {
  return path.filename().string().ends_with(night_suffix);
}

std::string counted(std::size_t count, std::string const& one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

// Keeps the nights whose `member` equals that of the newest night. Adds a warning for each other value of
// `member`, with the number of its nights. `what` is the name of `member` in the warning, and `why` the
// reason.
template <class Nights>
void keep_newest(Nights& nights, std::string Nights::value_type::*member, std::string const& what,
                 std::string const& why, std::vector<std::string>& warnings) {
  const std::string newest = nights.back().*member;
  std::map<std::string, std::size_t> others;
  for (auto const& night : nights)
    if (night.*member != newest) ++others[night.*member];
  for (auto const& [name, count] : others)
    warnings.push_back("the history leaves out " + counted(count, "night") + " with the " + what + " '" +
                       model::echo(name) + "': the newest night has '" + model::echo(newest) + "', and " +
                       why);
  std::erase_if(nights, [&](auto const& night) { return night.*member != newest; });
}

void check_same(Night const& first, Night const& other, std::span<const std::string> allowed) {
  if (first.created == other.created && first.revision == other.revision)
    throw std::invalid_argument(first.path.string() + " and " + other.path.string() +
                                " hold the same night: both were begun at " + first.created +
                                "; remove one of them");
  std::string differing;
  for (auto const& [key, value] : other.identity) {
    const auto own = std::ranges::find(first.identity, key, [](auto const& pair) { return pair.first; });
    const bool is_allowed = std::ranges::find(allowed, key) != allowed.end();
    if (own == first.identity.end() || own->second.empty() || value.empty() || own->second == value ||
        is_allowed)
      continue;
    differing += "; " + key + ": " + against(key, own->second, value) + " (--allow " + key + ")";
  }
  if (!differing.empty())
    throw std::invalid_argument(first.path.string() + " and " + other.path.string() +
                                " cannot be compared, because they differ in " + differing.substr(2) +
                                ". To compare them in spite of a difference, add the option in parentheses");
}

// Returns true if the case is not noisy: the median of its standard deviations in the nights is at most
// noisy_deviation. The gate leaves noisier cases out of the mean. Also returns true if no night has a
// standard deviation of the case.
bool is_quiet(std::vector<Night> const& nights, std::string const& name) {
  std::vector<double> deviations;
  for (auto const& night : nights)
    if (const double own = night.find(name)->deviation; std::isfinite(own)) deviations.push_back(own);
  return deviations.empty() || model::median(deviations) <= noisy_deviation;
}

// Adds to each night the mean over the cases that all nights have and that are not noisy. If the set of cases
// changed from night to night, the mean would change with the set. Does nothing if there is no such case.
void add_the_whole(std::vector<Night>& nights) {
  std::vector<std::string> common;
  for (auto const& one : nights.front().cases)
    if (one.name != the_whole &&
        std::ranges::all_of(nights, [&](Night const& night) { return night.find(one.name); }) &&
        is_quiet(nights, one.name))
      common.push_back(one.name);
  if (common.empty()) return;
  for (auto& night : nights) {
    std::vector<double> log_ratios;
    for (auto const& name : common) log_ratios.push_back(night.find(name)->log_ratio);
    const double mean = model::mean(log_ratios);
    const auto stored = std::ranges::find(night.cases, the_whole, &NightCase::name);
    if (stored == night.cases.end())
      night.cases.push_back({the_whole, mean, std::nan("")});
    else
      stored->log_ratio = mean;
  }
}

// Returns the time at which the file was last written. The file system knows it even if the file cannot be
// read. The time that is stored in the file is then not known.
std::filesystem::file_time_type written_at(Path const& path) {
  std::error_code absent;
  return std::filesystem::last_write_time(path, absent);
}

// Reads the files that can be read. A file that cannot be read must not suppress the alarms of the others, so
// it is left out, with a warning. But the file that was written last may be the newest night, and this night
// may be slow. So `lost_newest` names this file if it cannot be read.
template <class Read>
auto read_each(std::vector<Path> const& paths, Read const& read, History& history) {
  std::vector<std::invoke_result_t<Read, Path const&>> nights;
  auto youngest = std::filesystem::file_time_type::min();
  for (auto const& path : paths) try {
      nights.push_back(read(path));
      if (written_at(path) > youngest) history.lost_newest.clear();
      youngest = std::max(youngest, written_at(path));
    } catch (std::invalid_argument const& error) {
      history.warnings.push_back(std::string("left out of the history: ") + error.what());
      if (written_at(path) < youngest) continue;
      youngest = written_at(path);
      history.lost_newest = path.filename().string();
    }
  if (nights.size() < 2 && !history.warnings.empty())
    throw std::invalid_argument(
        "compare: --history: " + counted(nights.size(), "file") + " of " + std::to_string(paths.size()) +
        " can be read, but a history needs two nights or more; " + history.warnings[0]);
  return nights;
}

History read_ratios(std::vector<Path> const& paths, std::span<const std::string> allowed) {
  History history{{}, true, {}, {}};
  std::vector<Path> nights;
  std::ranges::copy_if(paths, std::back_inserter(nights), is_night_file);
  history.nights = read_each(nights, read_night, history);
  std::ranges::stable_sort(history.nights, {}, &Night::created);
  keep_newest(history.nights, &Night::reference_revision, "reference build",
              "ratios to different reference builds are not comparable", history.warnings);
  for (std::size_t k = 1; k < history.nights.size(); ++k)
    for (std::size_t j = 0; j < k; ++j) check_same(history.nights[j], history.nights[k], allowed);
  if (const auto runs = paths.size() - nights.size())
    history.warnings.push_back("the history leaves out " + counted(runs, "plain run") +
                               " (*.h5): the folder also has nights of scripts/gate (*" + night_suffix +
                               "), whose noise is smaller");
  add_the_whole(history.nights);
  return history;
}

History read_plain(std::vector<Path> const& paths, std::span<const std::string> allowed) {
  History history;
  auto runs = read_each(
      paths, [](Path const& path) { return read_run(path); }, history);
  check_distinct(runs);
  std::ranges::stable_sort(runs, {}, &Run::created);
  keep_newest(runs, &Run::machine, "machine", "plain runs of two machines are not compared",
              history.warnings);
  check_comparable(runs, allowed);
  for (auto& doubt : doubts_of(runs, allowed)) history.warnings.push_back(std::move(doubt));
  for (auto const& run : runs) {
    if (!run.complete)
      history.warnings.push_back(run.path.string() +
                                 ": the run was interrupted; it counts with the samples that it has");
    history.nights.push_back(night_of(run));
  }
  add_the_whole(history.nights);
  return history;
}

}  // namespace

std::vector<Path> history_files(Path const& folder) {
  std::error_code reason;
  const std::filesystem::directory_iterator entries(folder, reason);
  if (reason)
    throw std::invalid_argument("compare: --history " + folder.string() + ": the folder cannot be read: " +
                                reason.message() + "; give the folder that has a file for each night");
  std::vector<Path> paths;
  for (auto const& entry : entries)
    if (entry.path().extension() == ".h5" || is_night_file(entry.path())) paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

History read_history(Path const& folder, std::span<const std::string> allowed) {
  const auto paths = history_files(folder);
  if (paths.size() < 2)
    throw std::invalid_argument("compare: --history " + folder.string() + " has " +
                                counted(paths.size(), "file") + " (*.h5 or *" + night_suffix +
                                "); each file is one night, and a history needs two nights or more");
  History history =
      std::ranges::any_of(paths, is_night_file) ? read_ratios(paths, allowed) : read_plain(paths, allowed);
  if (case_names(history).empty())
    throw std::invalid_argument("compare: --history " + folder.string() +
                                ": no night measured a case, so there is nothing to compare");
  return history;
}

std::size_t index_of(History const& history, Path const& file) {
  for (std::size_t n = 0; n < history.nights.size(); ++n) {
    auto const& path = history.nights[n].path;
    if (is_same_file(path, file) || path.filename() == file) return n;
  }
  throw std::invalid_argument("compare: --pin " + file.string() +
                              ": no such file among the nights that are compared; give a file of the folder");
}

std::vector<std::string> case_names(History const& history) {
  std::vector<std::string> names;
  bool has_whole = false;
  for (auto const& night : history.nights)
    for (auto const& one : night.cases) {
      has_whole = has_whole || one.name == the_whole;
      if (one.name != the_whole && std::ranges::find(names, one.name) == names.end())
        names.push_back(one.name);
    }
  if (has_whole) names.emplace_back(the_whole);
  return names;
}

}  // namespace ddproxy::results
