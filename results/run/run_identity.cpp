// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/run/run_identity.hpp"

#include <cstdio>
#include <set>
#include <stdexcept>

#include "results/run/joined.hpp"

namespace ddproxy::results {
namespace {

using Integers = std::vector<std::int64_t>;

std::string attributes(Reader const& reader, std::string_view group,
                       std::initializer_list<std::string_view> names) {
  std::vector<std::string> values;
  for (auto name : names) values.push_back(reader.text(group, name, "?"));
  return joined(values);
}

Integers integers_of(Reader const& reader, std::string_view dataset, std::size_t cases) {
  if (!reader.has(dataset)) return Integers(cases, -1);
  auto values = reader.integers(dataset);
  if (values.size() != cases)
    throw std::invalid_argument(reader.path().string() + ": " + std::string(dataset) +
                                " and /sweep/name differ in length; the file is damaged");
  return values;
}

// Returns how compute, all-reduces and copies were carried out, for instance "compute kernels, all-reduce
// mpi, progress thread, copies none".
std::string mode_of(Reader const& reader, std::string_view group) {
  const auto value = [&](std::string_view name) { return reader.text(group, name, "?"); };
  return "compute " + value("compute_mode") + ", all-reduce " + value("backend") + ", progress " +
         value("progress") + ", copies " + value("copies");
}

// Computes a hash of the plan of each case, that is of its bucket sizes, as eight hexadecimal digits. The
// text is empty if the file has no plans.
class Plans {
 public:
  Plans(Reader const& reader, std::size_t cases)
      : first_(integers_of(reader, "/plans/first", cases)),
        count_(integers_of(reader, "/plans/count", cases)) {
    if (reader.has("/plans/bytes")) bytes_ = reader.integers("/plans/bytes");
  }

  std::string digits(std::size_t c) const {
    const std::int64_t all = std::ssize(bytes_);
    if (first_[c] < 0 || first_[c] > all || count_[c] < 0 || count_[c] > all - first_[c]) return "";
    const auto size = static_cast<std::size_t>(count_[c]) * sizeof(std::int64_t);
    const std::string_view raw(reinterpret_cast<char const*>(bytes_.data() + first_[c]), size);
    char text[16];
    std::snprintf(text, sizeof text, "%08x", static_cast<unsigned>(std::hash<std::string_view>{}(raw)));
    return text;
  }

 private:
  Integers first_, count_, bytes_;
};

// Returns a text that describes what a whole step reduces: buckets, or the units of FSDP. The key `sharding`
// says what a unit is.
std::string buckets_of(Reader const& reader) {
  if (reader.text("/step", "sharding", "none").find(", unit ") != std::string::npos)
    return "whole step, units of FSDP";
  return "whole step, buckets of " + reader.text("/step", "bucket_mib", "?") + " MiB";
}

// Returns the cases of the sweep with their plans as one text. A case of the strategy `optimal` is listed
// without its plan, because this plan depends on measurements. A case of another program is also listed
// without a plan. For whole steps, returns what buckets_of() returns.
std::string sweep_of(Reader const& reader) {
  if (has_steps(reader)) return buckets_of(reader);
  const auto names = reader.texts("/sweep/name"), strategies = reader.texts("/sweep/strategy");
  const auto buckets = integers_of(reader, "/sweep/buckets", names.size());
  const auto caps = integers_of(reader, "/sweep/bucket_bytes", names.size());
  const auto first = integers_of(reader, "/sweep/first_bucket_bytes", names.size());
  const Plans plans(reader, names.size());
  const auto sources = reader.has("/sweep/source") ? reader.texts("/sweep/source") : names;
  std::set<std::string> all;
  for (std::size_t c = 0; c < names.size(); ++c) {
    std::string text = names[c];
    if (strategies.at(c) != "optimal" && sources.at(c) != "pytorch" && buckets[c] >= 0) {
      text += " in " + std::to_string(buckets[c]) + " buckets";
      if (first[c] != caps[c]) text += "; the first up to " + std::to_string(first[c]) + " bytes";
      if (const auto digits = plans.digits(c); !digits.empty()) text += " (plan " + digits + ")";
    }
    all.insert(text);
  }
  return joined(all);
}

// Returns where the all-reduce buffers were: "host", "staged" or "direct"; empty if MPI did not reduce. The
// attribute `allreduce` of the file also contains the backend, the progress and the wire format. They are
// left out here, because the keys `mode` and `wire` have them. The NCCL version is not part of the identity,
// because a user may want to compare versions.
std::string buffers_of(Reader const& reader) {
  const auto text = reader.text("/provenance", "allreduce");
  if (reader.text(measured_group(reader), "backend") != "mpi" || text.empty()) return "";
  const auto has = [&](char const* word) { return text.find(word) != std::string::npos; };
  return has("staged") ? "staged" : has("device buffers") ? "direct" : "host";
}

// Returns the optimizer of a whole step and the limit of the norm of the gradients; empty for a sweep.
std::string optimizer_of(Reader const& reader) {
  return has_steps(reader) ? attributes(reader, "/step", {"optimizer", "clip"}) : "";
}

// Returns a setting of whole steps; `fallback` if the file lacks it, and empty for a sweep.
std::string step_text(Reader const& reader, std::string_view name, std::string const& fallback = "") {
  return has_steps(reader) ? reader.text("/step", name, fallback) : "";
}

}  // namespace

bool has_steps(Reader const& reader) {
  return reader.has("/step/part") && !reader.has("/sweep/name");
}

std::string_view measured_group(Reader const& reader) {
  return has_steps(reader) ? "/step" : "/sweep";
}

Run::Values identity_of(Reader const& reader) {
  const std::string_view group = measured_group(reader);
  return {{"model", attributes(reader, "/model", {"preset", "shape", "parameters"})},
          {"step", attributes(reader, "/model", {"batch", "sequence"})},
          {"precision", reader.text("/model", "precision", "?")},
          {"sweep", sweep_of(reader)},
          {"ranks", reader.text(group, "ranks", "?")},
          {"device", reader.text("/provenance", "device_kind", "?")},
          {"mode", mode_of(reader, group)},
          {"wire", reader.text(group, "wire", "fp32")},  // files of earlier versions lack it; they used fp32
          {"threads", reader.text("/provenance", "threads")},
          {"pieces", reader.text(group, "piece_mib")},
          {"call", reader.text(group, "call_setting")},  // what "auto" chose is a condition of the run
          {"buffers", buffers_of(reader)},
          {"priority", reader.text(group, "priority")},
          {"optimizer", optimizer_of(reader)},
          {"accumulation", step_text(reader, "accumulation")},
          {"sync", step_text(reader, "sync")},
          {"checkpoint", step_text(reader, "checkpoint")},
          {"sharding", step_text(reader, "sharding", "none")}};  // steps of earlier versions were not sharded
}

}  // namespace ddproxy::results
