// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/file/h5.hpp"

namespace ddproxy::results::h5 {
namespace {

Type type_of(Attribute const& value) {
  return std::holds_alternative<double>(value)         ? Type::real
         : std::holds_alternative<std::int64_t>(value) ? Type::integer
                                                       : Type::text;
}

void write_value(hid_t attribute, hid_t type, Attribute const& value) {
  if (auto const* text = std::get_if<std::string>(&value)) {
    const char* begin = text->c_str();
    check(H5Awrite(attribute, type, &begin));
  } else if (auto const* real = std::get_if<double>(&value)) {
    check(H5Awrite(attribute, type, real));
  } else {
    check(H5Awrite(attribute, type, &std::get<std::int64_t>(value)));
  }
}

// Reads a text attribute. Other programs (h5py, netCDF) may have written it with a fixed length.
std::string read_text(hid_t attribute, hid_t file_type) {
  if (H5Tis_variable_str(file_type) > 0) {
    char* begin = nullptr;
    check(H5Aread(attribute, text_type(), &begin));
    std::string text = begin ? begin : "";
    H5free_memory(begin);
    return text;
  }
  std::string text(H5Tget_size(file_type), '\0');
  check(H5Aread(attribute, file_type, text.data()));
  return text.substr(0, text.find('\0'));
}

template <class Value>
Value read_number(hid_t attribute, hid_t type) {
  Value value{};
  check(H5Aread(attribute, type, &value));
  return value;
}

bool is_scalar(hid_t attribute) {
  const Id space(H5Aget_space(attribute), H5Sclose);
  return H5Sget_simple_extent_npoints(space) == 1;
}

}  // namespace

void set_attribute(hid_t object, std::string const& name, Attribute const& value) {
  if (H5Aexists(object, name.c_str()) > 0) check(H5Adelete(object, name.c_str()));
  const Id type = memory_type(type_of(value));
  const Id space = simple_space({});
  const Id attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  write_value(attribute, type, value);
}

std::optional<Attribute> get_attribute(hid_t object, std::string const& name) {
  if (H5Aexists(object, name.c_str()) <= 0) return {};
  const Id attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose);
  if (!is_scalar(attribute)) return {};
  const Id type(H5Aget_type(attribute), H5Tclose);
  switch (H5Tget_class(type)) {
    case H5T_STRING:
      return read_text(attribute, type);
    case H5T_FLOAT:
      return read_number<double>(attribute, H5T_NATIVE_DOUBLE);
    case H5T_INTEGER:
      return read_number<std::int64_t>(attribute, H5T_NATIVE_INT64);
    default:
      return {};
  }
}

}  // namespace ddproxy::results::h5
