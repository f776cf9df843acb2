// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "miniapp/input/options/options.hpp"
#include "miniapp/predict/account/memory.hpp"
#include "model/cost/accounting.hpp"
#include "model/step/step_graph.hpp"

namespace ddproxy {

/// What one verb moves in a step.
struct AccountedVerb {
  model::Verb verb;
  std::size_t ranks = 1;  ///< ranks that take part in a call
  double bytes = 0;       ///< sum of the full sizes x of all calls
  double sent = 0;        ///< bytes that a rank sends (sent_share(), model/step/sent_share.hpp)
};

/// The communication of one way to train.
struct AccountedMethod {
  std::string name;                  ///< shard_name() of a way of sharding (memory.hpp)
  std::vector<AccountedVerb> verbs;  ///< empty on one rank
  double sent() const;               ///< bytes that a rank sends with all verbs
};

/// Everything that `ddproxy account` prints.
struct Account {
  std::string name;  ///< name of the model
  model::ModelAccount counts;
  int element_bytes = 4;    ///< bytes of an element of parameters and activations
  std::int64_t tokens = 0;  ///< tokens of a rank in a micro-batch
  int micro_batches = 1;
  int ranks = 1;
  int tensor_ranks = 1;
  model::LinkedDevice device;  ///< flop/s and bandwidth of a device; 0: not known
  double device_bytes = 0;     ///< memory of a device; 0: not known
  std::vector<AccountedMethod> methods;

  /// Returns the bytes of parameters, gradients and optimizer state in fp32: 16 bytes a parameter.
  double state_bytes() const { return 16 * static_cast<double>(counts.parameters); }
  double activation_bytes() const;  ///< activations of one micro-batch on a rank
  double rank_flops() const;        ///< flops of a rank in a step
  /// Returns the smallest batches with which compute takes longer than communication. Returns nothing if the
  /// bandwidth of the link is not known.
  std::optional<model::ComputeBound> bound() const;
  /// The smallest number of ranks with which a step with FSDP fits a device. The command `memory` finds the
  /// same number. If the input has [shard] group, the step uses HSDP. Nothing if device_bytes is not known.
  std::optional<LeastRanks> least_ranks = std::nullopt;
  /// Returns the smallest number of ranks n for which state_bytes() / n + activation_bytes() fit a device.
  /// This is the formula of textbooks, which leaves out gathered units and buckets. Returns nothing if no
  /// number of ranks is enough. device_bytes must be known.
  std::optional<std::int64_t> least_ranks_by_formula() const;
};

/// Makes the account. Throws std::invalid_argument with one line for wrong input.
Account make_account(Options const& options);

/// Returns the account as text.
std::string describe(Account const& account);

/// Returns the account as JSON, with the keys that docs/memory.md lists.
std::string to_json(Account const& account);

/// Runs the command `account`: prints to `out`, and writes the file of --json if that option is given.
/// Returns the exit code 0. Throws what make_account() and results::write_text() throw, and
/// std::invalid_argument if --json would overwrite the input file.
int account_command(Options const& options, std::ostream& out);

}  // namespace ddproxy
