// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/file/reader.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <new>
#include <stdexcept>
#include <type_traits>

#include "model/text/echo.hpp"
#include "results/file/h5.hpp"

namespace ddproxy::results {
namespace {

Type type_of(hid_t dataset) {
  const h5::Id type(H5Dget_type(dataset), H5Tclose);
  const auto kind = H5Tget_class(type);
  return kind == H5T_FLOAT ? Type::real : kind == H5T_INTEGER ? Type::integer : Type::text;
}

// Returns a limit for the number of 8-byte values in a dataset. A damaged file may claim far more values than
// it has. The limit allows for four times the size of the file, and for 1 GiB of values that were reserved
// and never written.
std::size_t most_values(hid_t file) {
  hsize_t size = 0;
  h5::check(H5Fget_filesize(file, &size));
  return ((std::size_t{1} << 30) + 4 * size) / 8;
}

// Returns the number of values: the product of the lengths. Returns nothing if there are more than `most`. A
// length of 0 counts as 1 while the product is compared with `most`; otherwise it would hide an overflow of
// the other lengths.
std::optional<std::size_t> count_of(std::vector<std::size_t> const& extents, std::size_t most) {
  std::size_t product = 1;
  for (const std::size_t length : extents) {
    if (length > most / product) return {};
    product *= std::max<std::size_t>(length, 1);
  }
  return std::ranges::find(extents, std::size_t{0}) == extents.end() ? product : 0;
}

std::string to_text(Attribute const& value) {
  if (auto const* text = std::get_if<std::string>(&value)) return *text;
  if (auto const* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.17g", std::get<double>(value));
  return buffer;
}

}  // namespace

struct Reader::Impl {
  std::filesystem::path path;
  h5::Id file;

  [[noreturn]] void fail(std::string const& what) const {
    throw std::invalid_argument(path.string() + ": " + what);
  }

  void open() {
    std::error_code reason;
    const auto status = std::filesystem::status(path, reason);
    if (status.type() == std::filesystem::file_type::not_found) {
      const std::string part = path.string() + ".part";
      const bool has_part = std::filesystem::exists(part, reason);
      fail(has_part
               ? "there is no such file, but " + part +
                     " exists: the run was interrupted, or it still goes on. To use what it has measured so "
                     "far, give " +
                     part
               : "there is no such file");
    }
    if (reason) fail("cannot be opened: " + reason.message());
    if (!std::filesystem::is_regular_file(status)) fail("is not a regular file; give a results file");
    try {
      file = h5::open_file(path);
    } catch (h5::Error const& error) {
      fail(std::string("cannot be read as HDF5 (") + error.what() +
           "); give a results file, which ddproxy writes with -o");
    }
  }

  void check_version() const {
    const auto version = attribute("/", "schema_version");
    if (!version) fail("is not a results file of ddproxy: it has no attribute schema_version");
    if (*version != Attribute(schema_version))
      fail("has schema version " + model::echo(to_text(*version)) + ", but this program reads version " +
           std::to_string(schema_version) + "; use the version of ddproxy that wrote the file");
  }

  std::optional<Attribute> attribute(std::string_view group, std::string_view name) const {
    if (!h5::exists(file, std::string(group))) return {};
    return guarded("attribute " + std::string(name) + " of " + std::string(group), [&] {
      const h5::Id object(H5Oopen(file, std::string(group).c_str(), H5P_DEFAULT), H5Oclose);
      return h5::get_attribute(object, std::string(name));
    });
  }

  // Runs `read` and turns an error into one line that names the file and `what`.
  template <class Read>
  std::invoke_result_t<Read const&> guarded(std::string const& what, Read const& read) const {
    try {
      return read();
    } catch (h5::Error const& error) {
      fail("cannot read the " + what + ": " + error.what());
    } catch (std::bad_alloc const&) {
      fail("the " + what +
           " does not fit into memory; the file is damaged, or this machine has too little memory");
    }
  }

