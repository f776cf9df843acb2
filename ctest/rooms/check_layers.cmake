# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
cmake_minimum_required(VERSION 3.22)

# cmake -DROOT=DIR -P check_layers.cmake: fails if a room includes a header of a room that it does not name in
# DIR/cmake/DdproxyArrows.cmake, or names a room of which it includes no header. Also fails if a room includes a forbidden header from outside
# the project, if the CMakeLists.txt of a room links another room, or if a source lies in no room. Prints file, line and header of a forbidden
# include.
include(${ROOT}/cmake/DdproxyArrows.cmake)
set(complaints "")

# FORBIDDEN_FOLDER: a pattern of headers from outside the project that rooms in this folder must not include. In addition, of
# all files only results/file/h5* may include HDF5.
set(FORBIDDEN_model "[./]")  # matches all but standard headers, whose names have neither a suffix nor a folder
set(FORBIDDEN_kernels/sizes "[./]")
set(FORBIDDEN_kernels "^(mpi|nccl|H5|hdf5)")
set(FORBIDDEN_results "^(Kokkos|mpi|nccl|cuda)")
set(FORBIDDEN_miniapp/input "^(Kokkos|mpi|nccl|cuda)")
set(FORBIDDEN_miniapp/predict "^(Kokkos|mpi|nccl|cuda)")
set(FORBIDDEN_miniapp "^(H5|hdf5)")

macro(complain text)
  list(APPEND complaints "${text}")
endmacro()

# Adds the complaint `text` about the include `line` of `file`.
macro(complain_of_line file line text)
  number_of_line(number ${file} "${line}")
  complain("${file}:${number}: ${text}")
endmacro()

# Sets `result` to the number of the first line of `file` that begins with `line`.
function(number_of_line result file line)
  file(READ ${ROOT}/${file} text)
  string(PREPEND text "\n")
  string(FIND "${text}" "\n${line}" position)
  string(SUBSTRING "${text}" 0 ${position} before)
  string(REGEX MATCHALL "\n" ends "${before}\n")
  list(LENGTH ends number)
  set(${result} ${number} PARENT_SCOPE)
endfunction()

# Sets `result` to the room that a file belongs to: the longest folder in DDPROXY_ROOMS that contains it. Sets it to "" if there is none.
function(room_of result file)
  set(best "")
  foreach(room IN LISTS DDPROXY_ROOMS)
    string(LENGTH "${room}" length)
    string(LENGTH "${best}" longest)
    if("${file}" MATCHES "^${room}/" AND length GREATER longest)
      set(best ${room})
    endif()
  endforeach()
  set(${result} "${best}" PARENT_SCOPE)
endfunction()

macro(check_outside room file line header)
  foreach(folder IN ITEMS model kernels kernels/sizes results miniapp miniapp/input miniapp/predict)
    if("${room}/" MATCHES "^${folder}/" AND "${header}" MATCHES "${FORBIDDEN_${folder}}")
      complain_of_line(${file} "${line}" "the room '${room}' must not include <${header}>")
    endif()
  endforeach()
  if("${header}" MATCHES "^(H5|hdf5)" AND NOT "${file}" MATCHES "^results/file/h5[._]" AND NOT "${room}" MATCHES "^(model|kernels|miniapp)")
    complain_of_line(${file} "${line}" "only results/file/h5* may include <${header}>")
  endif()
endmacro()

macro(check_inside room file line header)
  room_of(other "${header}")
  if("${header}" MATCHES "^[.][.]/")
    complain_of_line(${file} "${line}" "include \"${header}\" by its path from the project's root")
  elseif(other)
    list(APPEND included_by_${room} ${other})
    if(NOT other IN_LIST DDPROXY_ARROWS_${room} AND NOT other STREQUAL "${room}")
      complain_of_line(${file} "${line}" "the room '${room}' must not include \"${header}\" of the room '${other}'")
    endif()
  elseif("${header}" MATCHES "^(model|results|miniapp|kernels)/")
    complain_of_line(${file} "${line}" "\"${header}\" is in no room")
  else()
    check_outside(${room} ${file} "${line}" ${header})
  endif()
