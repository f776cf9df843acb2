// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/engines/mpi_engine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/foreign_call.hpp"
#include "miniapp/collectives/drivers/time_limit.hpp"
#include "miniapp/device/backoff.hpp"
#include "miniapp/errors/errors.hpp"

namespace ddproxy {
namespace {

GroupPlace place_in(MPI_Comm communicator) {
  GroupPlace place;
  check_mpi(MPI_Comm_rank(communicator, &place.rank));
  check_mpi(MPI_Comm_size(communicator, &place.ranks));
  return place;
}

}  // namespace

MpiEngine::MpiEngine(MPI_Comm communicator, float* arena, std::size_t piece_elements, double timeout_s,
                     WireFormat wire, MpiCallTable mpi_calls, Scale scale)
    : arena_(arena),
      mpi_calls_(std::move(mpi_calls)),
      timeout_s_(timeout_s),
      place_(place_in(communicator)),
      wire_(wire),
      piece_elements_(piece_elements),
      scale_(scale),
      sent_(static_cast<std::size_t>(place_.ranks)),
      received_(sent_.size()) {
  check_mpi(MPI_Comm_dup(communicator, &communicator_));
  check_mpi(MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN));
  under_way_.push_back(make_call());
}

MpiEngine::~MpiEngine() {
  if (std::ranges::none_of(under_way_, [](auto const& call) { return call->is_open(); }))
    MPI_Comm_free(&communicator_);
}

std::unique_ptr<MpiCollective> MpiEngine::make_call() const {
  return std::make_unique<MpiCollective>(communicator_, arena_, wire_, piece_elements_, place_, scale_);
}

void MpiEngine::make_room(std::size_t largest_group) {
  while (under_way_.size() < largest_group) under_way_.push_back(make_call());
}

// Returns the tag of a send or a receive, and counts the message. Both ranks count the messages between them
// in the same way, grouped or not. So both compute the same tag.
int MpiEngine::tag_of(CollectiveCall const& call) {
  if (!is_transfer(call.verb)) return 0;
  check_call(call, place_);
  constexpr unsigned tags = 32768;  // every MPI supports tags 0 to 32767
  auto& messages = call.verb == model::Verb::send ? sent_ : received_;
  return static_cast<int>(messages[static_cast<std::size_t>(call.root_or_peer)]++ % tags);
}

void MpiEngine::begin(CollectiveCall const& call, Completion ready) {
  const kernels::ForeignCall foreign;
  call_ = {call, Clock::now(), {}, ready.when};
  group_ = 1;
  MpiCollective& one = *under_way_.front();
  blocking_ =
      mpi_calls_.blocking(static_cast<std::int64_t>(full_slice(call).count) * one.element_bytes(call));
  one.begin(call, blocking_, tag_of(call));
}

void MpiEngine::begin_group(std::span<const PostedCall> calls, Completion ready) {
  const kernels::ForeignCall foreign;
  call_ = {calls.front().call, Clock::now(), {}, ready.when};
  make_room(calls.size());
  group_ = calls.size();
  blocking_ = false;
  for (auto const& each : calls) check_grouped(each.call, place_);
  for (std::size_t i = 0; i < group_; ++i) under_way_[i]->begin(calls[i].call, false, tag_of(calls[i].call));
}

bool MpiEngine::test() {
  const kernels::ForeignCall foreign;
  bool over = true;
  for (std::size_t i = 0; i < group_; ++i) over = under_way_[i]->test() && over;
  if (over) call_.end = Clock::now();
  return over;
}

ElementsByVerb MpiEngine::elements_handed_over() const {
  ElementsByVerb all;
  for (auto const& call : under_way_) all += call->elements_handed_over();
  return all;
}

void MpiEngine::check_time(std::size_t call) const {
  check_time_limit(call_, call, place_.rank, timeout_s_);
}

// Tests whether the call is done. While the core is free, tests a nonblocking call several times in a row,
// because looking at the clock and yielding the core take longer than a test.
bool MpiEngine::test_in_row(bool core_is_free) {
  constexpr int tests_in_row = 16;
  for (int tests = core_is_free && !blocking_ ? tests_in_row : 1; tests > 0; --tests)
    if (test()) return true;
  return false;
}

void MpiEngine::wait(std::size_t call, CoreIsFree const& core_is_free) {
  Backoff backoff;
  while (!test_in_row(core_is_free()))
    if (!blocking_) {
      check_time(call);
      backoff(core_is_free());
    }
}

double MpiEngine::unwatched_limit_s() const {
  return mpi_calls_.ever_blocking() ? timeout_s_ : 0;
}

std::string MpiEngine::description() const {
  return fmt::format("mpi, {} buffers, {}{}", scale_ ? "device" : "host", under_way_.front()->wire_name(),
                     mpi_calls_.ever_blocking() ? ", " + mpi_calls_.description() : "");
}

}  // namespace ddproxy
