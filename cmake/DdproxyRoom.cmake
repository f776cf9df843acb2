# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause

# ddproxy_room(NAME SOURCES file... LINKS target...)
# Adds the library ddproxy::NAME. Rooms may use only the rooms in DDPROXY_ARROWS_<NAME>; anything else stops the configuration.
set(DDPROXY_ARROWS_model "")
set(DDPROXY_ARROWS_kernels "")
set(DDPROXY_ARROWS_results model)
set(DDPROXY_ARROWS_planner model results)
set(DDPROXY_ARROWS_miniapp model kernels results planner)

# clang 19 reports a function that std::stable_sort of GNU's library 12 uses inside.
# In what nvcc hands to the host's compiler there are GNU line numbers: no -Wpedantic there, nor behind Kokkos' wrapper of nvcc.
function(ddproxy_warnings target)
  set(wrapped $<AND:$<BOOL:${DDPROXY_DEVICE}>,$<NOT:$<BOOL:${DDPROXY_DEVICE_LANGUAGE}>>>)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra>
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:${wrapped}>>:-Wpedantic>
    $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-deprecated-declarations>
    $<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-Xcompiler=-Wall,-Wextra>
    $<$<AND:$<BOOL:${DDPROXY_WERROR}>,$<COMPILE_LANGUAGE:CXX>>:-Werror>
    $<$<AND:$<BOOL:${DDPROXY_WERROR}>,$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>>:-Xcompiler=-Werror;-Werror=all-warnings>)
endfunction()

# ddproxy_uses_device(RESULT target...): whether one of the targets brings Kokkos along.
function(ddproxy_uses_device result)
  set(${result} FALSE PARENT_SCOPE)
  foreach(target IN LISTS ARGN)
    if(target MATCHES "^(Kokkos::kokkos|ddproxy::kernels|ddproxy::miniapp)$")
      set(${result} TRUE PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# ddproxy_device_sources(TARGET): compiles the target's sources in the device's language, where that is another one than C++.
# To be called where the target was made.
function(ddproxy_device_sources target)
  set_target_properties(${target} PROPERTIES DDPROXY_USES_DEVICE ON)
  if(DDPROXY_DEVICE_LANGUAGE)
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "[.]cpp$")
    set_source_files_properties(${sources} PROPERTIES LANGUAGE ${DDPROXY_DEVICE_LANGUAGE})
  endif()
  # {fmt} 9 leaves out constexpr for nvcc, which has it, and then fails to check format strings.
  if(DDPROXY_DEVICE STREQUAL "CUDA")
    target_compile_definitions(${target} PRIVATE FMT_USE_CONSTEXPR=1)
  endif()
endfunction()

function(ddproxy_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;LINKS" ${ARGN})
  foreach(link IN LISTS ROOM_LINKS)
    if(link MATCHES "^ddproxy::(.*)$" AND NOT CMAKE_MATCH_1 IN_LIST DDPROXY_ARROWS_${name})
      message(FATAL_ERROR "The room '${name}' must not use the room '${CMAKE_MATCH_1}'")
    endif()
  endforeach()
  add_library(ddproxy_${name} STATIC ${ROOM_SOURCES})
  add_library(ddproxy::${name} ALIAS ddproxy_${name})
  target_include_directories(ddproxy_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(ddproxy_${name} PUBLIC ${ROOM_LINKS})
  target_compile_features(ddproxy_${name} PUBLIC cxx_std_20)
  ddproxy_warnings(ddproxy_${name})
  ddproxy_uses_device(uses_device ${ROOM_LINKS})
  if(uses_device)
    ddproxy_device_sources(ddproxy_${name})
  endif()
endfunction()
