// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
// Linked into every program that is built with AddressSanitizer. LeakSanitizer reports at the end of the
// program. MPI has unloaded its plugins by then, and a leak in a library that is no longer loaded has no name
// that leaks.txt could match.

extern "C" int dlclose(void*) {
  return 0;
}
