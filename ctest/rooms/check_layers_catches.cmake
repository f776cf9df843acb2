# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
cmake_minimum_required(VERSION 3.22)

# cmake -DROOT=DIR -DWORK=DIR -P check_layers_catches.cmake: plants one violation after the other in a small tree of its
# own and fails unless check_layers.cmake names each.
function(run_check result output)
  execute_process(COMMAND ${CMAKE_COMMAND} -DROOT=${WORK} -P ${CMAKE_CURRENT_LIST_DIR}/check_layers.cmake
                  RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  string(REGEX REPLACE "[ \n]+" " " text "${text}")  # CMake breaks long lines of a message
  set(${result} ${code} PARENT_SCOPE)
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

function(clean_tree)
  file(REMOVE_RECURSE ${WORK})
  file(COPY ${ROOT}/cmake DESTINATION ${WORK})
  file(WRITE ${WORK}/model/a.hpp "#include <vector>\n#include \"model/b.hpp\"\n")
  file(WRITE ${WORK}/kernels/a.cpp "#include <Kokkos_Core.hpp>\n#include \"kernels/a.hpp\"\n")
  file(WRITE ${WORK}/results/h5.cpp "#include <hdf5.h>\n#include <hdf5_hl.h>\n#include \"results/h5.hpp\"\n")
  file(WRITE ${WORK}/miniapp/a.cpp "#include <mpi.h>\n#include \"model/a.hpp\"\n#include \"kernels/a.hpp\"\n#include \"results/a.hpp\"\n")
  file(WRITE ${WORK}/miniapp/CMakeLists.txt "ddproxy_room(miniapp LINKS ddproxy::model ddproxy::kernels ddproxy::results)\n")
endfunction()

# The tree with `content` in `file` must be refused with a message that holds `expected`.
function(expect_caught file content expected)
  clean_tree()
  file(WRITE ${WORK}/${file} "${content}\n")
  run_check(code text)
  string(FIND "${text}" "${expected}" found)
  if(code EQUAL 0 OR found EQUAL -1)
    message(SEND_ERROR "Not caught in ${file}: ${content}\n(exit ${code}) ${text}")
  endif()
endfunction()

clean_tree()
run_check(code text)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "A clean tree was refused: ${text}")
endif()

expect_caught(model/bad.cpp "#include <Kokkos_Core.hpp>" "model/bad.cpp: the room 'model' must not include <Kokkos_Core.hpp>")
expect_caught(model/bad.cpp "#include <fmt/core.h>" "must not include <fmt/core.h>")
expect_caught(model/bad.cpp "  #  include \"kernels/gemm.hpp\"" "must not include \"kernels/gemm.hpp\"")
expect_caught(model/bad.hpp "#include \"results/writer.hpp\"" "must not include \"results/writer.hpp\"")
expect_caught(model/bad.hpp "#include \"hdf5.h\"" "must not include <hdf5.h>")
expect_caught(model/bad.hpp "#include \"../kernels/gemm.hpp\"" "by its path from the project's root")
expect_caught(kernels/bad.cpp "#include \"model/gpt2.hpp\"" "must not include \"model/gpt2.hpp\"")
expect_caught(kernels/deep/bad.cpp "#include <mpi.h>" "must not include <mpi.h>")
expect_caught(results/bad.cpp "#include \"planner/config.hpp\"" "must not include \"planner/config.hpp\"")
expect_caught(results/bad.cpp "#include <hdf5.h>" "only results/h5* may include <hdf5.h>")
expect_caught(planner/bad.cpp "#include \"kernels/gemm.hpp\"" "must not include \"kernels/gemm.hpp\"")
expect_caught(planner/bad.cpp "#include <mpi.h>" "must not include <mpi.h>")
expect_caught(miniapp/bad.cpp "#include <hdf5.h>" "must not include <hdf5.h>")
expect_caught(model/CMakeLists.txt "target_link_libraries(ddproxy_model PUBLIC ddproxy::kernels)" "must not link with 'kernels'")
expect_caught(results/CMakeLists.txt "target_link_libraries(ddproxy_results PUBLIC ddproxy_planner)" "must not link with 'planner'")
file(REMOVE_RECURSE ${WORK})
