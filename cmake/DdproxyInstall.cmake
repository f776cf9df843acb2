# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause

# Installs the programs to bin/, and inputs, scripts, the report and the example to share/ddproxy/. These folders have the same places
# below share/ddproxy as below the root of the project, because the scripts find each other by relative paths.
include(GNUInstallDirs)
set(share ${CMAKE_INSTALL_DATADIR}/ddproxy)
install(TARGETS ddproxy ddproxy-model RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(PROGRAMS scripts/ddproxy-report DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY inputs DESTINATION ${share})
install(PROGRAMS scripts/gate DESTINATION ${share}/scripts)
install(DIRECTORY scripts/gate_runs DESTINATION ${share}/scripts FILES_MATCHING PATTERN "*.py")
install(DIRECTORY results/reporting DESTINATION ${share}/results FILES_MATCHING PATTERN "*.py")
install(PROGRAMS results/report.py DESTINATION ${share}/results)
install(DIRECTORY deploy/example/ DESTINATION ${share}/example)
install(DIRECTORY deploy/slurm DESTINATION ${share} USE_SOURCE_PERMISSIONS
        PATTERN "__pycache__" EXCLUDE)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