endmacro()

macro(check_source room file)
  file(STRINGS ${ROOT}/${file} lines REGEX "^[ \t]*#[ \t]*include")
  foreach(line IN LISTS lines)
    if(line MATCHES "include[ \t]*<([^>]*)>")
      check_outside(${room} ${file} "${line}" ${CMAKE_MATCH_1})
    elseif(line MATCHES "include[ \t]*\"([^\"]*)\"")
      check_inside(${room} ${file} "${line}" ${CMAKE_MATCH_1})
    endif()
  endforeach()
endmacro()

# Rejects a name in the row of `room` if `room` includes no header of the named room.
macro(check_names room)
  foreach(named IN LISTS DDPROXY_ARROWS_${room})
    if(NOT named IN_LIST included_by_${room})
      complain("cmake/DdproxyArrows.cmake: the room '${room}' names '${named}', but includes no header of it. Remove the name.")
    endif()
  endforeach()
endmacro()

# Sets `result` to the text of a CMake file without its comments and without the links of its programs: a program may link any room. Leaves out brackets
# and semicolons, which would join or divide the elements of a list.
function(read_links result file)
  file(READ ${ROOT}/${file} text)
  string(REGEX REPLACE "#[^\n]*" "" text "${text}")
  string(REGEX REPLACE "[][;]" " " text "${text}")
  string(REGEX MATCHALL "add_executable[(][a-z_-]+" programs "${text}")
  foreach(program IN LISTS programs)
    string(REPLACE "add_executable(" "" program ${program})
    string(REGEX REPLACE "target_link_libraries[(]${program}[ \n][^)]*" "" text "${text}")
  endforeach()
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

# Rejects rooms that link libraries of other rooms themselves: only ddproxy_may_use decides what a room links. Finds such a library by one of two
# names: ddproxy::ROOM anywhere in the file, for example in a variable, or ddproxy_ROOM among the arguments of a command that links.
macro(check_links file)
  read_links(text ${file})
  string(REGEX MATCHALL "ddproxy::[a-z_]+" links "${text}")
  string(REGEX MATCHALL "(ddproxy_room|ddproxy_kernel_room|target_link_libraries)[(][^)]*" commands "${text}")
  foreach(command IN LISTS commands)
    string(REGEX MATCHALL "[ \n]ddproxy_[a-z_]+" targets "${command}")
    list(APPEND links ${targets})
  endforeach()
  foreach(link IN LISTS links)
    string(STRIP "${link}" link)
    complain("${file}: ddproxy_may_use in cmake/DdproxyArrows.cmake says what a room links, not '${link}' here")
  endforeach()
endmacro()

set(checked 0)
foreach(house model kernels results miniapp)
  file(GLOB_RECURSE sources RELATIVE ${ROOT} ${ROOT}/${house}/*.hpp ${ROOT}/${house}/*.cpp ${ROOT}/${house}/*.inc
       ${ROOT}/${house}/*.h ${ROOT}/${house}/*.cu)
  foreach(file IN LISTS sources)
    room_of(room ${file})
    if(room)
      check_source(${room} ${file})
    else()
      complain("${file}: is in no room")
    endif()
    math(EXPR checked "${checked} + 1")
  endforeach()
  file(GLOB_RECURSE lists RELATIVE ${ROOT} ${ROOT}/${house}/CMakeLists.txt)
  foreach(file IN LISTS lists)
    check_links(${file})
  endforeach()
endforeach()
foreach(room IN LISTS DDPROXY_ROOMS)
  check_names(${room})
endforeach()

if(checked EQUAL 0)
  message(FATAL_ERROR "No source was found in ${ROOT}")
elseif(complaints)
  list(JOIN complaints "\n  " text)
  message(FATAL_ERROR "The layer rule is broken. cmake/DdproxyArrows.cmake lists the rooms that a room may include:\n  ${text}")
endif()
message(STATUS "${checked} files keep to the layer rule")
