# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
# Defines NCCL::nccl: NCCL for CUDA, or RCCL, which has the same interface, if DDPROXY_DEVICE is HIP. Looks in NCCL_ROOT, else
# beside the CUDA toolkit, where NVIDIA's packages install it. Reads NCCL_VERSION from the header.
set(nccl_name nccl)
if(DDPROXY_DEVICE STREQUAL "HIP")
  set(nccl_name rccl)
endif()
find_path(NCCL_INCLUDE_DIR ${nccl_name}.h PATHS ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES rccl)
find_library(NCCL_LIBRARY ${nccl_name} PATHS ${CUDAToolkit_LIBRARY_DIR} ${CUDAToolkit_LIBRARY_ROOT}/lib)

set(NCCL_VERSION "")
if(NCCL_INCLUDE_DIR)
  foreach(part MAJOR MINOR PATCH)
    file(STRINGS ${NCCL_INCLUDE_DIR}/${nccl_name}.h line REGEX "define NCCL_${part} " LIMIT_COUNT 1)
    string(REGEX REPLACE ".*NCCL_${part} +([0-9]+).*" "\\1" nccl_${part} "${line}")
  endforeach()
  set(NCCL_VERSION ${nccl_MAJOR}.${nccl_MINOR}.${nccl_PATCH})
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(NCCL REQUIRED_VARS NCCL_LIBRARY NCCL_INCLUDE_DIR VERSION_VAR NCCL_VERSION)
if(NCCL_FOUND AND NOT TARGET NCCL::nccl)
  add_library(NCCL::nccl UNKNOWN IMPORTED)
  set_target_properties(NCCL::nccl PROPERTIES IMPORTED_LOCATION ${NCCL_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${NCCL_INCLUDE_DIR})
  # Lazy binding: an older library lacks some functions. The program can then start and report that, where the loader would stop
  # it.
  target_link_options(NCCL::nccl INTERFACE LINKER:-z,lazy)
endif()
