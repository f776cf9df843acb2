# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause

# ddproxy_room(NAME SOURCES file... LINKS target...)
# Adds the library ddproxy::NAME. Rooms may use only the rooms in DDPROXY_ARROWS_<NAME>; anything else stops the configuration.
set(DDPROXY_ARROWS_model "")
set(DDPROXY_ARROWS_kernels "")
set(DDPROXY_ARROWS_results "")
set(DDPROXY_ARROWS_planner model results)
set(DDPROXY_ARROWS_miniapp model kernels results planner)

function(ddproxy_warnings target)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic>
                                           $<$<AND:$<BOOL:${DDPROXY_WERROR}>,$<COMPILE_LANGUAGE:CXX>>:-Werror>)
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
endfunction()
