// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ctest/results/sample_file.hpp"

// Each function write_NAME() writes the group /NAME, and other datasets and attributes that go with it.
namespace ddproxy::test {

inline constexpr std::int64_t mib = 1 << 20;
inline constexpr double compute_seconds = 0.5;
inline constexpr std::size_t ranks = 2;
using Texts = std::vector<std::string>;
using Integers = std::vector<std::int64_t>;
using Reals = std::vector<double>;

struct Gradients {
  Texts name;
  Integers bytes;
  Reals ready;  ///< ready times in seconds
};

/// Returns the gradients of the sample's model, in ready order.
Gradients gradients();

/// Returns the time of one all-reduce while no compute runs, in seconds.
double allreduce_seconds(double bytes);

void write_provenance(results::Writer& writer, Sample const& sample);
void write_model(results::Writer& writer, Gradients const& all, Sample const& sample);
void write_layers(results::Writer& writer, Gradients const& all, Sample const& sample);
void write_allreduce(results::Writer& writer, Sample const& sample);
void write_collectives(results::Writer& writer);
void write_calibration(results::Writer& writer);
/// Writes /wire and /precision.
void write_errors(results::Writer& writer, Gradients const& all);
/// Writes /sweep, /plans, /states, /timeline, /memory and, with a session, /gate.
void write_sweep(results::Writer& writer, Gradients const& all, Sample const& sample);
void write_score(results::Writer& writer, Sample const& sample);
void write_step(results::Writer& writer);

}  // namespace ddproxy::test
