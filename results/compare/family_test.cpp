// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/compare/family_test.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <random>

#include "model/statistics/median_interval.hpp"
#include "model/statistics/quantile.hpp"
#include "model/statistics/student.hpp"
#include "results/compare/relabelling.hpp"

namespace ddproxy::results {
namespace {

// Holds the values of one case, or of the mean over the cases. There is one value for each unit. A unit is a
// round, or a run of one of the two sides.
struct Values {
  explicit Values(std::vector<double> all)
      : value(std::move(all)), total(std::accumulate(value.begin(), value.end(), 0.0)) {
    for (double x : value) squares += x * x;
  }
  std::vector<double> value;
  double total, squares = 0.0;
};

struct Moments {
  double shift, variance;
};

// A design computes the mean shift for a relabelling, and the variance of one value. `chosen` is the sum of
// the values of the units that the relabelling chooses. This design is for rounds; the next one is for runs.
struct PairedDesign {
  std::size_t units;
  // Returns the variance of the mean shift divided by the variance of one value.
  double scale() const { return 1.0 / static_cast<double>(units); }
  Moments moments(Values const& v, double chosen) const {
    const auto n = static_cast<double>(units);
    const double mean = (2.0 * chosen - v.total) / n;
    return {mean, n > 1 ? std::max(0.0, v.squares - n * mean * mean) / (n - 1.0) : 0.0};
  }
};

struct GroupDesign {
  std::size_t base, next;
  double scale() const { return 1.0 / static_cast<double>(base) + 1.0 / static_cast<double>(next); }
  Moments moments(Values const& v, double chosen) const {
    const auto m = static_cast<double>(base), n = static_cast<double>(next);
    const double b = chosen / n, a = (v.total - chosen) / m;
    const double freedom = std::max(1.0, m + n - 2.0);
    return {b - a, std::max(0.0, v.squares - m * a * a - n * b * b) / freedom};
  }
};

double sum_over(Values const& v, Relabelling const& chosen) {
  double sum = 0.0;
  for (std::size_t u : chosen) sum += v.value[u];
  return sum;
}

double studentised(double shift, double variance) {
  constexpr double least = 1e-24;  // lower limit of the variance, for files with equal times
  return shift / std::sqrt(std::max(variance, least));
}

using CaseFlags = std::vector<bool>;

// Returns the mean over the cases that are not noisy, [unit].
std::vector<double> mean_of_quiet(std::vector<Values> const& cases, CaseFlags const& noisy) {
  std::vector<double> mean(cases[0].value.size(), 0.0);
  const auto quiet = static_cast<double>(std::ranges::count(noisy, false));
  for (std::size_t c = 0; c < cases.size(); ++c)
    for (std::size_t u = 0; u < mean.size(); ++u)
      if (!noisy[c]) mean[u] += cases[c].value[u] / quiet;
  return mean;
}

// Computes the statistics of one relabelling: first of the mean over the cases, then of each case.
template <class Design>
class Statistics {
 public:
  Statistics(Design design, std::vector<Values> cases) : design_(design), cases_(std::move(cases)) {}

  std::vector<double> operator()(Relabelling const& chosen) {
    take_moments(chosen);
    const Values& mean = whole();
    whole_moments_ = design_.moments(mean, sum_over(mean, chosen));
    std::vector<double> all{studentised(whole_moments_.shift, whole_moments_.variance * design_.scale())};
    for (std::size_t c = 0; c < cases_.size(); ++c)
      all.push_back(studentised(moments_[c].shift, moderated(c) * design_.scale()));
    return all;
  }

  // Returns the result for the mean over the cases (k = 0) or for case k - 1, without p-values. It belongs to
  // the relabelling of the last call of operator().
  FamilyMember member(std::size_t k) const {
    const Moments m = k == 0 ? whole_moments_ : moments_[k - 1];
    const double variance = k == 0 ? m.variance : moderated(k - 1);
    return {m.shift, std::sqrt(m.variance), std::sqrt(variance * design_.scale()), k > 0 && noisy_[k - 1]};
  }

 private:
  void take_moments(Relabelling const& chosen) {
    moments_.clear();
    for (auto const& one : cases_) moments_.push_back(design_.moments(one, sum_over(one, chosen)));
    noisy_.clear();
    for (auto const& m : moments_) noisy_.push_back(std::sqrt(m.variance) > noisy_deviation);
    if (std::ranges::find(noisy_, false) == noisy_.end()) noisy_.assign(noisy_.size(), false);
    quiet_variances_.clear();
    for (std::size_t c = 0; c < cases_.size(); ++c)
      if (!noisy_[c]) quiet_variances_.push_back(moments_[c].variance);
    middle_ = model::median(quiet_variances_);
  }

  double moderated(std::size_t c) const {
    const double own = moments_[c].variance;
    return noisy_[c] ? own : (own + middle_) / 2.0;
  }

