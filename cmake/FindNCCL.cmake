# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
# Defines the target NCCL::nccl. It is NCCL for CUDA. If DDPROXY_DEVICE is HIP, it is RCCL, which has the same interface. Looks in NCCL_ROOT
# first and then where CMake looks for all libraries. After that it looks for NCCL in three places: beside the CUDA toolkit, where NVIDIA's
# packages install it; in comm_libs of the NVIDIA HPC SDK, if the toolkit belongs to one; and in the folders nvidia/nccl of the packages of
# the Python on the PATH. Reads NCCL_VERSION from the header.
set(nccl_name nccl)
if(DDPROXY_DEVICE STREQUAL "HIP")
  set(nccl_name rccl)
endif()

# Sets `result` to the folders of NCCL in the NVIDIA HPC SDK of the toolkit. An SDK with CUDA 12.6 has its nvcc in cuda/bin, cuda/12.6/bin
# or compilers/bin, and NCCL in comm_libs/12.6/nccl and comm_libs/nccl. The latter is for the newest CUDA of the SDK, which may be newer
# than the CUDA of the toolkit, so it comes last.
function(ddproxy_nccl_of_hpc_sdk result)
  set(found "")
  string(REGEX MATCH "^[0-9]+[.][0-9]+" cuda "${CUDAToolkit_VERSION}")
  get_filename_component(programs "${CUDAToolkit_BIN_DIR}" REALPATH)
  foreach(up ../.. ../../..)
    get_filename_component(libraries "${programs}/${up}/comm_libs" ABSOLUTE)
    if(CUDAToolkit_BIN_DIR AND IS_DIRECTORY "${libraries}")
      list(APPEND found "${libraries}/${cuda}/nccl" "${libraries}/nccl")
    endif()
  endforeach()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# Sets `result` to the folders nvidia/nccl of the Python packages (nvidia-nccl-cu13) of the first python3 on the PATH.
function(ddproxy_nccl_of_python result)
  set(script "import os, sys\nfor s in sys.path:\n  d = os.path.join(s, 'nvidia', 'nccl')\n  if s and os.path.isdir(d): print(d)")
  execute_process(COMMAND python3 -c "${script}" OUTPUT_VARIABLE found ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REPLACE "\n" ";" found "${found}")
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

set(nccl_folders "")
if(NOT DDPROXY_DEVICE STREQUAL "HIP")
  ddproxy_nccl_of_hpc_sdk(nccl_of_sdk)
  ddproxy_nccl_of_python(nccl_of_python)
  set(nccl_folders ${nccl_of_sdk} ${nccl_of_python})
endif()
list(TRANSFORM nccl_folders APPEND /include OUTPUT_VARIABLE nccl_include_folders)
find_path(NCCL_INCLUDE_DIR ${nccl_name}.h PATHS ${CUDAToolkit_INCLUDE_DIRS} ${nccl_include_folders} PATH_SUFFIXES rccl)

# Looks beside the header before it looks in the folders of the system, so that header and library have the same version. Python's package
# has only libnccl.so.2.
set(nccl_beside_header "")
if(NCCL_INCLUDE_DIR)
  get_filename_component(nccl_prefix ${NCCL_INCLUDE_DIR} DIRECTORY)
  set(nccl_beside_header ${nccl_prefix}/lib ${nccl_prefix}/lib64)
endif()
find_library(NCCL_LIBRARY NAMES ${nccl_name} lib${nccl_name}.so.2 NAMES_PER_DIR HINTS ${nccl_beside_header}
             PATHS ${CUDAToolkit_LIBRARY_DIR} ${CUDAToolkit_LIBRARY_ROOT}/lib)

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
  # The NCCL that the loader finds when the program starts may be older and lack some functions. With lazy binding the program still
  # starts and reports the problem. Without lazy binding the loader would refuse to start the program.
  target_link_options(NCCL::nccl INTERFACE LINKER:-z,lazy)
endif()
