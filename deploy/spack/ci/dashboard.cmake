# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
# ctest -S dashboard.cmake,FOLDER   makes a dashboard of CDash from the results of a night in FOLDER. FOLDER is the folder that the option
# --artifacts of deploy/spack/ci/night names.
# Each step of the night is a test with the exit code and the output of the step. The ratio of the new build to the last good build is a
# measurement, which CDash draws over time. The file for CDash is FOLDER/dashboard/Testing/*/Test.xml. It is sent if the
# environment variable CDASH_URL is set. DDPROXY_SITE and DDPROXY_BUILD_NAME name the machine and the build.
cmake_minimum_required(VERSION 3.22)
set(folder "${CTEST_SCRIPT_ARG}")
set(dashboard "${folder}/dashboard")
file(REMOVE_RECURSE "${dashboard}")

# Sets `result` to the line from which CTest reads the ratio of `all cases` as a measurement. Sets it to nothing if there is no ratio.
function(ratio_line result)
  set(${result} "" PARENT_SCOPE)
  if(EXISTS "${folder}/gate.json")
    file(READ "${folder}/gate.json" json)
    string(JSON ratio ERROR_VARIABLE missing GET "${json}" compare ratio 0)
    if(NOT missing)
      set(${result} "<CTestMeasurement type=\"numeric/double\" name=\"new over last good\">${ratio}</CTestMeasurement>" PARENT_SCOPE)
    endif()
  endif()
endfunction()

set(tests "")
foreach(step test gate history)
  if(EXISTS "${folder}/${step}.code")
    file(READ "${folder}/${step}.code" code)
    string(STRIP "${code}" code)
    if(code EQUAL 5)
      set(code 77)  # an undecided comparison is a skipped test
    endif()
    set(measurement "")
    if(step STREQUAL "gate")
      ratio_line(measurement)
    endif()
    file(WRITE "${dashboard}/${step}.sh" "cat '${folder}/${step}.txt'\necho '${measurement}'\nexit ${code}\n")
    string(APPEND tests "add_test(${step} sh \"${dashboard}/${step}.sh\")\nset_tests_properties(${step} PROPERTIES SKIP_RETURN_CODE 77)\n")
  endif()
endforeach()
file(WRITE "${dashboard}/CTestTestfile.cmake" "${tests}")

set(CTEST_SOURCE_DIRECTORY "${dashboard}")
set(CTEST_BINARY_DIRECTORY "${dashboard}")
cmake_host_system_information(RESULT host QUERY HOSTNAME)
set(CTEST_SITE "${host}")
set(CTEST_BUILD_NAME ddproxy-night)
if(DEFINED ENV{DDPROXY_SITE})
  set(CTEST_SITE "$ENV{DDPROXY_SITE}")
endif()
if(DEFINED ENV{DDPROXY_BUILD_NAME})
  set(CTEST_BUILD_NAME "$ENV{DDPROXY_BUILD_NAME}")
endif()
set(CTEST_NIGHTLY_START_TIME "00:00:00 UTC")
ctest_start(Experimental)
ctest_test()
if(DEFINED ENV{CDASH_URL})
  set(CTEST_SUBMIT_URL "$ENV{CDASH_URL}")
  ctest_submit(RETURN_VALUE failed)
  if(failed)
    message(FATAL_ERROR "CDash at $ENV{CDASH_URL} did not accept the results. The output above has the reason; check CDASH_URL and the network")
  endif()
endif()
