// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/verification/wire_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/base/types.hpp"
#include "miniapp/errors/errors.hpp"
#include "miniapp/input/comparison_buffers.hpp"
#include "miniapp/input/words.hpp"

namespace ddproxy {
namespace {

constexpr WireErrorBuffers buffers{};
constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double least_mean = 1e-30;  // lower limit of the mean by which an error is divided; avoids 0 / 0

struct Sums {
  double error_squares = 0, squares = 0, worst = 0;
};

using kernels::HostFloats;

// Reduces pieces of the gradients in the input's wire format, and again in fp32 on the host, and compares the
// results.
class Comparison {
 public:
  explicit Comparison(RankContext& context) : context_(context) {}

  Sums compare(Slice slice) {
    fetch(kernels::view_of(context_.gradients), slice, sum_);
    for (std::size_t i = 0; i < slice.count; ++i) size_(i) = std::abs(sum_(i));
    add_up(sum_, slice.count);
    add_up(size_, slice.count);
    reduce(slice);
    fetch(kernels::view_of(context_.arena), slice, reduced_);
    return sums(slice.count);
  }

 private:
  template <class View>
  static auto part(View const& all, Slice slice) {
    return Kokkos::subview(all, std::pair{slice.offset, slice.offset + slice.count});
  }

  static void fetch(kernels::Floats const& from, Slice slice, HostFloats const& to) {
    Kokkos::deep_copy(part(to, {0, slice.count}), part(from, slice));
  }

  void add_up(HostFloats const& values, std::size_t count) const {
    const auto limit = context_.runtime.limited("MPI_Allreduce");
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(count), MPI_FLOAT, MPI_SUM,
                            context_.runtime.communicator()));
  }

  void reduce(Slice slice) const {
    if (context_.gradients.data() != context_.arena.data())
      Kokkos::deep_copy(part(kernels::view_of(context_.arena), slice),
                        part(kernels::view_of(context_.gradients), slice));
    context_.allreduce->begin(1);
    context_.allreduce->start_all_reduce(slice, {Clock::now()});
    context_.allreduce->wait_all();
  }

  Sums sums(std::size_t count) const {
    const double ranks = context_.runtime.ranks();
    Sums sums;
    for (std::size_t i = 0; i < count; ++i) {
      const double average = sum_(i) / ranks, error = reduced_(i) - average;
      sums.error_squares += error * error;
      sums.squares += average * average;
      const double share = std::abs(error) / std::max(size_(i) / ranks, least_mean);
      sums.worst = std::isnan(share) ? infinite : std::max(sums.worst, share);
    }
    return sums;
  }

  RankContext& context_;
  HostFloats sum_{"sum", buffers.sum}, size_{"size", buffers.size}, reduced_{"reduced", buffers.reduced};
};

double ratio(double error_squares, double squares) {
  return error_squares == 0 ? 0 : std::sqrt(error_squares / squares);
}

}  // namespace

WireErrors measure_wire_errors(RankContext& context) {
  run_all(*context.backward);
  const WireFormat wire = context.workload.wire;
  const int ranks = context.runtime.ranks();
  WireErrors errors{{}, {}, 0, wire_error_bound(wire, ranks) + wire_error_bound(WireFormat::fp32, ranks)};
  Comparison comparison(context);
  Sums all;
  for (auto const& gradient : context.workload.pass.gradients) {
    const std::size_t end = gradient.slice().end();
    Sums sums;
    for (std::size_t offset = gradient.offset; offset < end;
         offset += std::min(compared_at_once, end - offset)) {
      const auto piece = comparison.compare({offset, std::min(compared_at_once, end - offset)});
      sums.error_squares += piece.error_squares;
      sums.squares += piece.squares;
      sums.worst = std::max(sums.worst, piece.worst);
    }
    errors.rms.push_back(context.runtime.maximum(ratio(sums.error_squares, sums.squares)));
    errors.max.push_back(context.runtime.maximum(sums.worst));
    all.error_squares += sums.error_squares;
    all.squares += sums.squares;
  }
  errors.total_rms = context.runtime.maximum(ratio(all.error_squares, all.squares));
  return errors;
}

std::string beyond_bound(WireErrors const& errors, Workload const& workload) {
  for (std::size_t i = 0; i < errors.max.size(); ++i)
    if (!(errors.max[i] <= errors.bound))
      return fmt::format(
          "{}: after the all-reduce of a real pass, the relative error of an element is {:.3g}, above the "
          "bound of {:.3g}. The error is relative to the mean of |gradient| of this element over the ranks",
          workload.pass.gradients[i].name, errors.max[i], errors.bound);
  return "";
}

std::string describe(WireErrors const& errors, Workload const& workload) {
  const auto worst = std::ranges::max_element(errors.max) - errors.max.begin();
  return fmt::format(
      "{} on the wire: gradients differ from their fp32 average by {:.2g} (norm of the difference / norm of "
      "the average). The largest error of an element is {:.2g} of its mean |gradient| (in {}; bound "
      "{:.2g})\n",
      word_of(workload.wire, wire_words), errors.total_rms, errors.max[static_cast<std::size_t>(worst)],
      workload.pass.gradients[static_cast<std::size_t>(worst)].name, errors.bound);
}

}  // namespace ddproxy
