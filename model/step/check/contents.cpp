// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/check/contents.hpp"

#include <algorithm>

#include "model/step/check/collective_contents.hpp"
#include "model/step/check/gradient_sums.hpp"
#include "model/step/check/kept_elements.hpp"
#include "model/step/describe.hpp"

namespace ddproxy::model {
namespace {

/// Carries out tasks on the symbolic contents of the buffers.
class Follower {
 public:
  Follower(RankGraphs const& step, Violations& violations)
      : step_(step),
        findings_(violations),
        contents_(step, findings_),
        sums_(contents_, findings_),
        collectives_(step, contents_, sums_, findings_) {}

  void run(std::vector<ClassTask> const& node) {
    if (collectives_of(task(node.front())).empty()) {
      run_alone(node.front());
    } else {
      collectives_.run(node);
    }
    for (const ClassTask at : node) release(at);
  }

  void check_exit() {
    found_before_exit_ = findings_.any();
    for (std::size_t rank = 0; rank < contents_.ranks(); ++rank) {
      auto const& buffers = contents_.graph(rank).buffers;
      for (std::size_t b = 0; b < buffers.size(); ++b) check_exit(rank, BufferId{b}, buffers[b]);
    }
    check_kept_elements(contents_, findings_);
  }

 private:
  Task const& task(ClassTask at) const { return step_.classes[at.rank_class].graph.tasks[at.task]; }

  // ---- tasks of one rank

  void run_alone(ClassTask at) {
    findings_.at("task " + std::to_string(at.task) + ", " + describe(task(at)) + ": ");
    auto const& accesses = task(at).accesses;
    for (const std::size_t rank : step_.classes[at.rank_class].ranks) {
      if (std::holds_alternative<Copy>(task(at).work)) {
        contents_.write(rank, accesses[1], contents_.filled(rank, accesses[0]));
      }
      if (auto const* compute = std::get_if<Compute>(&task(at).work)) run(rank, accesses, *compute);
    }
  }

  void run(std::size_t rank, std::vector<Access> const& accesses, Compute const& compute) {
    std::vector<Segments> found;
    for (Access const& access : accesses) {
      found.push_back(access.mode == AccessMode::assign ? Segments{} : contents_.filled(rank, access));
      for (Segment const& segment : found.back()) {
        if (!segment.value.padding) check_read(rank, accesses, compute, access, segment);
      }
    }
    for (std::size_t a = 0; a < accesses.size(); ++a) {
      if (accesses[a].mode != AccessMode::read) write(rank, accesses, compute, accesses[a], found[a]);
    }
  }

  void wrong(std::size_t rank, std::string const& what, Access const& access) {
    findings_.add(Rule::right_content, rank, what + " in buffer " + std::to_string(index(access.buffer)));
  }

  void check_read(std::size_t rank, std::vector<Access> const& accesses, Compute const& compute,
                  Access const& access, Segment const& segment) {
    Value const& value = segment.value;
    const std::string name = name_of(value.content);
    if (value.content != access.content)
      return wrong(rank, "reads " + name + " instead of " + name_of(access.content), access);
    if (is_of_another(rank, compute, access, value)) {
      return wrong(rank, "reads " + name + " of other elements, of another tensor or of another micro-batch",
                   access);
    }
    if (value.version != 0 && value.content != Content::gradient) {
      return wrong(rank, "uses " + name + " after its update", access);
    }
    if (compute.phase > Phase::backward) check_finished(rank, accesses, compute, access, segment);
  }

  /// Returns true if a value belongs to other elements of the model than the access names. For an
  /// activation, returns true if the value belongs to another tensor or to another micro-batch. If the task
  /// modifies the activation, only the micro-batch counts.
  bool is_of_another(std::size_t rank, Compute const& compute, Access const& access,
                     Value const& value) const {
    if (value.content == Content::norm) return false;
    if (value.content != Content::activation) return value.model != contents_.model_start(rank, access);
    if (value.micro_batch != -1 && value.micro_batch != compute.micro_batch) return true;
    return access.mode != AccessMode::modify && value.model != contents_.model_start(rank, access);
  }

