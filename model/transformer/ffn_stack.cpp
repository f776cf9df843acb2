// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/transformer/ffn_stack.hpp"

#include <string>

namespace ddproxy::model {
namespace {

constexpr std::size_t d_stream = 0, d_wide = 1;  // indices into ForwardPass::gradients

std::string name_of(std::size_t block) {
  return "h." + std::to_string(block);
}

void add_matrix(BackwardPass& pass, std::size_t block, char const* name, std::int64_t in, std::int64_t out,
                Part part) {
  const std::string layer = name_of(block), full = layer + name;
  pass.gradients.push_back({full + ".weight", layer, in * out, pass.operations.size()});
  pass.operations.push_back({full, layer, OperationKind::linear, in, out, part, block});
}

}  // namespace

BackwardPass backward_pass(FfnStack const& stack) {
  BackwardPass pass;
  for (auto block = static_cast<std::size_t>(stack.blocks); block-- > 0;) {
    add_matrix(pass, block, ".c_proj", stack.d_ff, stack.d_model, Part::mlp_c_proj);
    add_matrix(pass, block, ".c_fc", stack.d_model, stack.d_ff, Part::c_fc);
  }
  return pass;
}

ForwardPass forward_pass(FfnStack const& stack) {
  const auto blocks = static_cast<std::size_t>(stack.blocks);
  ForwardPass pass;
  pass.gradients = {{"stream", stack.d_model, std::nullopt, true}, {"wide", stack.d_ff}};
  pass.activations.push_back({name_of(0) + ".input", stack.d_model, std::nullopt, true});
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t c_proj = 2 * (blocks - 1 - block), c_fc = c_proj + 1;  // indices in BackwardPass
    const std::size_t input = 2 * block, hidden = input + 1, result = input + 2;
    pass.activations.push_back({name_of(block) + ".hidden", stack.d_ff, block});
    pass.activations.push_back({name_of(block + 1) + ".input", stack.d_model, std::nullopt, true});
    pass.operations.push_back({.operation = c_fc,
                               .block = block,
                               .activations = {{input, Use::read}, {hidden, Use::assign}},
                               .saved = {input},
                               .gradients = {{d_wide, Use::read}, {d_stream, Use::assign}},
                               .parameters = {c_fc},
                               .weights = {c_fc}});
    pass.operations.push_back({.operation = c_proj,
                               .activations = {{hidden, Use::read}, {result, Use::assign}},
                               .saved = {hidden},
                               .gradients = {{d_stream, Use::read}, {d_wide, Use::assign}},
                               .parameters = {c_proj},
                               .weights = {c_proj}});
  }
  return pass;
}

}  // namespace ddproxy::model
