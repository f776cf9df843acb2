// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/predict/curves.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <string_view>

#include "miniapp/predict/analysis/score_text.hpp"
#include "model/cost/csv.hpp"

namespace ddproxy {
namespace {

using Curve = std::vector<model::CurvePoint>;

// Reads a curve. Recognises a results file (HDF5) by its first bytes and refuses it, because the errors of
// the CSV reader would not say what is wrong.
Curve read_curve(std::filesystem::path const& file) {
  constexpr std::string_view signature = "\x89HDF";
  std::string start(signature.size(), '\0');
  std::ifstream(file, std::ios::binary).read(start.data(), static_cast<std::streamsize>(start.size()));
  if (start == signature)
    throw std::invalid_argument(fmt::format(
        "{} is a results file; --measured needs a CSV file with the columns bucket_mib and seconds",
        file.string()));
  return model::read_curve(file);
}

double at(Curve const& curve, double cap_mib, std::filesystem::path const& file) {
  const auto found = std::ranges::find(curve, cap_mib, &model::CurvePoint::bucket_mib);
  if (found == curve.end())
    throw std::invalid_argument(
        fmt::format("{}: there is no row for bucket_mib {}, but the first file of --measured has one; add it",
                    file.string(), cap_mib));
  return found->seconds;
}

void check(Curve const& curve, std::filesystem::path const& file, double t_compute) {
  for (auto const& [cap_mib, seconds] : curve)
    if (!is_bucket_size(cap_mib))
      throw std::invalid_argument(fmt::format(
          "{}: bucket_mib {} is not a bucket size; it must be at least 1 byte and at most 1e9 MiB",
          file.string(), cap_mib));
  if (std::ranges::none_of(curve, [&](auto const& point) { return point.seconds > t_compute; }))
    throw std::invalid_argument(fmt::format(
        "{}: no time is above T_compute, {:.4g} s; the file must hold T of this backward pass, and the "
        "pass must be timed on an otherwise idle machine",
        file.string(), t_compute));
}

// Returns a warning that names the caps whose T is below T_compute. Such a T is doubtful, because all-reduces
// cannot make the backward pass shorter. Returns an empty string if there are none.
std::string doubt_about(Curve const& curve, std::filesystem::path const& file, double t_compute) {
  std::vector<double> caps;
  for (auto const& [cap_mib, seconds] : curve)
    if (seconds < t_compute) caps.push_back(cap_mib);
  if (caps.empty()) return "";
  return fmt::format(
      "{}: at bucket_mib {} the time is below T_compute, {:.4g} s. Either the file does not have T of this "
      "pass, or T_compute is too long (it was measured on a busier machine, or the roofline is too slow); "
      "check both",
      file.string(), fmt::join(caps, ", "), t_compute);
}

// Returns the cases of a curve for model::score(). A curve gives E but not its two parts, so all of E counts
// as the tail.
std::vector<model::ScoredCase> measured_cases(Curve const& curve, Prediction const& prediction,
                                              model::FirstBucket first_bucket) {
  std::vector<model::ScoredCase> cases;
  auto const& job = prediction.job;
  auto undisturbed = job;
  undisturbed.contention = {};
  for (auto const& [cap_mib, seconds] : curve) {
    const auto plan = plan_at(job, cap_mib, first_bucket);
    cases.push_back({cap_mib,
                     seconds,
                     curve_noise * seconds,
                     {seconds - job.t_compute, 0},
                     {model::simulate(job, plan).total - job.t_compute, 0},
                     model::simulate(undisturbed, plan).total - job.t_compute,
                     fmt::format("bucketed/{}", cap_mib)});
  }
  return cases;
}

}  // namespace

CurveScore score_curves(std::vector<std::filesystem::path> const& files, Prediction const& prediction,
                        model::FirstBucket first_bucket) {
  const double t_compute = prediction.job.t_compute;
  const Curve measured = read_curve(files.front());
  check(measured, files.front(), t_compute);
  auto cases = measured_cases(measured, prediction, first_bucket);
  const auto card = model::score(cases);
  CurveScore result{files.front().filename().string(),
                    {{"ddproxy", card.model}},
                    doubt_about(measured, files.front(), t_compute)};
  for (std::size_t i = 1; i < files.size(); ++i) {
    const Curve other = read_curve(files[i]);
    for (auto& c : cases) c.predicted = {at(other, c.cap_mib, files[i]) - t_compute, 0};
    result.rows.emplace_back(files[i].filename().string(), model::score(cases).model);
  }
  result.rows.emplace_back("best constant", card.constant);
  result.rows.emplace_back("near 25 MiB", card.pytorch_default);
  result.rows.emplace_back("without contention", card.uncontended);
  result.why_no_error = why_no_error(cases, card);
  result.why_no_regret = why_no_regret(cases);
  return result;
}

}  // namespace ddproxy
