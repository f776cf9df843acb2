// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "ctest/results/folder.hpp"
#include "ctest/results/sample_file.hpp"
#include "results/file/reader.hpp"
#include "results/file/writer.hpp"
#include "results/run/run_file.hpp"

namespace ddproxy::test {
namespace {

using results::Reader;
using results::Writer;
using Reals = std::vector<double>;

class Refuse : public Folder {
 protected:
  std::string reading(std::string const& name) {
    return message_of<std::invalid_argument>([&] { Reader reader(folder / name); });
  }
};

bool contains(std::string const& text, std::string const& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(Refuse, reading_files_that_are_missing_unfinished_or_not_hdf5) {
  std::ofstream(folder / "text.h5") << "not HDF5";
  EXPECT_TRUE(contains(reading("text.h5"), "text.h5: cannot be read as HDF5")) << reading("text.h5");
  EXPECT_TRUE(contains(reading("none.h5"), "there is no such file"));
  EXPECT_TRUE(contains(reading("."), "is not a regular file"));
  Writer unfinished(folder / "late.h5");
  EXPECT_TRUE(contains(reading("late.h5"), "late.h5.part"));
}

TEST_F(Refuse, reading_another_schema_version) {
  Writer writer(folder / "r.h5");
  writer.attribute("/", "schema_version", std::int64_t{7});
  writer.finish();
  EXPECT_TRUE(contains(reading("r.h5"), "schema version 7"));
}

TEST_F(Refuse, reading_a_damaged_file) {
  make_sample(folder / "r.h5");
  std::filesystem::resize_file(folder / "r.h5", 5000);
  EXPECT_TRUE(contains(reading("r.h5"), "truncated")) << reading("r.h5");
}

TEST_F(Refuse, reading_a_dataset_that_is_missing_or_of_another_type) {
  make_sample(folder / "r.h5");
  Writer(folder / "empty.h5").finish();
  const Reader reader(folder / "r.h5"), empty(folder / "empty.h5");
  EXPECT_TRUE(contains(message_of<std::invalid_argument>([&] { empty.reals("/sweep/measured"); }),
                       "/sweep/measured"));
  EXPECT_TRUE(contains(message_of<std::invalid_argument>([&] { reader.texts("/sweep/measured"); }), "type"));
  message_of<std::logic_error>([&] { reader.has("/sweep/unknown"); });
}

// Writes a sample file. In sample number `sample` of its second case, "flat", the ranks have the times
// `times`, in seconds. If `complete` is false, the file is that of an interrupted run.
void plant(std::filesystem::path const& path, std::size_t sample, Reals const& times, bool complete = true) {
  Writer writer(path);
  write_sample(writer, {});
  writer.write_part("/sweep/measured", {1, sample, 0}, {1, 1, times.size()}, times);
  if (complete) return writer.finish();
  writer.flush();
  std::filesystem::rename(path.string() + ".part", path);
}

TEST_F(Refuse, times_that_are_zero_negative_or_not_finite) {
  const auto path = folder / "r.h5";
  for (bool complete : {true, false})
    for (double wrong : Reals{0.0, -1.0, NAN, INFINITY}) {
      plant(path, 2, {0.5, wrong}, complete);
      const auto text = message_of<std::invalid_argument>([&] { results::read_run(path); });
      EXPECT_TRUE(contains(text, "r.h5: the case flat has a time of")) << text;
      EXPECT_TRUE(contains(text, "(sample 2, rank 1)")) << text;
    }
  plant(path, 3, {NAN, NAN});
  message_of<std::invalid_argument>([&] { results::read_run(path); });
}

TEST_F(Refuse, no_interrupted_run_because_of_missing_times) {
  const auto path = folder / "r.h5";
  plant(path, 4, {NAN, NAN}, false);
  const auto run = results::read_run(path);
  EXPECT_TRUE(std::isnan(run.find("flat")->samples[4]));
  EXPECT_GT(run.find("flat")->seconds, 0.0);
}

TEST_F(Refuse, writing_to_a_path_that_cannot_be_written) {
  const auto writing = [](std::filesystem::path const& path) {
    return message_of<std::invalid_argument>([&] { Writer writer(path); });
  };
  EXPECT_TRUE(contains(writing(folder), "it is a folder"));
  EXPECT_TRUE(contains(writing(folder / "none" / "r.h5"), "there is no folder"));
  std::filesystem::create_directory(folder / "taken.h5.part");
  EXPECT_EQ(writing(folder / "taken.h5"),
            "cannot write " + (folder / "taken.h5.part").string() + ": Is a directory");
  const Writer first(folder / "r.h5");
  EXPECT_TRUE(contains(writing(folder / "r.h5"), "another program is writing it"));
}

TEST_F(Refuse, wrong_calls_of_the_writer) {
  Writer writer(folder / "r.h5");
  const auto fails = [](auto const& action) { return message_of<std::logic_error>(action); };
  EXPECT_TRUE(contains(fails([&] { writer.write("/sweep/none", Reals{1}); }), "/sweep/none"));
  EXPECT_TRUE(contains(fails([&] { writer.write("/sweep/name", Reals{1}); }), "text values, not real"));
  EXPECT_TRUE(contains(fails([&] {
                         writer.write("/sweep/measured", Reals{1, 2}, {1, 1, 1});
                       }),
                       "do not fill"));
  EXPECT_TRUE(contains(fails([&] { writer.write("/sweep/measured", Reals{1, 2}, {1, 2}); }), "3 dimensions"));
  writer.write("/sweep/predicted", Reals{1, 2});
  EXPECT_TRUE(contains(fails([&] {
                         writer.write("/sweep/measured", Reals{1}, {1, 1, 1});
                       }),
                       "another length"));
  EXPECT_TRUE(contains(fails([&] { writer.write("/sweep/predicted", Reals{1}); }), "another length"));
  fails([&] { writer.write_part("/sweep/predicted", {1}, {2}, Reals{1, 2}); });
  fails([&] { writer.write_part("/sweep/predicted", {0}, {1}, Reals{1, 2}); });
  fails([&] { writer.attribute("/none", "a", "b"); });
  writer.finish();
  fails([&] { writer.flush(); });
}

TEST_F(Refuse, writing_to_a_disk_that_becomes_full) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100000, 100000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const auto text = message_of<std::runtime_error>([&] {
      Writer writer(folder / "r.h5");
      writer.write("/sweep/predicted", Reals(100000, 1.0));
      writer.finish();
    });
    const bool said = contains(text, "cannot write") && contains(text, "File too large");
    if (!said) std::cerr << text << '\n';
    std::exit(said ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_FALSE(std::filesystem::exists(folder / "r.h5"));
}

TEST_F(Refuse, writing_to_a_disk_that_is_full_from_the_start) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{10, 10};
    setrlimit(RLIMIT_FSIZE, &limit);
    const auto text = message_of<std::runtime_error>([&] { Writer writer(folder / "r.h5"); });
    std::_Exit(contains(text, "r.h5.part: File too large") ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST_F(Refuse, no_flushed_data_of_a_killed_run) {
  const pid_t child = fork();
  if (child == 0) {
    Writer writer(folder / "r.h5");
    write_sample(writer, {.session = "gate", .round = 1});
    writer.flush();
    writer.write("/sweep/predicted", Reals(10, 99.0));
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_FALSE(std::filesystem::exists(folder / "r.h5"));
  const Reader reader(folder / "r.h5.part");
  EXPECT_FALSE(reader.complete());
  EXPECT_EQ(reader.datasets().size(), results::schema().size());
  EXPECT_EQ(reader.reals("/sweep/measured").size(), 100u);
}

}  // namespace
}  // namespace ddproxy::test