  /// Checks what norm, clip and update tasks read. Gradients must be complete, and so must norms that a clip
  /// or update task reads. The gradients of an update must be clipped as check_clipped() says. An update must
  /// read the gradients of all parameters that it updates.
  void check_finished(std::size_t rank, std::vector<Access> const& accesses, Compute const& compute,
                      Access const& access, Segment const& segment) {
    Value const& value = segment.value;
    if (value.content == Content::gradient ||
        (value.content == Content::norm && compute.phase != Phase::norm)) {
      sums_.check_complete(rank, segment);
    }
    if (compute.phase != Phase::update) return;
    if (value.content == Content::gradient) check_clipped(rank, accesses, access, value);
    if (value.content == Content::parameter && !reads_gradient(rank, accesses, segment)) {
      wrong(rank, "updates parameters whose gradient it does not read,", access);
    }
  }

  /// Checks a gradient of an update. In a step with clipping it must be clipped exactly once, in a step
  /// without clipping never. An update that reads the norm clips the gradient itself, which counts as once.
  void check_clipped(std::size_t rank, std::vector<Access> const& accesses, Access const& access,
                     Value const& gradient) {
    const bool clips =
        std::ranges::any_of(accesses, [](auto const& a) { return a.content == Content::norm; });
    const int clipped = gradient.version + (clips ? 1 : 0);
    if (clipped == (contents_.graph(rank).expected.clipped ? 1 : 0)) return;
    wrong(rank,
          clipped == 0   ? "updates with a gradient that is not clipped, but the step clips,"
          : clipped == 1 ? "updates with a clipped gradient, but the step does not clip,"
                         : "updates with a gradient that is clipped twice,",
          access);
  }

  /// Returns whether the accesses read the gradients of all elements of a segment of parameters. If there
  /// are other violations, padding counts as a gradient, because GradientSums::sum() replaces a wrong
  /// gradient by padding.
  bool reads_gradient(std::size_t rank, std::vector<Access> const& accesses, Segment const& parameter) {
    const auto first = static_cast<std::ptrdiff_t>(parameter.slice.offset) + parameter.value.model;
    const auto end = first + static_cast<std::ptrdiff_t>(parameter.slice.count);
    return std::ranges::any_of(accesses, [&](Access const& access) {
      if (access.content != Content::gradient || access.mode != AccessMode::read) return false;
      const std::ptrdiff_t start = contents_.model_start(rank, access);
      const Slice slice = contents_.slice(rank, access);
      if (start > first || end > start + static_cast<std::ptrdiff_t>(slice.count)) return false;
      const Slice read{slice.offset + static_cast<std::size_t>(first - start), parameter.slice.count};
      return findings_.any() || !has_padding(contents_.read(rank, access.buffer, read));
    });
  }

  static bool has_padding(Segments const& segments) {
    return std::ranges::any_of(segments, [](Segment const& segment) { return segment.value.padding; });
  }

  void write(std::size_t rank, std::vector<Access> const& accesses, Compute const& compute,
             Access const& access, Segments const& found) {
    const Slice all{0, contents_.slice(rank, access).count};
    Value mine{.content = access.content, .model = contents_.model_start(rank, access)};
    if (compute.phase == Phase::update || compute.phase == Phase::clip) {
      Segments segments = access.mode == AccessMode::assign ? Segments{{all, mine}} : found;
      for (auto& [held, value] : segments) value.version = value.padding ? 0 : value.version + 1;
      return contents_.write(rank, access, segments);
    }
    if (access.content == Content::activation) {
      mine.micro_batch = compute.micro_batch;
      return contents_.write(rank, access, {{all, mine}});
    }
    if (compute.phase == Phase::norm) {
      const auto cover = sums_.cover(rank, gradients_read(rank, accesses));
      if (!cover) return;
      mine.set = *cover;
    } else {
      mine.set = sums_.contribution(rank, compute);
    }
    const Segments segments{{all, mine}};
    contents_.write(rank, access,
                    access.mode == AccessMode::assign ? segments : sums_.sum(rank, {found, segments}));
  }

