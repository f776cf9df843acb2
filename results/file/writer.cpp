// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/file/writer.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "results/file/h5_dataset.hpp"
#include "results/output/flush_pace.hpp"
#include "results/output/fresh_file.hpp"
#include "results/output/part_file.hpp"
#include "results/output/utc_time.hpp"

namespace ddproxy::results {
namespace {

using Extents = std::vector<std::size_t>;

std::size_t product(Extents const& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::size_t{1}, std::multiplies<>());
}

Dataset const& known_of_type(std::string_view path, Type type) {
  Dataset const& dataset = known_dataset(path);
  if (dataset.type != type)
    throw std::logic_error(std::string(path) + " holds " + std::string(name_of(dataset.type)) +
                           " values, not " + std::string(name_of(type)));
  return dataset;
}

void check_group(std::string_view group) {
  const auto in_group = [&](Dataset const& d) { return d.group() == group; };
  const auto of_group = [&](AttributeOf const& a) { return a.group == group; };
  if (!std::ranges::any_of(schema(), in_group) && !std::ranges::any_of(schema_attributes(), of_group))
    throw std::logic_error("the schema has no group " + std::string(group));
}

}  // namespace

struct Writer::Impl {
  std::filesystem::path path;
  PartFile on_disk;
  h5::Id file = h5::create_in_memory();
  FlushPace pace = {};
  bool changed = true;  // true if there were changes since the last flush

  // Runs one action. If it throws h5::Error or another std::runtime_error, the file in memory is discarded.
  // An h5::Error becomes one line that names the file. PATH.part on the disk stays as it was.
  void guarded(std::function<void()> const& action) {
    if (file < 0) throw std::logic_error(path.string() + " is finished or was given up after an error");
    try {
      action();
      changed = true;
    } catch (h5::Error const& error) {
      file.reset();
      throw std::runtime_error("cannot write " + on_disk.part().string() + ": " + error.what());
    } catch (std::runtime_error const&) {
      file.reset();
      throw;
    }
  }

  void write_part(Dataset const& dataset, Extents const& offsets, Extents const& counts, void const* values,
                  std::size_t size) {
    const std::string path(dataset.path);
    if (offsets.size() != dataset.rank() || counts.size() != dataset.rank() || product(counts) != size)
      throw std::logic_error(path + ": offsets, counts and values do not fit");
    guarded([&] {
      const h5::Id target = h5::open_dataset(file, path);
      const h5::Id space(H5Dget_space(target), H5Sclose);
      h5::check(H5Sselect_hyperslab(space, H5S_SELECT_SET, h5::sizes(offsets).data(), nullptr,
                                    h5::sizes(counts).data(), nullptr));
      if (H5Sselect_valid(space) <= 0) throw std::logic_error(path + ": the part lies outside the dataset");
      const h5::Id memory = h5::simple_space(counts);
      h5::check(H5Dwrite(target, h5::memory_type(dataset.type), memory, space, H5P_DEFAULT, values));
    });
  }

  void flush() {
    guarded([&] {
      const auto start = FlushPace::Clock::now();
      const auto image = h5::image_of(file);
      on_disk.replace({image.data(), image.size()});
      pace.flushed(start, FlushPace::Clock::now());
    });
    changed = false;
  }
};

