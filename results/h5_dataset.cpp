// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/h5_dataset.hpp"

#include <hdf5_hl.h>

#include <numeric>
#include <stdexcept>

namespace ddproxy::results::h5 {
namespace {

using Extents = std::vector<std::size_t>;

Id create_dataset(hid_t group, Dataset const& dataset, Extents const& extents) {
  const Id creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  const bool has_fill = dataset.type == Type::real || dataset.optional;
  if (has_fill) set_fill_value(creation, dataset.type);
  const Id type = memory_type(dataset.type);
  const Id space = simple_space(extents);
  const std::string name(dataset.name());
  Id created(H5Dcreate2(group, name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose);
  set_attribute(created, "units", std::string(dataset.units));
  set_attribute(created, "long_name", std::string(dataset.long_name));
  if (has_fill) mark_fill_value(created, dataset.type);
  if (dataset.is_coordinate()) check(H5DSset_scale(created, name.c_str()));
  return created;
}

Id numbered_scale(hid_t file, std::string const& path, std::string_view dimension, std::size_t length) {
  const bool is_new = !exists(file, path);
  const std::string long_name = "index of the " + std::string(dimension);
  Id scale = ensure_dataset(file, {path, Type::integer, {dimension}, "1", long_name}, {length});
  if (is_new && length > 0) {
    std::vector<std::int64_t> numbers(length);
    std::iota(numbers.begin(), numbers.end(), 0);
    check(H5Dwrite(scale, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()));
  }
  return scale;
}

Id ensure_scale(hid_t file, std::string_view group, std::string_view dimension, std::size_t length) {
  const std::string path = std::string(group) + "/" + std::string(dimension);
  Dataset const* coordinate = find_dataset(path);
  return coordinate ? ensure_dataset(file, *coordinate, {length})
                    : numbered_scale(file, path, dimension, length);
}

Id open_checked(hid_t file, Dataset const& dataset, Extents const& wanted) {
  Id old = open_dataset(file, std::string(dataset.path));
  if (extents(old) != wanted)
    throw std::logic_error(std::string(dataset.path) + " was given another length before");
  return old;
}

}  // namespace

Id ensure_dataset(hid_t file, Dataset const& dataset, Extents const& extents) {
  if (extents.size() != dataset.rank())
    throw std::logic_error(std::string(dataset.path) + " has " + std::to_string(dataset.rank()) +
                           " dimensions, not " + std::to_string(extents.size()));
  if (exists(file, std::string(dataset.path))) return open_checked(file, dataset, extents);
  const Id group = open_or_create_group(file, std::string(dataset.group()));
  std::vector<Id> scales;  // before the dataset: a length that does not fit must leave nothing behind
  for (std::size_t k = 0; k < extents.size() && !dataset.is_coordinate(); ++k)
    scales.push_back(ensure_scale(file, dataset.group(), dataset.dimensions[k], extents[k]));
  Id created = create_dataset(group, dataset, extents);
  for (std::size_t k = 0; k < scales.size(); ++k)
    check(H5DSattach_scale(created, scales[k], static_cast<unsigned>(k)));
  return created;
}

}  // namespace ddproxy::results::h5