  /// Returns the elements of the model whose gradients the accesses use on a rank.
  std::vector<Slice> gradients_read(std::size_t rank, std::vector<Access> const& accesses) {
    std::vector<Slice> slices;
    for (Access const& access : accesses) {
      if (access.content != Content::gradient) continue;
      for (auto const& [held, value] : contents_.read(rank, access.buffer, contents_.slice(rank, access))) {
        if (value.content != Content::gradient) continue;
        slices.push_back(
            {static_cast<std::size_t>(static_cast<std::ptrdiff_t>(held.offset) + value.model), held.count});
      }
    }
    return slices;
  }

  // ---- after a task, after the step

  void release(ClassTask at) {
    for (const std::size_t rank : step_.classes[at.rank_class].ranks) {
      for (Access const& access : task(at).accesses) {
        if (access.last_use) contents_.write(rank, access, {{{0, contents_.slice(rank, access).count}, {}}});
      }
    }
  }

  void check_exit(std::size_t rank, BufferId id, Buffer const& buffer) {
    findings_.at("at the end of the step, buffer " + std::to_string(index(id)) + ": ");
    if (buffer.at_entry.content != Content::nothing && buffer.at_entry != buffer.at_exit) {
      return findings_.add(Rule::same_state_at_exit, rank,
                           "its at_exit differs from its at_entry; both must be the same");
    }
    if (buffer.at_exit.content == Content::nothing) return;
    const Slice held = contents_.model_slice(rank, buffer, buffer.at_exit);
    for (Segment const& segment : contents_.read(rank, id, {0, buffer.elements})) {
      if (!segment.value.padding) {
        check_exit(rank, buffer.at_exit, held, segment);
      } else if (!found_before_exit_ && segment.slice.offset < held.count) {
        const std::size_t end = std::min(segment.slice.end(), held.count);
        findings_.add(Rule::same_state_at_exit, rank,
                      "elements " + std::to_string(segment.slice.offset) + " to " + std::to_string(end - 1) +
                          " are padding; expected: " + name_of(buffer.at_exit.content) +
                          " of the elements that at_exit names");
      }
    }
  }

  void check_exit(std::size_t rank, BufferState const& state, Slice held, Segment const& segment) {
    Value const& value = segment.value;
    const bool is_gradient = state.content == Content::gradient;
    const bool updated = contents_.graph(rank).expected.updated && !is_gradient && value.by_position();
    if (value.content != state.content || value.model != static_cast<std::ptrdiff_t>(held.offset) ||
        (!is_gradient && value.version != (updated ? 1 : 0))) {
      return findings_.add(Rule::same_state_at_exit, rank,
                           "holds " + name_of(value.content) + ", number of updates " +
                               std::to_string(value.version) + "; expected: " + name_of(state.content) +
                               " of the elements that at_exit names, number of updates " +
                               (updated ? "1" : "0"));
    }
    if (is_gradient) sums_.check_complete(rank, segment);
  }

  RankGraphs const& step_;
  Findings findings_;
  BufferContents contents_;
  GradientSums sums_;
  CollectiveContents collectives_;
  // Whether violations were found before check_exit(). If so, padding at the end of the step is no violation:
  // GradientSums::sum() may have put it there in place of a wrong gradient.
  bool found_before_exit_ = false;
};

}  // namespace

void follow_contents(RankGraphs const& step, std::vector<std::vector<ClassTask>> const& nodes,
                     Violations& violations) {
  Follower follower(step, violations);
  for (auto const& node : nodes) follower.run(node);
  follower.check_exit();
}

}  // namespace ddproxy::model
