// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <random>

#include "ctest/results/sample_parts.hpp"

namespace ddproxy::test {

Gradients gradients() {
  Gradients all;
  for (int k = 37; k > 0; --k) {
    all.name.push_back("h." + std::to_string(k - 1) + ".weight");
    all.bytes.push_back(76 * mib);
    all.ready.push_back(compute_seconds * (38 - k) / 37.5);
  }
  all.name.push_back("wte.weight");
  all.bytes.push_back(245 * mib);
  all.ready.push_back(compute_seconds);
  return all;
}

double allreduce_seconds(double bytes) {
  return 4e-5 + bytes / 9e9;
}

void write_provenance(results::Writer& writer, Sample const& sample) {
  writer.attribute("/", "ddproxy_version", "0.1.0");
  writer.attribute("/", "command", "run");
  if (!sample.label.empty()) writer.attribute("/", "label", sample.label);
  if (!sample.created.empty()) writer.attribute("/", "created", sample.created);
  for (auto name : {"git_revision", "compiler", "flags", "kokkos", "mpi", "device_runtime", "device_driver",
                    "nccl_settings", "blas", "blas_advice", "hdf5", "placement", "second_start"})
    writer.attribute("/provenance", name, "of the test");
  for (auto const& [name, value] : sample.provenance) writer.attribute("/provenance", name, value);
  writer.attribute("/provenance", "nccl", "none");
  writer.attribute("/provenance", "allreduce", sample.allreduce);
  if (sample.says_more) writer.attribute("/provenance", "threads", sample.threads);
  writer.attribute("/provenance", "device_kind", sample.replay ? "replay" : "a processor");
  writer.write("/provenance/command_line", Texts{"ddproxy run input.toml"});
  writer.write("/provenance/input", Texts{"[model]\npreset = \"gpt2-large\"\n"});
  writer.write("/provenance/table_file", Texts{"times.csv"});
  writer.write("/provenance/table_hash", Texts{"0123456789abcdef"});
  writer.write("/provenance/environment", Texts{"OMP_NUM_THREADS=1", "OMPI_COMM_WORLD_SIZE=2"});
  writer.write("/provenance/host", Texts{sample.host, sample.host});
  writer.write("/provenance/device", Texts{"a processor", "a processor"});
  writer.write("/provenance/uuid", Texts{"", ""});
  writer.write("/provenance/numa_node", Integers{0, -1});
  writer.write("/provenance/binding", Texts{sample.binding, "1"});
  writer.write("/provenance/pci_bus", Texts{"0000:3b:00.0", "0000:af:00.0"});
  writer.write("/provenance/device_numa_node", Integers{0, 1});
  writer.write("/provenance/visible_devices", Texts{"0,1", "0,1"});
  writer.write("/provenance/device_count", Integers{2, 2});
  writer.write("/provenance/peers", Texts{"1", "0"});
  writer.write("/provenance/rank_threads", Integers{1, 1});
  writer.write("/provenance/own_cores", Integers{1, 1});
  writer.write("/provenance/clock", Reals{sample.clock_hz, 2.5e9});
  writer.write("/provenance/memory_clock", Reals{sample.memory_clock_hz, 1.2e9});
  writer.write("/provenance/peak_memory", Integers{1 << 30, 1 << 30});
  for (auto const* name :
       {"/provenance/context_memory", "/provenance/blas_memory", "/provenance/nccl_memory"})
    writer.write(name, Reals{5e8, 5e8});
  writer.write("/provenance/memory_need", Integers{1 << 30, 1 << 30});
  writer.write("/provenance/precision_memory", Integers{1 << 30});
}

void write_model(results::Writer& writer, Gradients const& all, Sample const& sample) {
  writer.attribute("/model", "preset", "gpt2-large");
  writer.attribute("/model", "shape", "layers 36, d_model 1280");
  writer.attribute("/model", "parameters", std::int64_t{774030080});
  writer.attribute("/model", "precision", sample.precision);
  writer.attribute("/model", "batch", std::int64_t{4});
  writer.attribute("/model", "sequence", std::int64_t{1024});
  Texts layers;
  Integers numel, operations;
  for (std::size_t i = 0; i < all.name.size(); ++i) {
    layers.push_back(all.name[i].substr(0, all.name[i].rfind('.')));
    numel.push_back(all.bytes[i] / 4);
    operations.push_back(static_cast<std::int64_t>(i));
  }
  writer.write("/model/name", all.name);
  writer.write("/model/layer", layers);
  writer.write("/model/numel", numel);
  writer.write("/model/operation", operations);
  writer.write("/layers/operation", all.name);
  writer.write("/layers/operation_layer", layers);
}

void write_layers(results::Writer& writer, Gradients const& all, Sample const& sample) {
  const std::size_t n = all.name.size();
  std::mt19937 engine(sample.seed + 1);
  std::normal_distribution<double> noise(0.0, sample.noise);
  Reals seconds(ranks * n * sample.samples);
  for (std::size_t k = 0; k < seconds.size(); ++k) {
    const std::size_t i = k / sample.samples % n;
    const double alone = all.ready[i] - (i ? all.ready[i - 1] : 0.0);
    seconds[k] = alone * std::exp(noise(engine)) * (k < seconds.size() / 2 ? 1.0 : 1.03);
  }
  writer.write("/layers/seconds", seconds, {ranks, n, sample.samples});
  for (auto const* name : {"/layers/probe_before", "/layers/probe_after"})
    writer.write(name, Reals(sample.samples, 55e-9));
  writer.write("/layers/later_seconds", Reals(ranks * n, std::nan("")), {ranks, n, 1});
  for (auto const* name : {"/layers/later_probe_before", "/layers/later_probe_after"})
    writer.write(name, Reals(1, std::nan("")));
  writer.write("/layers/ready", all.ready);
  writer.write("/layers/flops", Reals(n, 2e12));
  writer.write("/layers/bytes", Reals(n, 3e8));
  writer.write("/layers/modelled", Reals(n, compute_seconds / 38));
}

void write_allreduce(results::Writer& writer, Sample const& sample) {
  Integers bytes;
  Reals seconds, median, algbw, busbw;
  for (std::int64_t x = 1024; x <= 1024 * mib; x *= 4) {
    const double t = allreduce_seconds(static_cast<double>(x));
    bytes.push_back(x);
    median.push_back(t);
    algbw.push_back(static_cast<double>(x) / t / 1e9);
    busbw.push_back(algbw.back() * (2.0 * (8 - 1) / 8));
    for (std::size_t s = 0; s < sample.samples; ++s)
      seconds.push_back(t * (1.0 + 0.001 * static_cast<double>(s)));
  }
  writer.attribute("/allreduce", "ranks", std::int64_t{8});
  writer.write("/allreduce/bytes", bytes);
  writer.write("/allreduce/seconds", seconds, {bytes.size(), sample.samples});
  for (auto const* name : {"/allreduce/median", "/allreduce/p99", "/allreduce/table_seconds"})
    writer.write(name, median);
  writer.write("/allreduce/table_bytes", bytes);
  writer.write("/allreduce/algbw", algbw);
  writer.write("/allreduce/busbw", busbw);
  writer.write("/allreduce/wrong_elements", Integers(bytes.size(), sample.replay ? -1 : 0));
  const Reals probes(bytes.size() * sample.samples, 55e-9);
  for (auto const* name : {"/allreduce/probe_before", "/allreduce/probe_after"})
    writer.write(name, probes, {bytes.size(), sample.samples});
  for (auto const* name :
       {"/allreduce/later_seconds", "/allreduce/later_probe_before", "/allreduce/later_probe_after"})
    writer.write(name, Reals(bytes.size(), std::nan("")), {bytes.size(), 1});
  writer.write("/allreduce/piece_bytes", Integers{mib, 16 * mib});
  writer.write("/allreduce/piece_seconds", Reals{0.2, 0.21, 0.19, 0.1, 0.11, 0.1}, {2, 3});
}

// Writes two sizes of each verb on 8 ranks. The busbw of a size is the same for all verbs.
void write_collectives(results::Writer& writer) {
  const std::pair<char const*, double> verbs[] = {
      {"all_reduce", 1.75}, {"reduce_scatter", 0.875}, {"all_gather", 0.875}, {"broadcast", 1.0}};
  Texts verb;
  Integers bytes;
  Reals median, least, most, algbw, busbw, seconds;
  for (auto const& [name, factor] : verbs)
    for (const std::int64_t x : {mib, 64 * mib}) {
      const double t = allreduce_seconds(static_cast<double>(x)) * factor;
      verb.push_back(name);
      bytes.push_back(x);
      for (auto* column : {&median, &least, &most}) column->push_back(t);
      seconds.insert(seconds.end(), {t, t});
      algbw.push_back(static_cast<double>(x) / t / 1e9);
      busbw.push_back(algbw.back() * factor);
    }
  writer.write("/collectives/verb", verb);
  writer.write("/collectives/ranks", Integers(verb.size(), 8));
  writer.write("/collectives/groups", Integers(verb.size(), 1));
  writer.write("/collectives/nodes", Integers(verb.size(), 1));
  writer.write("/collectives/bytes", bytes);
  writer.write("/collectives/seconds", seconds, {verb.size(), 2});
  const std::pair<char const*, Reals const*> columns[] = {
      {"median", &median}, {"min", &least}, {"max", &most}, {"algbw", &algbw}, {"busbw", &busbw}};
  for (auto const& [name, values] : columns) writer.write(std::string("/collectives/") + name, *values);
  writer.write("/collectives/wrong_elements", Integers(verb.size(), 0));
  for (auto const* name : {"/collectives/probe_before", "/collectives/probe_after"})
    writer.write(name, Reals(seconds.size(), 55e-9), {verb.size(), 2});
  writer.attribute("/collectives", "total_bytes", 64 * mib);
  writer.write("/collectives/piece_verb", Texts{"broadcast", "broadcast"});
  writer.write("/collectives/piece_ranks", Integers{8, 8});
  writer.write("/collectives/piece_groups", Integers{1, 1});
  writer.write("/collectives/piece_bytes", Integers{mib, 16 * mib});
  writer.write("/collectives/piece_seconds", Reals{0.2, 0.1}, {2, 1});
}

void write_calibration(results::Writer& writer) {
  writer.write("/calibration/bytes", Integers{mib, 64 * mib});
  writer.write("/calibration/calls", Integers{16, 1});
  for (auto name : {"kappa", "gamma"}) writer.write(std::string("/calibration/") + name, Reals{0.9, 0.8});
  for (auto name : {"compute_alone", "compute_beside", "collective_alone", "collective_beside",
                    "probe_before", "probe_after"}) {
    writer.write(std::string("/calibration/") + name, Reals{0.1, 0.1, 0.1, 0.1}, {2, 2});
    writer.write(std::string("/calibration/later_") + name, Reals(2, std::nan("")), {2, 1});
  }
  writer.write("/calibration/handover", Reals{3e-6});
  for (auto name : {"seconds", "probe_before", "probe_after"})
    writer.write(std::string("/calibration/handover_") + name, Reals{2e-6, 3e-6, 4e-6});
  writer.write("/calibration/alpha", Reals{4e-5});
  writer.write("/calibration/beta", Reals{9e9});
  writer.write("/calibration/fit_error_mean", Reals{0.1});
  writer.write("/calibration/fit_error_max", Reals{0.3});
  writer.write("/phases/name", Texts{"layers", "sweep"});
  for (auto name : {"compute", "compute_low", "compute_high", "allreduce"})
    writer.write(std::string("/phases/") + name, Reals{0.1, 0.1});
  writer.attribute("/phases", "drift", std::string());
}

void write_errors(results::Writer& writer, Gradients const& all) {
  writer.attribute("/wire", "element_bytes", std::int64_t{4});
  writer.attribute("/wire", "error_bound", 1e-5);
  writer.attribute("/wire", "total_rms_error", 1e-7);
  writer.attribute("/precision", "total_rms_error", 1e-7);
  for (auto name : {"/wire/rms_error", "/wire/max_error", "/precision/rms_error"})
    writer.write(name, Reals(all.name.size(), 1e-7));
}

}  // namespace ddproxy::test
