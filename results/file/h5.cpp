// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/file/h5.hpp"

#include <atomic>
#include <limits>
#include <utility>

namespace ddproxy::results::h5 {
namespace {

constexpr double missing_real = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t missing_integer = -1;

herr_t keep_innermost(unsigned number, H5E_error2_t const* error, void* text) {
  if (number == 0 && error->desc) *static_cast<std::string*>(text) = error->desc;
  return 0;
}

// Returns the message of the operating system that an HDF5 message contains. An example of an HDF5 message is
// "unable to open file: name = '...', errno = 13, error message = 'Permission denied', ...".
std::string system_message(std::string const& text) {
  static const std::string mark = "error message = '";
  const auto start = text.find(mark);
  if (start == std::string::npos) return text;
  const auto end = text.find('\'', start + mark.size());
  return text.substr(start + mark.size(), end - start - mark.size());
}

std::string last_message() {
  std::string text = "HDF5 gives no reason";
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, &text);
  const bool locking = text.find("lock file") != std::string::npos;
  return system_message(text) +
         (locking
              ? " (the file could not be locked: another program has it open, or the file system does not "
                "support locks; then set HDF5_USE_FILE_LOCKING=FALSE)"
              : "");
}

}  // namespace

Id::Id(hid_t id, Close close) : id_(id), close_(close) {
  if (id < 0) throw Error(last_message());
}

Id::Id(Id&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}

Id& Id::operator=(Id&& other) noexcept {
  if (this == &other) return *this;
  reset();
  id_ = std::exchange(other.id_, H5I_INVALID_HID);
  close_ = other.close_;
  return *this;
}

void Id::reset() noexcept {
  if (id_ >= 0) close_(std::exchange(id_, H5I_INVALID_HID));
}

void check(herr_t status) {
  if (status < 0) throw Error(last_message());
}

void start() {
  H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Id create_in_memory() {
  constexpr std::size_t growth = 1 << 20;  // bytes
  static std::atomic<int> number = 0;      // HDF5 cannot open two files of one name at once
  const Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  check(H5Pset_fapl_core(access, growth, 0));
  const Id creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  check(H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
  const std::string name = "results in memory " + std::to_string(++number);
  return Id(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, creation, access), H5Fclose);
}

std::vector<char> image_of(hid_t file) {
  check(H5Fflush(file, H5F_SCOPE_GLOBAL));
  const auto size = H5Fget_file_image(file, nullptr, 0);
  if (size < 0) throw Error(last_message());
  std::vector<char> bytes(static_cast<std::size_t>(size));
  if (H5Fget_file_image(file, bytes.data(), bytes.size()) != size) throw Error(last_message());
  return bytes;
}

Id open_file(std::filesystem::path const& path) {
  return Id(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
}

Id open_or_create_group(hid_t file, std::string const& path) {
  if (exists(file, path)) return Id(H5Gopen2(file, path.c_str(), H5P_DEFAULT), H5Gclose);
  const Id creation(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
  check(H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
  return Id(H5Gcreate2(file, path.c_str(), H5P_DEFAULT, creation, H5P_DEFAULT), H5Gclose);
}

Id open_dataset(hid_t file, std::string const& path) {
  return Id(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose);
}

bool exists(hid_t file, std::string const& path) {
  if (path == "/") return true;
  const auto last = path.rfind('/');
  if (last > 0 && H5Lexists(file, path.substr(0, last).c_str(), H5P_DEFAULT) <= 0) return false;
  return H5Lexists(file, path.c_str(), H5P_DEFAULT) > 0;
}

Id text_type() {
  Id type(H5Tcopy(H5T_C_S1), H5Tclose);
  check(H5Tset_size(type, H5T_VARIABLE));
  check(H5Tset_cset(type, H5T_CSET_UTF8));
  return type;
}

Id memory_type(Type type) {
  if (type == Type::text) return text_type();
  return Id(H5Tcopy(type == Type::real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64), H5Tclose);
}

Id simple_space(std::vector<std::size_t> const& extents) {
  if (extents.empty()) return Id(H5Screate(H5S_SCALAR), H5Sclose);
  const auto lengths = sizes(extents);
  return Id(H5Screate_simple(static_cast<int>(lengths.size()), lengths.data(), nullptr), H5Sclose);
}

std::vector<std::size_t> extents(hid_t dataset) {
  const Id space(H5Dget_space(dataset), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space);
  std::vector<hsize_t> lengths(rank > 0 ? static_cast<std::size_t>(rank) : 0);
  if (!lengths.empty()) check(H5Sget_simple_extent_dims(space, lengths.data(), nullptr));
  return {lengths.begin(), lengths.end()};
}

void set_fill_value(hid_t creation_properties, Type type) {
  if (type == Type::real) check(H5Pset_fill_value(creation_properties, H5T_NATIVE_DOUBLE, &missing_real));
  if (type == Type::integer)
    check(H5Pset_fill_value(creation_properties, H5T_NATIVE_INT64, &missing_integer));
}

void mark_fill_value(hid_t dataset, Type type) {
  if (type == Type::real) set_attribute(dataset, "_FillValue", missing_real);
  if (type == Type::integer) set_attribute(dataset, "_FillValue", missing_integer);
}

std::vector<hsize_t> sizes(std::vector<std::size_t> const& values) {
  return {values.begin(), values.end()};
}

}  // namespace ddproxy::results::h5
