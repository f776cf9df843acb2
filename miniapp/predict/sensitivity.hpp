// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "miniapp/predict/network.hpp"
#include "miniapp/predict/predict_input.hpp"
#include "model/predict/best_plan.hpp"

namespace ddproxy {

/// How b* and E are where one quantity is changed.
struct SensitivityRow {
  std::string quantity;  ///< bytes, model, latency, bandwidth or ranks
  double value;          ///< a factor; for model MiB of gradients, for ranks their number
  double t_compute, rho;
  model::CapRange plateau;  ///< the caps around the best with T at most 0.1 % above
  double exposed_best;      ///< E of the best cap, seconds
  double exposed_25;        ///< of PyTorch's 25 MiB
  double floor;
  double exposed_plan;  ///< of the best plan
  std::size_t calls;    ///< of it
  bool raised = false;  ///< a(x) is a running maximum
};

/// The first network with bytes, latency and bandwidth scaled by 1/16 to 16, the presets of the model where
/// the input has a roofline, and every network as it is.
std::vector<SensitivityRow> sensitivity(PredictInput const& input, std::vector<Network> const& networks);

/// For which rows a(x) had to be raised, in one line; empty: for none.
std::string raised_rows(std::vector<SensitivityRow> const& rows);

std::string sensitivity_table(std::vector<SensitivityRow> const& rows);
/// quantity,value,t_compute_s,rho,low_mib,high_mib,exposed_best_s,exposed_25_s,floor_s,exposed_plan_s,calls;
/// an empty high_mib: no upper end.
std::string sensitivity_csv(std::vector<SensitivityRow> const& rows);

}  // namespace ddproxy
