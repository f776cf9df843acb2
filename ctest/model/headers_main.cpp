// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause

// The other sources of this program include one header each: that it compiles and links is the test.
int main() {
  return 0;
}
