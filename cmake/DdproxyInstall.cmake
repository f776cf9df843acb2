# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause

# Installs the programs in bin/. Installs in share/ddproxy the scripts, inputs and other files that docs/install.md lists. DdproxyFolders.cmake sets both folders.
# inputs/, results/ and scripts/ have the same positions in share/ddproxy as in the project, because scripts find each other by relative paths. The folders of
# deploy/ lie directly in share/ddproxy.
install(TARGETS ddproxy ddproxy-model RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
configure_file(${CMAKE_CURRENT_LIST_DIR}/ddproxy-report.in ${CMAKE_BINARY_DIR}/generated/ddproxy-report @ONLY)
install(PROGRAMS ${CMAKE_BINARY_DIR}/generated/ddproxy-report DESTINATION ${CMAKE_INSTALL_BINDIR})

install(DIRECTORY inputs DESTINATION ${DDPROXY_SHARE})
install(DIRECTORY results/reporting DESTINATION ${DDPROXY_SHARE}/results FILES_MATCHING PATTERN "*.py" PATTERN "py.typed")
install(PROGRAMS results/report.py results/published.py results/memory.py results/sensitivity.py DESTINATION ${DDPROXY_SHARE}/results)
install(DIRECTORY scripts/gate_runs scripts/torch_recording DESTINATION ${DDPROXY_SHARE}/scripts FILES_MATCHING PATTERN "*.py")
install(PROGRAMS scripts/gate scripts/record-torch.py scripts/record-sharded-torch.py scripts/slow-link DESTINATION ${DDPROXY_SHARE}/scripts)

# Every folder of deploy/ is for users, except that of the containers, which build ddproxy from its sources.
file(GLOB deployed LIST_DIRECTORIES true CONFIGURE_DEPENDS deploy/*)
list(FILTER deployed EXCLUDE REGEX "/containers$")
install(DIRECTORY ${deployed} DESTINATION ${DDPROXY_SHARE} USE_SOURCE_PERMISSIONS PATTERN "__pycache__" EXCLUDE)

install(FILES README.md LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN "__pycache__" EXCLUDE)

# A shared Kokkos that scripts/setup or the user built in the project's folder is installed in the library folder of the prefix. Any other
# shared Kokkos stays where it is. The option DDPROXY_INSTALL_KOKKOS overrides both rules.
set(shared_kokkos "")
foreach(library kokkoscore kokkoscontainers kokkosalgorithms kokkossimd)
  if(TARGET Kokkos::${library})
    get_target_property(type Kokkos::${library} TYPE)
    if(type STREQUAL "SHARED_LIBRARY")
      list(APPEND shared_kokkos Kokkos::${library})
    endif()
  endif()
endforeach()
string(FIND "${Kokkos_DIR}" "${PROJECT_SOURCE_DIR}/" position)
set(in_the_project OFF)
if(position EQUAL 0)
  set(in_the_project ON)
endif()
option(DDPROXY_INSTALL_KOKKOS "Install Kokkos' shared libraries in the library folder of the prefix" ${in_the_project})
if(DDPROXY_INSTALL_KOKKOS AND shared_kokkos)
  install(IMPORTED_RUNTIME_ARTIFACTS ${shared_kokkos} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
