# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
cmake_minimum_required(VERSION 3.22)

# cmake -DROOT=DIR -DWORK=DIR -P check_layers_catches.cmake: writes a small project to WORK, with the rules of ROOT, and
# plants forbidden includes, rows and links in it, one at a time. Fails unless check_layers.cmake reports each of them, and
# accepts the project without them.
function(run_check result output)
  execute_process(COMMAND ${CMAKE_COMMAND} -DROOT=${WORK} -P ${CMAKE_CURRENT_LIST_DIR}/check_layers.cmake
                  RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  string(REGEX REPLACE "[ \n]+" " " text "${text}")  # CMake breaks the long lines of a message
  set(${result} ${code} PARENT_SCOPE)
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

# The rooms of the small tree and the arrows between them (cmake/DdproxyArrows.cmake explains arrows). For each arrow clean_tree() writes an include.
file(READ ${ROOT}/cmake/DdproxyArrows.cmake rules)
string(REGEX REPLACE "\nddproxy_may_use.*" "" rules "${rules}")
set(arrows "
ddproxy_may_use(model/text)
ddproxy_may_use(model/cost model/text)
ddproxy_may_use(model/cost/fit model/cost)
ddproxy_may_use(kernels)
ddproxy_may_use(results/file)
ddproxy_may_use(results/run results/file)
ddproxy_may_use(miniapp/input model/cost)
ddproxy_may_use(miniapp/app model/cost kernels results/file miniapp/input)
")

# Writes the tree without violations, and adds `more` to its arrows.
function(clean_tree more)
  file(REMOVE_RECURSE ${WORK})
  file(WRITE ${WORK}/cmake/DdproxyArrows.cmake "${rules}\n${arrows}${more}\n")
  file(WRITE ${WORK}/model/cost/a.hpp "#include <vector>\n#include \"model/text/b.hpp\"\n")
  file(WRITE ${WORK}/model/cost/fit/a.hpp "#include \"model/cost/a.hpp\"\n")
  file(WRITE ${WORK}/kernels/a.cpp "#include <Kokkos_Core.hpp>\n#include \"kernels/a.hpp\"\n")
  file(WRITE ${WORK}/results/file/h5.cpp "#include <hdf5.h>\n#include <hdf5_hl.h>\n#include \"results/file/h5.hpp\"\n")
  file(WRITE ${WORK}/results/run/a.cpp "#include \"results/file/a.hpp\"\n")
  file(WRITE ${WORK}/miniapp/input/a.cpp "#include \"model/cost/a.hpp\"\n")
  file(WRITE ${WORK}/miniapp/app/a.cpp
       "#include <mpi.h>\n#include \"model/cost/a.hpp\"\n#include \"kernels/a.hpp\"\n#include \"results/file/a.hpp\"\n#include \"miniapp/input/a.hpp\"\n")
  file(WRITE ${WORK}/miniapp/app/CMakeLists.txt "ddproxy_room(miniapp/app SOURCES a.cpp LINKS fmt::fmt)\n")
  file(WRITE ${WORK}/kernels/CMakeLists.txt "# links no ddproxy::model_text\nddproxy_kernel_room(kernels SOURCES a.cpp LINKS Kokkos::kokkos)\n")
  file(WRITE ${WORK}/results/file/CMakeLists.txt
       "ddproxy_room(results/file SOURCES h5.cpp)\ntarget_link_libraries(ddproxy_results_file PRIVATE hdf5::hdf5)\n")
  file(WRITE ${WORK}/miniapp/CMakeLists.txt
       "add_executable(ddproxy-model a.cpp)\ntarget_link_libraries(ddproxy-model PRIVATE ddproxy::miniapp_input)\n"
       "add_executable(ddproxy b.cpp)\ntarget_link_libraries(ddproxy PRIVATE ddproxy::miniapp_app)\n")
endfunction()

# Checks that the present tree is rejected with a message that contains `expected`.
function(expect_rejected what expected)
  run_check(code text)
  string(FIND "${text}" "${expected}" found)
  if(code EQUAL 0 OR found EQUAL -1)
    message(SEND_ERROR "Not caught: ${what}\n(exit ${code}) ${text}")
  endif()
endfunction()

# Checks that a tree with `content` in `file` is rejected with a message that contains `expected`.
function(expect_caught file content expected)
  clean_tree("")
  file(WRITE ${WORK}/${file} "${content}\n")
  expect_rejected("${content} in ${file}" "${expected}")
endfunction()

# Checks that the tree with the additional arrows `row` is rejected with a message that contains `expected`.
function(expect_row_caught row expected)
  clean_tree("${row}")
  expect_rejected("${row}" "${expected}")
endfunction()

clean_tree("")
run_check(code text)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "A clean tree was refused: ${text}")
endif()

# Headers from outside the project
expect_caught(model/cost/bad.cpp "#include <Kokkos_Core.hpp>" "model/cost/bad.cpp:1: the room 'model/cost' must not include <Kokkos_Core.hpp>")
expect_caught(model/cost/bad.cpp "#include <fmt/core.h>" "must not include <fmt/core.h>")
expect_caught(model/cost/bad.hpp "#include \"hdf5.h\"" "must not include <hdf5.h>")
expect_caught(kernels/deep/bad.cpp "#include <mpi.h>" "must not include <mpi.h>")
expect_caught(results/run/bad.cpp "#include <hdf5.h>" "only results/file/h5* may include <hdf5.h>")
expect_caught(miniapp/input/bad.cpp "#include <mpi.h>" "must not include <mpi.h>")
expect_caught(miniapp/app/bad.cpp "#include <hdf5.h>" "must not include <hdf5.h>")

# Includes from a room that the row of the including room does not name. The included room is below or above it in the list, in the folder of a room that
# the row names, or named only in the row of such a room.
expect_caught(model/cost/bad.cpp "// Copyright\n\n#include <vector>\n  #  include \"kernels/gemm.hpp\""
              "model/cost/bad.cpp:4: the room 'model/cost' must not include \"kernels/gemm.hpp\" of the room 'kernels'")
expect_caught(model/cost/bad.hpp "#include \"results/file/writer.hpp\"" "must not include \"results/file/writer.hpp\"")
expect_caught(model/cost/table.inc "#include \"kernels/gemm.hpp\"" "model/cost/table.inc:1: the room 'model/cost' must not include \"kernels/gemm.hpp\"")
expect_caught(kernels/bad.cpp "#include \"model/text/b.hpp\"" "the room 'kernels' must not include \"model/text/b.hpp\"")
expect_caught(results/run/bad.cpp "#include \"miniapp/input/config.hpp\"" "must not include \"miniapp/input/config.hpp\"")
expect_caught(miniapp/input/bad.cpp "#include \"model/cost/fit/a.hpp\"" "the room 'miniapp/input' must not include \"model/cost/fit/a.hpp\" of the room 'model/cost/fit'")
expect_caught(model/cost/bad.cpp "#include \"model/cost/fit/a.hpp\"" "the room 'model/cost' must not include \"model/cost/fit/a.hpp\"")
expect_caught(model/cost/fit/bad.cpp "#include \"model/text/b.hpp\"" "the room 'model/cost/fit' must not include \"model/text/b.hpp\"")

# Rows that name each other, the room itself, something that is not a room, or a room that is not needed
expect_row_caught("ddproxy_may_use(model/a model/b)\nddproxy_may_use(model/b model/a)" "the room 'model/a' names 'model/b', which is not a room above it")
expect_row_caught("ddproxy_may_use(model/a model/a)" "the room 'model/a' names 'model/a', which is not a room above it")
expect_row_caught("ddproxy_may_use(model/a model)" "the room 'model/a' names 'model', which is not a room above it")
expect_row_caught("ddproxy_may_use(model/a model/text)" "the room 'model/a' names 'model/text', but includes no header of it")

# Files that belong to no room, and an include by a relative path
expect_caught(model/cost/bad.hpp "#include \"model/stray.hpp\"" "\"model/stray.hpp\" is in no room")
expect_caught(model/stray.hpp "#include <vector>" "model/stray.hpp: is in no room")
expect_caught(model/cost/bad.hpp "#include \"../kernels/gemm.hpp\"" "by its path from the project's root")

# CMakeLists.txt files that link the library of another room. Only ddproxy_may_use may do this.
expect_caught(model/cost/CMakeLists.txt "ddproxy_room(model/cost SOURCES a.cpp LINKS ddproxy::kernels)"
              "model/cost/CMakeLists.txt: ddproxy_may_use in cmake/DdproxyArrows.cmake says what a room links, not 'ddproxy::kernels' here")
expect_caught(model/cost/CMakeLists.txt "ddproxy_room(model/cost SOURCES a.cpp LINKS\n  ddproxy::kernels ddproxy::results_file)" "not 'ddproxy::kernels' here")
expect_caught(kernels/CMakeLists.txt "ddproxy_kernel_room(kernels SOURCES a.cpp LINKS Kokkos::kokkos ddproxy::model_text)" "not 'ddproxy::model_text' here")
expect_caught(kernels/CMakeLists.txt "ddproxy_kernel_room(kernels SOURCES a.cpp LINKS ddproxy_model_text)" "not 'ddproxy_model_text' here")
expect_caught(kernels/CMakeLists.txt "set(links ddproxy::model_text)\nddproxy_kernel_room(kernels SOURCES a.cpp LINKS \${links})"
              "not 'ddproxy::model_text' here")
expect_caught(results/file/CMakeLists.txt "target_link_libraries(ddproxy_results_file PRIVATE hdf5::hdf5 ddproxy::kernels)" "not 'ddproxy::kernels' here")
expect_caught(results/file/CMakeLists.txt "target_link_libraries(ddproxy_results_file PRIVATE ddproxy_kernels)" "not 'ddproxy_kernels' here")
expect_caught(miniapp/CMakeLists.txt "add_executable(ddproxy b.cpp)\ntarget_link_libraries(ddproxy_miniapp_app PRIVATE ddproxy::model_text)"
              "not 'ddproxy::model_text' here")
file(REMOVE_RECURSE ${WORK})
