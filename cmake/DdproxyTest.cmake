# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
find_package(GTest REQUIRED)

# Tests start more ranks than there are cores. Open MPI allows this only with --oversubscribe. With --bind-to none it does not bind ranks to
# cores. Other MPI libraries do not have these options.
set(DDPROXY_MPIEXEC_FLAGS "")
execute_process(COMMAND ${MPIEXEC_EXECUTABLE} --version OUTPUT_VARIABLE mpiexec_version ERROR_QUIET)
if(mpiexec_version MATCHES "Open MPI|OpenRTE|PRTE|prte")
  set(DDPROXY_MPIEXEC_FLAGS --oversubscribe --bind-to none)
endif()

# DDPROXY_GPU_LABEL: the label of tests that need a device. DDPROXY_GPU_SKIP: properties with which ctest skips such a test if there is
# no device. The test exits with 77 if the driver finds no device. Without a driver the test cannot start; ctest then recognizes the
# message of the loader.
set(DDPROXY_GPU_LABEL "")
set(DDPROXY_GPU_SKIP SKIP_RETURN_CODE 77)
if(DDPROXY_DEVICE)
  set(DDPROXY_GPU_LABEL gpu)
  list(APPEND DDPROXY_GPU_SKIP SKIP_REGULAR_EXPRESSION "libcuda[.]so[.]1: cannot open")
endif()

# CI has no device, but builds this target for one. The target consists of both programs, all test programs and benchmarks that use the
# device, and the programs that tests with the label login_node run.
add_custom_target(ddproxy_device_build DEPENDS ddproxy ddproxy-model)

# ddproxy_test_part(NAME [OPTIMIZED] SOURCES file... LINKS target...): adds a library that several test programs share. With OPTIMIZED
# the sources keep the optimization of the project. Otherwise ddproxy_compile_fast reduces it.
function(ddproxy_test_part name)
  cmake_parse_arguments(PART "OPTIMIZED" "" "SOURCES;LINKS" ${ARGN})
  add_library(${name} STATIC ${PART_SOURCES})
  target_link_libraries(${name} PUBLIC ${PART_LINKS})
  ddproxy_warnings(${name})
  if(NOT PART_OPTIMIZED)
    ddproxy_compile_fast(${name})
  endif()
  ddproxy_uses_device(uses_device ${PART_LINKS})
  if(uses_device)
    ddproxy_device_sources(${name})
  endif()
endfunction()

# ddproxy_precompile(TARGET FROM): lets the target use the precompiled header of the target FROM, which is compiled with the same options.
function(ddproxy_precompile target from)
  if(DDPROXY_PRECOMPILE AND NOT DDPROXY_DEVICE)
    target_precompile_headers(${target} REUSE_FROM ${from})
  endif()
endfunction()

ddproxy_test_part(ddproxy_plain_main SOURCES ${PROJECT_SOURCE_DIR}/ctest/plain_main.cpp LINKS GTest::gtest)
ddproxy_test_part(ddproxy_mpi_main SOURCES ${PROJECT_SOURCE_DIR}/ctest/mpi_main.cpp LINKS ddproxy::miniapp GTest::gtest)
if(DDPROXY_PRECOMPILE AND NOT DDPROXY_DEVICE)
  target_precompile_headers(ddproxy_plain_main PRIVATE <gtest/gtest.h>)
  target_precompile_headers(ddproxy_mpi_main PRIVATE <gtest/gtest.h> <Kokkos_Core.hpp>)
endif()

