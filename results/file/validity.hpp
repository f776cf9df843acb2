// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace ddproxy::results {

/// Says how far a figure of merit can be trusted. It is the value of `valid` in the last line of a run, in
/// the group /fom or /step of the results file, and in the JSON file of a run.
enum class Validity { no, yes, single, replay, oversubscribed, unsteady };

/// Describes one value of `valid`: its meaning, and what `compare` does with a file that has this value.
struct ValidityRule {
  Validity value;
  std::string_view word;
  bool is_compared;  ///< `compare` and `scripts/gate` accept such files without --allow valid
  std::string_view meaning;
  std::string_view compared;  ///< how `compare` and `scripts/gate` treat it
  std::string_view ranked;    ///< how `compare --rank-machines` treats it
};

/// Lists all values of `valid`. docs/results.md has the same rows. The attribute `valid` of /fom in
/// schema_attributes.cpp names the same words.
inline constexpr std::array<ValidityRule, 6> validity_rules{{
    {Validity::yes, "true", true,
     "compute and all-reduces of at least two ranks were measured, and what was reduced is right", "compared",
     "ranked among runs with `true`"},
    {Validity::replay, "replay", true,
     "compute, all-reduces or both took their times from tables; what was reduced is right",
     "compared with files of the same `mode` (what is replayed)",
     "ranked among replays; with `--allow mode` also among measured runs"},
    {Validity::single, "single", true,
     "one rank computed for real and reduced nothing, so the file has an E but no communication",
     "compared with runs of one rank",
     "ranked among runs with `single`; with `--allow valid` also among others"},
    {Validity::oversubscribed, "oversubscribed", false,
     "threads had to take turns on cores, or exceeded the CPU quota of the control group, so the measured "
     "times are too long",
     "refused without `--allow valid`", "refused without `--allow valid`"},
    {Validity::unsteady, "unsteady", false,
     "the machine changed its state during more than half of the samples", "refused without `--allow valid`",
     "refused without `--allow valid`"},
    {Validity::no, "false", false,
     "no check of the results has passed (`layers` checks none), or results of a case with six samples or "
     "more contradict each other by more than 20 %",
     "refused without `--allow valid`", "refused without `--allow valid`"},
}};

/// Returns the word of a value.
std::string_view word_of(Validity validity);

/// Returns the rule of a word, or nullptr if the word is unknown.
ValidityRule const* find_validity(std::string_view word);

/// Returns the value of `valid` for a run whose reductions were correct, and which is neither oversubscribed
/// nor unsteady. `ranks` is the number of ranks that were started.
Validity validity_of(bool replays_compute, bool replays_reductions, int ranks);

/// Returns the word that this version would have written in place of `word`. Earlier versions wrote `true`
/// for a run with replayed compute and for a run of one rank. Other words are returned unchanged.
std::string updated_validity(std::string const& word, bool replays_compute, bool replays_reductions,
                             int ranks);

}  // namespace ddproxy::results
