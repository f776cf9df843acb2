# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
# Finds Kokkos for the whole project. Sets DDPROXY_DEVICE to CUDA, to HIP, or to nothing for a build for hosts. Sets
# DDPROXY_DEVICE_LANGUAGE to the CMake language of the sources that use Kokkos: CUDA, HIP, or nothing. Nothing means C++, either
# because the build is for hosts or because the C++ compiler also compiles code for the device, as Kokkos' wrapper of nvcc does.

# If neither Kokkos_ROOT (in CMake or in the environment) nor Kokkos_DIR is set, this file uses the Kokkos that scripts/setup built, if
# there is one.
if(NOT Kokkos_ROOT AND NOT Kokkos_DIR AND NOT DEFINED ENV{Kokkos_ROOT})
  set(built ${PROJECT_SOURCE_DIR}/.deps/kokkos-root)
  if(DDPROXY_SANITIZE)  # sanitizers do not understand how OpenMP threads wait for each other
    set(built ${PROJECT_SOURCE_DIR}/.deps/kokkos-serial-root)
  endif()
  if(CMAKE_CUDA_ARCHITECTURES)
    set(built ${PROJECT_SOURCE_DIR}/.deps/kokkos-cuda-${CMAKE_CUDA_ARCHITECTURES}-root)
  endif()
  if(EXISTS ${built})
    file(STRINGS ${built} Kokkos_ROOT LIMIT_COUNT 1)
  endif()
endif()

# The presets for CUDA (CMakePresets.json) set CMAKE_CUDA_ARCHITECTURES. Kokkos' target brings its own architecture flags, so the value is
# only compared with the architectures for which Kokkos was built.
set(wanted_cuda_architectures "${CMAKE_CUDA_ARCHITECTURES}")
find_package(Kokkos REQUIRED)
if(Kokkos_VERSION VERSION_LESS 4.7)
  message(FATAL_ERROR "Kokkos ${Kokkos_VERSION} in ${Kokkos_DIR} is too old: ddproxy needs 4.7 or later. Set Kokkos_ROOT to a later Kokkos, or run scripts/setup")
endif()
if(wanted_cuda_architectures AND NOT "${Kokkos_CUDA_ARCHITECTURES}" STREQUAL wanted_cuda_architectures)
  message(FATAL_ERROR "Kokkos in ${Kokkos_DIR} was built for '${Kokkos_ARCH}', not for sm_${wanted_cuda_architectures}. Run "
                      "scripts/setup --cuda ${wanted_cuda_architectures}, or set Kokkos_ROOT to a Kokkos for sm_${wanted_cuda_architectures}")
endif()

set(DDPROXY_DEVICE "")
set(DDPROXY_DEVICE_LANGUAGE "")
foreach(device CUDA HIP)
  if(Kokkos_ENABLE_${device})
    set(DDPROXY_DEVICE ${device})
    if(Kokkos_COMPILE_LANGUAGE STREQUAL device)
      set(DDPROXY_DEVICE_LANGUAGE ${device})
      set(CMAKE_${device}_ARCHITECTURES ${Kokkos_${device}_ARCHITECTURES} CACHE STRING "Device architectures for which Kokkos was built")
      enable_language(${device})
    endif()
  endif()
endforeach()

# CMake before 3.26 does not know nvcc's option for C++20.
if(DDPROXY_DEVICE_LANGUAGE STREQUAL "CUDA" AND NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()
if(DDPROXY_DEVICE_LANGUAGE)
  set(CMAKE_${DDPROXY_DEVICE_LANGUAGE}_STANDARD 20)
  set(CMAKE_${DDPROXY_DEVICE_LANGUAGE}_STANDARD_REQUIRED ON)
  set(CMAKE_${DDPROXY_DEVICE_LANGUAGE}_EXTENSIONS OFF)
endif()

# nvcc cannot compile toml++. If the C++ compiler is Kokkos' wrapper of nvcc, sources without Kokkos bypass nvcc: the wrapper's
# option --host-only passes them to the host's compiler.
if(DDPROXY_DEVICE STREQUAL "CUDA" AND NOT DDPROXY_DEVICE_LANGUAGE)
  include(CheckCXXCompilerFlag)
  check_cxx_compiler_flag(--host-only DDPROXY_COMPILER_IS_NVCC_WRAPPER)
  if(DDPROXY_COMPILER_IS_NVCC_WRAPPER)
    add_compile_options($<$<NOT:$<BOOL:$<TARGET_PROPERTY:DDPROXY_USES_DEVICE>>>:--host-only>)
  endif()
endif()

include(${CMAKE_CURRENT_LIST_DIR}/DdproxyViewLayout.cmake)
if(DDPROXY_DEVICE_LANGUAGE STREQUAL "CUDA" AND CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA")
  ddproxy_check_view_layout(${CMAKE_CUDA_COMPILER})
elseif(DDPROXY_COMPILER_IS_NVCC_WRAPPER AND CUDAToolkit_NVCC_EXECUTABLE)
  ddproxy_check_view_layout(${CUDAToolkit_NVCC_EXECUTABLE})
endif()
