# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause

# A room is a module of the code: a folder with a library of its own.
#
# ddproxy_may_use(ROOM room...): allows ROOM to use these rooms and the rooms in their folders, and no others. CMake links the
# libraries of this list, and ctest/rooms/check_layers.cmake allows a room to include only headers of these rooms.
macro(ddproxy_may_use room)
  list(APPEND DDPROXY_ROOMS ${room})
  set(DDPROXY_ARROWS_${room} ${ARGN})
endmacro()

ddproxy_may_use(model/text)
ddproxy_may_use(model/statistics)
ddproxy_may_use(model/transformer model/text)
ddproxy_may_use(model/step model/transformer)
ddproxy_may_use(model/step/check model/transformer model/step)
ddproxy_may_use(model/step/strategies model/transformer model/step)
ddproxy_may_use(model/cost model/text model/statistics model/transformer model/step)
ddproxy_may_use(model/predict model/statistics model/transformer model/step model/cost)
ddproxy_may_use(model/predict/graph model/transformer model/step model/cost model/predict)
ddproxy_may_use(kernels/sizes)
ddproxy_may_use(kernels kernels/sizes)
ddproxy_may_use(results/output model/text)
ddproxy_may_use(results/file model/text results/output)
ddproxy_may_use(results/run model/text model/statistics results/output results/file)
ddproxy_may_use(results/compare model/text model/statistics results/output results/file results/run)
ddproxy_may_use(results/history model/text model/statistics results/output results/file results/run results/compare)
ddproxy_may_use(results results/output results/compare results/history)
ddproxy_may_use(miniapp/input model kernels/sizes)
ddproxy_may_use(miniapp/options model/text model/step results miniapp/input)
ddproxy_may_use(miniapp/analysis model results/output results/file miniapp/input)
ddproxy_may_use(miniapp/predict model results miniapp/input miniapp/options miniapp/analysis)
ddproxy_may_use(miniapp/errors)
ddproxy_may_use(miniapp/device kernels miniapp/errors)
ddproxy_may_use(miniapp/cores kernels miniapp/input miniapp/options miniapp/errors miniapp/device)
ddproxy_may_use(miniapp/machine model/statistics model/predict results/output miniapp/analysis miniapp/errors miniapp/device miniapp/cores)
ddproxy_may_use(miniapp/compute kernels model miniapp/input miniapp/device)
ddproxy_may_use(miniapp/collectives/drivers model/step miniapp/errors miniapp/cores miniapp/device miniapp/compute)
ddproxy_may_use(miniapp/collectives/engines kernels model/step model/cost results/output miniapp/input miniapp/errors miniapp/device miniapp/compute
                miniapp/collectives/drivers)
ddproxy_may_use(miniapp/collectives kernels model/step model/cost miniapp/input miniapp/errors miniapp/device miniapp/collectives/drivers
                miniapp/collectives/engines)
ddproxy_may_use(miniapp/measure/pass kernels model results/output miniapp/input miniapp/analysis miniapp/errors miniapp/device miniapp/machine
                miniapp/compute miniapp/collectives)
ddproxy_may_use(miniapp/measure/calibration kernels model results/output miniapp/input miniapp/analysis miniapp/errors miniapp/cores
                miniapp/device miniapp/machine miniapp/compute miniapp/collectives miniapp/measure/pass)
ddproxy_may_use(miniapp/measure/sweep model miniapp/input miniapp/options miniapp/analysis miniapp/errors miniapp/device miniapp/machine
                miniapp/compute miniapp/collectives miniapp/measure/pass miniapp/measure/calibration)
ddproxy_may_use(miniapp/measure/verification kernels model miniapp/input miniapp/errors miniapp/device miniapp/machine miniapp/compute
                miniapp/collectives miniapp/measure/pass)
ddproxy_may_use(miniapp/measure/step kernels model results/output miniapp/input miniapp/analysis miniapp/errors miniapp/device miniapp/machine
                miniapp/compute miniapp/collectives miniapp/measure/pass miniapp/measure/calibration)
ddproxy_may_use(miniapp/app kernels model results miniapp/input miniapp/options miniapp/analysis miniapp/predict miniapp/errors miniapp/device
                miniapp/cores miniapp/machine miniapp/compute miniapp/collectives miniapp/measure)
ddproxy_may_use(miniapp model kernels results)