# ddproxy_test(ROOM.NAME [SOURCES file...] [HOST_SOURCES file...] LINKS target... [RANKS n...] [LABELS label...] [TIMEOUT seconds]
#              [MAIN target])
#
# Adds a GoogleTest program and runs it as the test ROOM.NAME. If RANKS is given, the program has a main() that initializes MPI, and runs
# once for each number of ranks. The default time limit is 60 seconds. MAIN is the library that has the main() of a test without RANKS; the
# default is ddproxy_plain_main. HOST_SOURCES are files that do not include Kokkos (ddproxy_device_sources). The test has the labels ROOM
# and LABELS, and the label DDPROXY_GPU_LABEL if it uses the device. If ROOM is kernels or timing, the test keeps the optimization of the
# project. For all other tests ddproxy_compile_fast reduces it.
function(ddproxy_test name)
  cmake_parse_arguments(TEST "" "TIMEOUT;MAIN" "SOURCES;HOST_SOURCES;LINKS;RANKS;LABELS" ${ARGN})
  string(REPLACE "." "_" target "test_${name}")
  string(REGEX REPLACE "\\..*" "" room ${name})
  add_executable(${target} ${TEST_SOURCES} ${TEST_HOST_SOURCES})
  target_link_libraries(${target} PRIVATE ${TEST_LINKS} GTest::gtest)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/ctest)
  ddproxy_warnings(${target})
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 60)
  endif()
  ddproxy_uses_device(uses_device ${TEST_LINKS})
  if(uses_device)
    list(APPEND TEST_LABELS ${DDPROXY_GPU_LABEL})
  endif()
  if(NOT room MATCHES "^(kernels|timing)$")
    ddproxy_compile_fast(${target})
    if(uses_device)
      ddproxy_precompile(${target} ddproxy_mpi_main)
    else()
      ddproxy_precompile(${target} ddproxy_plain_main)
    endif()
  endif()
  if(TEST_RANKS)
    target_link_libraries(${target} PRIVATE ddproxy_mpi_main)
    foreach(ranks IN LISTS TEST_RANKS)
      ddproxy_mpi_test(${name}.ranks${ranks} ${ranks} ${TEST_TIMEOUT} "${room};${TEST_LABELS}" $<TARGET_FILE:${target}>)
    endforeach()
  else()
    if(NOT TEST_MAIN)
      set(TEST_MAIN ddproxy_plain_main)
    endif()
    target_link_libraries(${target} PRIVATE ${TEST_MAIN})
    add_test(NAME ${name} COMMAND ${target})
    set_tests_properties(${name} PROPERTIES TIMEOUT ${TEST_TIMEOUT} LABELS "${room};${TEST_LABELS}" ${DDPROXY_GPU_SKIP})
  endif()
  if(uses_device)
    if(DDPROXY_DEVICE AND TEST_RANKS)
      foreach(ranks IN LISTS TEST_RANKS)
        set_tests_properties(${name}.ranks${ranks} PROPERTIES RESOURCE_LOCK gpu)  # some tests check times on the device
      endforeach()
    elseif(DDPROXY_DEVICE)
      set_tests_properties(${name} PROPERTIES RESOURCE_LOCK gpu)
    endif()
    ddproxy_device_sources(${target} HOST ${TEST_HOST_SOURCES})
    add_dependencies(ddproxy_device_build ${target})
  endif()
endfunction()

# ddproxy_start_early(TEST...): makes ctest start these tests before the others if it runs several tests at a time (-j). It is for long
# tests, which should not be the last ones.
function(ddproxy_start_early)
  set_tests_properties(${ARGN} PROPERTIES COST 100)
endfunction()

# ddproxy_mpi_test(NAME RANKS TIMEOUT LABELS COMMAND...): adds a test that runs COMMAND under MPIEXEC_EXECUTABLE. Ranks may share cores.
function(ddproxy_mpi_test name ranks timeout labels)
  add_test(NAME ${name} COMMAND ${MPIEXEC_EXECUTABLE} ${DDPROXY_MPIEXEC_FLAGS} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${ARGN})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${timeout} LABELS "${labels}" PROCESSORS ${ranks} ${DDPROXY_GPU_SKIP}
    ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMPI_MCA_mpi_yield_when_idle=1;OMP_NUM_THREADS=1;OMP_PROC_BIND=false")
endfunction()
