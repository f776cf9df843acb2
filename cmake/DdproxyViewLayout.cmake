# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause

# ddproxy_check_view_layout(NVCC): stops the configuration if nvcc and the host's compiler disagree on the size of a Kokkos::View.
# Kernels would then read the arguments after a View from the wrong place, and only a run on a device would show the error. The
# sizes differ with nvcc 12.9 and later, C++20, and Kokkos before 4.7.02, whose Views have members that are declared
# [[no_unique_address]] (github.com/kokkos/mdspan, pull requests 434 and 435).
set(DDPROXY_VIEW_LAYOUT_PROBE ${CMAKE_CURRENT_LIST_DIR}/view_layout.cu)

# Sets `result` to the PTX code that nvcc generates for the probe. If the probe does not compile, warns and sets `result` to
# nothing.
function(ddproxy_probe_view_layout nvcc architecture result)
  set(options -ptx -std=c++20 -extended-lambda -arch=sm_${architecture} -DKOKKOS_DEPENDENCE)
  if(CMAKE_CUDA_HOST_COMPILER)
    list(APPEND options -ccbin ${CMAKE_CUDA_HOST_COMPILER})
  elseif(DEFINED ENV{NVCC_WRAPPER_DEFAULT_COMPILER})
    list(APPEND options -ccbin $ENV{NVCC_WRAPPER_DEFAULT_COMPILER})
  endif()
  get_target_property(includes Kokkos::kokkoscore INTERFACE_INCLUDE_DIRECTORIES)
  list(TRANSFORM includes PREPEND -I)
  execute_process(COMMAND ${nvcc} ${options} ${includes} ${DDPROXY_VIEW_LAYOUT_PROBE} -o -
                  OUTPUT_VARIABLE ptx ERROR_VARIABLE errors RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(WARNING "${nvcc} does not compile a file that uses Kokkos, so the layout of Kokkos' Views is not checked. Check that this nvcc supports this Kokkos: ${errors}")
    set(ptx "")
  endif()
  set(${result} "${ptx}" PARENT_SCOPE)
endfunction()

function(ddproxy_check_view_layout nvcc)
  if(NOT Kokkos_CUDA_ARCHITECTURES)
    return()
  endif()
  list(GET Kokkos_CUDA_ARCHITECTURES 0 architecture)
  ddproxy_probe_view_layout(${nvcc} ${architecture} ptx)
  string(REGEX REPLACE ".*view_layout_param_0\\[([0-9]+)\\].*" "\\1" device "${ptx}")
  string(REGEX REPLACE ".*mov[.][ub]64[ \t]+%rd[0-9]+, ([0-9]+);.*" "\\1" host "${ptx}")
  if(NOT "${device} ${host}" MATCHES "^[0-9]+ [0-9]+$")
    message(WARNING "The layout of Kokkos' Views was not found in the output of ${nvcc}, so it is not checked. If kernels read wrong arguments, use Kokkos 4.7.02 or later")
    return()
  endif()
  if(NOT device EQUAL host)
    message(FATAL_ERROR "Kokkos ${Kokkos_VERSION} in ${Kokkos_DIR} cannot be used with ${nvcc}: two Views have ${host} bytes on the host "
                        "but ${device} in a kernel, so kernels would read wrong arguments. Use Kokkos 4.7.02 or later, or build it with "
                        "-DKokkos_ENABLE_IMPL_VIEW_LEGACY=ON, as scripts/setup --cuda ${architecture} does")
  endif()
endfunction()
