// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/run/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace ddproxy::results {
namespace {

using Clock = std::chrono::steady_clock;
using Length = std::uint64_t;  // length of the answer in bytes; sent first, in this machine's byte order

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool may_limit_memory = false;  // the sanitizers' shadow memory takes terabytes of addresses
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
constexpr bool may_limit_memory = false;
#else
constexpr bool may_limit_memory = true;
#endif
#else
constexpr bool may_limit_memory = true;
#endif

void limit(int resource, rlim_t most) {
  rlimit now{};
  if (getrlimit(static_cast<__rlimit_resource_t>(resource), &now) != 0) return;
  now.rlim_cur = now.rlim_max = std::min(now.rlim_max, most);
  setrlimit(static_cast<__rlimit_resource_t>(resource), &now);
}

// Returns the size of this process's address space in bytes; 0 if it is unknown.
rlim_t address_space() {
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

void set_limits(ChildLimits const& limits) {
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, static_cast<rlim_t>(std::ceil(limits.seconds)) + 1);
  if (const rlim_t now = address_space(); now > 0 && may_limit_memory) limit(RLIMIT_AS, now + limits.memory);
  std::ofstream("/proc/self/oom_score_adj") << 1000;  // the child is killed first if memory runs out
}

// Discards all output of the child. What a library prints in a crash does not help the user.
void silence() {
  const int nothing = open("/dev/null", O_RDWR);
  if (nothing < 0) return;
  dup2(nothing, STDOUT_FILENO);
  dup2(nothing, STDERR_FILENO);
}

bool send(int pipe, char const* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t sent = write(pipe, bytes, count);
    if (sent < 0 && errno != EINTR) return false;
    bytes += std::max<ssize_t>(sent, 0);
    count -= static_cast<std::size_t>(std::max<ssize_t>(sent, 0));
  }
  return true;
}

[[noreturn]] void be_the_child(int pipe, std::function<std::string()> const& work,
                               ChildLimits const& limits) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGXCPU}) std::signal(signal, SIG_DFL);
  silence();
  set_limits(limits);
  try {
    const std::string answer = work();
    const Length length = answer.size();
    const bool sent = send(pipe, reinterpret_cast<char const*>(&length), sizeof length) &&
                      send(pipe, answer.data(), answer.size());
    _exit(sent ? 0 : 1);
  } catch (...) {
    _exit(1);
  }
}

// Returns the bytes that arrive through the pipe until the child closes it. Returns nothing if the child does
// not close it before `end`. Stops once more than `most` bytes have arrived.
std::optional<std::string> receive(int pipe, Clock::time_point end, std::size_t most) {
  std::string all;
  char buffer[1 << 16];
  while (all.size() <= most) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd waiting{pipe, POLLIN, 0};
    if (left <= 0) return {};
    if (poll(&waiting, 1, static_cast<int>(std::min<decltype(left)>(left, 1000))) <= 0) continue;
    const ssize_t got = read(pipe, buffer, sizeof buffer);
    if (got == 0) break;
    if (got > 0) all.append(buffer, static_cast<std::size_t>(got));
  }
  return all;
}

// Kills the child if it has not ended by itself, and returns its status. Returns nothing if there is no
// status within two seconds, for instance because the child waits in a call to a file server that does not
// answer.
std::optional<int> end_of(pid_t child) {
  int status = 0;
  for (int k = 0; k < 200; ++k) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if (ended < 0 && errno != EINTR) return {};
    if (k == 0) kill(child, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(k < 10 ? 1 : 10));
  }
  return {};
}

std::string seconds_of(ChildLimits const& limits) {
  char text[64];
  std::snprintf(text, sizeof text, "took longer than %g s", limits.seconds);
  return text;
}

std::string trouble_of(std::optional<int> status, ChildLimits const& limits) {
  if (!status) return "sent an incomplete answer";
  if (WIFEXITED(*status)) return "ended early with exit code " + std::to_string(WEXITSTATUS(*status));
  if (WTERMSIG(*status) == SIGXCPU) return seconds_of(limits);
  if (WTERMSIG(*status) == SIGKILL) return "was killed, perhaps because the machine has no memory left";
  return std::string("crashed (") + strsignal(WTERMSIG(*status)) + ")";
}

std::optional<std::string> answer_in(std::string const& received) {
  Length length = 0;
  if (received.size() < sizeof length) return {};
  std::memcpy(&length, received.data(), sizeof length);
  if (received.size() - sizeof length != length) return {};
  return received.substr(sizeof length);
}

}  // namespace

ChildEnd run_in_child(std::function<std::string()> const& work, ChildLimits const& limits) {
  const auto end = Clock::now() +
                   std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limits.seconds));
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw std::runtime_error(std::string("cannot create a pipe: ") + std::strerror(errno));
  const pid_t child = fork();
  if (child == 0) be_the_child(ends[1], work, limits);
  const int reason = errno;
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    throw std::runtime_error(std::string("cannot start a process: ") + std::strerror(reason));
  }
  const auto received = receive(ends[0], end, limits.answer + sizeof(Length));
  close(ends[0]);
  const auto status = end_of(child);
  if (!received) return {{}, seconds_of(limits)};
  if (auto answer = answer_in(*received)) return {std::move(answer), ""};
  return {{}, trouble_of(status, limits)};
}

}  // namespace ddproxy::results