  // Returns the mean over the cases that are not noisy. Caches the means, because only a few sets of noisy
  // cases occur among thousands of relabellings.
  Values const& whole() {
    const auto found = wholes_.find(noisy_);
    if (found != wholes_.end()) return found->second;
    return wholes_.emplace(noisy_, Values(mean_of_quiet(cases_, noisy_))).first->second;
  }

  Design design_;
  std::vector<Values> cases_;
  std::map<CaseFlags, Values> wholes_;  // key: which cases are noisy
  // Results for the last relabelling:
  std::vector<Moments> moments_;  // [case]
  CaseFlags noisy_;
  std::vector<double> quiet_variances_;
  double middle_ = 0.0;  // median variance of the cases that are not noisy
  Moments whole_moments_{};
};

// Counts relabellings for one member: those whose largest statistic is at least the observed statistic of the
// member (`above`), and those whose smallest statistic is at most the observed one (`below`).
struct Tails {
  std::size_t above = 0, below = 0;
};

// Runs the test. The first of `relabellings` is the observed one.
template <class Design>
FamilyTest run_test(Design design, std::vector<Values> values, Relabellings const& relabellings) {
  Statistics<Design> statistics(design, std::move(values));
  const auto observed = statistics(relabellings[0]);
  std::vector<double> largest;
  std::vector<Tails> tails(observed.size());
  constexpr double rounding = 1e-9;
  for (auto const& chosen : relabellings) {
    const auto all = statistics(chosen);
    const auto [low, high] = std::ranges::minmax(all);
    largest.push_back(high);
    for (std::size_t k = 0; k < observed.size(); ++k) {
      tails[k].above += high >= observed[k] - rounding;
      tails[k].below += low <= observed[k] + rounding;
    }
  }
  statistics(relabellings[0]);
  FamilyTest test;
  test.relabellings = relabellings.size();
  test.critical = model::empirical_quantile(std::move(largest), 1.0 - family_level);
  const auto share = static_cast<double>(relabellings.size());
  for (std::size_t k = 0; k < observed.size(); ++k) {
    FamilyMember member = statistics.member(k);
    member.p_slower = static_cast<double>(tails[k].above) / share;
    member.p_faster = static_cast<double>(tails[k].below) / share;
    if (k == 0)
      test.whole = member;
    else
      test.cases.push_back(member);
  }
  return test;
}

}  // namespace

bool FamilyTest::rejects() const {
  const auto is_slower = [](FamilyMember const& member) { return member.p_slower <= family_level; };
  return is_slower(whole) || std::ranges::any_of(cases, is_slower);
}

double FamilyTest::smallest_found(FamilyMember const& member) const {
  return (critical + model::normal_90) * member.error;
}

double FamilyTest::smallest_found_of_a_case() const {
  std::vector<double> all;
  for (auto const& member : cases)
    if (!member.noisy) all.push_back(smallest_found(member));
  return all.empty() ? std::numeric_limits<double>::infinity() : model::median(std::move(all));
}

FamilyTest test_rounds(Logs const& ratios) {
  std::vector<Values> values;
  for (auto const& one : ratios) values.emplace_back(one);
  const std::size_t rounds = ratios.at(0).size();
  return run_test(PairedDesign{rounds}, std::move(values), sign_flips(rounds, most_relabellings));
}

FamilyTest test_runs(Logs const& base, Logs const& next) {
  std::vector<Values> values;
  for (std::size_t c = 0; c < base.size(); ++c) {
    auto both = base[c];
    both.insert(both.end(), next[c].begin(), next[c].end());
    values.emplace_back(std::move(both));
  }
  const std::size_t m = base.at(0).size(), n = next.at(0).size();
  return run_test(GroupDesign{m, n}, std::move(values), regroupings(m, n, most_relabellings));
}

std::vector<double> mean_over_cases(Logs const& logs, FamilyTest const& test) {
  std::vector<double> mean(logs.at(0).size(), 0.0);
  const auto quiet = static_cast<double>(std::ranges::count(test.cases, false, &FamilyMember::noisy));
  for (std::size_t c = 0; c < logs.size(); ++c)
    for (std::size_t u = 0; u < mean.size(); ++u)
      if (!test.cases[c].noisy) mean[u] += logs[c][u] / quiet;
  return mean;
}

model::Band subset_interval(std::vector<double> const& values, double alpha) {
  std::vector<double> means;
  for (auto const& chosen : sign_flips(values.size(), most_relabellings)) {
    // sign_flips() lists the units that keep their sign; the other units form the subset
    if (chosen.size() == values.size()) continue;
    double sum = std::accumulate(values.begin(), values.end(), 0.0);
    for (std::size_t u : chosen) sum -= values[u];
    means.push_back(sum / static_cast<double>(values.size() - chosen.size()));
  }
  std::ranges::sort(means);
  const auto outside = static_cast<std::size_t>(alpha * static_cast<double>(means.size() + 1));
  std::optional<std::size_t> k;
  if (outside > 0) k = outside - 1;
  const model::Estimate interval = model::interval_of_sorted(means, k);
  return {interval.low, interval.high};
}

}  // namespace ddproxy::results
