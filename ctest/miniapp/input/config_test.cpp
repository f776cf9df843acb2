// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/config.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "ctest/folders.hpp"
#include "ctest/miniapp/input/input_file.hpp"
#include "miniapp/input/toml/read_config.hpp"

namespace ddproxy {
namespace {

std::string error_of(std::string const& text) {
  const Folder folder;
  try {
    read_config(folder.file("input.toml", text));
  } catch (std::invalid_argument const& error) {
    return error.what();
  }
  return "no error";
}

struct Bad {
  char const* input;
  char const* line;     // the line that the message must name; empty: any
  char const* message;  // a part of the message
};

class BadInput : public testing::TestWithParam<Bad> {};

TEST_P(BadInput, IsRefusedInOneLineThatNamesTheErrorAndItsPlace) {
  const auto [input, line, message] = GetParam();
  const auto error = error_of(input);
  EXPECT_NE(error.find(std::string("input.toml") + line), std::string::npos) << error;
  EXPECT_NE(error.find(message), std::string::npos) << error;
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
}

INSTANTIATE_TEST_SUITE_P(
    Inputs, BadInput,
    testing::Values(
        Bad{"[model\n", ":1", "expected"}, Bad{"[modell]\n", ":1", "unknown section [modell]"},
        Bad{"model = 3\n", "", "write [model] on a line of its own"},
        Bad{"[model]\npresett = \"tiny\"\n", ":2", "unknown key"},
        Bad{"[model]\npreset = \"gpt3\"\n", ":2", "gpt2-large"},
        Bad{"[model]\npreset = \"tiny\"\nheads = 3\n", ":1", "heads"},
        Bad{"[model]\npreset = \"tiny\"\nlayers = 0\n", ":3", "at least 1"},
        Bad{"[model]\npreset = \"tiny\"\nnorm = \"batch\"\n", ":3", "layernorm, rmsnorm"},
        Bad{"[model]\nlayers = 2\n", ":1", "[model]: d_model"},
        Bad{"[model]\npreset = \"llama3-8b\"\nkv_heads = 3\n", ":1", "kv_heads (3) must divide heads (32)"},
        Bad{"[model]\npreset = \"tiny\"\nkv_heads = -1\n", ":3", "at least 0"},
        Bad{"[model]\npreset = \"tiny\"\npositions = \"rope\"\nd_model = 60\n", ":1",
            "must be even; it is 15"},
        Bad{"[model]\npreset = \"tiny\"\nrope_theta = 500000\n", ":3", "positions = \"rope\""},
        Bad{"[model]\npreset = \"cs336-s\"\nrope_theta = 0\n", ":3", "above 0"},
        Bad{"[model]\npreset = \"tiny\"\npositions = \"sine\"\n", ":3", "learned, rope, none"},
        Bad{"[model]\npreset = \"tiny\"\n[step]\nsequence = 33\n", ":4", "context of 32"},
        Bad{"[model]\npreset = \"tiny\"\n[step]\nbatch = 1.5\n", ":4", "whole number"},
        Bad{"[model]\npreset = \"tiny\"\n[step]\nbatch = 6\naccumulation = 4\n", ":5",
            "4 does not divide the batch of 6 sequences"},
        Bad{"[model]\npreset = \"tiny\"\n[step]\naccumulation = 0\n", ":4", "at least 1"},
        Bad{"[model]\npreset = \"tiny\"\n[step]\nsync = \"never\"\n", ":4", "last, each"},
        Bad{"[model]\npreset = \"tiny\"\n[step]\ncheckpoint = \"all\"\n", ":4", "none, layer"},
        Bad{"[model]\npreset = \"tiny\"\n[optimizer]\nkind = \"sgd\"\n", ":4", "none, adamw"},
        Bad{"[model]\npreset = \"tiny\"\n[optimizer]\nclip = 0\n", ":4", "above 0"},
        Bad{"[model]\npreset = \"tiny\"\n[optimizer]\nbeta2 = 1\n", ":4", "at least 0 and below 1"},
        Bad{"[model]\npreset = \"tiny\"\n[optimizer]\nlr = 0\n", ":4", "above 0"},
        Bad{"[model]\npreset = \"tiny\"\n[optimizer]\nweight_decay = -1\n", ":4", "must not be negative"},
        Bad{"[model]\npreset = \"tiny\"\n[optimizer]\nkind = \"none\"\nlr = 1\n", ":5", "unknown key"},
        Bad{"[model]\npreset = \"tiny\"\n[compute]\nprecision = \"fp16\"\n", ":4", "fp32, tf32, bf16"},
        Bad{"[model]\npreset = \"tiny\"\n[compute]\nmode = \"replay\"\n", "", "peak_flops"},
        Bad{"[model]\npreset = \"tiny\"\n[allreduce]\nbackend = \"replay\"\n", ":3", "table"},
        Bad{"[model]\npreset = \"tiny\"\n[allreduce]\nbackend = \"mpi\"\nranks = 8\n", ":5", "mpirun"},
        Bad{"[model]\npreset = \"tiny\"\n[allreduce]\ncopies = \"out\"\n", ":4", "none, in, in+out"},
        Bad{"[model]\npreset = \"tiny\"\n[allreduce]\nwire = \"fp16\"\n", ":4", "fp32, bf16"},
        Bad{"[model]\npreset = \"tiny\"\n[sweep]\ncaps_mib = [0]\n", ":4", "above 0"},
        Bad{"[model]\npreset = \"tiny\"\n[sweep]\ncaps_mib = [nan]\n", ":4", "above 0"},
        Bad{"[model]\npreset = \"tiny\"\n[sweep]\ncaps_mib = [1, 1]\n", ":4", "twice"},
        Bad{"[model]\npreset = \"tiny\"\n[sweep]\ncaps_mib = []\n", ":4", "the list is empty"},
        Bad{"[model]\npreset = \"tiny\"\n[sweep]\ncaps_mib = [1e-9]\n", ":4", "1 byte to 1e9 MiB"},
        Bad{"[model]\npreset = \"tiny\"\n[sweep]\nsamples = 0\n", ":4", "at least 1"},
        Bad{"[model]\npreset = \"tiny\"\n[sweep]\ntarget = 0\n", ":4", "above 0"},
        Bad{"[model]\npreset = \"tiny\"\n[sweep]\nmax_seconds = -1\n", ":4", "above 0"},
        Bad{"[model]\npreset = \"tiny\"\n[sweep]\nstrategies = [\"magic\"]\n", ":4", "per_tensor"},
        Bad{"[model]\npreset = \"tiny\"\n[sweep]\ncaps_mib = [1e300]\n", ":4", "1 byte to 1e9 MiB"},
        Bad{"[model]\npreset = \"tiny\"\n[sweep]\nsamples = 1000000000000\n", ":4", "at most"},
        Bad{"[model]\npreset = \"tiny\"\nlayers = 2000000000\n", ":3", "at most 1000"},
        Bad{"[model]\npreset = \"tiny\"\n[step]\nbatch = 90000000\n", ":4", "tokens"},
        Bad{"[model]\npreset = \"tiny\"\n[machine]\nthreads = 0\n", ":4", "threads"},
        Bad{"[model]\npreset = \"tiny\"\n[machine]\nefficiency = 2\n", ":4", "at most 1"}));

std::string repeated(std::string const& text, int count) {
  std::string all;
  for (int k = 0; k < count; ++k) all += text;
  return all;
}

// The parser and the functions of its result recurse, so deep nesting would overflow the stack.
TEST(Config, RefusesDeepNestingBeforeItIsParsed) {
  const std::string accepted = "unknown section [a]";
  const auto expect = [](std::string const& text, std::string const& message) {
    const auto error = error_of(text);
    EXPECT_NE(error.find(message), std::string::npos) << text.substr(0, 200) << '\n' << error;
  };
  expect("a = " + repeated("[", 16) + repeated("]", 16), accepted);
  expect("\na = " + repeated("[", 17) + repeated("]", 17), ":2: brackets nest deeper than 16 levels");
  expect("a = [\n" + repeated("{b = [\n", 8), ":9: brackets");
  expect("a" + repeated(".b", 16) + " = 1", accepted);
  expect("a" + repeated(".b", 17) + " = 1", ":1: the parts of a dotted key nest");
  expect("[a" + repeated(".\"]=,\"", 17) + "]", "the parts of a dotted key nest");
  expect("a = [1.5" + repeated(", 2.5", 100) + "]", accepted);
}

TEST(Config, BracketsAndDotsInStringsAndCommentsDoNotCountAsNesting) {
  const std::string deep = repeated("[", 50) + repeated("..", 50);
  for (std::string const& value :
       {"\"" + deep + "\"", "'" + deep + "'", "\"\\\"" + deep + "\"", "\"\"\"\n\\\"\"\"" + deep + "\"\"\"",
        "'''\n''" + deep + "'''", "1 # \" ' " + deep}) {
    const auto error = error_of("a = " + value + "\n");
    EXPECT_NE(error.find("unknown section [a]"), std::string::npos) << value << '\n' << error;
  }
}

TEST(Config, ErrorsRepeatAtMostEightyCharactersOfTheFile) {
  const std::string much(100000, 'x');
  for (std::string const& text :
       {"[model]\npreset = \"" + much + "\"\n", "[model]\n" + much + " = 1\n", "[" + much + "]\n",
        "[model]\npreset = \"tiny\"\n[sweep]\nstrategies = [\"" + much + "\"]\n"}) {
    const auto error = error_of(text);
    EXPECT_NE(error.find(std::string(80, 'x') + "[and 99920 bytes more]"), std::string::npos)
        << error.substr(0, 500);
    EXPECT_LT(error.size(), 700u);
  }
  EXPECT_NE(error_of(repeated("#", 1 << 20) + "\n").find("larger than 1 MiB"), std::string::npos);
}

TEST(Config, AMissingFileIsNamedInTheError) {
  EXPECT_THROW(
      try { read_config("/nowhere/input.toml"); } catch (std::invalid_argument const& error) {
        EXPECT_NE(std::string(error.what()).find("/nowhere/input.toml"), std::string::npos);
        throw;
      },
      std::invalid_argument);
}

TEST(Config, EveryInputOfTheProjectIsAccepted) {
  int inputs = 0;
  for (auto const& entry : std::filesystem::directory_iterator(ddproxy::inputs_folder))
    if (entry.path().extension() == ".toml") {
      EXPECT_NO_THROW(read_config(entry.path())) << entry.path();
      ++inputs;
    }
  EXPECT_GE(inputs, 4);
}

TEST(Config, ARunOfReplayedCopiesIsRefusedWithoutABandwidth) {
  const Folder folder;
  const auto complaint = [&](std::string const& allreduce) -> std::string {
    const auto config =
        read_config(folder.file("a.toml", "[model]\npreset = \"tiny\"\n[allreduce]\n" + allreduce));
    try {
      check_can_run(config);
    } catch (std::invalid_argument const& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(complaint(""), "");
  EXPECT_EQ(complaint("backend = \"nccl\"\npriority = \"high\""), "");
  EXPECT_EQ(complaint("copies = \"in+out\""), "");
  EXPECT_NE(complaint("copies = \"in\"\n[compute]\nmode = \"replay\"\ntimes = \"t.csv\"").find("bandwidth"),
            std::string::npos);
}

TEST(Config, PathsAreRelativeToTheInput) {
  const Folder folder;
  const auto file = folder.file(
      "input.toml", "[model]\npreset = \"tiny\"\n[compute]\nmode = \"replay\"\ntimes = \"t/times.csv\"\n");
  EXPECT_EQ(read_config(file).times, file.parent_path() / "t/times.csv");
}

TEST(Config, AChangedPresetIsCalledChanged) {
  const Folder folder;
  EXPECT_EQ(read_config(folder.file("a.toml", "[model]\npreset = \"tiny\"\n")).model, "tiny");
  EXPECT_EQ(read_config(folder.file("b.toml", "[model]\npreset = \"tiny\"\nlayers = 3\n")).model,
            "tiny (changed)");
}

TEST(Config, ReadsTheSettingsOfAWholeStep) {
  const Folder folder;
  const Config config =
      read_config(folder.file("input.toml",
                              "[model]\npreset = \"tiny\"\n[step]\nbatch = 6\naccumulation = 3\n"
                              "sync = \"each\"\ncheckpoint = \"layer\"\n"
                              "[optimizer]\nlr = 0.5\nbeta1 = 0\nclip = 2\n"));
  EXPECT_EQ(config.tokens.batch, 2);  // sequences of a micro-batch
  EXPECT_EQ(config.step.accumulation, 3);
  EXPECT_EQ(config.step.sync, model::Sync::each);
  EXPECT_EQ(config.step.checkpoint, model::Checkpoint::layer);
  EXPECT_EQ(config.step.optimizer, model::Optimizer::adamw);
  EXPECT_EQ(config.step.lr, 0.5);
  EXPECT_EQ(config.step.beta1, 0);
  EXPECT_EQ(config.step.beta2, 0.999);
  EXPECT_EQ(config.step.clip, 2.0);
}

TEST(Config, ReadsModelsOfTheLlamaClass) {
  const Folder folder;
  const auto shape_of = [&](std::string const& text) {
    return read_config(folder.file("a.toml", "[model]\n" + text)).shape;
  };
  EXPECT_EQ(shape_of("preset = \"llama3-8b\"\n"), model::find_preset("llama3-8b"));
  EXPECT_EQ(shape_of("preset = \"cs336-2.7b\"\n"), model::find_preset("cs336-2.7b"));
  EXPECT_EQ(
      shape_of("layers = 32\nd_model = 4096\nheads = 32\nkv_heads = 8\nd_ff = 14336\nvocabulary = 128256\n"
               "context = 8192\ntied = false\nbiases = false\nactivation = \"swiglu\"\nnorm = \"rmsnorm\"\n"
               "positions = \"rope\"\nrope_theta = 500000\nqkv = \"separate\"\n"),
      model::find_preset("llama3-8b"));
  EXPECT_EQ(shape_of("preset = \"llama3-8b\"\nkv_heads = 0\n").key_features(), 4096);
  EXPECT_EQ(shape_of("preset = \"gpt2\"\nnorm = \"rmsnorm\"\n").norm, model::Norm::rmsnorm);
}

}  // namespace
}  // namespace ddproxy
