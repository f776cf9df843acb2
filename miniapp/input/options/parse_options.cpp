// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/options/parse_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <span>

#include "miniapp/input/config.hpp"
#include "miniapp/input/options/option_groups.hpp"
#include "model/text/echo.hpp"
#include "results/output/standard_streams.hpp"

namespace ddproxy {
namespace {

constexpr std::size_t most_of_a_line = 600;  // characters; a message quotes no more of the arguments

constexpr auto about =
    "Measures how fast this machine runs the backward pass of a GPT-2-class model while the gradients are "
    "all-reduced,\nfinds the best bucket size, and compares the measured times with a performance model.\n"
    "run, layers, allreduce, collectives, sweep and step measure: start them with mpirun or srun, one "
    "process for "
    "each rank.\n"
    "predict, account, memory, compare, step --against and --dry-run need neither MPI nor a device; the "
    "program "
    "ddproxy-model has only these.\n"
    "Arguments after -- go to Google Benchmark (run, sweep), for instance -- --benchmark_filter=bucketed.";

constexpr auto about_model =
    "Predicts and compares; needs neither MPI nor a device. This program measures nothing.\n"
    "The commands run, sweep, step, layers, allreduce and collectives need --dry-run here: it prints what "
    "they would measure.\n"
    "step also takes --against.";

constexpr auto exit_codes_of_model =
    "Exit codes: 0 success; 1 a regression (compare), or a model error or regret above its limit (predict);\n"
    "2 wrong usage or input; 4 run-time failure; 5 undecided (compare).";

constexpr auto exit_codes =
    "Exit codes: 0 success; 1 a regression (compare), or a model error or regret above its limit (run, "
    "predict);\n"
    "2 wrong usage or input; 3 a check found wrong gradients or a wrong result of a collective;\n"
    "4 run-time failure; 5 undecided (compare);\n"
    "75 interrupted, and the samples so far are in FILE.part.";

// Writes the help of an option. Without this class the help has entries such as "FLOAT:(above 0) Needs:
// --other".
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_opts(CLI::Option const* option) const override {
    std::string text = CLI::Formatter::make_option_opts(option);
    for (char const* needs : {" Needs:", " Excludes:"}) text.resize(std::min(text.find(needs), text.size()));
    if (const auto kind = text.find(':'); kind != std::string::npos) text[kind] = ' ';
    return text;
  }
  std::string make_option_desc(CLI::Option const* option) const override {
    return option->get_description() + listed("; needs ", option->get_needs()) +
           listed("; not with ", option->get_excludes());
  }

 private:
  static std::string listed(char const* before, std::set<CLI::Option*> const& options) {
    std::string text;
    for (CLI::Option const* option : options) text += (text.empty() ? before : ", ") + option->get_name();
    return text;
  }
};

// Rewords the message "A excludes B" of CLI11 so that the message says what to do.
std::string either_or(std::string text) {
  constexpr std::string_view excludes = " excludes ";
  text.replace(text.find(excludes), excludes.size(), " or ");
  return "give either " + text + ", not both";
}

// Rewords the message "--input: 1 required TEXT missing" of CLI11.
std::string needs_value(std::string const& text) {
  return text.substr(0, text.find(':')) + " needs a value";
}

// Says what is wrong with the command line. If some arguments belong to no option, names the first of them.
// CLI11 would print them in reverse order.
std::string complaint(CLI::App const& app, CLI::ParseError const& error) {
  const auto rest = app.remaining(true);
  const bool no_command = app.get_subcommands().empty();
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExcludesError))
    return either_or(error.what());
  if (std::string_view(error.what()).ends_with(" missing")) return needs_value(error.what());
  const bool extra = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
  if (rest.empty() || !(extra || no_command)) return error.what();
  if (rest.front().starts_with("-")) return "there is no option " + rest.front();
  return (no_command ? "there is no command " : "unexpected argument ") + rest.front();
}

int report(CLI::App const& app, CLI::ParseError const& error, bool speak) {
  if (error.get_exit_code() == 0) return speak ? app.exit(error) : 0;
  std::string program = app.get_name();
  for (CLI::App const* command : app.get_subcommands()) program += " " + command->get_name();
  if (speak)
    results::say_error(fmt::format("{}: {}; see {} --help", app.get_name(),
                                   model::echo(complaint(app, error), most_of_a_line), program));
  return 2;
}

CLI::Validator number_that(bool (*fits)(double), std::string const& meaning, std::string const& name) {
  return CLI::Validator(
      [=](std::string const& text) {
        double value = 0;
        const bool number = CLI::detail::lexical_cast(text, value);
        return number && fits(value) && std::isfinite(value) ? "" : model::echo(text) + " is not " + meaning;
      },
      name);
}

