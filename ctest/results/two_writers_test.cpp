// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <optional>

#include "ctest/results/folder.hpp"
#include "ctest/results/sample_file.hpp"
#include "results/file/reader.hpp"
#include "results/file/writer.hpp"

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

// Runs in a child process. Waits for a byte in `begin`. Then tries to create a Writer, and sends 'w' to
// `said` if this works, or 'r' if it is refused. Waits for a byte in `end`, and then writes the file if it
// has a Writer. Returns the exit code: 0 if the file was written, 2 if not.
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

TEST_F(TwoWriters, the_second_writer_is_refused_and_the_first_writer_can_finish) {
  Writer first(folder / "r.h5");
  write_sample(first, {});
  const auto text = refused(folder / "r.h5");
  EXPECT_NE(text.find("r.h5: another program is writing it"), std::string::npos) << text;
  EXPECT_NE(text.find("-o"), std::string::npos) << text;
  first.finish();
  expect_whole(folder / "r.h5");
}

TEST_F(TwoWriters, exactly_one_of_many_simultaneous_writers_is_accepted) {
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

TEST_F(TwoWriters, files_of_killed_runs_are_kept_under_numbered_names) {
  const auto text_of = [](std::filesystem::path const& path) {
    std::string text;
    std::getline(std::ifstream(path) >> std::ws, text);
    return text;
  };
  for (std::string run : {"first", "second"}) {
    std::ofstream(folder / "r.h5.part") << run;
    std::ofstream(folder / "r.h5.lock");  // a killed run leaves this file, but no process holds its lock
    Writer writer(folder / "r.h5");
    const auto kept = (folder / "r.h5.part.").string() + (run == "first" ? "1" : "2");
    ASSERT_EQ(writer.warnings().size(), 1u);
    EXPECT_NE(writer.warnings()[0].find("is kept as " + kept), std::string::npos) << writer.warnings()[0];
    EXPECT_EQ(text_of(kept), run);
    write_sample(writer, {});
    writer.finish();
    expect_whole(folder / "r.h5");
  }
  EXPECT_EQ(text_of(folder / "r.h5.part.1"), "first");
}

TEST_F(TwoWriters, finish_leaves_only_the_results_file_in_the_folder) {
  Writer writer(folder / "r.h5");
  EXPECT_TRUE(writer.warnings().empty());
  writer.finish();
  for (auto const& entry : std::filesystem::directory_iterator(folder))
    EXPECT_EQ(entry.path().filename(), "r.h5");
  Writer next(folder / "r.h5");  // the first writer still exists
}

TEST_F(TwoWriters, the_first_writer_cannot_finish_if_a_second_writer_took_its_file) {
  Writer first(folder / "r.h5");
  std::filesystem::remove(folder / "r.h5.lock");  // as a user may do; no program does
  Writer second(folder / "r.h5");
  const auto text = message_of<std::runtime_error>([&] { first.finish(); });
  EXPECT_NE(text.find("another program has taken it"), std::string::npos) << text;
  EXPECT_FALSE(Reader(folder / "r.h5.part.1").complete());
  write_sample(second, {});
  second.finish();
  expect_whole(folder / "r.h5");
}

TEST_F(TwoWriters, flush_restores_a_removed_part_file_or_lock_file) {
  Writer writer(folder / "r.h5");
  write_sample(writer, {});
  std::filesystem::remove(folder / "r.h5.part");
  writer.flush();
  EXPECT_FALSE(Reader(folder / "r.h5.part").complete());
  std::filesystem::remove(folder / "r.h5.lock");
  writer.flush();
  EXPECT_NE(refused(folder / "r.h5"), "");
  writer.finish();
  expect_whole(folder / "r.h5");
}

}  // namespace
}  // namespace ddproxy::test
