// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "miniapp/predict/predict_input.hpp"
#include "miniapp/predict/prediction.hpp"

namespace ddproxy {

/// Predicts the step of the input with each way to divide it among the ranks, for `ddproxy predict --shard`.
/// `stages` lists the stages. The stage fsdp has up to three rows. In the first row units are released after
/// the forward pass. In the second row units are kept until the backward pass. In the third row each unit is
/// divided only within a group of ranks (HSDP). A group has [shard] group ranks. If the input does not have
/// this key, a group has [machine] ranks_per_node ranks. For a stage with buckets, T is predicted with each
/// bucket cap of the input, and the row has the cap that gives the smallest T. For fsdp, the row has the kind
/// of unit (layer or whole) that gives the smallest T. If the memory of a device is known, caps and units
/// that fit it are preferred. If a way cannot be predicted, its row says why.
///
/// `prediction` gives the number of ranks and the costs. Throws std::invalid_argument if the input describes
/// no model or no times of a whole step.
std::vector<ShardRow> shard_rows(PredictInput const& input, Prediction const& prediction,
                                 std::vector<model::ShardStage> const& stages);

/// Returns the rows as a table for people. `device` is the memory of a device in bytes; 0: not known.
std::string shard_table(std::vector<ShardRow> const& rows, int ranks, double device);
/// Returns the rows as a JSON list.
nlohmann::ordered_json shard_json(std::vector<ShardRow> const& rows);

}  // namespace ddproxy
