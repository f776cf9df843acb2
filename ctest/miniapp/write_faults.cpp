// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
// A library for LD_PRELOAD that makes a program fail while it writes files in one folder (kills_test.py).
//
// It intercepts open (with O_CREAT), write, pwrite, fsync, rename and unlink. Each such call is a point. A
// write of at least two bytes has two points: before it, and after half of its bytes. Points are counted from
// 1.
//
//   WRITE_FAULTS_FOLDER   the folder; other files do not count
//   WRITE_FAULTS_AT       the point of the fault; 0: none
//   WRITE_FAULTS_KIND     "kill": SIGKILL at this point; "full": the disk is full from this point on (ENOSPC)
//   WRITE_FAULTS_LOG      a file that gets one line per point: the call and the path
//   WRITE_FAULTS_FLUSHED  a file that gets a copy of FILE.part after each fsync of FILE.part, and after each
//                         rename to this name; the program must not lose this content
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>

namespace {

thread_local bool own_call = false;
std::mutex counting;
long points = 0;

// While an object of this class exists, the library's own calls do not count.
struct OwnCall {
  bool before = own_call;
  OwnCall() { own_call = true; }
  ~OwnCall() { own_call = before; }
};

template <class Function>
Function* real(char const* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

std::string setting(char const* name) {
  char const* text = std::getenv(name);
  return text ? text : "";
}

bool is_watched(std::string const& path) {
  const auto folder = setting("WRITE_FAULTS_FOLDER");
  return !own_call && !folder.empty() && path.starts_with(folder + "/");
}

std::string absolute(char const* path) {
  if (path[0] == '/') return path;
  char folder[4096];
  return getcwd(folder, sizeof folder) ? std::string(folder) + "/" + path : path;
}

std::string path_of(int descriptor) {
  char path[4096];
  const auto length = readlink(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : "";
}

// Counts and logs one point. Kills the process if the point is that of the fault. Returns whether the disk is
// full at this point.
bool fails(char const* call, std::string const& path) {
  if (!is_watched(path)) return false;
  const std::lock_guard guard(counting);
  const OwnCall own;
  const long at = std::atol(setting("WRITE_FAULTS_AT").c_str());
  ++points;
  if (const auto log = setting("WRITE_FAULTS_LOG"); !log.empty())
    if (std::FILE* file = std::fopen(log.c_str(), "a")) {
      std::fprintf(file, "%s %s\n", call, path.c_str());
      std::fclose(file);
    }
  if (at == 0 || points < at) return false;
  if (setting("WRITE_FAULTS_KIND") == "kill") kill(getpid(), SIGKILL);
  return setting("WRITE_FAULTS_KIND") == "full";
}

int full() {
  errno = ENOSPC;
  return -1;
}

void keep_flushed(std::string const& path) {
  const auto copy = setting("WRITE_FAULTS_FLUSHED");
  if (copy.empty() || !path.ends_with(".part") || !is_watched(path)) return;
  const OwnCall own;
  const auto fresh = copy + ".new";
  std::FILE* from = std::fopen(path.c_str(), "rb");
  std::FILE* to = std::fopen(fresh.c_str(), "wb");
  char bytes[65536];
  for (std::size_t n; from && to && (n = std::fread(bytes, 1, sizeof bytes, from)) > 0;)
    std::fwrite(bytes, 1, n, to);
  if (from) std::fclose(from);
  if (to) std::fclose(to);
  std::rename(fresh.c_str(), copy.c_str());
}

template <class Write>
ssize_t write_in_halves(int file, std::size_t size, Write const& write_part) {
  const auto path = path_of(file);
  if (fails("write", path)) return full();
  if (!is_watched(path) || size < 2) return write_part(0, size);
  const auto first = write_part(0, size / 2);
  if (first < 0) return first;
  if (fails("write-half", path)) return first;  // the next write will fail, because the disk is full
  const auto second = write_part(static_cast<std::size_t>(first), size - static_cast<std::size_t>(first));
  return second < 0 ? first : first + second;
}

}  // namespace

extern "C" {

ssize_t write(int file, void const* bytes, size_t size) {
  static auto* const real_write = real<ssize_t(int, void const*, size_t)>("write");
  return write_in_halves(file, size, [&](std::size_t from, std::size_t count) {
    return real_write(file, static_cast<char const*>(bytes) + from, count);
  });
}

ssize_t pwrite64(int file, void const* bytes, size_t size, off64_t offset) {
  static auto* const real_pwrite = real<ssize_t(int, void const*, size_t, off64_t)>("pwrite64");
  return write_in_halves(file, size, [&](std::size_t from, std::size_t count) {
    return real_pwrite(file, static_cast<char const*>(bytes) + from, count,
                       offset + static_cast<off64_t>(from));
  });
}

ssize_t pwrite(int file, void const* bytes, size_t size, off_t offset) {
  return pwrite64(file, bytes, size, offset);
}

int fsync(int file) {
  static auto* const real_fsync = real<int(int)>("fsync");
  if (fails("fsync", path_of(file))) return full();
  const int result = real_fsync(file);
  if (result == 0) keep_flushed(path_of(file));
  return result;
}

int rename(char const* from, char const* to) noexcept {
  static auto* const real_rename = real<int(char const*, char const*)>("rename");
  fails("rename", absolute(to));  // renaming needs no space
  const int result = real_rename(from, to);
  if (result == 0) keep_flushed(absolute(to));
  return result;
}

int unlink(char const* path) noexcept {
  static auto* const real_unlink = real<int(char const*)>("unlink");
  fails("unlink", absolute(path));
  return real_unlink(path);
}

int open64(char const* path, int flags, ...) {
  static auto* const real_open = real<int(char const*, int, ...)>("open64");
  va_list rest;
  va_start(rest, flags);
  const auto mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if ((flags & O_CREAT) != 0 && fails("open", absolute(path))) return full();
  return real_open(path, flags, mode);
}

int open(char const* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const auto mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open64(path, flags, mode);
}

}  // extern "C"
