// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

#include "model/transformer/ffn_stack.hpp"
#include "model/transformer/shape.hpp"

// What a model costs for each token and each parameter, and how large a batch must be so that a device is
// compute-bound. These are formulas: no graph is built and nothing is simulated.
//
// Source: Austin et al., "How to Scale Your Model", Google DeepMind, 2025, chapter 5 ("How to Parallelize a
// Transformer for Training"). The book makes three simplifications: a transformer is a stack of blocks with
// two matrices, only the forward pass counts, and communication and compute overlap perfectly.

namespace ddproxy::model {

/// What a model needs, whatever the number of ranks.
struct ModelAccount {
  std::int64_t parameters = 0;
  std::int64_t d_ff = 0;
  /// Bytes of the activations that are kept for the backward pass, for each token.
  std::int64_t activation_bytes = 0;
  double flops = 0;  ///< flops of the forward and the backward pass, for each token
};

/// Returns the account of a stack of feed-forward blocks. Each matrix keeps its input. Each parameter costs 2
/// flops a token in the forward pass and 4 in the backward pass. `element_bytes` is the size of an
/// activation. Throws std::invalid_argument for a dimension or a size that is not positive.
ModelAccount account(FfnStack const& stack, int element_bytes);

/// Returns the account of a transformer with sequences of `sequence` tokens. The activations are those that
/// the kernels of ddproxy keep (forward_pass.hpp). The flops are those of model_flops() (step_work.hpp).
/// Throws std::invalid_argument for a sequence or a size that is not positive, and what check() (shape.hpp)
/// throws.
ModelAccount account(Shape const& shape, std::int64_t sequence, int element_bytes);

/// A device and its links to other devices.
struct LinkedDevice {
  double peak_flops = 0;      ///< flop/s
  double link_bandwidth = 0;  ///< bytes/s of one link, both directions together
  /// Number of links that carry the shards of parameters, and number of other links that carry the parts of
  /// activations. In the book these are the numbers of mesh axes, M_X and M_Y.
  double shard_links = 1, tensor_links = 1;
};

/// Returns the intensity of a link, alpha = C e / (2 W). C is the peak rate in flop/s, W the bandwidth of the
/// link in bytes/s, and e the size of an element in bytes. If e is 2, alpha is equal to the book's C / W. The
/// unit is tokens for each device: while the link carries one element, the device computes C e / W flops. A
/// parameter costs 2 flops a token, so these flops are those of one parameter for alpha tokens. Throws
/// std::invalid_argument for a value that is not positive.
double link_intensity(LinkedDevice const& device, int element_bytes);

/// The sizes of batch and groups at which the forward pass takes as long as its communication.
struct ComputeBound {
  double intensity = 0;  ///< link_intensity()
  /// Smallest number of tokens for each device at which FSDP and data parallelism are compute-bound: alpha /
  /// M_X. A block gathers 2 D F elements, which takes 2 e D F / (M_X W) seconds. It computes 4 B D F / N
  /// flops on each device. B is the number of tokens of all N devices, D is d_model, F is d_ff.
  double fsdp_tokens = 0;
  /// Largest number of devices over which tensor parallelism is compute-bound: M_Y F / alpha. It does not
  /// depend on the batch. A block gathers B D elements and scatters B D elements.
  double tensor_devices = 0;
  /// Smallest number of tokens for each device at which FSDP and tensor parallelism together are
  /// compute-bound: alpha^2 / (M_X M_Y F). This assumes the best division of the devices, X = sqrt(B N M_X /
  /// (F M_Y)) for FSDP and N / X for tensor parallelism. It also assumes that the communication of FSDP and
  /// that of tensor parallelism overlap each other.
  double mixed_tokens = 0;
};
/// Returns these sizes. Throws std::invalid_argument for a value that is not positive.
ComputeBound compute_bound(LinkedDevice const& device, std::int64_t d_ff, int element_bytes);

/// Returns the smallest number of tokens for each device at which FSDP is compute-bound, if `ways` devices
/// share each block by tensor parallelism: alpha / (M_X ways). Returns nothing if `ways` is more than
/// compute_bound() allows: then tensor parallelism is communication-bound for every batch. Throws
/// std::invalid_argument for a value that is not positive.
std::optional<double> fsdp_tokens_with_tensor(LinkedDevice const& device, std::int64_t d_ff,
                                              int element_bytes, double ways);

/// Memory of one rank: `sharded` bytes are divided over all ranks, `whole` bytes are on every rank.
struct RankMemory {
  double sharded = 0;
  double whole = 0;
};

/// Returns the smallest number of ranks n with sharded / n + whole <= `device_bytes`. Returns nothing if no
/// number of ranks is enough, because `whole` alone is too large.
std::optional<std::int64_t> ranks_that_fit(RankMemory const& memory, double device_bytes);

}  // namespace ddproxy::model
