// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/app/record/resume.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "miniapp/app/record/provenance.hpp"
#include "miniapp/machine/build_info.hpp"
#include "results/output/file_lock.hpp"
#include "results/output/standard_streams.hpp"

namespace ddproxy {
namespace {

// Returns the word for a round of the command. `step` has one case, so its rounds are called samples.
std::string unit_of(Options const& options) {
  return options.command == "step" ? "sample" : "round";
}

std::string count_text(Options const& options, int rounds) {
  return fmt::format("{} {}{}", rounds, unit_of(options), rounds == 1 ? "" : "s");
}

void say_start(Options const& options, EarlierRounds const& earlier, Config config) {
  config.rounds_before = earlier.rounds;
  results::print_output(fmt::format("resume: {} (run {}); complete so far: {}; this run takes {}{} more\n",
                                    earlier.file.string(), earlier.run_id,
                                    count_text(options, earlier.rounds),
                                    config.max_seconds > 0 ? "at least " : "", rounds_to_take(config)));
}

// Prints a warning for each obstacle. With `--resume auto` obstacles are no error: the run takes all rounds.
void say_obstacles(Options const& options, std::string const& file,
                   std::vector<ResumeObstacle> const& obstacles) {
  for (auto const& obstacle : obstacles)
    results::say_error(fmt::format(
        "warning: {} is not resumed: {}; this run takes all {}s, and keeps the file under another name", file,
        obstacle.reason, unit_of(options)));
}

// Prints a line for each obstacle except the last. Throws std::invalid_argument with the line of the last.
[[noreturn]] void refuse(Options const& options, std::string const& file,
                         std::vector<ResumeObstacle> const& obstacles) {
  const auto line = [&](ResumeObstacle const& obstacle) {
    return fmt::format("{} cannot be resumed: {}; {}, or leave out --resume to take all {}s", file,
                       obstacle.reason, obstacle.remedy, unit_of(options));
  };
  for (std::size_t k = 0; k + 1 < obstacles.size(); ++k) results::say_error("ddproxy: " + line(obstacles[k]));
  throw std::invalid_argument(line(obstacles.back()));
}

EarlierRounds find(Options const& options, Config const& config, std::vector<std::string> hosts) {
  const bool automatic = options.resume == resume_auto;
  // If the file is locked, another run still writes it. This run reports that when it creates its own file.
  if (automatic && results::is_locked(options.output)) return {};
  const std::filesystem::path file = automatic ? options.output.string() + ".part" : options.resume;
  std::error_code unreadable;
  if (automatic && !std::filesystem::exists(file, unreadable)) {
    results::print_output(
        fmt::format("resume: there is no {}; this run takes all {}s\n", file.string(), unit_of(options)));
    return {};
  }
  const auto found = examine_unfinished(
      file, {options.command, git_revision, compiler, flags, std::move(hosts), config.text, config.tables});
  if (found.obstacles.empty())
    say_start(options, found.earlier, config);
  else if (automatic)
    say_obstacles(options, file.string(), found.obstacles);
  else
    refuse(options, file.string(), found.obstacles);
  return found.earlier;
}

}  // namespace

EarlierRounds find_earlier_rounds(Options const& options, Config const& config, Runtime const& runtime) {
  EarlierRounds earlier;
  if (options.resume.empty()) return earlier;
  auto hosts = gather_hosts(runtime);
  runtime.together([&] {
    if (runtime.root()) earlier = find(options, config, std::move(hosts));
  });
  std::vector<std::int64_t> rounds{earlier.rounds};
  runtime.broadcast(rounds);
  earlier.rounds = static_cast<int>(rounds[0]);
  return earlier;
}

void refuse_overwriting_earlier(Options const& options, std::vector<UsedFile> written) {
  if (options.resume == resume_auto) return;
  std::erase_if(written, [&](UsedFile const& one) { return one.path == options.output.string() + ".part"; });
  refuse_clashes({{"the file of --resume", options.resume}}, written);
}

std::string resumed_text(Options const& options, EarlierRounds const& earlier, std::size_t own) {
  if (earlier.rounds == 0) return "";
  return fmt::format(
      "these figures are only those of the {} of this run. The {} that were measured before are in the "
      "unfinished file of run {}. If that run continued earlier runs, some of these {}s are in the files of "
      "the earlier runs. Comparisons treat each file as a separate run\n",
      count_text(options, static_cast<int>(own)), count_text(options, earlier.rounds), earlier.run_id,
      unit_of(options));
}

}  // namespace ddproxy
