// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include "miniapp/input/model_words.hpp"
#include "miniapp/input/units.hpp"
#include "miniapp/predict/account/memory.hpp"
#include "model/text/echo.hpp"

namespace ddproxy {
namespace {

using Out = std::back_insert_iterator<std::string>;
using Kind = model::BufferKind;

double gb(std::int64_t bytes) {
  return static_cast<double>(bytes) / giga;
}

double gb(model::KindBytes const& bytes, Kind kind) {
  return gb(bytes_of(bytes, kind));
}

double gb(std::optional<model::KindBytes> const& bytes) {
  return bytes ? gb(total(*bytes)) : 0;
}

std::string heading(MemoryReport const& report) {
  std::string text = fmt::format(
      "{}: {} parameters; micro-batch of {} sequence{} x {} tokens, {} micro-batch{} in a step{}\n",
      model::printable(model_words(report.name)), report.parameters, report.tokens.batch,
      report.tokens.batch == 1 ? "" : "s", report.tokens.sequence, report.micro_batches,
      report.micro_batches == 1 ? "" : "es",
      report.checkpoint == model::Checkpoint::layer ? ", activations computed again" : "");
  if (report.device_bytes > 0)
    fmt::format_to(Out(text), "device: {:g} GB; GB are 10^9 bytes\n", report.device_bytes / giga);
  else
    text += "device: its memory is not known (give --device-gb); GB are 10^9 bytes\n";
  return text;
}

std::string micro_batch_text(MemoryCase const& c) {
  return c.largest_batch.value_or(0) == 0 ? "-" : fmt::format("{}", *c.largest_batch);
}

// Returns the width of the column `shard`.
std::size_t shard_width(MemoryReport const& report) {
  std::size_t width = 6;
  for (auto const& c : report.cases) width = std::max(width, c.shard.size());
  return width;
}

// Explains the columns of the table of the peak.
std::string legend(MemoryReport const& report) {
  return std::string(
             "gathered: parameters of the layers that FSDP has gathered, and bf16 copies of weights "
             "(autocast)\n"
             "activations: activations and their gradients\n"
             "state*: the textbook formula: parameters, gradients and optimizer state, as if all were in "
             "memory at once. If DDP copies gradients into buckets, the formula includes the buckets. The "
             "columns parameters, gradients, buckets and optimizer can add up to less than state*, because "
             "at the peak some gradients may not exist yet. With ZeRO-2 and FSDP they can also add up to "
             "more: these two also have buckets, and the formula does not include them\n") +
         (report.device_bytes > 0
              ? "micro-batch: the largest micro-batch that fits, in sequences; -: one sequence does not fit\n"
              : "fits, micro-batch: not known without the memory of a device\n");
}

std::string peak_table(MemoryReport const& report) {
  const std::size_t width = shard_width(report);
  std::string text = fmt::format(
      "\nmemory of a rank at the peak of the step, GB\n{:<9} {:<{}} {:>6} {:>10} {:>9} {:>8} {:>9} {:>8} "
      "{:>11} {:>9} {:>8} {:>5} {:>11}\n",
      "precision", "shard", width, "ranks", "parameters", "gradients", "buckets", "optimizer", "gathered",
      "activations", "peak", "state*", "fits", "micro-batch");
  for (auto const& c : report.cases) {
    auto const& peak = c.moments.peak;
    const bool fits = static_cast<double>(total(peak)) <= report.device_bytes;
    fmt::format_to(
        Out(text),
        "{:<9} {:<{}} {:>6} {:>10.3f} {:>9.3f} {:>8.3f} {:>9.3f} {:>8.3f} {:>11.3f} {:>9.3f} {:>8.3f} {:>5} "
        "{:>11}\n",
        name_of(c.method.format), c.shard, width, c.ranks, gb(peak, Kind::parameter),
        gb(peak, Kind::gradient), gb(peak, Kind::bucket), gb(peak, Kind::optimizer_state),
        gb(peak, Kind::gathered_unit) + gb(peak, Kind::cached_weight),
        gb(peak, Kind::activation) + gb(peak, Kind::activation_gradient), gb(total(peak)),
        c.closed.total() / giga, report.device_bytes > 0 ? (fits ? "yes" : "no") : "-", micro_batch_text(c));
  }
  return text + legend(report);
}

// The words for the kinds of buffers in describe_peak().
constexpr std::pair<Kind, char const*> kind_texts[] = {
    {Kind::parameter, "parameters"},
    {Kind::gradient, "gradients"},
    {Kind::bucket, "buckets"},
    {Kind::optimizer_state, "optimizer state"},
    {Kind::gathered_unit, "gathered units"},
    {Kind::cached_weight, "copies of weights"},
    {Kind::activation, "activations"},
    {Kind::activation_gradient, "gradients of activations"}};

double at_phase(MemoryCase const& c, model::Phase phase) {
  const auto found = c.moments.phases.find(phase);
  return found == c.moments.phases.end() ? 0 : gb(total(found->second));
}

double activations_at(MemoryCase const& c, model::Phase phase) {
  const auto found = c.moments.phases.find(phase);
  if (found == c.moments.phases.end()) return 0;
  return gb(found->second, Kind::activation) + gb(found->second, Kind::activation_gradient);
}

std::string moments_table(MemoryReport const& report) {
  const std::size_t width = shard_width(report);
  std::string text = fmt::format(
      "\nmemory of a rank at other moments, GB; in brackets: activations and their gradients\n{:<9} {:<{}} "
      "{:>6} {:>9} {:>19} {:>19}  {:>13}  {:>12}\n",
      "precision", "shard", width, "ranks", "start", "forward", "backward", "before update", "after update");
  for (auto const& c : report.cases) {
    const auto phase = [&](model::Phase of) {
      return fmt::format("{:.3f} ({:.3f})", at_phase(c, of), activations_at(c, of));
    };
    fmt::format_to(Out(text), "{:<9} {:<{}} {:>6} {:>9.3f} {:>19} {:>19}  {:>13.3f}  {:>12.3f}\n",
                   name_of(c.method.format), c.shard, width, c.ranks, gb(total(c.moments.start)),
                   phase(model::Phase::forward), phase(model::Phase::backward), gb(c.moments.before_update),
                   gb(c.moments.after_update));
  }
  return text;
}

// Returns the smallest number of ranks, or says why none is enough.
std::string answer_of(LeastRanks const& least) {
  model::ShardWay const& way = model::way_of(least.method.stage);
  if (least.ranks) return fmt::format("{}", *least.ranks);
  if (!way.divided.any())
    return "does not fit: more ranks do not help, because every rank holds a whole replica";
  if (least.shard != way.name)
    return fmt::format(
        "does not fit: more groups do not help, because each group holds a whole replica; a rank needs {}",
        describe_peak(least.peak));
  return fmt::format("does not fit with up to {} ranks: a rank then still needs {}", least.searched,
                     describe_peak(least.peak));
}

std::string least_text(MemoryReport const& report) {
  if (report.least_ranks.empty()) return "";
  std::string text =
      fmt::format("\nsmallest number of ranks with which a step fits {:g} GB\n", report.device_bytes / giga);
  for (auto const& least : report.least_ranks) {
    fmt::format_to(Out(text), "{:<9} {:<{}} {}\n", name_of(least.method.format), least.shard,
                   shard_width(report), answer_of(least));
  }
  return text;
}

std::string activations_text(MemoryReport const& report) {
  const auto elements = model::activation_elements(report.shape);
  const auto tokens = static_cast<double>(report.tokens.count());
  const auto all = static_cast<double>(report.shape.layers * elements.layer + elements.outside);
  return fmt::format(
      "\n"
      "activations of a micro-batch by two formulas: {:.3f} GB for ddproxy's kernels in fp32 "
      "(docs/model.md); {:.3f} GB by Korthikanti et al. 2022 (fp16, with dropout and stored attention "
      "scores, without embedding and head)\n",
      4 * all * tokens / giga, korthikanti_bytes(report.shape, report.tokens) / giga);
}

}  // namespace

std::string describe_peak(model::KindBytes const& peak) {
  constexpr double least_share = 0.01;
  std::vector<std::pair<std::int64_t, char const*>> parts;
  for (auto const& [kind, text] : kind_texts)
    if (const auto bytes = bytes_of(peak, kind); gb(bytes) >= least_share * gb(total(peak)) && bytes > 0)
      parts.emplace_back(bytes, text);
  std::ranges::stable_sort(parts, std::ranges::greater{}, [](auto const& part) { return part.first; });
  std::string list;
  for (auto const& [bytes, text] : parts)
    list += fmt::format("{}{} {:.2f}", list.empty() ? "" : ", ", text, gb(bytes));
  return fmt::format("{:.2f} GB ({})", gb(total(peak)), list);
}

std::string describe(MemoryReport const& report) {
  return heading(report) + peak_table(report) + moments_table(report) + least_text(report) +
         activations_text(report);
}

}  // namespace ddproxy
