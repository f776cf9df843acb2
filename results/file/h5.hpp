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

/// Reports that an HDF5 call failed. The text is a short form of HDF5's own message. The functions of this
/// header throw it, except start(), exists() and sizes().
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Owns an HDF5 identifier and closes it once. It is empty after a move.
class Id {
 public:
  using Close = herr_t (*)(hid_t);
  Id() = default;
  Id(hid_t id, Close close);  ///< throws Error if id is negative
  Id(Id&& other) noexcept;
  Id& operator=(Id&& other) noexcept;
  ~Id() { reset(); }
  operator hid_t() const { return id_; }
  void reset() noexcept;

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

/// Throws Error if `status` is negative.
void check(herr_t status);

/// Prepares HDF5. Call this function before any other. Afterwards HDF5 does not print its error stack,
/// because Error contains the message. HDF5 also does not close files at the end of the process.
void start();

/// Creates a file that HDF5 keeps in memory and never writes to a disk. Closing the file discards it.
Id create_in_memory();
/// Returns the bytes of an HDF5 file with the current content of `file`, as they would lie on a disk.
std::vector<char> image_of(hid_t file);
Id open_file(std::filesystem::path const& path);               ///< opens the file for reading only
Id open_or_create_group(hid_t file, std::string const& path);  ///< creates the group if it does not exist
/// Opens a dataset. Throws Error if it does not exist.
Id open_dataset(hid_t file, std::string const& path);

/// Returns true if the group or dataset `path` exists: "/", "/GROUP" or "/GROUP/DATASET".
bool exists(hid_t file, std::string const& path);

Id text_type();             ///< returns the type of a text with variable length, in UTF-8
Id memory_type(Type type);  ///< returns the HDF5 type of a double, an int64 or a text in memory
Id simple_space(std::vector<std::size_t> const& extents);  ///< returns a scalar space if `extents` is empty
std::vector<std::size_t> extents(hid_t dataset);           ///< returns the lengths, slowest dimension first

/// Writes an attribute and replaces an older value.
void set_attribute(hid_t object, std::string const& name, Attribute const& value);
/// Returns an attribute. Returns nothing if it does not exist, or is not one number or one text.
std::optional<Attribute> get_attribute(hid_t object, std::string const& name);

/// Sets the value that elements have before they are written: NaN for reals, -1 for integers. Does nothing
/// for texts. mark_fill_value() writes the same value to the attribute _FillValue of the dataset.
void set_fill_value(hid_t creation_properties, Type type);
void mark_fill_value(hid_t dataset, Type type);

/// Converts lengths to the type that HDF5 uses for them.
std::vector<hsize_t> sizes(std::vector<std::size_t> const& values);

}  // namespace ddproxy::results::h5
