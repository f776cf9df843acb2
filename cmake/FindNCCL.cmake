# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
# Defines the target NCCL::nccl. It is NCCL for CUDA. If DDPROXY_DEVICE is HIP, it is RCCL, which has the same interface. Looks in
# NCCL_ROOT first, and then beside the CUDA toolkit, where NVIDIA's packages install NCCL. Reads NCCL_VERSION from the header.
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
  # The installed library may be older and lack some functions. With lazy binding the program starts all the same and reports the
  # problem. Without it the loader would refuse to start the program.
  target_link_options(NCCL::nccl INTERFACE LINKER:-z,lazy)
endif()
