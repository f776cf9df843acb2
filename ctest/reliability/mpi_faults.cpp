// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
// A library for LD_PRELOAD that sends a signal to one rank at a chosen call of MPI (ranks_test.py), lets one
// rank broadcast a wrong number (wrong_group_test.py), or limits the thread level of MPI (threads_test.py).
//
// It intercepts collective calls of MPI, and counts them from 1.
//   MPI_FAULTS_RANK      the rank that gets the signal or broadcasts the wrong number; its calls are counted
//   MPI_FAULTS_ONLY      the only function whose calls are counted; empty: all functions below
//   MPI_FAULTS_AT        the number of the call before which the signal is sent; 0: none
//   MPI_FAULTS_SIGNAL    the number of the signal
//   MPI_FAULTS_LOG       a file that gets one line per counted call: the name of the function. " start"
//                        follows the name if rank 0 has not flushed results yet
//   MPI_FAULTS_WRONG     "1": the rank adds 1 to the first element of each MPI_Ibcast of floats
//   MPI_FAULTS_LEVEL     "serialized": reports at most MPI_THREAD_SERIALIZED to all ranks
//   MPI_FAULTS_LEVELS    a file that gets one line per rank: the level that it asks MPI_Init_thread for
//   MPI_FAULTS_PROVIDED  a file that gets one line per rank: the level that MPI provides
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>

namespace {

std::mutex counting;
long calls = 0;  // guarded by counting

std::string setting(char const* name) {
  char const* text = std::getenv(name);
  return text ? text : "";
}

// Returns the rank from the variables of Open MPI's or MPICH's launcher, because MPI may not be initialized
// yet.
std::string own_rank() {
  const auto open_mpi = setting("OMPI_COMM_WORLD_RANK");
  return open_mpi.empty() ? setting("PMI_RANK") : open_mpi;
}

// Returns whether rank 0 has flushed results: the file of WRITE_FAULTS_FLUSHED (write_faults.cpp) exists, or
// this variable is not set.
bool has_results() {
  const auto flushed = setting("WRITE_FAULTS_FLUSHED");
  return flushed.empty() || access(flushed.c_str(), F_OK) == 0;
}

void count(char const* call) {
  const auto only = setting("MPI_FAULTS_ONLY");
  if (setting("MPI_FAULTS_RANK") != own_rank() || (!only.empty() && only != call)) return;
  const std::lock_guard guard(counting);
  ++calls;
  if (const auto log = setting("MPI_FAULTS_LOG"); !log.empty())
    if (std::FILE* file = std::fopen(log.c_str(), "a")) {
      std::fprintf(file, "%s%s\n", call, has_results() ? "" : " start");
      std::fclose(file);
    }
  const long at = std::atol(setting("MPI_FAULTS_AT").c_str());
  if (calls == at) raise(std::atoi(setting("MPI_FAULTS_SIGNAL").c_str()));
}

char const* name_of_level(int level) {
  if (level == MPI_THREAD_MULTIPLE) return "multiple";
  return level == MPI_THREAD_SERIALIZED ? "serialized" : "less";
}

// Appends the name of a level to the file that the environment variable `name` names, if it is set.
void note_level(char const* name, int level) {
  const auto log = setting(name);
  if (log.empty()) return;
  if (std::FILE* file = std::fopen(log.c_str(), "a")) {
    std::fprintf(file, "%s\n", name_of_level(level));
    std::fclose(file);
  }
}

// Returns the level that is reported to the rank if MPI provides `level`.
int told(int level) {
  return setting("MPI_FAULTS_LEVEL") == "serialized" ? std::min<int>(level, MPI_THREAD_SERIALIZED) : level;
}

}  // namespace

extern "C" {

int MPI_Init_thread(int* count_of_arguments, char*** arguments, int level, int* provided) {
  note_level("MPI_FAULTS_LEVELS", level);
  const int result = PMPI_Init_thread(count_of_arguments, arguments, level, provided);
  note_level("MPI_FAULTS_PROVIDED", *provided);
  *provided = told(*provided);
  return result;
}

int MPI_Query_thread(int* provided) {
  const int result = PMPI_Query_thread(provided);
  *provided = told(*provided);
  return result;
}

int MPI_Barrier(MPI_Comm group) {
  count("MPI_Barrier");
  return PMPI_Barrier(group);
}

int MPI_Bcast(void* values, int size, MPI_Datatype type, int root, MPI_Comm group) {
  count("MPI_Bcast");
  return PMPI_Bcast(values, size, type, root, group);
}

int MPI_Ibcast(void* values, int size, MPI_Datatype type, int root, MPI_Comm group, MPI_Request* request) {
  const bool is_wrong = setting("MPI_FAULTS_WRONG") == "1" && setting("MPI_FAULTS_RANK") == own_rank();
  if (is_wrong && type == MPI_FLOAT && size > 0) *static_cast<float*>(values) += 1;
  count("MPI_Ibcast");
  return PMPI_Ibcast(values, size, type, root, group, request);
}

int MPI_Gather(void const* from, int sent, MPI_Datatype of, void* to, int received, MPI_Datatype type,
               int root, MPI_Comm group) {
  count("MPI_Gather");
  return PMPI_Gather(from, sent, of, to, received, type, root, group);
}

int MPI_Allgather(void const* from, int sent, MPI_Datatype of, void* to, int received, MPI_Datatype type,
                  MPI_Comm group) {
  count("MPI_Allgather");
  return PMPI_Allgather(from, sent, of, to, received, type, group);
}

int MPI_Allreduce(void const* from, void* to, int size, MPI_Datatype type, MPI_Op op, MPI_Comm group) {
  count("MPI_Allreduce");
  return PMPI_Allreduce(from, to, size, type, op, group);
}

int MPI_Iallreduce(void const* from, void* to, int size, MPI_Datatype type, MPI_Op op, MPI_Comm group,
                   MPI_Request* request) {
  count("MPI_Iallreduce");
  return PMPI_Iallreduce(from, to, size, type, op, group, request);
}

int MPI_Comm_split_type(MPI_Comm group, int kind, int key, MPI_Info info, MPI_Comm* part) {
  count("MPI_Comm_split_type");
  return PMPI_Comm_split_type(group, kind, key, info, part);
}

int MPI_Comm_dup(MPI_Comm group, MPI_Comm* copy) {
  count("MPI_Comm_dup");
  return PMPI_Comm_dup(group, copy);
}

int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm group, void* base,
                            MPI_Win* window) {
  count("MPI_Win_allocate_shared");
  return PMPI_Win_allocate_shared(size, unit, info, group, base, window);
}

int MPI_Win_free(MPI_Win* window) {
  count("MPI_Win_free");
  return PMPI_Win_free(window);
}

int MPI_Finalize() {
  count("MPI_Finalize");
  return PMPI_Finalize();
}

}  // extern "C"
