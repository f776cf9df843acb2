// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "reference_model.hpp"

namespace ddproxy::reference {
namespace {

struct Block {
  Array input, ln_1, qkv, attention, middle, ln_2, fc, gelu;
};

struct Pass {
  std::vector<Block> blocks;
  Array last, ln_f, logits;
};

Array sum(Array const& a, Array const& b) {
  Array out(a.size());
  for (Size i = 0; i < a.size(); ++i) out[i] = a[i] + b[i];
  return out;
}

class Model {
 public:
  Model(model::Shape const& shape, Tensors const& parameters, Step const& step)
      : p_(parameters),
        step_(step),
        layers_(static_cast<Size>(shape.layers)),
        n_(step.inputs.size()),
        c_(static_cast<Size>(shape.d_model)),
        f_(static_cast<Size>(shape.d_ff)),
        v_(static_cast<Size>(shape.vocabulary)),
        context_(static_cast<Size>(shape.context)),
        heads_(static_cast<Size>(shape.heads)),
        head_weight_(shape.tied ? "wte.weight" : "lm_head.weight") {}

  Pass forward() const {
    Pass pass;
    Array x = embedding(step_.sequence, c_, step_.inputs, at("wte.weight"), at("wpe.weight"));
    for (Size layer = 0; layer < layers_; ++layer) {
      pass.blocks.push_back(forward_block("h." + std::to_string(layer), x));
      auto const& block = pass.blocks.back();
      x = sum(block.middle, map("h." + std::to_string(layer) + ".mlp.c_proj", f_, c_, block.gelu));
    }
    pass.last = x;
    pass.ln_f = norm("ln_f", x);
    pass.logits = head(n_, c_, v_, pass.ln_f, at(head_weight_));
    return pass;
  }

  double loss() const { return cross_entropy(n_, v_, forward().logits, step_.targets); }

  Tensors backward() const {
    const Pass pass = forward();
    Tensors g;
    const auto top = head_backward(n_, c_, v_, pass.ln_f, at(head_weight_),
                                   cross_entropy_backward(n_, v_, pass.logits, step_.targets));
    g["wte.weight"] = Array(v_ * c_, 0.0);
    g[head_weight_] = top.weight;
    Array dx = norm_backward("ln_f", pass.last, top.x, g);
    for (Size layer = layers_; layer-- > 0;)
      dx = backward_block("h." + std::to_string(layer), pass.blocks[layer], dx, g);
    add_token_gradient(c_, step_.inputs, dx, g["wte.weight"]);
    g["wpe.weight"] = position_gradient(step_.sequence, c_, context_, dx);
    return g;
  }

 private:
  Array const& at(std::string const& name) const { return p_.at(name); }
  AttentionSize attention_size() const { return {step_.batch, step_.sequence, heads_, c_ / heads_}; }

  Array norm(std::string const& name, Array const& x) const {
    return layernorm(n_, c_, x, at(name + ".weight"), at(name + ".bias"));
  }

  Array map(std::string const& name, Size in, Size out, Array const& x) const {
    return linear(n_, in, out, x, at(name + ".weight"), at(name + ".bias"));
  }

  Array norm_backward(std::string const& name, Array const& x, Array const& dy, Tensors& g) const {
    auto d = layernorm_backward(n_, c_, x, at(name + ".weight"), dy);
    g[name + ".weight"] = d.weight;
    g[name + ".bias"] = d.bias;
    return d.x;
  }

  Array map_backward(std::string const& name, Size in, Size out, Array const& x, Array const& dy,
                     Tensors& g) const {
    auto d = linear_backward(n_, in, out, x, at(name + ".weight"), dy);
    g[name + ".weight"] = d.weight;
    g[name + ".bias"] = d.bias;
    return d.x;
  }

  Block forward_block(std::string const& name, Array const& x) const {
    Block b;
    b.input = x;
    b.ln_1 = norm(name + ".ln_1", x);
    b.qkv = map(name + ".attn.c_attn", c_, 3 * c_, b.ln_1);
    b.attention = attention(attention_size(), b.qkv);
    b.middle = sum(x, map(name + ".attn.c_proj", c_, c_, b.attention));
    b.ln_2 = norm(name + ".ln_2", b.middle);
    b.fc = map(name + ".mlp.c_fc", c_, f_, b.ln_2);
    b.gelu = gelu(b.fc);
    return b;
  }

  Array backward_block(std::string const& name, Block const& b, Array const& dout, Tensors& g) const {
    const Array dgelu = map_backward(name + ".mlp.c_proj", f_, c_, b.gelu, dout, g);
    const Array dln_2 = map_backward(name + ".mlp.c_fc", c_, f_, b.ln_2, gelu_backward(b.fc, dgelu), g);
    const Array dmiddle = sum(dout, norm_backward(name + ".ln_2", b.middle, dln_2, g));
    const Array dattention = map_backward(name + ".attn.c_proj", c_, c_, b.attention, dmiddle, g);
    const Array dqkv = attention_backward(attention_size(), b.qkv, dattention);
    const Array dln_1 = map_backward(name + ".attn.c_attn", c_, 3 * c_, b.ln_1, dqkv, g);
    return sum(dmiddle, norm_backward(name + ".ln_1", b.input, dln_1, g));
  }

  Tensors const& p_;
  Step const& step_;
  Size layers_, n_, c_, f_, v_, context_, heads_;
  std::string head_weight_;
};

}  // namespace

double loss(model::Shape const& shape, Tensors const& parameters, Step const& step) {
  return Model(shape, parameters, step).loss();
}

Tensors gradients(model::Shape const& shape, Tensors const& parameters, Step const& step) {
  return Model(shape, parameters, step).backward();
}

Tensors formula_weights(model::Shape const& shape) {
  Tensors weights;
  Size tensor = 0;
  // The map sorts the tensors by name, so golden.py need not know the ready order.
  for (auto const& gradient : model::backward_pass(shape).gradients)
    weights[gradient.name].resize(static_cast<Size>(gradient.numel));
  for (auto& [name, values] : weights) {
    const bool norm = name.find("ln_") != std::string::npos && name.ends_with(".weight");
    for (Size i = 0; i < values.size(); ++i)
      values[i] = (norm ? 1.0 : 0.0) +
                  0.2 * (static_cast<double>((i * i + 31 * i + 17 * tensor) % 10007) / 10007 - 0.5);
    ++tensor;
  }
  return weights;
}

Step formula_step(model::Shape const& shape, Size batch, Size sequence) {
  const Size vocabulary = static_cast<Size>(shape.vocabulary);
  Step step{batch, sequence, {}, {}};
  for (Size n = 0; n < batch * sequence; ++n) {
    step.inputs.push_back(static_cast<int>((3 * n * n + 13 * n + 5) % vocabulary));
    step.targets.push_back(static_cast<int>((5 * n * n + 7 * n + 2) % vocabulary));
  }
  return step;
}

}  // namespace ddproxy::reference