# ddproxy_warnings(TARGET): switches on the warnings of the compiler. Some are left out, for these reasons:
# -Wno-deprecated-declarations: clang 19 reports a function that std::stable_sort of libstdc++ 12 uses inside.
# -Wno-c2y-extensions: clang 22 reports __COUNTER__, which Google Benchmark's macro BENCHMARK uses.
# -Wpedantic is not used for code that nvcc passes to the host's compiler, directly or through Kokkos' wrapper. This code has line
# markers that are a GNU extension.
function(ddproxy_warnings target)
  set(wrapped $<AND:$<BOOL:${DDPROXY_DEVICE}>,$<NOT:$<BOOL:${DDPROXY_DEVICE_LANGUAGE}>>>)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra>
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:${wrapped}>>:-Wpedantic>
    $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-deprecated-declarations>
    $<$<AND:$<COMPILE_LANG_AND_ID:CXX,Clang>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,22>>:-Wno-c2y-extensions>
    $<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-Xcompiler=-Wall,-Wextra>
    $<$<AND:$<BOOL:${DDPROXY_WERROR}>,$<COMPILE_LANGUAGE:CXX>>:-Werror>
    $<$<AND:$<BOOL:${DDPROXY_WERROR}>,$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>>:-Xcompiler=-Werror;-Werror=all-warnings>)
endfunction()

# ddproxy_uses_device(RESULT target...): sets RESULT to TRUE if one of the targets links Kokkos.
set_property(GLOBAL PROPERTY DDPROXY_DEVICE_TARGETS Kokkos::kokkos)
function(ddproxy_uses_device result)
  get_property(known GLOBAL PROPERTY DDPROXY_DEVICE_TARGETS)
  set(${result} FALSE PARENT_SCOPE)
  foreach(target IN LISTS ARGN)
    if(target IN_LIST known)
      set(${result} TRUE PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# ddproxy_device_sources(TARGET): compiles the target's sources in DDPROXY_DEVICE_LANGUAGE, if that is set. Must be called in the
# folder that defines the target, because properties of source files are visible only there.
function(ddproxy_device_sources target)
  set_target_properties(${target} PROPERTIES DDPROXY_USES_DEVICE ON)
  if(DDPROXY_DEVICE_LANGUAGE)
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "[.]cpp$")
    set_source_files_properties(${sources} PROPERTIES LANGUAGE ${DDPROXY_DEVICE_LANGUAGE})
  endif()
  # {fmt} 9 turns constexpr off for nvcc, although nvcc supports it. The check of format strings then fails to compile.
  if(DDPROXY_DEVICE STREQUAL "CUDA")
    target_compile_definitions(${target} PRIVATE FMT_USE_CONSTEXPR=1)
  endif()
endfunction()

# ddproxy_library(RESULT ROOM): sets RESULT to the library of a room, for example ddproxy::miniapp_input for miniapp/input.
function(ddproxy_library result room)
  string(REPLACE "/" "_" name ${room})
  set(${result} ddproxy::${name} PARENT_SCOPE)
endfunction()

# ddproxy_libraries(RESULT folder...): sets RESULT to the libraries of the rooms in these folders that are defined so far.
function(ddproxy_libraries result)
  set(libraries "")
  foreach(folder IN LISTS ARGN)
    foreach(room IN LISTS DDPROXY_ROOMS)
      ddproxy_library(library ${room})
      if("${room}/" MATCHES "^${folder}/" AND TARGET ${library})
        list(APPEND libraries ${library})
      endif()
    endforeach()
  endforeach()
  set(${result} ${libraries} PARENT_SCOPE)
endfunction()

# ddproxy_room(FOLDER SOURCES file... LINKS target...): adds the library of a room and links it with the rooms that it may use.
# LINKS are libraries from outside the project. A test that builds a changed copy of a room sets DDPROXY_ROOM_SUFFIX, which is
# appended to the name of the library.
function(ddproxy_room folder)
  cmake_parse_arguments(ROOM "" "" "SOURCES;LINKS" ${ARGN})
  ddproxy_libraries(used ${DDPROXY_ARROWS_${folder}})
  ddproxy_library(alias ${folder}${DDPROXY_ROOM_SUFFIX})
  string(REPLACE "::" "_" target ${alias})
  add_library(${target} STATIC ${ROOM_SOURCES})
  add_library(${alias} ALIAS ${target})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PUBLIC ${used} ${ROOM_LINKS})
  target_compile_features(${target} PUBLIC cxx_std_20)
  ddproxy_warnings(${target})
  ddproxy_uses_device(uses_device ${used} ${ROOM_LINKS})
  if(uses_device)
    set_property(GLOBAL APPEND PROPERTY DDPROXY_DEVICE_TARGETS ${alias})
    ddproxy_device_sources(${target})
  endif()
endfunction()

# ddproxy_rooms_below(FOLDER): defines ddproxy::FOLDER, which links all rooms in the folder.
function(ddproxy_rooms_below folder)
  ddproxy_libraries(rooms ${folder})
  add_library(ddproxy_${folder} INTERFACE)
  add_library(ddproxy::${folder} ALIAS ddproxy_${folder})
  target_link_libraries(ddproxy_${folder} INTERFACE ${rooms})
  ddproxy_uses_device(uses_device ${rooms})
  if(uses_device)
    set_property(GLOBAL APPEND PROPERTY DDPROXY_DEVICE_TARGETS ddproxy::${folder})
  endif()
endfunction()
