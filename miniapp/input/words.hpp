// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "miniapp/input/wire_format.hpp"
#include "model/predict/graph/memory_format.hpp"
#include "model/step/copy_mode.hpp"
#include "model/step/strategies/sharding.hpp"
#include "model/step/strategies/whole_step.hpp"
#include "model/transformer/gpt2.hpp"

namespace ddproxy {

/// How operators are carried out: by kernels, or by waiting for the time of a table or of the roofline.
enum class ComputeMode { kernels, replay };
/// The precision of matrix products.
enum class Precision { fp32, tf32, bf16 };
/// What carries out the collectives: MPI, NCCL, or a replay that waits for the time of a table.
enum class Backend { mpi, nccl, replay };
/// Who drives a reduction, that is, who starts and tests it: a communication thread, the compute side between
/// two operators, or nobody before the end of the backward pass.
enum class Progress { thread, poll, none };
/// The MPI call that reduces a bucket: MPI_Allreduce (blocking) or MPI_Iallreduce (nonblocking). `automatic`
/// chooses one for each message size.
enum class MpiCallKind { automatic, blocking, nonblocking };
/// The priority of NCCL's communication stream.
enum class Priority { normal, high };
/// How MPI receives device memory: directly, or staged through pinned host memory. `automatic` asks the MPI
/// library whether it accepts device memory.
enum class Buffers { automatic, direct, staged };

/// A word of an input file or of the command line, and its meaning. Input files, command lines, tables,
/// results and messages take the words from the lists below.
template <class E>
using Word = std::pair<std::string_view, E>;

inline constexpr std::array<Word<ComputeMode>, 2> compute_mode_words{
    {{"kernels", ComputeMode::kernels}, {"replay", ComputeMode::replay}}};
inline constexpr std::array<Word<Precision>, 3> precision_words{
    {{"fp32", Precision::fp32}, {"tf32", Precision::tf32}, {"bf16", Precision::bf16}}};
inline constexpr std::array<Word<Backend>, 3> backend_words{
    {{"mpi", Backend::mpi}, {"nccl", Backend::nccl}, {"replay", Backend::replay}}};
inline constexpr std::array<Word<Progress>, 3> progress_words{
    {{"thread", Progress::thread}, {"poll", Progress::poll}, {"none", Progress::none}}};
inline constexpr std::array<Word<MpiCallKind>, 3> call_kind_words{
    {{"auto", MpiCallKind::automatic},
     {"blocking", MpiCallKind::blocking},
     {"nonblocking", MpiCallKind::nonblocking}}};
inline constexpr std::array<Word<WireFormat>, 2> wire_words{
    {{"fp32", WireFormat::fp32}, {"bf16", WireFormat::bf16}}};
inline constexpr std::array<Word<Priority>, 2> priority_words{
    {{"normal", Priority::normal}, {"high", Priority::high}}};
inline constexpr std::array<Word<Buffers>, 3> buffers_words{
    {{"auto", Buffers::automatic}, {"direct", Buffers::direct}, {"staged", Buffers::staged}}};
inline constexpr std::array<Word<model::CopyMode>, 3> copy_words{
    {{"none", model::CopyMode::none}, {"in", model::CopyMode::in}, {"in+out", model::CopyMode::in_out}}};

inline constexpr std::array<Word<model::OperationKind>, 9> operation_kind_words{
    {{"cross_entropy", model::OperationKind::cross_entropy},
     {"linear", model::OperationKind::linear},
     {"head", model::OperationKind::head},
     {"norm", model::OperationKind::norm},
     {"activation", model::OperationKind::activation},
     {"attention", model::OperationKind::attention},
     {"rope", model::OperationKind::rope},
     {"position_table", model::OperationKind::position_table},
     {"token_table", model::OperationKind::token_table}}};
inline constexpr std::array<Word<model::Activation>, 2> activation_words{
    {{"gelu", model::Activation::gelu}, {"swiglu", model::Activation::swiglu}}};
inline constexpr std::array<Word<model::Norm>, 2> norm_words{
    {{"layernorm", model::Norm::layernorm}, {"rmsnorm", model::Norm::rmsnorm}}};
inline constexpr std::array<Word<model::Positions>, 3> positions_words{
    {{"learned", model::Positions::learned},
     {"rope", model::Positions::rope},
     {"none", model::Positions::none}}};
inline constexpr std::array<Word<model::Qkv>, 2> qkv_words{
    {{"fused", model::Qkv::fused}, {"separate", model::Qkv::separate}}};

inline constexpr std::array<Word<model::Sync>, 2> sync_words{
    {{"last", model::Sync::last}, {"each", model::Sync::each}}};
inline constexpr std::array<Word<model::Checkpoint>, 2> checkpoint_words{
    {{"none", model::Checkpoint::none}, {"layer", model::Checkpoint::layer}}};
inline constexpr std::array<Word<model::Optimizer>, 2> optimizer_words{
    {{"none", model::Optimizer::none}, {"adamw", model::Optimizer::adamw}}};

/// Returns the names of the ways of sharding (model/step/strategies/shard_table.inc), each with its stage.
inline std::vector<Word<model::ShardStage>> shard_stage_words() {
  std::vector<Word<model::ShardStage>> words;
  for (model::ShardWay const& way : model::shard_ways()) words.emplace_back(way.name, way.stage);
  return words;
}
inline constexpr std::array<Word<model::ShardUnit>, 2> shard_unit_words{
    {{"layer", model::ShardUnit::layer}, {"whole", model::ShardUnit::whole}}};
/// The types of parameters, gradients and activations for which `ddproxy memory` predicts memory.
inline constexpr std::array<Word<model::MemoryFormat>, 3> memory_format_words{
    {{"fp32", model::MemoryFormat::fp32},
     {"bf16", model::MemoryFormat::bf16_master},
     {"autocast", model::MemoryFormat::autocast}}};
/// How the gradients of a sharded step are averaged, and how its updated parameters reach all ranks.
inline constexpr std::array<Word<model::Verb>, 2> shard_reduce_words{
    {{"reduce_scatter", model::Verb::reduce_scatter}, {"all_reduce", model::Verb::all_reduce}}};
inline constexpr std::array<Word<model::Verb>, 2> shard_update_words{
    {{"all_gather", model::Verb::all_gather}, {"broadcast", model::Verb::broadcast}}};

/// The type of the meanings of a list: an array or a vector of Word.
template <class Words>
using MeaningOf = typename Words::value_type::second_type;

/// Returns the meaning of a word; nothing if the list does not contain it.
template <class Words>
constexpr std::optional<MeaningOf<Words>> find_word(std::string_view text, Words const& words) {
  for (auto const& [word, meaning] : words)
    if (word == text) return meaning;
  return std::nullopt;
}

/// Returns the word for a value; "?" if the list does not contain the value.
template <class Words>
constexpr std::string_view word_of(MeaningOf<Words> value, Words const& words) {
  for (auto const& [word, meaning] : words)
    if (meaning == value) return word;
  return "?";
}

/// Returns the meanings of a list, in its order.
template <class Words>
std::vector<MeaningOf<Words>> meanings(Words const& words) {
  std::vector<MeaningOf<Words>> all;
  for (auto const& [word, meaning] : words) all.push_back(meaning);
  return all;
}

/// Returns the words of a list, separated by commas, for messages.
template <class Words>
std::string list_words(Words const& words) {
  std::string list;
  for (auto const& [word, meaning] : words) list += (list.empty() ? "" : ", ") + std::string(word);
  return list;
}

}  // namespace ddproxy