  // Opens a dataset and calls `read` with it and with its number of values. Throws if the dataset does not
  // exist or cannot be read as `wanted`.
  void visit(std::string_view dataset, Type wanted,
             std::function<void(hid_t, std::size_t)> const& read) const {
    Dataset const& spec = known_dataset(dataset);
    const std::string name(dataset);
    if (!h5::exists(file, name))
      fail("has no dataset " + name + "; the run was interrupted, or its command does not write it");
    guarded("dataset " + name, [&] {
      const h5::Id opened = h5::open_dataset(file, name);
      const auto extents = h5::extents(opened);
      const Type type = type_of(opened);
      const bool fits = type == wanted || (type == Type::integer && wanted == Type::real);
      if (!fits || extents.size() != spec.rank())
        fail("the dataset " + name + " has another type or shape than the schema; the file is damaged");
      const auto count = count_of(extents, most_values(file));
      if (!count)
        fail("the dataset " + name +
             " claims more values than a file of this size can hold; the file is damaged");
      read(opened, *count);
    });
  }
};

Reader::Reader(std::filesystem::path path) : impl_(std::make_unique<Impl>()) {
  h5::start();
  impl_->path = std::move(path);
  impl_->open();
  impl_->check_version();
}

Reader::Reader(std::filesystem::path path, std::int64_t open_file) : impl_(std::make_unique<Impl>()) {
  impl_->path = std::move(path);
  impl_->file = h5::Id(H5Freopen(open_file), H5Fclose);
}

Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;

std::filesystem::path const& Reader::path() const {
  return impl_->path;
}

bool Reader::complete() const {
  return attribute("/", "complete") == Attribute(std::int64_t{1});
}

bool Reader::has(std::string_view dataset) const {
  return h5::exists(impl_->file, std::string(known_dataset(dataset).path));
}

std::vector<std::string> Reader::datasets() const {
  std::vector<std::string> present;
  for (Dataset const& dataset : schema())
    if (has(dataset.path)) present.emplace_back(dataset.path);
  return present;
}

std::optional<Attribute> Reader::attribute(std::string_view group, std::string_view name) const {
  return impl_->attribute(group, name);
}

std::string Reader::text(std::string_view group, std::string_view name, std::string const& otherwise) const {
  const auto value = attribute(group, name);
  return value ? to_text(*value) : otherwise;
}

std::vector<std::size_t> Reader::extents(std::string_view dataset) const {
  std::vector<std::size_t> lengths;
  impl_->visit(dataset, known_dataset(dataset).type,
               [&](hid_t opened, std::size_t) { lengths = h5::extents(opened); });
  return lengths;
}

std::vector<double> Reader::reals(std::string_view dataset) const {
  std::vector<double> values;
  impl_->visit(dataset, Type::real, [&](hid_t opened, std::size_t count) {
    values.resize(count);
    if (count > 0)
      h5::check(H5Dread(opened, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
  });
  return values;
}

std::vector<std::int64_t> Reader::integers(std::string_view dataset) const {
  std::vector<std::int64_t> values;
  impl_->visit(dataset, Type::integer, [&](hid_t opened, std::size_t count) {
    values.resize(count);
    if (count > 0) h5::check(H5Dread(opened, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
  });
  return values;
}

std::vector<std::string> Reader::texts(std::string_view dataset) const {
  std::vector<std::string> values;
  impl_->visit(dataset, Type::text, [&](hid_t opened, std::size_t count) {
    std::vector<char*> begins(count);
    if (count > 0) h5::check(H5Dread(opened, h5::text_type(), H5S_ALL, H5S_ALL, H5P_DEFAULT, begins.data()));
    for (char* begin : begins) {
      values.emplace_back(begin ? begin : "");
      H5free_memory(begin);
    }
  });
  return values;
}

}  // namespace ddproxy::results
