// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/verification/exact_lane.hpp"

#include <limits>
#include <stdexcept>
#include <string>

#include "kernels/occupy_stream.hpp"

namespace ddproxy {
namespace {

using Kind = ExactOperation::Kind;
using Fault = Kokkos::View<ExactFault, kernels::Memory>;
using Order = Kokkos::View<std::uint64_t, kernels::Memory>;

// `order` packs two numbers into one: task * most_elements + index of the element.
constexpr std::uint64_t most_elements = std::uint64_t{1} << 40;
constexpr std::uint64_t no_fault = std::numeric_limits<std::uint64_t>::max();
constexpr double low_part = 4096;  // the norm has two elements: a number is `first` x 4096 + `second`

kernels::Range range(kernels::Space const& exec, std::size_t count) {
  return {exec, 0, static_cast<kernels::Index>(count)};
}

void assign(kernels::Space const& exec, float* to, std::size_t count, ExactNumbers numbers,
            ExactContent content) {
  Kokkos::parallel_for(
      "ddproxy::exact", range(exec, count),
      KOKKOS_LAMBDA(kernels::Index i) { to[i] = content.value(numbers, static_cast<std::uint64_t>(i)); });
}

void add(kernels::Space const& exec, float* to, std::size_t count, ExactNumbers numbers,
         ExactContent content) {
  Kokkos::parallel_for(
      "ddproxy::exact", range(exec, count),
      KOKKOS_LAMBDA(kernels::Index i) { to[i] += content.value(numbers, static_cast<std::uint64_t>(i)); });
}

void subtract(kernels::Space const& exec, float* to, std::size_t count, float const* from) {
  Kokkos::parallel_for(
      "ddproxy::exact", range(exec, count), KOKKOS_LAMBDA(kernels::Index i) { to[i] -= from[i]; });
}

// Replaces each element x by factor x + constant.
void transform(kernels::Space const& exec, float* to, std::size_t count, float factor, float constant) {
  Kokkos::parallel_for(
      "ddproxy::exact", range(exec, count),
      KOKKOS_LAMBDA(kernels::Index i) { to[i] = factor * to[i] + constant; });
}

// Counts the wrong elements of a slice. Remembers the first of them if no earlier task had a wrong element.
// Nothing else may write the slice until both kernels are done.
void check(kernels::Space const& exec, float const* memory, Slice slice, std::uint64_t task,
           ExactNumbers numbers, ExactContent content, Fault const& fault, Order const& order) {
  const std::uint64_t begin = slice.offset, end = slice.end();
  Kokkos::parallel_for(
      "ddproxy::exact", range(exec, slice.count), KOKKOS_LAMBDA(kernels::Index i) {
        const auto at = begin + static_cast<std::uint64_t>(i);
        if (content.is(numbers, static_cast<std::uint64_t>(i), memory[at])) return;
        Kokkos::atomic_inc(&fault().count);
        Kokkos::atomic_min(&order(), task * most_elements + at);
      });
  Kokkos::parallel_for(
      "ddproxy::exact", range(exec, 1), KOKKOS_LAMBDA(kernels::Index) {
        const std::uint64_t at = order() % most_elements;
        if (order() / most_elements != task || at < begin || at >= end) return;
        fault().at = at;
        fault().task = task;
        fault().content = content;
        fault().content.first += at - begin;
        fault().is_count = false;
        fault().expected = static_cast<double>(content.value(numbers, at - begin));
        fault().found = static_cast<double>(memory[at]);
      });
}

// Adds a number to the norm, or assigns it.
void count(kernels::Space const& exec, float* norm, double number, bool assigns) {
  Kokkos::parallel_for(
      "ddproxy::exact", range(exec, 1), KOKKOS_LAMBDA(kernels::Index) {
        const double before =
            assigns ? 0 : low_part * static_cast<double>(norm[0]) + static_cast<double>(norm[1]);
        const double high = Kokkos::floor((before + number) / low_part);
        norm[0] = static_cast<float>(high);
        norm[1] = static_cast<float>(before + number - high * low_part);
      });
}

void check_count(kernels::Space const& exec, float const* memory, std::uint64_t at, std::uint64_t task,
                 double expected, Fault const& fault, Order const& order) {
  Kokkos::parallel_for(
      "ddproxy::exact", range(exec, 1), KOKKOS_LAMBDA(kernels::Index) {
        const double found = low_part * static_cast<double>(memory[at]) + static_cast<double>(memory[at + 1]);
        if (found == expected) return;
        ++fault().count;
        if (order() <= task * most_elements + at) return;
        order() = task * most_elements + at;
        fault().at = at;
        fault().task = task;
        fault().is_count = true;
        fault().expected = expected;
        fault().found = found;
      });
}

}  // namespace

ExactLane::ExactLane(ExactPlan const& plan, kernels::Floats memory, std::size_t tasks, double pause_s,
                     kernels::Space exec)
    : KernelLane(std::move(exec), std::move(memory), tasks + 1),
      plan_(plan),
      pause_s_(pause_s),
      tasks_(plan.tasks()),
      fault_("fault of a step"),
      order_("first fault of a step") {
  if (memory_.size() != plan.memory())
    throw std::logic_error("the plan of the verification is for " + std::to_string(plan.memory()) +
                           " elements, but the memory has " + std::to_string(memory_.size()));
}

void ExactLane::fill() {
  Kokkos::deep_copy(exec_, memory_, std::numeric_limits<float>::quiet_NaN());
  Kokkos::deep_copy(exec_, fault_, ExactFault{});
  Kokkos::deep_copy(exec_, order_, no_fault);
  next_ = tasks_;
  carry_out(plan_.entry());
  fence();
}

void ExactLane::begin() {
  KernelLane::begin();
  next_ = checked_ = 0;
}

void ExactLane::run(std::size_t operation) {
  throw std::logic_error("operator " + std::to_string(operation) +
                         " of a whole step cannot be verified without its places; call carry_out()");
}

void ExactLane::carry_out(ComputeCall const&) {
  kernels::occupy_stream(exec_, pause_s_);
  carry_out(plan_.task(next_));
  ++next_;
  marks_.move_on();
}

void ExactLane::carry_out(std::span<const ExactOperation> operations) {
  for (auto const& [kind, slice, content, from] : operations) {
    float* const to = memory_.data() + slice.offset;
    switch (kind) {
      case Kind::check:
        check(exec_, memory_.data(), slice, next_, plan_.numbers(), content, fault_, order_);
        checked_ += slice.count;
        break;
      case Kind::assign:
        assign(exec_, to, slice.count, plan_.numbers(), content);
        break;
      case Kind::add:
        add(exec_, to, slice.count, plan_.numbers(), content);
        break;
      case Kind::subtract:
        subtract(exec_, to, slice.count, memory_.data() + from);
        break;
      case Kind::increment:
        transform(exec_, to, slice.count, 1, 1);
        break;
      case Kind::halve:
        transform(exec_, to, slice.count, 0.5F, 0);
        break;
      case Kind::start_count:
      case Kind::add_count:
        count(exec_, to, static_cast<double>(from), kind == Kind::start_count);
        break;
      case Kind::check_count:
        check_count(exec_, memory_.data(), slice.offset, next_, static_cast<double>(from), fault_, order_);
        break;
    }
  }
}

std::optional<ExactFault> ExactLane::find_fault() {
  const std::size_t checked = checked_;
  next_ = tasks_;
  carry_out(plan_.exit());
  checked_ = checked;
  const auto fault = Kokkos::create_mirror_view(fault_);
  Kokkos::deep_copy(exec_, fault, fault_);
  fence();
  return fault().count > 0 ? std::optional(fault()) : std::nullopt;
}

}  // namespace ddproxy
