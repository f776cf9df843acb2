// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "results/file/schema.hpp"

namespace ddproxy::results::h5 {

/// What HDF5 said when a call failed, in a few words.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An HDF5 identifier that is closed once; empty when moved from.
class Id {
 public:
  using Close = herr_t (*)(hid_t);
  Id() = default;
  Id(hid_t id, Close close);  ///< throws Error where id is negative
  Id(Id&& other) noexcept;
  Id& operator=(Id&& other) noexcept;
  ~Id() { reset(); }
  operator hid_t() const { return id_; }
  void reset() noexcept;

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

/// Throws Error where a call returned a negative status.
void check(herr_t status);

/// Call it before anything else. Stops HDF5 from printing its error stack, whose message goes into ours, and
/// from closing files at exit.
void start();

/// Creates a file that HDF5 keeps in memory and never writes to a disk. Closing it loses it.
Id create_in_memory();
/// The bytes that a file with the present content has on a disk. They are a copy.
std::vector<char> image_of(hid_t file);
Id open_file(std::filesystem::path const& path);  ///< read-only
Id open_or_create_group(hid_t file, std::string const& path);
Id open_dataset(hid_t file, std::string const& path);

/// True where the path (of a group, or of a dataset in a group) is there.
bool exists(hid_t file, std::string const& path);

Id text_type();                                            ///< variable length, UTF-8
Id memory_type(Type type);                                 ///< double, int64 or text
Id simple_space(std::vector<std::size_t> const& extents);  ///< scalar where empty
std::vector<std::size_t> extents(hid_t dataset);

void set_attribute(hid_t object, std::string const& name, Attribute const& value);
std::optional<Attribute> get_attribute(hid_t object, std::string const& name);

/// The value that stands for a missing one, put into the attribute _FillValue too.
void set_fill_value(hid_t creation_properties, Type type);
void mark_fill_value(hid_t dataset, Type type);

std::vector<hsize_t> sizes(std::vector<std::size_t> const& values);

}  // namespace ddproxy::results::h5
