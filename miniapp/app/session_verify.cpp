// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdlib>

#include "miniapp/app/session.hpp"
#include "miniapp/device/device_choice.hpp"
#include "miniapp/errors/errors.hpp"
#include "miniapp/input/comparison_buffers.hpp"
#include "miniapp/measure/verification/verify.hpp"
#include "results/output/standard_streams.hpp"

namespace ddproxy {

std::string Session::verify_case(CaseReport const& report) {
  // All ranks get the same result, so either all of them return here or none. Thus no rank waits alone in a
  // collective.
  const auto wrong = verify_graphs(step_of(report.item, context_.workload, context_.config.copies,
                                           static_cast<std::size_t>(context_.ranks())));
  if (!wrong.empty()) return wrong;
  CompiledStep step = context_.compile(report.item);
  if (!context_.reduces())
    return verify_order(context_.workload, step, *context_.backward, *context_.allreduce);
  return verify_numbers(context_.runtime, context_.workload, step,
                        {context_.memory, context_.places(step.graph()), context_.gradients_at()},
                        *context_.allreduce);
}

// Reduces real gradients in the wire format and compares the result with their fp32 average. Records and
// prints the errors. Returns an error message, or an empty text if the errors are within their bound. Does
// nothing if compares_wire() is false, for instance with fp32 on the wire.
std::string Session::verify_wire() {
  if (!compares_wire(context_.config)) return "";
  say("comparing the reduced gradients of a pass with their fp32 average");
  const auto errors = measure_wire_errors(context_);
  if (root()) {
    recorder_->wire_errors(errors, context_.workload.wire);
    results::print_output(describe(errors, context_.workload));
  }
  return beyond_bound(errors, context_.workload);
}

// Computes real gradients at the precision of the input, and compares them with gradients whose matrix
// products are in fp32. Records and prints the errors. Returns an error message, or an empty text if the
// errors are within their bound. Does nothing if compares_precision() is false, for instance with fp32.
std::string Session::judge_precision() {
  if (!compares_precision(context_.config)) return "";
  // If the environment of a rank replaces fp32 by TF32, there are no fp32 products to compare with.
  const bool overridden = !complain_of_override(false, std::getenv("NVIDIA_TF32_OVERRIDE")).empty();
  if (context_.runtime.maximum(overridden) > 0) return "";
  say("comparing the gradients of a pass with those of fp32 products");
  const auto errors = measure_precision_errors(context_);
  if (root()) {
    recorder_->precision_errors(errors);
    results::print_output(describe(errors, context_.config.precision));
  }
  return beyond_bound(errors, context_.config.precision, context_.workload.pass);
}

void Session::verify() {
  std::string complaint = judge_precision();
  std::vector<std::int64_t> right;
  for (auto const& report : reports_) {
    say("verifying " + report.item.name());
    const auto complaints = context_.runtime.gather(context_.computes() ? verify_case(report) : "");
    const auto wrong = std::ranges::find_if_not(complaints, &std::string::empty);
    right.push_back(wrong == complaints.end());
    if (wrong != complaints.end() && complaint.empty()) complaint = report.item.name() + ": " + *wrong;
  }
  if (const auto wrong = verify_wire(); complaint.empty()) complaint = wrong;
  verified_ = complaint.empty();
  context_.runtime.together([&] {
    if (!root()) return;
    recorder_->plan(context_, reports_, predicted_, floor_);
    recorder_->verified(right);
    if (predicted_) recorder_->uncertainty(uncertainty_);
    recorder_->flush();
    if (!verified_) throw WrongNumbers("verification failed: " + complaint);
  });
}

}  // namespace ddproxy
