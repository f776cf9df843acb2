// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <functional>
#include <stdexcept>
#include <thread>

#include "miniapp/errors/clock.hpp"
#include "miniapp/errors/errors.hpp"
#include "miniapp/machine/runtime.hpp"

// The calls of MPI by which the ranks agree, outside of timed regions.
namespace ddproxy {

double Runtime::barrier() const {
  const auto start = Clock::now();
  const auto limit = limited("MPI_Barrier");
  check_mpi(MPI_Barrier(communicator()));
  return seconds_since(start);
}

std::vector<double> Runtime::gather(std::vector<double> const& mine) const {
  std::vector<double> all(root() ? mine.size() * static_cast<std::size_t>(ranks_) : 0);
  const int count = static_cast<int>(mine.size());
  const auto limit = limited("MPI_Gather");
  check_mpi(MPI_Gather(mine.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, 0, communicator()));
  return all;
}

std::vector<std::string> Runtime::gather(std::string const& mine) const {
  const auto longest = static_cast<std::size_t>(maximum(static_cast<double>(mine.size()))) + 1;
  const int count = static_cast<int>(longest);
  std::string padded = mine;
  padded.resize(longest, '\0');
  std::string all(root() ? longest * static_cast<std::size_t>(ranks_) : 0, '\0');
  const auto limit = limited("MPI_Gather");
  check_mpi(MPI_Gather(padded.data(), count, MPI_CHAR, all.data(), count, MPI_CHAR, 0, communicator()));
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < all.size(); at += longest) texts.emplace_back(all.c_str() + at);
  return texts;
}

double Runtime::maximum(double mine) const {
  const auto limit = limited("MPI_Allreduce");
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, communicator()));
  return mine;
}

double Runtime::sum(double mine) const {
  const auto limit = limited("MPI_Allreduce");
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_SUM, communicator()));
  return mine;
}

void Runtime::broadcast(std::vector<std::int64_t>& values) const {
  const auto limit = limited("MPI_Bcast");
  check_mpi(MPI_Bcast(values.data(), static_cast<int>(values.size()), MPI_INT64_T, 0, communicator()));
}

void Runtime::broadcast(std::vector<double>& values) const {
  const auto limit = limited("MPI_Bcast");
  check_mpi(MPI_Bcast(values.data(), static_cast<int>(values.size()), MPI_DOUBLE, 0, communicator()));
}

void Runtime::broadcast_asleep(std::vector<std::int64_t>& values) const {
  MPI_Request request;
  check_mpi(
      MPI_Ibcast(values.data(), static_cast<int>(values.size()), MPI_INT64_T, 0, communicator(), &request));
  for (int done = 0;;) {
    check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    if (done) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void Runtime::together(std::function<void()> const& action) const {
  CollectiveError error(exit_fine, "");
  try {
    action();
  } catch (...) {
    error = describe_current_exception();
  }
  int first = error.code == exit_fine ? ranks_ : rank_;
  const auto limit = limited("MPI_Allreduce");
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, communicator()));
  if (first == ranks_) return;
  error.message.resize(1024, '\0');
  check_mpi(MPI_Bcast(error.message.data(), 1024, MPI_CHAR, first, communicator()));
  check_mpi(MPI_Bcast(&error.code, 1, MPI_INT, first, communicator()));
  throw CollectiveError(error.code, error.message.c_str());
}

CollectiveError describe_current_exception() {
  try {
    throw;
  } catch (CollectiveError const& error) {
    return error;
  } catch (WrongNumbers const& error) {
    return {exit_wrong_numbers, error.what()};
  } catch (Interrupted const& error) {
    return {exit_interrupted, error.what()};
  } catch (std::invalid_argument const& error) {
    return {exit_usage, error.what()};
  } catch (std::bad_alloc const&) {
    return {exit_run_time, "out of memory; use a smaller model, fewer tokens or fewer ranks on each node"};
  } catch (std::exception const& error) {
    return {exit_run_time, error.what()};
  }
}

}  // namespace ddproxy
