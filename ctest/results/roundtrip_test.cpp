// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "ctest/results/folder.hpp"
#include "ctest/results/sample_file.hpp"
#include "results/file/reader.hpp"
#include "results/file/writer.hpp"

namespace ddproxy::test {
namespace {

using results::Reader;
using results::Writer;
using Texts = std::vector<std::string>;
using Integers = std::vector<std::int64_t>;
using Reals = std::vector<double>;
using Extents = std::vector<std::size_t>;

class Roundtrip : public Folder {};

TEST_F(Roundtrip, gives_back_values_of_all_types) {
  const auto path = folder / "r.h5";
  const Reals cube{1.0, 2.0, 3.0, 4.0, 5.0, 1.0 / 3.0};
  const Texts names{"naive", "", "per_tensor, größer"};
  {
    Writer writer(path);
    writer.write("/sweep/measured", cube, {3, 2, 1});
    writer.write("/sweep/name", names);
    writer.write("/sweep/bucket_bytes", Integers{-1, 1 << 20, std::int64_t{1} << 40});
    writer.write("/calibration/alpha", Reals{4e-5});
    writer.write("/score/b_star_measured", Integers{25});
    writer.write("/provenance/input", Texts{"line\nline\n"});
    writer.finish();
  }
  const Reader reader(path);
  EXPECT_EQ(reader.reals("/sweep/measured"), cube);
  EXPECT_EQ(reader.extents("/sweep/measured"), (Extents{3, 2, 1}));
  EXPECT_EQ(reader.texts("/sweep/name"), names);
  EXPECT_EQ(reader.integers("/sweep/bucket_bytes"), (Integers{-1, 1 << 20, std::int64_t{1} << 40}));
  EXPECT_EQ(reader.reals("/sweep/bucket_bytes")[1], 1048576.0);
  EXPECT_EQ(reader.reals("/calibration/alpha"), Reals{4e-5});
  EXPECT_EQ(reader.extents("/calibration/alpha"), Extents{});
  EXPECT_EQ(reader.integers("/score/b_star_measured"), Integers{25});
  EXPECT_EQ(reader.texts("/provenance/input"), Texts{"line\nline\n"});
  EXPECT_EQ(reader.datasets().size(), 6u);
}

TEST_F(Roundtrip, a_sweep_can_take_more_samples_than_were_reserved) {
  Writer writer(folder / "r.h5");
  writer.reserve("/sweep/measured", {2, 1, 2});
  writer.write_part("/sweep/measured", {1, 0, 0}, {1, 1, 2}, Reals{1.0, 2.0});
  writer.flush();
  EXPECT_THROW(writer.write_part("/sweep/measured", {0, 20, 1}, {1, 1, 1}, Reals{3.0}), std::logic_error);
  writer.grow_samples(21);
  writer.write_part("/sweep/measured", {0, 20, 1}, {1, 1, 1}, Reals{3.0});
  writer.write("/sweep/order", Integers(42, 7), {2, 21});
  writer.finish();
  const Reader reader(folder / "r.h5");
  EXPECT_EQ(reader.extents("/sweep/measured"), (Extents{2, 21, 2}));
  const auto values = reader.reals("/sweep/measured");
  EXPECT_EQ(values[41], 3.0);
  EXPECT_EQ(values[42], 1.0);
  EXPECT_EQ(values[43], 2.0);
  EXPECT_EQ(std::ranges::count_if(values, [](double v) { return std::isnan(v); }), 81);
  EXPECT_EQ(reader.integers("/sweep/order"), Integers(42, 7));
}

TEST_F(Roundtrip, tables_of_a_calibration_can_be_written_again_with_more_samples) {
  Writer writer(folder / "r.h5");
  writer.write("/allreduce/seconds", Reals{1, 2}, {2, 1});
  writer.write("/allreduce/probe_before", Reals{5, 6}, {2, 1});
  writer.flush();
  writer.write("/allreduce/seconds", Reals{1, 3, 2, 4}, {2, 2});
  EXPECT_THROW(writer.write("/allreduce/seconds", Reals{1, 2}, {2, 1}), std::logic_error);
  EXPECT_THROW(writer.write("/allreduce/seconds", Reals(9, 1), {3, 3}), std::logic_error);
  const auto grown = writer.reader();
  EXPECT_EQ(grown.extents("/allreduce/probe_before"), (Extents{2, 2}));  // it grows with its dimension
  EXPECT_TRUE(std::isnan(grown.reals("/allreduce/probe_before")[1]));
  writer.write("/allreduce/probe_before", Reals{5, 7, 6, 8}, {2, 2});
  writer.finish();
  const Reader reader(folder / "r.h5");
  EXPECT_EQ(reader.reals("/allreduce/seconds"), (Reals{1, 3, 2, 4}));
  EXPECT_EQ(reader.reals("/allreduce/probe_before"), (Reals{5, 7, 6, 8}));
}

TEST_F(Roundtrip, a_table_that_grows_often_takes_little_more_space_than_its_values) {
  constexpr std::size_t ranks = 8, operations = 400, samples = 40;
  Writer writer(folder / "r.h5");
  for (std::size_t n = 1; n <= samples; ++n)
    writer.write("/layers/seconds", Reals(ranks * operations * n, 1.0), {ranks, operations, n});
  writer.finish();
  const auto values = sizeof(double) * ranks * operations * samples;
  EXPECT_LT(std::filesystem::file_size(folder / "r.h5"), values + 65536);
}

TEST_F(Roundtrip, gives_back_attributes) {
  Writer writer(folder / "r.h5");
  writer.attribute("/", "ddproxy_version", "1.2.3");
  writer.attribute("/model", "batch", std::int64_t{4});
  writer.attribute("/fom", "overlap", 0.25);
  writer.attribute("/model", "batch", std::int64_t{8});
  writer.attribute("/model", "note", "");
  writer.finish();
  const Reader reader(folder / "r.h5");
  EXPECT_TRUE(reader.complete());
  EXPECT_EQ(reader.attribute("/", "schema_version"), results::Attribute(std::int64_t{1}));
  EXPECT_EQ(reader.text("/", "ddproxy_version"), "1.2.3");
  EXPECT_EQ(reader.text("/", "Conventions"), "CF-1.10");
  EXPECT_EQ(reader.text("/", "created").size(), 20u);
  EXPECT_EQ(reader.text("/model", "batch"), "8");
  EXPECT_EQ(reader.text("/model", "note", "other"), "");
  EXPECT_EQ(reader.attribute("/fom", "overlap"), results::Attribute(0.25));
  EXPECT_FALSE(reader.attribute("/fom", "regret"));
  EXPECT_FALSE(reader.attribute("/score", "regret"));
}

TEST_F(Roundtrip, fills_reserved_values_that_were_not_written_with_nan) {
  Writer writer(folder / "r.h5");
  writer.reserve("/sweep/measured", {2, 2, 2});
  writer.write_part("/sweep/measured", {1, 0, 0}, {1, 1, 2}, Reals{7.0, 8.0});
  writer.finish();
  const Reals values = Reader(folder / "r.h5").reals("/sweep/measured");
  ASSERT_EQ(values.size(), 8u);
  for (std::size_t i : {0, 1, 2, 3, 6, 7}) EXPECT_TRUE(std::isnan(values[i])) << i;
  EXPECT_EQ(values[4], 7.0);
  EXPECT_EQ(values[5], 8.0);
}

TEST_F(Roundtrip, accepts_a_coordinate_before_or_after_the_datasets_that_use_it) {
  Writer writer(folder / "r.h5");
  writer.write("/layers/seconds", Reals{1, 2, 3, 4}, {1, 2, 2});
  writer.write("/layers/operation", Texts{"a", "b"});
  writer.write("/score/predictor", Texts{"model"});
  writer.write("/score/regret", Reals{0.5});
  writer.write("/score/regret", Reals{0.25});
  writer.finish();
  const Reader reader(folder / "r.h5");
  EXPECT_EQ(reader.texts("/layers/operation"), (Texts{"a", "b"}));
  EXPECT_EQ(reader.reals("/score/regret"), Reals{0.25});
}

TEST_F(Roundtrip, accepts_empty_datasets) {
  Writer writer(folder / "r.h5");
  writer.write("/plans/bytes", Integers{});
  writer.write("/timeline/label", Texts{});
  writer.finish();
  const Reader reader(folder / "r.h5");
  EXPECT_EQ(reader.integers("/plans/bytes"), Integers{});
  EXPECT_EQ(reader.texts("/timeline/label"), Texts{});
}

TEST_F(Roundtrip, replaces_an_older_file_only_when_finished) {
  const auto path = folder / "r.h5";
  make_sample(path);
  {
    Writer writer(path);
    writer.flush();
    EXPECT_TRUE(Reader(path).complete());
    EXPECT_TRUE(std::filesystem::exists(folder / "r.h5.part"));
    writer.finish();
  }
  EXPECT_TRUE(Reader(path).datasets().empty());
  EXPECT_FALSE(std::filesystem::exists(folder / "r.h5.part"));
}

TEST_F(Roundtrip, keeps_an_unfinished_file_as_part_file) {
  {
    Writer first(folder / "r.h5");
    Writer writer(std::move(first));
    write_sample(writer, {});
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "r.h5"));
  EXPECT_FALSE(Reader(folder / "r.h5.part").complete());
}

TEST_F(Roundtrip, sample_has_every_dataset) {
  make_sample(folder / "r.h5", {.session = "gate", .round = 1});
  const Reader reader(folder / "r.h5");
  for (auto const& dataset : results::schema()) EXPECT_TRUE(reader.has(dataset.path)) << dataset.path;
}

}  // namespace
}  // namespace ddproxy::test
