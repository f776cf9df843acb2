// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/compute/shared_floats.hpp"

#include "kernels/base/types.hpp"

namespace ddproxy {

SharedFloats::SharedFloats(std::string const& label, std::size_t elements) : count_(elements) {
  const kernels::Floats view(label, elements);
  data_ = {view.data(), [view](float*) {}};  // the deleter's copy of the view owns the array
}

}  // namespace ddproxy
