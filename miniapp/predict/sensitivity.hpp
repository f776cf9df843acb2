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
  double value;          ///< a factor; for model the MiB of its gradients, for ranks their number
  double t_compute, rho;
  model::CapRange plateau;  ///< the caps around the best with T at most 0.1 % larger
  double exposed_best;      ///< E of the best cap
  double exposed_25;        ///< E of PyTorch's default cap, 25 MiB
  double floor;             ///< lower bound on E
  double exposed_plan;      ///< E of the best plan
  std::size_t calls;        ///< all-reduces of the best plan
  bool raised = false;      ///< the change makes a(x) fall as bytes grow, so its running maximum is used
};

/// Returns the rows for these changes. On the first network the bytes, the latency and the bandwidth are
/// multiplied by 1/16 to 16. If the input has a roofline, the presets of the model follow. Each network of
/// `networks` has one unchanged row at the end, if its number of ranks is known.
std::vector<SensitivityRow> sensitivity(PredictInput const& input, std::vector<Network> const& networks);

/// Returns a warning that names the rows with `raised`. Returns an empty string if there are none.
std::string raised_rows(std::vector<SensitivityRow> const& rows);

/// Returns a table for people.
std::string sensitivity_table(std::vector<SensitivityRow> const& rows);
/// Returns CSV: quantity,value,t_compute_s,rho,low_mib,high_mib,exposed_best_s,exposed_25_s,floor_s,
/// exposed_plan_s,calls. low_mib and high_mib are the ends of the plateau. An empty high_mib means that there
/// is no upper end.
std::string sensitivity_csv(std::vector<SensitivityRow> const& rows);

}  // namespace ddproxy
