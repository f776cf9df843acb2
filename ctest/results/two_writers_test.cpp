// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <optional>

#include "ctest/results/folder.hpp"
#include "ctest/results/sample_file.hpp"
#include "results/reader.hpp"
#include "results/writer.hpp"

namespace ddproxy::test {
namespace {

using results::Reader;
using results::Writer;

class TwoWriters : public Folder {
 protected:
  std::string refused(std::filesystem::path const& path) {
    return message_of<std::invalid_argument>([&] { Writer writer(path); });
  }

  void expect_whole(std::filesystem::path const& path) {
    const Reader reader(path);
    EXPECT_TRUE(reader.complete());
    EXPECT_EQ(reader.texts("/sweep/name").size(), sample_cases().size());
    EXPECT_EQ(reader.reals("/sweep/measured").size(), 100u);
  }
};

struct Pipe {
  Pipe() { EXPECT_EQ(pipe(ends.data()), 0); }
  void say(char word) const { EXPECT_EQ(write(ends[1], &word, 1), 1); }
  char hear() const {
    char word = 0;
    EXPECT_EQ(read(ends[0], &word, 1), 1);
    return word;
  }
  std::array<int, 2> ends{};
};

// What a process does that begins when told, says whether it may write, and ends when all have said so.
int race(Pipe const& begin, Pipe const& said, Pipe const& end, std::filesystem::path const& path) {
  begin.hear();
  std::optional<Writer> writer;
  try {
    writer.emplace(path);
  } catch (std::invalid_argument const&) {
  }
  said.say(writer ? 'w' : 'r');
  end.hear();
  if (!writer) return 2;
  write_sample(*writer, {});
  writer->finish();
  return 0;
}

TEST_F(TwoWriters, the_second_is_refused_and_the_first_goes_on_unharmed) {
  Writer first(folder / "r.h5");
  write_sample(first, {});
  const auto text = refused(folder / "r.h5");
  EXPECT_NE(text.find("r.h5.part: it is already open"), std::string::npos) << text;
  EXPECT_NE(text.find("-o"), std::string::npos) << text;
  first.finish();
  expect_whole(folder / "r.h5");
}

TEST_F(TwoWriters, of_many_that_begin_at_once_exactly_one_goes_on) {
  constexpr int writers = 6;
  const auto path = folder / "r.h5";
  for (int round = 0; round < 20; ++round) {
    if (round % 2) std::ofstream(path.string() + ".part") << "left by a killed run";
    const Pipe begin, said, end;
    std::array<pid_t, writers> children{};
    for (auto& child : children) {
      child = fork();
      if (child == 0) _exit(race(begin, said, end, path));
    }
    for (int k = 0; k < writers; ++k) begin.say('b');
    int allowed = 0, fine = 0;
    for (int k = 0; k < writers; ++k) allowed += said.hear() == 'w';
    for (int k = 0; k < writers; ++k) end.say('e');
    for (auto child : children) {
      int status = 0;
      waitpid(child, &status, 0);
      fine += WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    EXPECT_EQ(allowed, 1) << "round " << round;
    EXPECT_EQ(fine, 1) << "round " << round;
    expect_whole(path);
  }
}

TEST_F(TwoWriters, what_a_killed_run_left_is_replaced) {
  { Writer unfinished(folder / "r.h5"); }
  EXPECT_FALSE(Reader(folder / "r.h5.part").complete());
  Writer writer(folder / "r.h5");
  write_sample(writer, {});
  writer.finish();
  expect_whole(folder / "r.h5");
}

TEST_F(TwoWriters, a_file_that_was_taken_away_is_not_finished_with_another_ones) {
  Writer first(folder / "r.h5");
  std::filesystem::remove(folder / "r.h5.part");
  Writer second(folder / "r.h5");
  const auto text = message_of<std::runtime_error>([&] { first.finish(); });
  EXPECT_NE(text.find("another program took or removed"), std::string::npos) << text;
  write_sample(second, {});
  second.finish();
  expect_whole(folder / "r.h5");
}

}  // namespace
}  // namespace ddproxy::test
