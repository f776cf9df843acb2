# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
cmake_minimum_required(VERSION 3.22)

# cmake -DROOT=DIR -DWORK=DIR -P check_layers_catches.cmake: plants violations in a small tree in WORK, one at a time. Fails
# unless check_layers.cmake reports each of them.
function(run_check result output)
  execute_process(COMMAND ${CMAKE_COMMAND} -DROOT=${WORK} -P ${CMAKE_CURRENT_LIST_DIR}/check_layers.cmake
                  RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  string(REGEX REPLACE "[ \n]+" " " text "${text}")  # CMake breaks the long lines of a message
  set(${result} ${code} PARENT_SCOPE)
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

function(clean_tree)
  file(REMOVE_RECURSE ${WORK})
  file(COPY ${ROOT}/cmake DESTINATION ${WORK})
  file(WRITE ${WORK}/model/cost/a.hpp "#include <vector>\n#include \"model/text/b.hpp\"\n")
  file(WRITE ${WORK}/kernels/a.cpp "#include <Kokkos_Core.hpp>\n#include \"kernels/a.hpp\"\n")
  file(WRITE ${WORK}/results/file/h5.cpp "#include <hdf5.h>\n#include <hdf5_hl.h>\n#include \"results/file/h5.hpp\"\n")
  file(WRITE ${WORK}/miniapp/app/a.cpp "#include <mpi.h>\n#include \"model/cost/a.hpp\"\n#include \"kernels/a.hpp\"\n#include \"results/file/a.hpp\"\n")
  file(WRITE ${WORK}/miniapp/app/CMakeLists.txt "ddproxy_room(miniapp/app SOURCES a.cpp LINKS fmt::fmt)\n")
endfunction()

# Checks that a tree with `content` in `file` is rejected with a message that contains `expected`.
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

expect_caught(model/cost/bad.cpp "#include <Kokkos_Core.hpp>" "model/cost/bad.cpp: the room 'model/cost' must not include <Kokkos_Core.hpp>")
expect_caught(model/cost/bad.cpp "#include <fmt/core.h>" "must not include <fmt/core.h>")
expect_caught(model/cost/bad.cpp "  #  include \"kernels/gemm.hpp\"" "must not include \"kernels/gemm.hpp\"")
expect_caught(model/cost/bad.hpp "#include \"results/file/writer.hpp\"" "must not include \"results/file/writer.hpp\"")
expect_caught(model/cost/bad.hpp "#include \"model/predict/timeline.hpp\"" "the room 'model/cost' must not include \"model/predict/timeline.hpp\"")
expect_caught(model/cost/bad.hpp "#include \"model/stray.hpp\"" "\"model/stray.hpp\" is in no room")
expect_caught(model/stray.hpp "#include <vector>" "model/stray.hpp: is in no room")
expect_caught(model/cost/bad.hpp "#include \"hdf5.h\"" "must not include <hdf5.h>")
expect_caught(model/cost/bad.hpp "#include \"../kernels/gemm.hpp\"" "by its path from the project's root")
expect_caught(kernels/bad.cpp "#include \"model/transformer/gpt2.hpp\"" "must not include \"model/transformer/gpt2.hpp\"")
expect_caught(kernels/deep/bad.cpp "#include <mpi.h>" "must not include <mpi.h>")
expect_caught(results/run/bad.cpp "#include \"miniapp/input/config.hpp\"" "must not include \"miniapp/input/config.hpp\"")
expect_caught(results/run/bad.cpp "#include <hdf5.h>" "only results/file/h5* may include <hdf5.h>")
expect_caught(miniapp/input/bad.cpp "#include \"kernels/gemm.hpp\"" "must not include \"kernels/gemm.hpp\"")
expect_caught(miniapp/input/bad.cpp "#include <mpi.h>" "must not include <mpi.h>")
expect_caught(miniapp/compute/bad.cpp "#include \"miniapp/measure/sweep/sweep.hpp\"" "must not include \"miniapp/measure/sweep/sweep.hpp\"")
expect_caught(miniapp/app/bad.cpp "#include <hdf5.h>" "must not include <hdf5.h>")
expect_caught(model/cost/CMakeLists.txt "ddproxy_room(model/cost SOURCES a.cpp LINKS ddproxy::kernels)" "not 'ddproxy::kernels' here")
file(REMOVE_RECURSE ${WORK})
