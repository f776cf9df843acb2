// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "miniapp/input/model_words.hpp"
#include "miniapp/input/units.hpp"
#include "miniapp/predict/account/account.hpp"
#include "model/cost/topology.hpp"
#include "model/step/describe.hpp"
#include "model/text/echo.hpp"

namespace ddproxy {
namespace {

using Json = nlohmann::ordered_json;
using Out = std::back_insert_iterator<std::string>;

std::string model_text(Account const& account) {
  auto const& counts = account.counts;
  std::string text = fmt::format(
      "{}: {} parameters; {} bytes for an element of parameters and activations; {} tokens of a rank in a "
      "micro-batch, {} micro-batch{} in a step\n",
      model::printable(model_words(account.name)), counts.parameters, account.element_bytes, account.tokens,
      account.micro_batches, account.micro_batches == 1 ? "" : "es");
  fmt::format_to(Out(text), "parameters, gradients and optimizer state: 16 bytes a parameter, {:.1f} GB\n",
                 account.state_bytes() / giga);
  fmt::format_to(Out(text), "activations: {} bytes a token, {:.3f} GB for a micro-batch of a rank\n",
                 counts.activation_bytes, account.activation_bytes() / giga);
  fmt::format_to(Out(text), "compute: {:.4g} flops a token, {:.4g} in a step of a rank\n", counts.flops,
                 account.rank_flops());
  return text;
}

std::string methods_text(Account const& account) {
  if (account.ranks == 1) return "communication: none on one rank\n";
  std::size_t width = 8;
  for (auto const& method : account.methods) width = std::max(width, method.name.size());
  std::string text = fmt::format(
      "communication of a step on {}. Column ranks: number of ranks that take part in a call. Column x: sum "
      "of the sizes of all calls. Column flops/byte: flops of a rank for each byte that it sends\n"
      "{:<{}} {:<16} {:>8} {:>12}  {:>19} {:>12}\n",
      model::ranks_text(account.ranks), "method", width, "collective", "ranks", "x (GB)",
      "sent by a rank (GB)", "flops/byte");
  for (auto const& method : account.methods) {
    std::string name = method.name, intensity = fmt::format("{:.1f}", account.rank_flops() / method.sent());
    for (auto const& verb : method.verbs) {
      fmt::format_to(Out(text), "{:<{}} {:<16} {:>8} {:>12.3f}  {:>19.3f} {:>12}\n", name, width,
                     name_of(verb.verb), verb.ranks, verb.bytes / giga, verb.sent / giga, intensity);
      name.clear();
      intensity.clear();
    }
  }
  return text;
}

std::string tensor_text(Account const& account) {
  const auto tokens = model::fsdp_tokens_with_tensor(account.device, account.counts.d_ff,
                                                     account.element_bytes, account.tensor_ranks);
  if (!tokens)
    return fmt::format("  FSDP with tensor parallelism over {} devices: no batch is large enough\n",
                       account.tensor_ranks);
  return fmt::format("  FSDP with tensor parallelism over {} devices: {:.1f} tokens a device\n",
                     account.tensor_ranks, *tokens);
}

std::string bound_text(Account const& account) {
  const auto bound = account.bound();
  if (!bound)
    return "compute-bound: not known; give --link-bandwidth, and --peak-flops if the input has no [machine] "
           "peak_flops\n";
  std::string text = fmt::format(
      "Compute takes longer than communication if the batch has at least the size below. All sizes follow "
      "from alpha = peak flop/s x bytes of an element / (2 x bandwidth of a link) = {:.1f} tokens on each "
      "device. Each device has {:g} link{} for shards and {:g} for tensor parallelism\n"
      "  FSDP and data parallelism: {:.1f} tokens a device\n"
      "  tensor parallelism: any batch, over at most {} device{}\n"
      "  FSDP and tensor parallelism together, with the devices divided between them in the best way: {:.1f} "
      "tokens a device\n",
      bound->intensity, account.device.shard_links, account.device.shard_links == 1 ? "" : "s",
      account.device.tensor_links, bound->fsdp_tokens, std::floor(bound->tensor_devices),
      std::floor(bound->tensor_devices) == 1 ? "" : "s", bound->mixed_tokens);
  if (account.tensor_ranks > 1) text += tensor_text(account);
  return text;
}

std::string formula_text(Account const& account) {
  const auto ranks = account.least_ranks_by_formula();
  const std::string answer = ranks ? fmt::format("fits from {} rank{} on", *ranks, *ranks == 1 ? "" : "s")
                                   : std::string("never fits, because the activations alone fill a device");
  return fmt::format(
      "  by the formula \"(parameters, gradients and optimizer state) / ranks + activations\" the step {}. "
      "The formula assumes that all gradients are in memory at the same time. It leaves out gathered units "
      "and "
      "buckets\n",
      answer);
}

std::string fit_text(Account const& account) {
  if (!account.least_ranks) return "";
  auto const& [method, shard, ranks, searched, peak] = *account.least_ranks;
  const std::string name =
      shard == model::way_of(method.stage).name ? "FSDP" : fmt::format("HSDP ({})", shard);
  const std::string device = fmt::format("{:g} GB", account.device_bytes / giga);
  std::string text =
      ranks ? fmt::format("memory: a step with {} fits devices of {} from {} on: a rank then needs {}\n",
                          name, device, model::ranks_text(*ranks), describe_peak(peak))
            : fmt::format(
                  "memory: no number of ranks is enough for devices of {} with {}: even with {} "
                  "ranks a rank needs {}; take fewer tokens, smaller units or larger devices\n",
                  device, name, searched, describe_peak(peak));
  return text + formula_text(account);
}

template <class Value>
Json number_or_null(std::optional<Value> const& value) {
  return value ? Json(*value) : Json(nullptr);
}

void add_fit(Json& json, Account const& account) {
  for (char const* name : {"device_bytes", "least_ranks", "peak_bytes", "least_ranks_by_formula"})
    json[name] = nullptr;
  if (!account.least_ranks) return;
  json["device_bytes"] = account.device_bytes;
  json["least_ranks"] = number_or_null(account.least_ranks->ranks);
  json["peak_bytes"] = total(account.least_ranks->peak);
  json["least_ranks_by_formula"] = number_or_null(account.least_ranks_by_formula());
}

Json bound_json(Account const& account) {
  const auto bound = account.bound();
  if (!bound) return nullptr;
  const auto beside = model::fsdp_tokens_with_tensor(account.device, account.counts.d_ff,
                                                     account.element_bytes, account.tensor_ranks);
  return {{"alpha", bound->intensity},
          {"fsdp_tokens", bound->fsdp_tokens},
          {"tensor_devices", bound->tensor_devices},
          {"both_tokens", bound->mixed_tokens},
          {"tensor_ranks", account.tensor_ranks},
          {"fsdp_tokens_beside_tensor", beside ? Json(*beside) : Json(nullptr)}};
}

}  // namespace

std::string describe(Account const& account) {
  return model_text(account) + methods_text(account) + bound_text(account) + fit_text(account);
}

std::string to_json(Account const& account) {
  Json json{{"model", account.name},
            {"parameters", account.counts.parameters},
            {"element_bytes", account.element_bytes},
            {"tokens", account.tokens},
            {"micro_batches", account.micro_batches},
            {"ranks", account.ranks},
            {"state_bytes", account.state_bytes()},
            {"activation_bytes_per_token", account.counts.activation_bytes},
            {"flops_per_token", account.counts.flops},
            {"methods", Json::array()},
            {"compute_bound", bound_json(account)}};
  for (auto const& method : account.methods) {
    Json entry{{"method", method.name}, {"collectives", Json::array()}, {"sent_bytes", method.sent()}};
    for (auto const& verb : method.verbs)
      entry["collectives"].push_back({{"collective", name_of(verb.verb)},
                                      {"ranks", verb.ranks},
                                      {"bytes", verb.bytes},
                                      {"sent_bytes", verb.sent}});
    entry["flops_per_byte"] = method.sent() > 0 ? Json(account.rank_flops() / method.sent()) : Json(nullptr);
    json["methods"].push_back(entry);
  }
  add_fit(json, account);
  return json.dump(1) + "\n";
}

}  // namespace ddproxy
