// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/run/read_in_child.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "model/text/echo.hpp"

namespace ddproxy::results {
namespace {

constexpr char read_whole = 'r', refused = 'e';  // first byte of the child's answer
constexpr char end_of_text = '\0';
constexpr std::size_t most_of_a_text = 2000;  // characters

std::string answer_of(std::filesystem::path const& path, std::function<std::string()> const& read) {
  try {
    return read_whole + read();
  } catch (std::exception const& error) {
    const std::string what = error.what();
    return refused + (what.starts_with(path.string()) ? what : path.string() + ": " + what);
  }
}

std::string packed(std::vector<std::string> const& texts) {
  std::string all;
  for (std::string text : texts) {
    std::erase(text, end_of_text);
    all += text + end_of_text;
  }
  return all;
}

std::vector<std::string> texts_in(std::string_view answer) {
  std::vector<std::string> texts;
  while (!answer.empty()) {
    const auto end = std::min(answer.find(end_of_text), answer.size());
    texts.push_back(model::echo(answer.substr(0, end), most_of_a_text));
    answer.remove_prefix(std::min(end + 1, answer.size()));
  }
  return texts;
}

}  // namespace

ChildLimits limits_for(std::filesystem::path const& path, double patience) {
  // Results files are not compressed, so in memory the datasets take about the size of the file. At most two
  // copies exist at once. The limit has room for four.
  ChildLimits limits{.seconds = patience};
  std::error_code absent;
  if (const auto size = std::filesystem::file_size(path, absent); !absent) {
    limits.memory += 4 * size;
    limits.answer += 2 * size;
    limits.seconds += static_cast<double>(size) / (1 << 20);
  }
  return limits;
}

std::string read_bytes_in_child(std::filesystem::path const& path, std::function<std::string()> const& read,
                                double patience) {
  const auto end = run_in_child([&] { return answer_of(path, read); }, limits_for(path, patience));
  if (!end.answer)
    throw std::invalid_argument(path.string() + ": the process that read it " + end.trouble +
                                "; the file is damaged: leave it out, or repeat the run");
  const std::string_view answer = *end.answer;
  if (answer.starts_with(refused)) throw std::invalid_argument(model::echo(answer.substr(1), most_of_a_text));
  return std::string(answer.starts_with(read_whole) ? answer.substr(1) : "");
}

std::vector<std::string> read_in_child(std::filesystem::path const& path,
                                       std::function<std::vector<std::string>()> const& read,
                                       double patience) {
  return texts_in(read_bytes_in_child(
      path, [&] { return packed(read()); }, patience));
}

}  // namespace ddproxy::results
