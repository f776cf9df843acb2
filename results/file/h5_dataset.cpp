// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/file/h5_dataset.hpp"

#include <hdf5_hl.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace ddproxy::results::h5 {
namespace {

using Extents = std::vector<std::size_t>;

bool grows(Dataset const& dataset, std::size_t dimension) {
  return dataset.dimensions[dimension] == growing_dimension &&
         std::ranges::find(growing_groups, dataset.group()) != growing_groups.end();
}

// Returns how many samples a chunk has. HDF5 stores only whole chunks, so a chunk has few samples if a sample
// is large. `values` is the number of values of a sample.
hsize_t samples_of_a_chunk(hsize_t values) {
  constexpr hsize_t most_samples = 16, most_values = 8192;
  return std::clamp<hsize_t>(most_values / std::max<hsize_t>(values, 1), 1, most_samples);
}

// Returns the data space of a dataset that can grow. Also sets the size of a chunk in `creation`, because
// HDF5 stores such a dataset in chunks.
Id growing_space(hid_t creation, Dataset const& dataset, Extents const& extents) {
  const auto now = sizes(extents);
  auto most = now, chunk = now;
  hsize_t values = 1;  // number of values in one sample
  for (std::size_t k = 0; k < extents.size(); ++k) {
    if (grows(dataset, k)) continue;
    chunk[k] = std::max<hsize_t>(now[k], 1);
    values *= chunk[k];
  }
  for (std::size_t k = 0; k < extents.size(); ++k) {
    if (!grows(dataset, k)) continue;
    chunk[k] = samples_of_a_chunk(values);
    most[k] = H5S_UNLIMITED;
  }
  check(H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data()));
  return Id(H5Screate_simple(static_cast<int>(now.size()), now.data(), most.data()), H5Sclose);
}

Id space_of(hid_t creation, Dataset const& dataset, Extents const& extents) {
  for (std::size_t k = 0; k < extents.size(); ++k)
    if (grows(dataset, k)) return growing_space(creation, dataset, extents);
  return simple_space(extents);
}

Id create_dataset(hid_t group, Dataset const& dataset, Extents const& extents) {
  const Id creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  const bool has_fill = dataset.type == Type::real || dataset.optional;
  if (has_fill) set_fill_value(creation, dataset.type);
  const Id type = memory_type(dataset.type);
  const Id space = space_of(creation, dataset, extents);
  const std::string name(dataset.name());
  Id created(H5Dcreate2(group, name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose);
  set_attribute(created, "units", std::string(dataset.units));
  set_attribute(created, "long_name", std::string(dataset.long_name));
  if (has_fill) mark_fill_value(created, dataset.type);
  if (dataset.is_coordinate()) check(H5DSset_scale(created, name.c_str()));
  return created;
}

void write_numbers(hid_t scale, std::size_t length) {
  std::vector<std::int64_t> numbers(length);
  std::iota(numbers.begin(), numbers.end(), 0);
  if (length > 0) check(H5Dwrite(scale, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()));
}

Id numbered_scale(hid_t file, std::string const& path, std::string_view dimension, std::size_t length) {
  const bool is_new = !exists(file, path);
  const std::string long_name = "index of the " + std::string(dimension);
  Id scale = ensure_dataset(file, {path, Type::integer, {dimension}, "1", long_name}, {length});
  if (is_new) write_numbers(scale, length);
  return scale;
}

void set_samples(hid_t file, Dataset const& dataset, std::size_t samples) {
  if (!exists(file, std::string(dataset.path))) return;
  const Id open = open_dataset(file, std::string(dataset.path));
  auto lengths = extents(open);
  for (std::size_t k = 0; k < lengths.size(); ++k)
    if (grows(dataset, k)) lengths[k] = samples;
  if (lengths != extents(open)) check(H5Dset_extent(open, sizes(lengths).data()));
}

Id ensure_scale(hid_t file, std::string_view group, std::string_view dimension, std::size_t length) {
  const std::string path = std::string(group) + "/" + std::string(dimension);
  Dataset const* coordinate = find_dataset(path);
  return coordinate ? ensure_dataset(file, *coordinate, {length})
                    : numbered_scale(file, path, dimension, length);
}

// Returns the existing dataset. Grows its group if `wanted` has more samples.
Id open_with(hid_t file, Dataset const& dataset, Extents const& wanted) {
  Id old = open_dataset(file, std::string(dataset.path));
  const auto now = extents(old);
  std::size_t samples = 0;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    if (now[k] == wanted[k]) continue;
    if (!grows(dataset, k) || wanted[k] < now[k])
      throw std::logic_error(std::string(dataset.path) + " was given another length before");
    samples = wanted[k];
  }
  if (samples > 0) grow_samples(file, dataset.group(), samples);
  return old;
}

}  // namespace

Id ensure_dataset(hid_t file, Dataset const& dataset, Extents const& extents) {
  if (extents.size() != dataset.rank())
    throw std::logic_error(std::string(dataset.path) + " has " + std::to_string(dataset.rank()) +
                           " dimensions, not " + std::to_string(extents.size()));
  if (exists(file, std::string(dataset.path))) return open_with(file, dataset, extents);
  const Id group = open_or_create_group(file, std::string(dataset.group()));
  std::vector<Id> scales;  // created first: if an older scale has a different length, no dataset is created
  for (std::size_t k = 0; k < extents.size() && !dataset.is_coordinate(); ++k)
    scales.push_back(ensure_scale(file, dataset.group(), dataset.dimensions[k], extents[k]));
  Id created = create_dataset(group, dataset, extents);
  for (std::size_t k = 0; k < scales.size(); ++k)
    check(H5DSattach_scale(created, scales[k], static_cast<unsigned>(k)));
  return created;
}

void grow_samples(hid_t file, std::string_view group, std::size_t samples) {
  for (auto const& dataset : schema())
    if (dataset.group() == group) set_samples(file, dataset, samples);
  const std::string path = std::string(group) + "/" + std::string(growing_dimension);
  if (!exists(file, path)) return;
  set_samples(file, {path, Type::integer, {growing_dimension}, "1", ""}, samples);
  write_numbers(open_dataset(file, path), samples);
}

}  // namespace ddproxy::results::h5
