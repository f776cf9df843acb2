// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause

// Each other source of this program includes one header. The test is that they compile and link.
int main() {
  return 0;
}
