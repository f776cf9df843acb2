// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <random>

#include "ctest/results/sample_parts.hpp"
#include "model/statistics/quantile.hpp"
#include "results/file/schema.hpp"

namespace ddproxy::test {
namespace {

struct Prediction {
  double total = 0, comm = 0;
  Integers last, bytes;
};

// Predicts T (`total`, in seconds) with the recurrence e = max(ready, e) + a(bytes). e is the time at which
// the all-reduce of a bucket ends. The recurrence is accurate enough for a plausible file.
Prediction predict(Gradients const& all, SampleCase const& run, std::int64_t first_bucket) {
  Prediction result;
  const bool overlapped = run.cap > 0 || run.strategy == "per_tensor";
  std::int64_t open = 0;
  for (std::size_t i = 0; i < all.bytes.size(); ++i) {
    open += all.bytes[i];
    const bool is_last = i + 1 == all.bytes.size();
    const bool is_first = result.last.empty() && run.cap > 0 && first_bucket > 0;
    if (run.strategy == "flat" ? !is_last : open < (is_first ? first_bucket : run.cap) && !is_last) continue;
    const double ready = overlapped ? all.ready[i] : compute_seconds;
    const double cost = allreduce_seconds(static_cast<double>(open));
    result.total = std::max(result.total, ready) + cost;
    result.comm += cost;
    result.last.push_back(static_cast<std::int64_t>(i));
    result.bytes.push_back(open);
    open = 0;
  }
  return result;
}

struct Columns {
  Reals measured, compute, backward_end, arrival;
  Reals median, low, high, predicted, comm, exposed, tail, slowdown;
};

void measure(Columns& to, Prediction const& expected, bool slower, Sample const& sample,
             std::mt19937& engine) {
  std::normal_distribution<double> noise(0.0, sample.noise);
  Reals totals, exposed;
  for (std::size_t s = 0; s < sample.samples; ++s) {
    const double factor = std::exp(noise(engine));
    const double total = expected.total * factor * (slower ? sample.factor : 1.0) *
                         (s < 2 ? 1.0 : sample.disturbance) * (s < sample.not_counted ? 3.0 : 1.0);
    totals.push_back(total);
    exposed.push_back(total - compute_seconds * factor);
    for (std::size_t r = 0; r < ranks; ++r) {
      to.measured.push_back(r == 0 ? total : total * 0.9999);
      to.compute.push_back(compute_seconds * factor);
      to.backward_end.push_back(compute_seconds * factor * 1.001);
      to.arrival.push_back(static_cast<double>(r) * 1e-6);
    }
  }
  const auto [least, most] = std::ranges::minmax(totals);
  to.median.push_back(model::median(totals));
  to.low.push_back(least);
  to.high.push_back(most);
  to.predicted.push_back(expected.total);
  to.comm.push_back(expected.comm);
  to.exposed.push_back(model::median(exposed));
  to.slowdown.push_back(compute_seconds * 0.001);
  to.tail.push_back(to.exposed.back() - to.slowdown.back());
}

/// Multiplies each E by `share`, and returns the products in seconds. The first value is NaN: naive does not
/// overlap, so E has no terms.
Reals terms(Reals exposed, double share) {
  for (double& seconds : exposed) seconds *= share;
  exposed.front() = std::nan("");
  return exposed;
}

void write_columns(results::Writer& writer, Columns const& c, std::size_t cases, Sample const& sample) {
  const std::vector<std::size_t> cube{cases, sample.samples, ranks};
  writer.write("/sweep/measured", c.measured, cube);
  writer.write("/sweep/compute", c.compute, cube);
  writer.write("/sweep/backward_end", c.backward_end, cube);
  writer.write("/sweep/arrival", c.arrival, cube);
  Reals predicted_exposed;
  for (double t : c.predicted) predicted_exposed.push_back(t - compute_seconds);
  const Reals ideal = terms(predicted_exposed, 0.5), contention = terms(predicted_exposed, 0.9),
              jitter = terms(predicted_exposed, 1.0);
  const std::pair<const char*, Reals const*> columns[] = {{"measured_median", &c.median},
                                                          {"ci_low", &c.low},
                                                          {"ci_high", &c.high},
                                                          {"predicted", &c.predicted},
                                                          {"comm", &c.comm},
                                                          {"exposed", &c.exposed},
                                                          {"slowdown", &c.slowdown},
                                                          {"tail", &c.tail},
                                                          {"exposed_low", &c.exposed},
                                                          {"exposed_high", &c.exposed},
                                                          {"ideal", &ideal},
                                                          {"uncontended", &contention},
                                                          {"with_contention", &contention},
                                                          {"with_copies", &contention},
                                                          {"with_jitter", &jitter},
                                                          {"predicted_tail", &predicted_exposed},
                                                          {"predicted_exposed", &predicted_exposed}};
  const auto known = [&](std::string_view name) {
    return std::ranges::any_of(columns, [&](auto const& column) { return column.first == name; });
  };
  for (auto const& [name, values] : columns) writer.write("/sweep/" + std::string(name), *values);
  for (auto const& dataset : results::schema())  // the others are NaN: they do not apply
    if (dataset.group() == "/sweep" && dataset.type == results::Type::real && dataset.rank() == 1 &&
        !known(dataset.name()))
      writer.write(dataset.path, Reals(cases, std::nan("")));
}

// At the peak of the live memory, gradients and buckets have half of the bytes each. At another time, buckets
// alone have as many bytes as the peak.
void write_kinds(results::Writer& writer, std::size_t cases, std::int64_t peak) {
  Integers at_peak, kind_peak;
  for (std::size_t k = 0; k < cases; ++k) {
    at_peak.insert(at_peak.end(), {peak / 2, peak / 2});
    kind_peak.insert(kind_peak.end(), {peak / 2, peak});
  }
  writer.write("/memory/kind", Texts{"gradient", "bucket"});
  writer.write("/memory/kind_at_peak", at_peak, {cases, 2});
  writer.write("/memory/kind_peak", kind_peak, {cases, 2});
}

// Each event adds 64 MiB at its start and frees 32 MiB at its end.
void write_memory(results::Writer& writer, std::size_t cases, std::size_t events) {
  Integers start, end;
  for (std::size_t k = 0; k < events; ++k) {
    start.push_back(static_cast<std::int64_t>(2 + k) * 32 * mib);
    end.push_back(static_cast<std::int64_t>(1 + k) * 32 * mib);
  }
  writer.write("/timeline/live_bytes_start", start);
  writer.write("/timeline/live_bytes_end", end);
  writer.write("/timeline/predicted_live_bytes_start", start);
  writer.write("/timeline/predicted_live_bytes_end", end);
  writer.write("/memory/live_at_start", Integers(cases, 0));
  writer.write("/memory/live_peak", Integers(cases, static_cast<std::int64_t>(1 + events) * 32 * mib));
  writer.write("/memory/predicted_peak", Integers(cases, static_cast<std::int64_t>(1 + events) * 32 * mib));
  writer.write("/memory/allocated", Integers{4096 * mib});
  write_kinds(writer, cases, static_cast<std::int64_t>(1 + events) * 32 * mib);
}

void write_timeline(results::Writer& writer, Integers const& first, Integers const& count,
                    std::size_t events) {
  Reals start, end;
  Texts resource, label, phase;
  for (std::size_t k = 0; k < events; ++k) {
    start.push_back(0.01 * static_cast<double>(k));
    end.push_back(start.back() + 0.01);
    resource.push_back(k % 2 ? "communication" : "compute");
    label.push_back("event " + std::to_string(k));
    phase.push_back(k % 2 ? "all_reduce" : "backward");
  }
  writer.write("/timeline/first", first);
  writer.write("/timeline/count", count);
  writer.write("/timeline/start", start);
  writer.write("/timeline/end", end);
  writer.write("/timeline/resource", resource);
  writer.write("/timeline/label", label);
  writer.write("/timeline/phase", phase);
  writer.write("/timeline/predicted_start", start);
  writer.write("/timeline/predicted_end", end);
  writer.write("/timeline/event_rank", Integers(events, 0));
  write_memory(writer, first.size(), events);
}

// Writes a machine with one state, or with two if there are samples that do not count.
void write_states(results::Writer& writer, std::size_t cases, Sample const& sample) {
  Integers counted;
  for (std::size_t k = 0; k < cases * sample.samples; ++k)
    counted.push_back(k % sample.samples >= sample.not_counted);
  const auto left_out = static_cast<std::int64_t>(cases * sample.not_counted);
  writer.write("/sweep/counted", counted, {cases, sample.samples});
  const bool two = sample.not_counted > 0;
  const auto all = static_cast<std::int64_t>(counted.size());
  Integers state = counted;
  for (auto& value : state) value = 1 - value;
  writer.write("/sweep/state", state, {cases, sample.samples});
  for (auto const* name : {"/sweep/probe_before", "/sweep/probe_after", "/sweep/compute_probe_before",
                           "/sweep/compute_probe_after"})
    writer.write(name, Reals(counted.size(), 55e-9), {cases, sample.samples});
  writer.write("/states/round_trip", two ? Reals{sample.round_trip, 330e-9} : Reals{sample.round_trip});
  writer.write("/states/name",
               two ? std::vector<std::string>{"55 ns", "330 ns"} : std::vector<std::string>{"55 ns"});
  writer.attribute("/states", "told_by", std::string("a round trip between cores"));
  writer.write("/states/sm_clock", Reals(2 * ranks, 1.4e9), {ranks, 2});
  writer.write("/states/power_cap", Reals(2 * ranks, 400.0), {ranks, 2});
  writer.write("/states/throttle_reasons", Integers(2 * ranks, 0), {ranks, 2});
  writer.write("/states/default_power_cap", Reals(ranks, 400.0));
  writer.write("/states/throttled", Reals(ranks, 0.0));
  writer.write("/states/samples", two ? Integers{all - left_out, left_out} : Integers{all});
  writer.write("/states/scored", Integers{0});
  writer.write("/states/dropped", Integers{0});
}

void write_gate(results::Writer& writer, Sample const& sample, std::mt19937& engine) {
  std::normal_distribution<double> noise(0.0, sample.noise);
  writer.attribute("/gate", "session", sample.session);
  writer.attribute("/gate", "round", sample.round);
  Texts parts{"compute", "compute/linear"};
  std::erase(parts, sample.left_out_part);
  Reals seconds;
  for (auto const& part : parts) {
    const bool slower = sample.only_case.empty() || sample.only_case == part;
    for (std::size_t s = 0; s < sample.samples; ++s)
      seconds.push_back(0.01 * std::exp(noise(engine)) * (slower ? sample.factor : 1.0));
  }
  writer.write("/gate/name", parts);
  writer.write("/gate/seconds", seconds, {parts.size(), sample.samples});
}

std::vector<SampleCase> cases_of(Sample const& sample) {
  auto cases = sample_cases();
  if (!sample.added.empty())
    for (std::int64_t cap : {4, 25})
      cases.push_back({sample.added + "/" + std::to_string(cap), sample.added, cap * mib});
  std::erase_if(cases, [&](SampleCase const& run) { return run.name == sample.left_out; });
  return cases;
}

}  // namespace

void write_sweep(results::Writer& writer, Gradients const& all, Sample const& sample) {
  std::mt19937 engine(sample.seed);
  Texts name, strategy;
  Integers cap, first_cap, first, count, last, bytes, order;
  Columns columns;
  for (auto const& run : cases_of(sample)) {
    Prediction expected = predict(all, run, sample.first_bucket);
    if (run.strategy == sample.added) expected.total *= 0.97;
    measure(columns, expected, sample.only_case.empty() || sample.only_case == run.name, sample, engine);
    name.push_back(run.name);
    strategy.push_back(run.strategy);
    cap.push_back(run.cap);
    first_cap.push_back(run.cap > 0 && sample.first_bucket > 0 ? sample.first_bucket : run.cap);
    first.push_back(static_cast<std::int64_t>(last.size()));
    count.push_back(static_cast<std::int64_t>(expected.last.size()));
    last.insert(last.end(), expected.last.begin(), expected.last.end());
    bytes.insert(bytes.end(), expected.bytes.begin(), expected.bytes.end());
    for (std::size_t s = 0; s < sample.samples; ++s) order.push_back(static_cast<std::int64_t>(order.size()));
  }
  const std::size_t cases = name.size();
  writer.write("/sweep/stopped_by", Texts(cases, "samples"));
  writer.write("/sweep/contradictions", Texts{"naive overlaps nothing, but its overlap is 0.3"});
  writer.write("/sweep/comm_alone", Reals(cases * sample.samples, 0.1), {cases, sample.samples});
  writer.attribute("/sweep", "ranks", sample.ranks);
  writer.attribute("/sweep", "compute_mode", sample.replay ? "replay" : "kernels");
  writer.attribute("/sweep", "backend", sample.replay ? "replay" : "mpi");
  writer.attribute("/sweep", "progress", "thread");
  writer.attribute("/sweep", "copies", "none");
  writer.attribute("/sweep", "wire", "fp32");
  if (!sample.call.empty()) writer.attribute("/sweep", "call", sample.call);
  if (!sample.call_setting.empty()) writer.attribute("/sweep", "call_setting", sample.call_setting);
  if (sample.says_more) {
    writer.attribute("/sweep", "warmup", sample.warmup);
    writer.attribute("/sweep", "piece_mib", sample.piece_mib);
    writer.attribute("/sweep", "priority", sample.priority);
  }
  writer.write("/sweep/name", name);
  writer.write("/sweep/strategy", strategy);
  writer.write("/sweep/source", Texts(cases, sample.source));
  writer.write("/sweep/compute_source", Texts(cases, sample.compute_source));
  writer.write("/sweep/bucket_bytes", cap);
  writer.write("/sweep/first_bucket_bytes", first_cap);
  writer.write("/sweep/buckets", count);
  if (sample.has_verified)
    writer.write("/sweep/verified", Integers(cases, !sample.is_right ? 0 : sample.is_verified ? 1 : -1));
  writer.write("/sweep/slowest_rank", Integers(cases, 0));
  writer.write("/sweep/order", order, {cases, sample.samples});
  write_states(writer, cases, sample);
  write_columns(writer, columns, cases, sample);
  writer.write("/sweep/bucket_alone", Reals(sample.samples * last.size(), 0.001),
               {sample.samples, last.size()});
  writer.write("/plans/first", first);
  writer.write("/plans/count", count);
  writer.write("/plans/last_gradient", last);
  writer.write("/plans/bytes", bytes);
  write_timeline(writer, first, count, last.size());
  if (!sample.session.empty()) write_gate(writer, sample, engine);
}

void write_score(results::Writer& writer, Sample const& sample) {
  writer.write("/score/predictor", Texts{"model", "constant"});
  for (auto name : {"mean_error", "max_error", "beyond_noise", "pairs_in_order", "regret", "tail_error",
                    "slowdown_error"})
    writer.write(std::string("/score/") + name, Reals{0.01, 0.5});
  for (auto name : {"b_star_measured", "b_star_predicted", "b_star_low", "b_star_high"})
    writer.write(std::string("/score/") + name, Integers{25 * mib});
  writer.write("/sweep/floor", Reals{0.01});
  for (auto name : {"tokens_per_s", "backward_s", "bucket_mib", "exposed_s", "tail_s", "overlap",
                    "bus_bw_GBps", "model_error", "regret"})
    writer.attribute("/fom", name, 1.5);
  const std::string valid = !sample.valid.empty() ? sample.valid : sample.replay ? "replay" : "true";
  if (sample.is_complete && valid != "none") writer.attribute("/fom", "valid", valid);
}

}  // namespace ddproxy::test
