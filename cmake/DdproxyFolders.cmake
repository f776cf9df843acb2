# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause

# Sets the folders of an installation. Must be included before any target is defined, because CMake reads CMAKE_INSTALL_RPATH when it
# defines a target. All paths between installed files are relative, so an installation can be moved.
#
# DDPROXY_SHARE: the folder share/ddproxy below the prefix. It contains inputs/, results/ and scripts/, as the project's folder does.
# DDPROXY_SHARE_FROM_PROGRAMS: the path to it from the folder of the programs, usually ../share/ddproxy.
include(GNUInstallDirs)
set(DDPROXY_SHARE ${CMAKE_INSTALL_DATADIR}/ddproxy)
file(RELATIVE_PATH DDPROXY_SHARE_FROM_PROGRAMS ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_DATADIR}/ddproxy)

# The programs search for shared libraries first in the library folder of their own prefix, then in the folders of the libraries with
# which they were linked. CMake does not add folders inside the project to this search path. The values below are defaults: a package
# manager can set both variables to other values.
if(NOT DEFINED CMAKE_INSTALL_RPATH)
  file(RELATIVE_PATH libraries ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set(CMAKE_INSTALL_RPATH "$ORIGIN/${libraries}")
endif()
if(NOT DEFINED CMAKE_INSTALL_RPATH_USE_LINK_PATH)
  set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
endif()

# Messages of failed calls name the source file. Its path begins at the root of the project, so that programs hold no path of the machine
# that built them.
foreach(folder ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR})
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX,HIP>:-fmacro-prefix-map=${folder}/=>"
                      "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-Xcompiler=-fmacro-prefix-map=${folder}/=>")
endforeach()
