// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "ctest/results/folder.hpp"
#include "results/file/reader.hpp"
#include "results/file/writer.hpp"
#include "results/output/flush_pace.hpp"
#include "results/output/fresh_file.hpp"
#include "results/output/output_files.hpp"
#include "results/output/standard_streams.hpp"
#include "results/output/text_file.hpp"

namespace ddproxy::test {
namespace {

using results::FreshFile;
using results::Writer;
using namespace std::chrono_literals;

class WholeFiles : public Folder {
 protected:
  void put(std::string const& name, std::string const& text) { std::ofstream(folder / name) << text; }
  std::string get(std::string const& name) {
    std::ostringstream text;
    text << std::ifstream(folder / name).rdbuf();
    return text.str();
  }
  std::size_t files() {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
  }
};

// Returns the exit code of a child that carries out the action, or -1 if a signal ended it.
template <class Action>
int exit_code_of(Action const& action) {
  const pid_t child = fork();
  if (child == 0) _exit(action());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void limit_file_size(rlim_t bytes) {
  const rlimit limit{bytes, bytes};
  setrlimit(RLIMIT_FSIZE, &limit);
}

TEST_F(WholeFiles, fresh_files_have_unique_names_and_remain_only_after_take_place) {
  put("t.csv", "old");
  {
    FreshFile first(folder / "t.csv"), second(folder / "t.csv");
    EXPECT_EQ(files(), 3u);
    first.write("lost");
    second.write("new");
    second.take_place();
    EXPECT_EQ(get("t.csv"), "new");
  }
  EXPECT_EQ(files(), 1u);
}

TEST_F(WholeFiles, remove_abandoned_removes_only_temporary_files_of_the_given_file) {
  for (auto name : {".r.h5.part.0123456789abcdef.tmp", "r.h5.part", ".r.h5.part.0123456789abcdeX.tmp",
                    ".x.h5.part.0123456789abcdef.tmp", ".r.h5.part.1.tmp"})
    put(name, "x");
  results::remove_abandoned(folder / "r.h5.part");
  EXPECT_EQ(files(), 4u);
  EXPECT_FALSE(std::filesystem::exists(folder / ".r.h5.part.0123456789abcdef.tmp"));
}

// An earlier write_text() used this temporary name, which others can predict.
TEST_F(WholeFiles, write_text_does_not_write_through_a_planted_link) {
  put("victim", "precious");
  std::filesystem::create_symlink("victim", folder / ("t.csv.part" + std::to_string(getpid())));
  results::write_text(folder / "t.csv", "text");
  EXPECT_EQ(get("t.csv"), "text");
  EXPECT_EQ(get("victim"), "precious");
}

TEST_F(WholeFiles, write_text_keeps_the_link_and_the_rights_of_the_old_file) {
  put("real.csv", "old");
  chmod((folder / "real.csv").c_str(), 0640);
  std::filesystem::create_symlink("real.csv", folder / "link.csv");
  results::write_text(folder / "link.csv", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.csv"));
  EXPECT_EQ(get("real.csv"), "new");
  struct stat status {};
  ASSERT_EQ(stat((folder / "real.csv").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST_F(WholeFiles, finish_writes_the_given_texts_together_with_the_results_file) {
  put("r.h5", "old results");
  put("r.csv", "old table");
  Writer writer(folder / "r.h5");
  EXPECT_EQ(get("r.csv"), "old table");
  writer.finish({{folder / "r.csv", "new table"}, {folder / "s.csv", "another"}});
  EXPECT_TRUE(results::Reader(folder / "r.h5").complete());
  EXPECT_EQ(get("r.csv") + get("s.csv"), "new tableanother");
  EXPECT_EQ(files(), 3u);
}

TEST_F(WholeFiles, results_are_finished_even_if_a_text_cannot_be_written) {
  put("s.csv", "old table");
  Writer writer(folder / "r.h5");
  const auto text = message_of<std::runtime_error>([&] {
    writer.finish({{folder / "none" / "t.csv", "no folder"}, {folder / "s.csv", "new"}});
  });
  EXPECT_NE(text.find("t.csv: No such file"), std::string::npos) << text;
  EXPECT_EQ(get("s.csv"), "new");
  EXPECT_TRUE(results::Reader(folder / "r.h5").complete());
}

// A name of 240 characters is allowed, but the name of the temporary file is then too long. /dev/null is no
// regular file and must not be removed.
TEST_F(WholeFiles, an_old_text_is_removed_if_its_new_file_cannot_be_created) {
  const std::string name(240, 'n');
  put(name, "old table");
  put("s.csv", "old table");
  Writer writer(folder / "r.h5");
  const auto text = message_of<std::runtime_error>([&] {
    writer.finish({{folder / name, "new"}, {folder / "s.csv", "new"}, {"/dev/null", "new"}});
  });
  EXPECT_NE(text.find("File name too long"), std::string::npos) << text;
  EXPECT_FALSE(std::filesystem::exists(folder / name));
  EXPECT_EQ(get("s.csv"), "new");
  EXPECT_TRUE(std::filesystem::exists("/dev/null"));
  EXPECT_TRUE(results::Reader(folder / "r.h5").complete());
}

// What was flushed before remains readable, and no truncated file is left.
TEST_F(WholeFiles, a_disk_that_becomes_full_keeps_what_was_flushed_before) {
  const int code = exit_code_of([&] {
    results::prepare_standard_streams();
    Writer writer(folder / "r.h5");
    writer.write("/sweep/predicted", std::vector<double>{1, 2});
    writer.flush();
    limit_file_size(std::filesystem::file_size(folder / "r.h5.part") + 10000);
    writer.write("/sweep/measured_median", std::vector<double>(2));
    writer.write("/layers/ready", std::vector<double>(100000));
    const auto text = message_of<std::runtime_error>([&] { writer.flush(); });
    return text.find("r.h5.part: File too large") == std::string::npos;
  });
  EXPECT_EQ(code, 0);
  EXPECT_EQ(results::Reader(folder / "r.h5.part").reals("/sweep/predicted"), (std::vector<double>{1, 2}));
  EXPECT_EQ(files(), 1u);
}

TEST_F(WholeFiles, names_of_unfinished_files_are_reserved) {
  for (auto name : {"r.h5.part", "r.part", "a/r.h5.part.12", "r.h5.lock"})
    EXPECT_TRUE(results::is_reserved(name)) << name;
  for (auto name : {"r.h5", "part", "r.h5.12", "r.part.h5", "r.h5.part.x", "r."})
    EXPECT_FALSE(results::is_reserved(name)) << name;
}

TEST(FlushPace, is_due_after_a_hundred_times_the_cost) {
  using results::FlushPace;
  const FlushPace::Clock::time_point start{1000s};
  FlushPace pace;
  EXPECT_TRUE(pace.due(start));
  pace.flushed(start, start + 20ms);
  EXPECT_FALSE(pace.due(start + 2010ms));
  EXPECT_TRUE(pace.due(start + 2020ms));
}

TEST(StandardStreams, closed_standard_descriptors_are_not_used_for_other_files) {
  EXPECT_EQ(exit_code_of([] {
              for (int descriptor : {0, 1, 2}) close(descriptor);
              results::prepare_standard_streams();
              return open("/dev/null", O_RDONLY) > STDERR_FILENO ? 0 : 1;
            }),
            0);
}

TEST(StandardStreams, say_error_does_not_fail_if_standard_error_is_full_or_closed) {
  EXPECT_EQ(exit_code_of([] {
              results::prepare_standard_streams();
              for (char const* place : {"/dev/full", "/dev/null"}) {
                const int file = open(place, O_WRONLY);
                dup2(file, STDERR_FILENO);
                results::say_error("nobody hears this");
              }
              close(STDERR_FILENO);
              results::say_error("nor that");
              return 0;
            }),
            0);
}

TEST(StandardStreams, flush_standard_output_reports_output_that_was_lost) {
  EXPECT_EQ(exit_code_of([] {
              results::prepare_standard_streams();
              int ends[2];
              if (pipe(ends) != 0) return 1;
              dup2(ends[1], STDOUT_FILENO);
              close(ends[0]);
              results::print_output(std::string(100000, 'x'));
              const auto text = message_of<std::runtime_error>([] { results::flush_standard_output(); });
              return text == "cannot write standard output: Broken pipe" ? 0 : 2;
            }),
            0);
}

}  // namespace
}  // namespace ddproxy::test