namespace {

template <class Values>
Extents full(Dataset const& dataset, Extents extents, Values const& values) {
  if (extents.empty() && dataset.rank() == 1) extents = {values.size()};
  if (product(extents) != values.size())
    throw std::logic_error(std::string(dataset.path) + ": " + std::to_string(values.size()) +
                           " values do not fill the dimensions given");
  return extents;
}

void write_all(hid_t dataset, Type type, void const* values, std::size_t count) {
  if (count > 0) h5::check(H5Dwrite(dataset, h5::memory_type(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
}

}  // namespace

Writer::Writer(std::filesystem::path path) {
  h5::start();
  impl_.reset(new Impl{path, PartFile(path)});
  attribute("/", "Conventions", "CF-1.10");
  attribute("/", "schema_version", schema_version);
  attribute("/", "complete", std::int64_t{0});
  attribute("/", "created", utc_time_now());
  attribute("/", "run_id", random_digits());
  flush();
}

Writer::~Writer() {
  if (!impl_ || impl_->file < 0 || !impl_->changed) return;
  try {
    impl_->flush();
  } catch (std::exception const&) {  // ignored: a caller that has to know about a failure calls flush()
  }
}

Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;

std::vector<std::string> Writer::warnings() const {
  std::vector<std::string> lines;
  auto const& disk = impl_->on_disk;
  if (disk.kept())
    lines.push_back(disk.part().string() + " of an earlier run that did not finish is kept as " +
                    disk.kept()->string());
  if (!disk.no_locks().empty())
    lines.push_back(impl_->path.string() + ": its file system has no locks (" + disk.no_locks() +
                    "), so a second run into this file would not be refused; give each run its own file");
  return lines;
}

void Writer::attribute(std::string_view group, std::string_view name, Attribute const& value) {
  check_group(group);
  impl_->guarded([&] {
    const h5::Id object = h5::open_or_create_group(impl_->file, std::string(group));
    h5::set_attribute(object, std::string(name), value);
  });
}

void Writer::write(std::string_view path, std::span<const double> values, Extents extents) {
  Dataset const& dataset = known_of_type(path, Type::real);
  extents = full(dataset, std::move(extents), values);
  impl_->guarded([&] {
    write_all(h5::ensure_dataset(impl_->file, dataset, extents), Type::real, values.data(), values.size());
  });
}

void Writer::write(std::string_view path, std::span<const std::int64_t> values, Extents extents) {
  Dataset const& dataset = known_of_type(path, Type::integer);
  extents = full(dataset, std::move(extents), values);
  impl_->guarded([&] {
    write_all(h5::ensure_dataset(impl_->file, dataset, extents), Type::integer, values.data(), values.size());
  });
}

void Writer::write(std::string_view path, std::span<const std::string> values) {
  Dataset const& dataset = known_of_type(path, Type::text);
  const Extents extents = full(dataset, {}, values);
  std::vector<const char*> begins;
  for (auto const& value : values) begins.push_back(value.c_str());
  impl_->guarded([&] {
    write_all(h5::ensure_dataset(impl_->file, dataset, extents), Type::text, begins.data(), begins.size());
  });
}

void Writer::reserve(std::string_view path, Extents extents) {
  Dataset const& dataset = known_dataset(path);
  impl_->guarded([&] { h5::ensure_dataset(impl_->file, dataset, extents); });
}

void Writer::grow_samples(std::size_t samples) {
  impl_->guarded([&] { h5::grow_samples(impl_->file, "/sweep", samples); });
}

void Writer::write_part(std::string_view path, Extents const& offsets, Extents const& counts,
                        std::span<const double> values) {
  impl_->write_part(known_of_type(path, Type::real), offsets, counts, values.data(), values.size());
}

void Writer::write_part(std::string_view path, Extents const& offsets, Extents const& counts,
                        std::span<const std::int64_t> values) {
  impl_->write_part(known_of_type(path, Type::integer), offsets, counts, values.data(), values.size());
}

void Writer::flush() {
  impl_->flush();
}

void Writer::flush_if_due() {
  if (impl_->changed && impl_->pace.due(FlushPace::Clock::now())) flush();
}

Reader Writer::reader() const {
  return {impl_->path, impl_->file};
}

void Writer::finish(std::vector<TextFile> const& beside) {
  attribute("/", "complete", std::int64_t{1});
  flush();
  impl_->file.reset();
  TextFiles texts(beside);
  texts.remove_old();
  impl_->on_disk.finish();
  texts.take_place();
  impl_->on_disk.release();
}

}  // namespace ddproxy::results
