// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/run/run_message.hpp"

#include <concepts>
#include <cstring>
#include <stdexcept>
#include <tuple>
#include <type_traits>

namespace ddproxy::results {
namespace {

using Length = std::uint64_t;

// Returns references to the fields of a struct, in the order in which they are sent. A new field causes a
// compile error until it is listed here.
template <class T>
requires std::same_as<std::remove_const_t<T>, CaseTimes>
auto fields_of(T& one) {
  auto& [name, strategy, samples, seconds, ours] = one;
  return std::tie(name, strategy, samples, seconds, ours);
}

template <class T>
requires std::same_as<std::remove_const_t<T>, Condition>
auto fields_of(T& one) {
  auto& [key, value, hertz, round_trip] = one;
  return std::tie(key, value, hertz, round_trip);
}

template <class T>
requires std::same_as<std::remove_const_t<T>, Run::Values::value_type>
auto fields_of(T& one) {
  return std::tie(one.first, one.second);
}

template <class T>
requires std::same_as<std::remove_const_t<T>, Run>
auto fields_of(T& one) {
  auto& [path, complete, created, run_id, resumed_from, rounds_before, revision, machine, label, replay,
         valid, tokens, identity, conditions, unverified, is_twin, session, round, cases] = one;
  static_cast<void>(path);
  return std::tie(complete, created, run_id, resumed_from, rounds_before, revision, machine, label, replay,
                  valid, tokens, identity, conditions, unverified, is_twin, session, round, cases);
}

struct Packer {
  std::string bytes;

  template <class T>
  void put(T const& value) {
    if constexpr (std::is_same_v<T, bool>) {
      bytes.push_back(value ? '\1' : '\0');
    } else if constexpr (std::is_arithmetic_v<T>) {
      bytes.append(reinterpret_cast<char const*>(&value), sizeof value);
    } else {
      std::apply([this](auto const&... field) { (this->put(field), ...); }, fields_of(value));
    }
  }

  void put(std::string const& text) {
    put(Length{text.size()});
    bytes += text;
  }

  template <class T>
  void put(std::vector<T> const& values) {
    put(Length{values.size()});
    for (auto const& value : values) put(value);
  }
};

struct Unpacker {
  std::string_view bytes;

  std::string_view take(Length count) {
    if (count > bytes.size()) throw std::invalid_argument("a length exceeds the message");
    const auto taken = bytes.substr(0, count);
    bytes.remove_prefix(count);
    return taken;
  }

  template <class T>
  void get(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      value = take(1)[0] != '\0';
    } else if constexpr (std::is_arithmetic_v<T>) {
      std::memcpy(&value, take(sizeof value).data(), sizeof value);
    } else {
      std::apply([this](auto&... field) { (this->get(field), ...); }, fields_of(value));
    }
  }

  void get(std::string& text) {
    Length length = 0;
    get(length);
    text = take(length);
  }

  // Appends the values one by one, so that a wrong length in a damaged message does not reserve memory.
  template <class T>
  void get(std::vector<T>& values) {
    Length count = 0;
    get(count);
    for (Length k = 0; k < count; ++k) get(values.emplace_back());
  }
};

}  // namespace

std::string pack(Run const& run) {
  Packer packer;
  packer.put(run);
  return std::move(packer.bytes);
}

Run unpack(std::string_view bytes) {
  Run run;
  Unpacker unpacker{bytes};
  unpacker.get(run);
  if (!unpacker.bytes.empty()) throw std::invalid_argument("the message has bytes after its last field");
  return run;
}

}  // namespace ddproxy::results
