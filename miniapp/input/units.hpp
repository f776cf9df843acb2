// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The factors between SI units and the units that are printed.
namespace ddproxy {

inline constexpr double milli = 1e3;         ///< milliseconds in a second
inline constexpr double micro = 1e6;         ///< microseconds in a second
inline constexpr double giga = 1e9;          ///< bytes in a gigabyte
inline constexpr double tera = 1e12;         ///< flops in a teraflop
inline constexpr double gib = 1073741824.0;  ///< bytes in a GiB

}  // namespace ddproxy
