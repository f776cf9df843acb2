// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/predict/analysis/figure_of_merit.hpp"

#include <fmt/format.h>

namespace ddproxy {

std::vector<std::pair<char const*, double>> numbers_of(FigureOfMerit const& f) {
  return {{"tokens_per_s", f.tokens_per_s},
          {"backward_s", f.backward_s},
          {"bucket_mib", f.bucket_mib},
          {"exposed_s", f.exposed_s},
          {"tail_s", f.tail_s},
          {"overlap", f.overlap},
          {"bus_bw_GBps", f.bus_bw_GBps},
          {"model_error", f.model_error},
          {"regret", f.regret},
          {"model_error_beyond_noise", f.model_error_beyond_noise}};
}

std::string to_line(FigureOfMerit const& f) {
  return fmt::format(
      "DDPROXY_FOM tokens_per_s={:.6g} backward_s={:.5g} bucket_mib={:g} exposed_s={:.4g} tail_s={:.4g} "
      "overlap={:.3g} bus_bw_GBps={:.4g} model_error={:.3g} regret={:.3g} model_error_beyond_noise={:.3g} "
      "valid={}",
      f.tokens_per_s, f.backward_s, f.bucket_mib, f.exposed_s, f.tail_s, f.overlap, f.bus_bw_GBps,
      f.model_error, f.regret, f.model_error_beyond_noise, word_of(f.valid));
}

}  // namespace ddproxy
