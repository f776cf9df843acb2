// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "miniapp/predict/network.hpp"
#include "miniapp/predict/predict_input.hpp"
#include "model/predict/best_plan.hpp"

namespace ddproxy {

/// The best cap b* and E after one quantity is changed. Times are in seconds.
struct SensitivityRow {
  std::string quantity;  ///< bytes, model, latency, bandwidth or ranks
  double value;  ///< MiB of gradients if `quantity` is model, number of ranks if it is ranks, else the factor
  double t_compute, rho;    ///< rho = T_comm / T_compute
  model::CapRange plateau;  ///< the caps around the best cap whose T is at most 0.1 % larger
  double exposed_best;      ///< E of the best cap
  double exposed_25;        ///< E of PyTorch's default cap, 25 MiB
  double floor;             ///< lower bound on E
  double exposed_plan;      ///< E of the best plan
  std::size_t calls;        ///< all-reduces of the best plan
  bool raised = false;      ///< true: the change made a(x) fall as bytes grow, so its running maximum is used
};

/// Returns one row for each change of one quantity. On the first network, bytes, latency or bandwidth is
/// multiplied by a factor from 1/16 to 16, one quantity at a time. If the input has a roofline, there is a
/// row for each preset of GPT-2 whose context is at least as long as the sequences of the input. At the end
/// there is one row without a change for each network whose number of ranks is known. Throws
/// std::invalid_argument if a time is not finite.
std::vector<SensitivityRow> sensitivity(PredictInput const& input, std::vector<Network> const& networks);

/// Returns a warning that names the rows whose `raised` is true. Returns an empty string if there are none.
std::string raised_rows(std::vector<SensitivityRow> const& rows);

/// Returns the rows as a table for people.
std::string sensitivity_table(std::vector<SensitivityRow> const& rows);
/// Returns CSV: quantity,value,t_compute_s,rho,low_mib,high_mib,exposed_best_s,exposed_25_s,floor_s,
/// exposed_plan_s,calls. low_mib and high_mib are the ends of the plateau. An empty high_mib means that there
/// is no upper end.
std::string sensitivity_csv(std::vector<SensitivityRow> const& rows);

}  // namespace ddproxy
