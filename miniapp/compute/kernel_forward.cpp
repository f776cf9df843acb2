// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/compute/kernel_forward.hpp"

#include "kernels/attention.hpp"
#include "kernels/cross_entropy.hpp"
#include "kernels/embedding.hpp"
#include "kernels/gelu.hpp"
#include "kernels/layernorm.hpp"
#include "kernels/linear.hpp"
#include "kernels/residual.hpp"

namespace ddproxy {
namespace {

using Kind = model::OperationKind;
using model::Part;

class Forward {
 public:
  Forward(kernels::Space const& exec, KernelModel const& gpt, float* branch, float* scratch)
      : exec_(exec), gpt_(gpt), branch_(branch), scratch_(scratch) {}

  void embed() const {
    kernels::embedding_forward(exec_, {gpt_.tokens.batch, gpt_.tokens.sequence, gpt_.shape.d_model},
                               gpt_.inputs.data(), gpt_.weight({Kind::token_table}),
                               gpt_.weight({Kind::position_table}), gpt_.activations.blocks.front().input);
  }

  void attend(std::size_t layer) const {
    auto const& block = gpt_.activations.blocks[layer];
    const auto d = gpt_.shape.d_model;
    norm({Kind::norm, Part::ln_1, layer}, block.input, block.ln_1, block.ln_1_of);
    linear({Kind::linear, Part::c_attn, layer}, d, 3 * d, block.ln_1, block.qkv);
    kernels::attention_forward(exec_, attention_size(gpt_.shape, gpt_.tokens), block.qkv, block.attention,
                               block.attention_log_sum, scratch_);
    linear({Kind::linear, Part::attn_c_proj, layer}, d, d, block.attention, branch_);
    kernels::residual_forward(exec_, gpt_.rows() * d, block.input, branch_, block.middle);
  }

  void feed_forward(std::size_t layer) const {
    auto const& block = gpt_.activations.blocks[layer];
    const auto d = gpt_.shape.d_model;
    const auto f = gpt_.shape.d_ff;
    norm({Kind::norm, Part::ln_2, layer}, block.middle, block.ln_2, block.ln_2_of);
    linear({Kind::linear, Part::c_fc, layer}, d, f, block.ln_2, block.fc);
    kernels::gelu_forward(exec_, gpt_.rows() * f, block.fc, block.gelu);
    linear({Kind::linear, Part::mlp_c_proj, layer}, f, d, block.gelu, branch_);
    kernels::residual_forward(exec_, gpt_.rows() * d, block.middle, branch_,
                              gpt_.activations.output_of(layer));
  }

  void classify() const {
    auto const& a = gpt_.activations;
    const auto v = gpt_.shape.vocabulary;
    norm({Kind::norm, Part::ln_f}, a.last, a.ln_f, a.ln_f_of);
    kernels::head_forward(exec_, {gpt_.rows(), gpt_.shape.d_model, v}, a.ln_f, gpt_.weight({Kind::head}),
                          a.logits);
    kernels::cross_entropy_forward(exec_, gpt_.rows(), v, a.logits, gpt_.targets.data(), a.log_sum, a.loss);
  }

 private:
  void norm(OperationKey const& of, float const* x, float* y, kernels::RowStatistics statistics) const {
    kernels::layernorm_forward(exec_, gpt_.rows(), gpt_.shape.d_model, x, gpt_.weight(of), gpt_.bias(of), y,
                               statistics);
  }

  void linear(OperationKey const& of, std::int64_t in, std::int64_t out, float const* x, float* y) const {
    kernels::linear_forward(exec_, {gpt_.rows(), in, out}, x, gpt_.weight(of), gpt_.bias(of), y);
  }

  kernels::Space const& exec_;
  KernelModel const& gpt_;
  float* branch_;
  float* scratch_;
};

}  // namespace

void run_forward(kernels::Space const& exec, KernelModel const& gpt, float* branch, float* scratch) {
  const Forward forward(exec, gpt, branch, scratch);
  forward.embed();
  for (std::size_t layer = 0; layer < gpt.activations.blocks.size(); ++layer) {
    forward.attend(layer);
    forward.feed_forward(layer);
  }
  forward.classify();
}

}  // namespace ddproxy
