// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/predict/analysis/json_tables.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "results/output/text_file.hpp"

namespace ddproxy {
namespace {

using Json = nlohmann::ordered_json;
using Extents = std::span<const std::size_t>;

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

template <class T>
Json nested(std::span<const T> values, Extents extents) {
  Json list = Json::array();
  if (extents.size() <= 1) {
    for (auto const& value : values) {
      if constexpr (std::is_same_v<T, double>)
        list.push_back(number(value));
      else
        list.push_back(value);
    }
    return list;
  }
  const std::size_t step = values.size() / std::max<std::size_t>(extents[0], 1);
  for (std::size_t i = 0; i < extents[0]; ++i)
    list.push_back(nested(values.subspan(i * step, step), extents.subspan(1)));
  return list;
}

Json column(results::Reader const& reader, std::string const& path) {
  const auto extents = reader.extents(path);
  const auto as_json = [&](auto const& values) {
    using T = typename std::decay_t<decltype(values)>::value_type;
    return nested(std::span<const T>(values), extents);
  };
  switch (results::find_dataset(path)->type) {
    case results::Type::real:
      return as_json(reader.reals(path));
    case results::Type::integer:
      return as_json(reader.integers(path));
    default:
      return as_json(reader.texts(path));
  }
}

Json figures_of(Numbers const& numbers, results::Validity valid) {
  Json json;
  for (auto const& [name, value] : numbers) json[name] = number(value);
  json["valid"] = word_of(valid);
  return json;
}

}  // namespace

void write_json(results::Reader const& reader, FigureOfMerit const& figures,
                std::filesystem::path const& file) {
  write_json(reader, numbers_of(figures), figures.valid, file);
}

void write_json(results::Reader const& reader, Numbers const& numbers, results::Validity valid,
                std::filesystem::path const& file) {
  Json json;
  json["fom"] = figures_of(numbers, valid);
  for (auto const& path : reader.datasets()) {
    const auto slash = path.rfind('/');
    json["tables"][path.substr(1, slash - 1)][path.substr(slash + 1)] = column(reader, path);
  }
  results::write_text(file, json.dump(1) + "\n");
}

}  // namespace ddproxy
