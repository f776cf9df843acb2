# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
# cmake -DSOURCE=... -DTEMPLATE=... -DOUTPUT=... -P GitRevision.cmake: writes the git revision of SOURCE into a copy of TEMPLATE with the
# name OUTPUT. Does not write to OUTPUT if the revision has not changed. The revision of a tarball is in revision.txt, where `git archive`
# wrote it. A tarball can be unpacked inside another git repository, so revision.txt is read before git is asked.
set(GIT_REVISION unknown)
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/revision.txt archived REGEX "^[0-9a-f]+$" LIMIT_COUNT 1)
if(archived)
  string(SUBSTRING ${archived} 0 12 GIT_REVISION)
else()
  execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=* OUTPUT_VARIABLE described
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
  if(status EQUAL 0)
    set(GIT_REVISION ${described})
  endif()
endif()
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
