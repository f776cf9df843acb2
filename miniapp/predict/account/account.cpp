// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/predict/account/account.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "miniapp/input/config.hpp"
#include "miniapp/input/options/output_clash.hpp"
#include "miniapp/input/step_strategy.hpp"
#include "miniapp/input/toml/read_config.hpp"
#include "miniapp/input/units.hpp"
#include "miniapp/input/words.hpp"
#include "model/predict/graph/sharded_forms.hpp"
#include "model/step/sent_share.hpp"
#include "model/transformer/ffn_stack.hpp"
#include "model/transformer/presets.hpp"
#include "results/output/text_file.hpp"

namespace ddproxy {
namespace {

constexpr auto stack_name = "xxl-ffn";
constexpr std::int64_t preset_tokens = 1024;  // tokens of a rank if --preset is given without --tokens

int element_bytes(AccountOptions const& asked) {
  const bool half = asked.precision.empty() ? !asked.preset.empty() : asked.precision == "bf16";
  return half ? 2 : 4;
}

model::Shape preset_named(std::string const& name) {
  try {
    return model::find_preset(name);
  } catch (std::invalid_argument const& error) {
    throw std::invalid_argument(fmt::format("--preset: {}, {}", error.what(), stack_name));
  }
}

// Returns the settings of a step of a preset: the defaults of an input.
Config settings_of_preset() {
  Config config;
  config.caps_mib = default_caps_mib;
  return config;
}

// Returns the stack of blocks, with the settings of its step.
MemoryModel stack_model() {
  MemoryModel stack{settings_of_preset(), backward_pass(model::xxl_ffn), forward_pass(model::xxl_ffn)};
  stack.config.shape.biases = false;
  return stack;
}

MemoryModel take_preset(Account& account, AccountOptions const& asked) {
  account.name = asked.preset;
  account.tokens = asked.tokens > 0 ? asked.tokens : preset_tokens;
  if (asked.preset == stack_name) {
    account.counts = model::account(model::xxl_ffn, account.element_bytes);
    return stack_model();
  }
  Config config = settings_of_preset();
  config.shape = preset_named(asked.preset);
  const auto sequence = std::min(account.tokens, config.shape.context);
  account.counts = model::account(config.shape, sequence, account.element_bytes);
  return memory_model(config);
}

MemoryModel take_input(Account& account, Config const& config, AccountOptions const& asked) {
  account.name = config.model;
  account.tokens = asked.tokens > 0 ? asked.tokens : config.tokens.count();
  account.micro_batches = config.step.accumulation;
  account.counts = model::account(config.shape, config.tokens.sequence, account.element_bytes);
  account.device.peak_flops = config.machine.peak_flops;
  account.device_bytes = config.device_memory;
  return memory_model(config);
}

// Sets the number of ranks from --ranks, or to the default. Throws if the number does not fit [shard] group.
void take_ranks(Account& account, Config const& config, AccountOptions const& asked) {
  const auto group = static_cast<int>(config.sharding.group);
  account.ranks = asked.ranks.value_or(group > 0 ? 8 * group : 8);
  check_multiple(config, account.ranks);
}

// Returns the stage of the first way of sharding that also divides the parameters: FSDP.
model::ShardStage fully_sharded() {
  return std::ranges::find_if(model::shard_ways(), [](auto const& way) { return way.divided.parameters; })
      ->stage;
}

void find_least_ranks(Account& account, MemoryModel const& model, AccountOptions const& asked) {
  if (!(account.device_bytes > 0)) return;
  const auto format =
      account.element_bytes == 2 ? model::MemoryFormat::bf16_master : model::MemoryFormat::fp32;
  const bool as_in_input = asked.preset.empty() && asked.tokens == 0;
  account.least_ranks =
      least_ranks(model, {fully_sharded(), format},
                  as_in_input ? model.config.tokens : model::Tokens{1, account.tokens}, account.device_bytes);
}

void take_machine(Account& account, AccountOptions const& asked) {
  account.device.peak_flops = asked.peak_flops.value_or(account.device.peak_flops);
  account.device.link_bandwidth = asked.link_bandwidth_GBps.value_or(0) * giga;
  account.device.shard_links = asked.shard_links;
  account.device.tensor_links = asked.tensor_links;
  account.device_bytes = asked.device_gb ? *asked.device_gb * giga : account.device_bytes;
  account.tensor_ranks = asked.tensor_ranks;
  if (account.device.link_bandwidth > 0 && !(account.device.peak_flops > 0))
    throw std::invalid_argument(
        "--link-bandwidth: a device's flop/s are not known; give --peak-flops, or [machine] peak_flops in "
        "the "
        "input");
}

AccountedMethod method_of(Account const& account, Config const& config, model::ShardStage stage) {
  AccountedMethod method{shard_name(config, stage), {}};
  if (account.ranks == 1) return method;
  const double all = static_cast<double>(account.counts.parameters) * account.element_bytes;
  for (auto const& [verb, times, ranks] :
       model::closed_volumes(sharding_of(config, stage), {account.micro_batches, config.step.sync},
                             static_cast<std::size_t>(account.ranks)))
    method.verbs.push_back({verb, ranks, times * all, times * all * model::sent_share(verb, ranks)});
  return method;
}

}  // namespace

double AccountedMethod::sent() const {
  double sum = 0;
  for (auto const& verb : verbs) sum += verb.sent;
  return sum;
}

double Account::activation_bytes() const {
  return static_cast<double>(counts.activation_bytes) * static_cast<double>(tokens);
}

double Account::rank_flops() const {
  return counts.flops * static_cast<double>(tokens) * micro_batches;
}

std::optional<model::ComputeBound> Account::bound() const {
  if (!(device.link_bandwidth > 0)) return std::nullopt;
  return model::compute_bound(device, counts.d_ff, element_bytes);
}

std::optional<std::int64_t> Account::least_ranks_by_formula() const {
  return model::ranks_that_fit({state_bytes(), activation_bytes()}, device_bytes);
}

Account make_account(Options const& options) {
  AccountOptions const& asked = options.account;
  Account account;
  account.element_bytes = element_bytes(asked);
  const MemoryModel model = asked.preset.empty() ? take_input(account, read_config(options.input), asked)
                                                 : take_preset(account, asked);
  take_ranks(account, model.config, asked);
  take_machine(account, asked);
  find_least_ranks(account, model, asked);
  for (model::ShardWay const& way : model::shard_ways())
    account.methods.push_back(method_of(account, model.config, way.stage));
  return account;
}

int account_command(Options const& options, std::ostream& out) {
  refuse_clashes({{"the input file", options.input}}, {{"--json", options.json}});
  const Account account = make_account(options);
  if (!options.json.empty()) results::write_text(options.json, to_json(account));
  out << describe(account);
  return 0;
}

}  // namespace ddproxy