using Arguments = std::span<char const* const>;

// Returns a message if an option has the file name "-", which many programs take for standard output; an
// empty text otherwise. A file with this name would be a surprise, and standard output has the tables.
std::string complain_about_dashes(CLI::App const& command) {
  for (char const* name : {"--output", "--json", "--csv", "--junit", "--night", "--trace"}) {
    CLI::Option const* option = command.get_option_no_throw(name);
    if (option != nullptr && option->results() == std::vector<std::string>{"-"})
      return fmt::format("{} -: standard output has the tables; give the name of a file", name);
  }
  return "";
}

// Returns a message if the arguments are wrong as a whole; an empty text otherwise. Each option has already
// checked its own value. An empty argument is refused. It usually comes from an unset variable of a script,
// and would be taken for a file without a name.
std::string complain(Arguments arguments, Options const& options, CLI::App const& command) {
  for (std::string_view argument : arguments.subspan(1))
    if (argument.empty())
      return fmt::format(
          "an argument is empty: '{}'; perhaps a variable of the calling script is not set",
          model::echo(fmt::format("{}", fmt::join(arguments.subspan(1), "' '")), most_of_a_line));
  if (!options.benchmark.empty() && options.command != "compare" && options.command != "run" &&
      options.command != "sweep")
    return "arguments after -- go to Google Benchmark, which only run and sweep use";
  if (!options.resume.empty() && !options.benchmark.empty())
    return "--resume does not go with arguments for Google Benchmark (after --): leave out one of them";
  return complain_about_dashes(command);
}

// Makes the help say what ddproxy-model can do. The commands that are left out of the list are accepted, too,
// with --dry-run.
void describe_model_program(CLI::App& app) {
  app.description(about_model);
  app.footer(exit_codes_of_model);
  app.get_subcommand("run")->description("with --dry-run: print what `ddproxy run` would measure");
  app.get_subcommand("sweep")->description("with --dry-run: print what `ddproxy sweep` would measure");
  app.get_subcommand("step")->description(
      "with --dry-run: print what `ddproxy step` would measure; with --against: compare published step times "
      "with a roofline");
  for (char const* hidden : {"layers", "allreduce", "collectives"}) app.get_subcommand(hidden)->group("");
}

}  // namespace

CLI::Validator positive_number() {
  return number_that([](double value) { return value > 0; }, "a number above 0", "(above 0)");
}

CLI::Validator number_from_zero() {
  return number_that([](double value) { return value >= 0; }, "a number from 0 upwards", "(0 or more)");
}

std::string note_on_stage(std::string_view word) {
  return word == "zero3" ? " (ZeRO-3 is called fsdp)" : "";
}

CLI::Validator bucket_size() {
  return number_that(is_bucket_size, "a bucket size; give a number of MiB, from 1e-6 to 1e9", "(MiB)");
}

CLI::Validator message_size() {
  return number_that(is_bucket_size, "a message size; give a number of MiB, from 1e-6 (1 byte) to 1e9",
                     "(MiB)");
}

CLI::Validator share_of_one() {
  return number_that([](double value) { return value >= 0; },
                     "a share; give 0 or more, for instance 0.05 for 5 %", "(share)");
}

std::optional<Options> parse_options(int argc, char const* const* argv, char const* version, bool speak,
                                     int& exit_code, Program program) {
  const std::span<char const* const> all(argv, static_cast<std::size_t>(argc));
  const auto separator = std::ranges::find(all, std::string_view("--"));
  Options options;
  options.command_line = fmt::format("{}", fmt::join(all, " "));
  if (separator != all.end()) options.benchmark.assign(separator + 1, all.end());

  options.program = std::filesystem::path(argv[0]).filename().string();
  CLI::App app(about, options.program);
  app.set_version_flag("--version", options.program + " " + version);
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormatter>());  // subcommands inherit it
  app.footer(exit_codes);  // the subcommands that have no footer of their own inherit it
  add_run_commands(app, options);
  add_step_command(app, options);
  add_predict_command(app, options);
  add_account_command(app, options);
  add_memory_command(app, options);
  add_compare_command(app, options);
  if (program == Program::predicts) describe_model_program(app);
  try {
    app.parse(static_cast<int>(separator - all.begin()), argv);
    const Arguments own(all.begin(), separator);
    if (const auto complaint = complain(own, options, *app.get_subcommands().front()); !complaint.empty())
      throw CLI::ValidationError(complaint);
  } catch (CLI::ParseError const& error) {
    exit_code = report(app, error, speak);
    return std::nullopt;
  }
  return options;
}

}  // namespace ddproxy
