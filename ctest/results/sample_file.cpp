// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ctest/results/sample_file.hpp"

#include "ctest/results/sample_parts.hpp"

namespace ddproxy::test {

std::vector<SampleCase> sample_cases() {
  std::vector<SampleCase> cases{
      {"naive", "naive", -1}, {"flat", "flat", -1}, {"per_tensor", "per_tensor", -1}};
  for (std::int64_t cap : {1, 4, 16, 25, 64, 256, 1024})
    cases.push_back({"bucketed " + std::to_string(cap) + " MiB", "bucketed", cap * mib});
  return cases;
}

void write_sample(results::Writer& writer, Sample const& sample) {
  const Gradients all = gradients();
  write_provenance(writer, sample);
  write_model(writer, all, sample);
  write_layers(writer, all, sample);
  write_allreduce(writer, sample);
  write_collectives(writer);
  write_calibration(writer);
  write_errors(writer, all);
  write_step(writer);
  if (sample.steps_only) return writer.attribute("/step", "valid", std::string("true"));
  write_sweep(writer, all, sample);
  write_score(writer, sample);
}

void make_sample(std::filesystem::path const& path, Sample const& sample) {
  results::Writer writer(path);
  write_sample(writer, sample);
  if (sample.is_complete) return writer.finish();
  writer.flush();
  std::filesystem::rename(path.string() + ".part", path);
}

}  // namespace ddproxy::test
