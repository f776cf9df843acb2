// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "miniapp/input/options/option_groups.hpp"
#include "model/step/describe.hpp"
#include "model/text/echo.hpp"

namespace ddproxy {
namespace {

using model::Verb;

/// The collectives that are measured without --op. A send is measured only if --op names it, because it needs
/// two ranks, and a replay of it needs rows of its own.
constexpr auto measured_by_default = {Verb::all_reduce, Verb::reduce_scatter, Verb::all_gather,
                                      Verb::broadcast};
constexpr auto offered = {Verb::all_reduce, Verb::reduce_scatter, Verb::all_gather, Verb::broadcast,
                          Verb::send};

Verb read_verb(std::string const& word) {
  const auto verb = model::find_verb(word == "allreduce" ? "all_reduce" : word);
  if (verb && std::ranges::find(offered, *verb) != offered.end()) return *verb;
  throw CLI::ValidationError(fmt::format(
      "--op: '{}' is unknown; use one or more of: allreduce, reduce_scatter, all_gather, broadcast, send",
      model::echo(word)));
}

std::vector<Verb> read_verbs(std::vector<std::string> const& words) {
  std::vector<Verb> verbs;
  for (auto const& word : words) {
    verbs.push_back(read_verb(word));
    if (std::ranges::count(verbs, verbs.back()) > 1)
      throw CLI::ValidationError(
          fmt::format("--op: {} is given twice; give each collective once", model::name_of(verbs.back())));
  }
  return verbs;
}

CLI::Validator group_size() {
  return CLI::Validator(
      [](std::string const& text) {
        int ranks = 0;
        const bool is_number = CLI::detail::lexical_cast(text, ranks);
        return is_number && ranks >= 2
                   ? ""
                   : model::echo(text) + " is not a group size; give a whole number of ranks, 2 or more";
      },
      "(ranks)");
}

void add_groups(CLI::App& command, Options& options) {
  auto* group =
      command
          .add_option(
              "--group", options.group,
              "measure on groups of this many consecutive ranks, all groups at the same time; the total "
              "number of ranks must be a multiple of the group size; default: one group of all ranks")
          ->check(group_size());
  command
      .add_flag("--strided", options.strided,
                "form groups of ranks that are equally far apart, not consecutive: with G groups, group g "
                "has the ranks g, g + G, g + 2G, ... In HSDP such ranks have the same part of a unit")
      ->needs(group);
}

}  // namespace

CLI::Option* add_pieces(CLI::App& command, Options& options) {
  auto* pieces =
      command
          .add_option("--pieces,--chunks", options.pieces_mib,
                      "divide a fixed total (all gradients, or --total) into pieces of this size (MiB), and "
                      "measure the time of all pieces together; a list measures each piece size. Single "
                      "messages are then measured only by `collectives` with --sizes")
          ->delimiter(',')
          ->check(positive_number());
  command
      .add_option("--total", options.total_mib,
                  "size of the fixed total (MiB); default: the size of all gradients")
      ->check(message_size())
      ->needs(pieces);
  return pieces;
}

void add_collectives_options(CLI::App& command, Options& options) {
  options.verbs = measured_by_default;
  command
      .add_option_function<std::vector<std::string>>(
          "--op", [&options](auto const& words) { options.verbs = read_verbs(words); },
          "collectives to measure: allreduce, reduce_scatter, all_gather, broadcast, send (transfers from "
          "one rank to another); default: all but send")
      ->delimiter(',');
  command
      .add_option("--sizes", options.sizes_mib,
                  "message sizes on the wire (MiB); a gradient in bf16 takes half of its size in fp32. "
                  "The sizes are rounded so that all ranks have equal parts; default: the sizes "
                  "that `allreduce` measures")
      ->delimiter(',')
      ->check(message_size());
  add_pieces(command, options);
  add_groups(command, options);
}

}  // namespace ddproxy
