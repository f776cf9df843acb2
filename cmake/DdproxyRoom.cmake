# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause

# Functions that define the library of a room. A room is a module of the code: a folder with a library of its own.
# DdproxyArrows.cmake lists the rooms, and which rooms each of them may use.
include(${CMAKE_CURRENT_LIST_DIR}/DdproxyArrows.cmake)

option(DDPROXY_PRECOMPILE "Precompile large headers (GoogleTest, Kokkos, CLI11) in a build for hosts, which then takes less time" OFF)
option(DDPROXY_UNITY "In rooms whose code never runs while times are measured, compile up to 16 sources together as one file, which takes less time" OFF)

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

# ddproxy_uses_device(RESULT target...): sets RESULT to TRUE if one of the targets is or links Kokkos, and to FALSE otherwise.
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

# ddproxy_device_sources(TARGET [HOST file...]): compiles the target's sources in DDPROXY_DEVICE_LANGUAGE, if that is set. The files after
# HOST are left to the compiler of the host, which is several times as fast; they must not include Kokkos, directly or through a header.
# Must be called in the folder that defines the target, because properties of source files are visible only there.
function(ddproxy_device_sources target)
  cmake_parse_arguments(DEVICE "" "" "HOST" ${ARGN})
  set_target_properties(${target} PROPERTIES DDPROXY_USES_DEVICE ON)
  if(DDPROXY_DEVICE_LANGUAGE)
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "[.]cpp$")
    if(DEVICE_HOST)
      list(REMOVE_ITEM sources ${DEVICE_HOST})
    endif()
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

# ddproxy_libraries_used(RESULT ROOM): sets RESULT to the libraries of the rooms that a room may use. Ends CMake with an error if one of
# them is not defined yet.
function(ddproxy_libraries_used result room)
  set(libraries "")
  foreach(used IN LISTS DDPROXY_ARROWS_${room})
    ddproxy_library(library ${used})
    if(NOT TARGET ${library})
      message(FATAL_ERROR "The room '${room}' uses '${used}', whose library is not defined yet. Call add_subdirectory for '${used}' first.")
    endif()
    list(APPEND libraries ${library})
  endforeach()
  set(${result} ${libraries} PARENT_SCOPE)
endfunction()

# ddproxy_compile_fast(TARGET): in a Release build with GCC or Clang, compiles the C++ sources of the target with -O1 instead of -O3. The
# compiler then takes about a third less time. Do not use it for code that runs while times are measured, for programs that measure times,
# or for tests that instantiate templates of kernels.
function(ddproxy_compile_fast target)
  target_compile_options(${target} PRIVATE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>>:-O1>)
  # At -O1, GCC 12 warns that copies of strings exceed their bounds, although they do not.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-array-bounds;-Wno-stringop-overflow>)
endfunction()

# ddproxy_room(FOLDER [FAST] [UNITY] [SOURCES file...] [HOST_SOURCES file...] LINKS target...): adds the library of a room and links it with the rooms
# that it may use. In a room that uses the device, HOST_SOURCES are the files that do not include Kokkos (ddproxy_device_sources).
# LINKS are libraries from outside the project. UNITY and FAST are for rooms whose code never runs while times are measured. UNITY: with
# DDPROXY_UNITY up to 16 sources of the room are compiled as one file. FAST: calls ddproxy_compile_fast, and also does what UNITY does.
# A test that builds a changed copy of a room sets DDPROXY_ROOM_SUFFIX, which is appended to the name of the library.
function(ddproxy_room folder)
  cmake_parse_arguments(ROOM "FAST;UNITY" "" "SOURCES;HOST_SOURCES;LINKS" ${ARGN})
  ddproxy_libraries_used(used ${folder})
  ddproxy_library(alias ${folder}${DDPROXY_ROOM_SUFFIX})
  string(REPLACE "::" "_" target ${alias})
  add_library(${target} STATIC ${ROOM_SOURCES} ${ROOM_HOST_SOURCES})
  add_library(${alias} ALIAS ${target})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PUBLIC ${used} ${ROOM_LINKS})
  target_compile_features(${target} PUBLIC cxx_std_20)
  ddproxy_warnings(${target})
  if(ROOM_FAST)
    ddproxy_compile_fast(${target})
  endif()
  if(DDPROXY_UNITY AND (ROOM_FAST OR ROOM_UNITY))
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
    # -g1 adds line numbers, so that the test rooms.way sees from which of these sources a function is. The names of the sources begin with
    # /ddproxy, because an installed program must not name the folder in which it was built.
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>:-g1;-fdebug-prefix-map=${PROJECT_SOURCE_DIR}=/ddproxy>")
  endif()
  ddproxy_uses_device(uses_device ${used} ${ROOM_LINKS})
  if(uses_device)
    set_property(GLOBAL APPEND PROPERTY DDPROXY_DEVICE_TARGETS ${alias})
    ddproxy_device_sources(${target} HOST ${ROOM_HOST_SOURCES})
  endif()
endfunction()

# ddproxy_rooms_below(FOLDER): defines ddproxy::FOLDER, which links all rooms in the folder that are defined so far.
function(ddproxy_rooms_below folder)
  set(rooms "")
  foreach(room IN LISTS DDPROXY_ROOMS)
    ddproxy_library(library ${room})
    if("${room}" MATCHES "^${folder}/" AND TARGET ${library})
      list(APPEND rooms ${library})
    endif()
  endforeach()
  add_library(ddproxy_${folder} INTERFACE)
  add_library(ddproxy::${folder} ALIAS ddproxy_${folder})
  target_link_libraries(ddproxy_${folder} INTERFACE ${rooms})
  ddproxy_uses_device(uses_device ${rooms})
  if(uses_device)
    set_property(GLOBAL APPEND PROPERTY DDPROXY_DEVICE_TARGETS ddproxy::${folder})
  endif()
endfunction()
