// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/app/record/resume_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>
#include <stdexcept>

#include "results/file/reader.hpp"
#include "results/output/file_lock.hpp"
#include "results/run/against.hpp"
#include "results/run/read_in_child.hpp"

namespace ddproxy {
namespace {

using Obstacles = std::vector<ResumeObstacle>;

std::vector<std::string> texts_of(results::Reader const& reader, std::string_view dataset) {
  return reader.has(dataset) ? reader.texts(dataset) : std::vector<std::string>{};
}

// Counts the rounds of a dataset [case][round][rank] in which every case has a sample on every rank. The
// dataset may also have two dimensions, like /step/measured [row][sample]. Then counts the samples that have
// a value in every row.
std::int64_t complete_rounds_in(results::Reader const& reader, std::string_view dataset) {
  if (!reader.has(dataset)) return 0;
  const auto extents = reader.extents(dataset);
  const auto seconds = reader.reals(dataset);
  const std::size_t cases = extents[0], rounds = extents[1], ranks = extents.size() > 2 ? extents[2] : 1;
  std::vector<bool> complete(cases > 0 && ranks > 0 ? rounds : 0, true);
  for (std::size_t k = 0; k < seconds.size(); ++k)
    if (!std::isfinite(seconds[k])) complete[k / ranks % rounds] = false;
  return std::ranges::count(complete, true);
}

// Counts the complete rounds of a sweep, or the samples of a step; a file has one of the two.
std::int64_t complete_rounds(results::Reader const& reader) {
  return complete_rounds_in(reader, "/sweep/measured") + complete_rounds_in(reader, "/step/measured");
}

// Returns the number of complete rounds of the file and of the earlier runs that its run continued.
int all_rounds(results::Reader const& reader) {
  const auto value = reader.attribute("/", "rounds_before");
  auto const* before = value ? std::get_if<std::int64_t>(&*value) : nullptr;
  const std::int64_t most = std::numeric_limits<int>::max() / 2;
  return static_cast<int>(std::clamp<std::int64_t>(before ? *before : 0, 0, most) +
                          std::min(complete_rounds(reader), most));
}

double seconds_of(results::Reader const& reader) {
  const auto value = reader.attribute("/sweep", "seconds");
  auto const* seconds = value ? std::get_if<double>(&*value) : nullptr;
  return seconds && *seconds > 0 ? *seconds : 0;
}

void compare_hosts(std::vector<std::string> const& then, std::vector<std::string> const& now,
                   Obstacles& found) {
  if (then.size() != now.size())
    return found.push_back({fmt::format("it has {} ranks, and this run has {}", then.size(), now.size()),
                            "start as many ranks as the interrupted run had"});
  const auto [old, other] = std::ranges::mismatch(then, now);
  if (old == then.end()) return;
  found.push_back({fmt::format("the host of rank {} differs, {} in this run", old - then.begin(),
                               results::against("", *old, *other)),
                   fmt::format("start the ranks on the same hosts (sbatch --nodelist={})",
                               fmt::join(std::set(then.begin(), then.end()), ","))});
}

// Adds an obstacle that names the first line in which the inputs differ. Adds none if they are equal.
void compare_inputs(std::string const& then, std::string const& now, Obstacles& found) {
  if (then == now) return;
  std::istringstream old_lines(then), new_lines(now);
  std::string old_line, new_line;
  for (int number = 1;; ++number) {
    const bool ends = !std::getline(old_lines, old_line), ends_now = !std::getline(new_lines, new_line);
    if (ends) old_line.clear();
    if (ends_now) new_line.clear();
    if (old_line == new_line && !(ends && ends_now)) continue;
    found.push_back({fmt::format("line {} of the input differs, {} in this run", number,
                                 results::against("", old_line, new_line)),
                     "give the input as it was (/provenance/input in the file)"});
    return;
  }
}

// Adds an obstacle for each table whose content differs. Call this function only if the texts of the two
// inputs are equal: then both name the same tables in the same order.
void compare_tables(results::Reader const& reader, std::vector<NamedTable> const& now, Obstacles& found) {
  auto then = texts_of(reader, "/provenance/table_hash");
  then.resize(now.size());
  for (std::size_t k = 0; k < now.size(); ++k)
    if (then[k] != now[k].hash)
      found.push_back({fmt::format("the content of the table {} differs", now[k].file),
                       "give the table as it was at the start of the run"});
}

Obstacles differences(results::Reader const& reader, ResumeConditions const& mine) {
  Obstacles found;
  const auto compare = [&](std::string const& what, std::string_view group, std::string const& name,
                           std::string const& now, std::string const& remedy) {
    const auto then = reader.text(group, name);
    if (then == now) return;
    found.push_back(
        {fmt::format("the {} differs, {} in this run", what, results::against(name, then, now)), remedy});
  };
  const std::string same_build = "start the build that began the run";
  compare("command", "/", "command", mine.command, "give the same command");
  compare("git revision", "/provenance", "git_revision", mine.git_revision, same_build);
  compare("compiler", "/provenance", "compiler", mine.compiler, same_build);
  compare("list of compiler flags", "/provenance", "flags", mine.flags, same_build);
  compare_hosts(texts_of(reader, "/provenance/host"), mine.hosts, found);
  const auto input = texts_of(reader, "/provenance/input");
  if (input == std::vector{mine.input})
    compare_tables(reader, mine.tables, found);
  else
    compare_inputs(input.empty() ? "" : input.front(), mine.input, found);
  return found;
}

// Throws std::invalid_argument for a file that is missing or damaged. A damaged file can also crash HDF5.
ResumeFinding examine(std::filesystem::path const& file, ResumeConditions const& mine) {
  const results::Reader reader(file);
  if (reader.complete()) return {{}, {{"it is the file of a finished run", "use it as it is"}}};
  char const* const no_round =
      mine.command == "step" ? "it has no sample of a step" : "it has no complete round of a sweep";
  const int rounds = all_rounds(reader);
  if (rounds == 0) return {{}, {{no_round, "continue another file"}}};
  auto found = differences(reader, mine);
  if (!found.empty()) return {{}, std::move(found)};
  return {{file, reader.text("/", "run_id"), rounds, seconds_of(reader)}, {}};
}

// Returns a finding as texts: the run's id, the rounds, the seconds, then the reason and the remedy of each
// obstacle.
std::vector<std::string> to_texts(ResumeFinding const& finding) {
  auto const& [file, run_id, rounds, seconds] = finding.earlier;
  std::vector<std::string> texts{run_id, fmt::format("{}", rounds), fmt::format("{}", seconds)};
  for (auto const& [reason, remedy] : finding.obstacles) texts.insert(texts.end(), {reason, remedy});
  return texts;
}

// Turns the result of to_texts() back into a finding about `file`. Checks the texts, because the process that
// read a damaged file may send anything.
ResumeFinding from_texts(std::filesystem::path const& file, std::vector<std::string> const& texts) try {
  if (texts.size() % 2 == 0) throw std::invalid_argument("the number of texts is even");
  ResumeFinding finding;
  for (std::size_t k = 3; k < texts.size(); k += 2)
    finding.obstacles.push_back({texts.at(k), texts.at(k + 1)});
  if (!finding.obstacles.empty()) return finding;
  const double seconds = std::stod(texts.at(2));
  const int rounds = std::stoi(texts.at(1));
  if (!std::isfinite(seconds) || seconds < 0 || rounds < 1)
    throw std::invalid_argument("there is nothing to continue");
  finding.earlier = {file, texts.at(0), rounds, seconds};
  return finding;
} catch (std::logic_error const&) {  // std::stoi, std::stod and at() throw it, too
  throw std::invalid_argument("the process that read it sent an invalid answer; the file is damaged");
}

}  // namespace

ResumeFinding examine_unfinished(std::filesystem::path const& file, ResumeConditions const& mine) try {
  if (file.extension() == ".part" && results::is_locked(std::filesystem::path(file).replace_extension()))
    return {{}, {{"the run that writes it still goes on", "wait until that run has ended"}}};
  return from_texts(file, results::read_in_child(file, [&] { return to_texts(examine(file, mine)); }));
} catch (std::invalid_argument const& error) {
  std::string what = error.what();
  if (const auto name = file.string() + ": "; what.starts_with(name)) what.erase(0, name.size());
  what.resize(std::min(what.find("; give a results file"), what.size()));  // another remedy is given below
  return {{}, {{what, "give the FILE.part of an interrupted run"}}};
}

}  // namespace ddproxy
