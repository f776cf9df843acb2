// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/file/schema.hpp"
#include "ctest/folders.hpp"
#include "results/file/validity.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

namespace ddproxy::results {
namespace {

std::string documentation() {
  std::ifstream file(std::string(ddproxy::source_folder) + "/docs/results.md");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string documented(Dataset const& dataset) {
  std::string dimensions;
  for (std::size_t k = 0; k < dataset.rank(); ++k)
    dimensions += (k ? ", " : "") + std::string(dataset.dimensions[k]);
  return "| `" + std::string(dataset.path) + "` | " + dimensions + " | " +
         std::string(name_of(dataset.type)) + " | " + std::string(dataset.units) + " | " +
         std::string(dataset.long_name) + " |";
}

// A description is stored with its dataset, so it must not need the description of another dataset.
TEST(Schema, no_description_refers_to_another_description) {
  const auto leans = [](std::string_view text) {
    return text.starts_with("as ") || text.starts_with("its ") || text.starts_with("the same ");
  };
  for (auto const& dataset : schema()) EXPECT_FALSE(leans(dataset.long_name)) << dataset.path;
  for (auto const& attribute : schema_attributes())
    EXPECT_FALSE(leans(attribute.meaning)) << attribute.group << ' ' << attribute.name;
}

TEST(Schema, every_dataset_has_a_unique_path_units_and_a_description) {
  std::set<std::string_view> paths;
  for (auto const& dataset : schema()) {
    EXPECT_TRUE(paths.insert(dataset.path).second) << dataset.path << " is there twice";
    EXPECT_FALSE(dataset.units.empty()) << dataset.path;
    EXPECT_FALSE(dataset.long_name.empty()) << dataset.path;
    EXPECT_EQ(find_dataset(dataset.path), &dataset);
  }
  EXPECT_EQ(find_dataset("/sweep/none"), nullptr);
}

// In netCDF a dataset with the name of a dimension of its group is the coordinate of this dimension.
TEST(Schema, only_coordinates_have_the_name_of_a_dimension_of_their_group) {
  for (auto const& one : schema())
    for (auto const& other : schema())
      for (auto const& dimension : other.dimensions)
        EXPECT_TRUE(one.group() != other.group() || one.name() != dimension || one.is_coordinate())
            << one.path;
}

TEST(Schema, documentation_lists_every_dataset_and_attribute) {
  const std::string text = documentation();
  ASSERT_FALSE(text.empty());
  for (auto const& dataset : schema())
    EXPECT_NE(text.find(documented(dataset)), std::string::npos) << "docs/results.md lacks:\n"
                                                                 << documented(dataset);
  for (auto const& attribute : schema_attributes()) {
    const std::string row = "| `" + std::string(attribute.group) + "` | `" + std::string(attribute.name) +
                            "` | " + std::string(attribute.meaning) + " |";
    EXPECT_NE(text.find(row), std::string::npos) << "docs/results.md lacks:\n" << row;
  }
}

TEST(Schema, documentation_lists_every_value_of_valid) {
  const std::string text = documentation();
  for (auto const& rule : validity_rules) {
    const std::string row = "| `" + std::string(rule.word) + "` | " + std::string(rule.meaning) + " | " +
                            std::string(rule.compared) + " | " + std::string(rule.ranked) + " |";
    EXPECT_NE(text.find(row), std::string::npos) << "docs/results.md lacks:\n" << row;
    EXPECT_EQ(find_validity(word_of(rule.value)), &rule);
  }
  EXPECT_EQ(find_validity("perhaps"), nullptr);
}

}  // namespace
}  // namespace ddproxy::results
