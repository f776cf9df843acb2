# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause

# The rooms, and the arrows between them. A room is a module of the code: a folder with a library of its own. An arrow from one room to another allows
# the first to include headers of the second.
#
# ddproxy_may_use(ROOM room...): allows ROOM to include headers of these rooms and of no others. Naming a room does not allow the rooms in its subfolders. A
# room may name only rooms above it in this file, so dependencies cannot form a circle. CMake links ROOM with the libraries of the named rooms. The test
# rooms.layers checks that each include is allowed, and that ROOM includes at least one header of each room that it names.
macro(ddproxy_may_use room)
  foreach(named ${ARGN})
    if(NOT named IN_LIST DDPROXY_ROOMS)
      message(FATAL_ERROR "cmake/DdproxyArrows.cmake: the room '${room}' names '${named}', which is not a room above it. Correct the name, "
                          "or move the row of '${room}' below the row of '${named}'. If each needs the other, move what both need to a room above them.")
    endif()
  endforeach()
  list(APPEND DDPROXY_ROOMS ${room})
  set(DDPROXY_ARROWS_${room} ${ARGN})
endmacro()

ddproxy_may_use(model/text)
ddproxy_may_use(model/statistics)
ddproxy_may_use(model/transformer model/text)
ddproxy_may_use(model/step model/transformer)
ddproxy_may_use(model/step/check model/step)
ddproxy_may_use(model/step/strategies model/transformer model/step)
ddproxy_may_use(model/cost model/text model/statistics model/transformer model/step)
ddproxy_may_use(model/predict model/statistics model/step model/cost)
ddproxy_may_use(model/predict/graph model/transformer model/step model/step/strategies model/cost model/predict)
ddproxy_may_use(kernels/sizes)
ddproxy_may_use(kernels/base kernels/sizes)
ddproxy_may_use(kernels/gemm kernels/base kernels/sizes)
ddproxy_may_use(kernels/norm kernels/base kernels/gemm)
ddproxy_may_use(kernels/attention kernels/sizes kernels/base kernels/gemm)
ddproxy_may_use(kernels kernels/base kernels/gemm kernels/norm)
ddproxy_may_use(results/output model/text)
ddproxy_may_use(results/file model/text results/output)
ddproxy_may_use(results/run model/text model/statistics results/output results/file)
ddproxy_may_use(results/compare model/text model/statistics results/output results/file results/run)
ddproxy_may_use(results/history model/text model/statistics results/output results/run results/compare)
ddproxy_may_use(results results/output results/compare results/history)
ddproxy_may_use(miniapp/input model/text model/transformer model/step model/step/strategies model/cost model/predict
                model/predict/graph kernels/sizes)
ddproxy_may_use(miniapp/input/toml model/text miniapp/input)
ddproxy_may_use(miniapp/input/options model/text model/step results/output results/run results/compare miniapp/input)
ddproxy_may_use(miniapp/predict/analysis model/text model/statistics model/step model/cost model/predict model/predict/graph
                results/output results/file miniapp/input)
ddproxy_may_use(miniapp/predict/account model/text model/transformer model/step model/cost model/predict model/predict/graph
                results/output miniapp/input miniapp/input/toml miniapp/input/options)
ddproxy_may_use(miniapp/predict model/text model/step model/step/strategies model/cost model/predict model/predict/graph
                results/output results miniapp/input miniapp/input/toml miniapp/input/options miniapp/predict/analysis
                miniapp/predict/account)
ddproxy_may_use(miniapp/errors)
ddproxy_may_use(miniapp/device kernels/base miniapp/errors)
ddproxy_may_use(miniapp/cores kernels/gemm miniapp/input miniapp/input/toml miniapp/input/options miniapp/errors miniapp/device)
ddproxy_may_use(miniapp/machine model/statistics model/predict kernels/base results/output miniapp/input miniapp/predict/analysis
                miniapp/errors miniapp/device miniapp/cores)
ddproxy_may_use(miniapp/compute model/transformer model/step model/cost kernels/base kernels/norm kernels/attention kernels
                miniapp/input miniapp/device)
ddproxy_may_use(miniapp/compute/replay model/transformer model/cost kernels/base kernels miniapp/input miniapp/device
                miniapp/compute)
ddproxy_may_use(miniapp/collectives/drivers model/step miniapp/errors miniapp/device miniapp/cores miniapp/compute)
ddproxy_may_use(miniapp/collectives/engines model/step model/cost kernels/base results/output miniapp/input miniapp/errors
                miniapp/device miniapp/compute miniapp/collectives/drivers)
ddproxy_may_use(miniapp/collectives model/step model/cost miniapp/input miniapp/errors miniapp/device miniapp/collectives/drivers
                miniapp/collectives/engines)
ddproxy_may_use(miniapp/measure/pass model/step kernels/gemm miniapp/input miniapp/predict/analysis miniapp/errors miniapp/device
                miniapp/machine miniapp/compute miniapp/compute/replay miniapp/collectives/drivers miniapp/collectives)
ddproxy_may_use(miniapp/measure/calibration model/statistics model/cost model/predict kernels results/output miniapp/input
                miniapp/predict/analysis miniapp/errors miniapp/device miniapp/cores miniapp/machine miniapp/compute
                miniapp/collectives/drivers miniapp/collectives miniapp/measure/pass)
ddproxy_may_use(miniapp/measure/sweep miniapp/input miniapp/input/options miniapp/predict/analysis miniapp/errors miniapp/device
                miniapp/machine miniapp/compute miniapp/collectives/drivers miniapp/collectives/engines miniapp/measure/pass
                miniapp/measure/calibration)
ddproxy_may_use(miniapp/measure/verification model/transformer model/step model/step/check model/step/strategies kernels/base
                kernels miniapp/input miniapp/errors miniapp/device miniapp/machine miniapp/compute miniapp/measure/pass)
ddproxy_may_use(miniapp/measure/step model/statistics model/step model/step/check model/cost model/predict/graph kernels/base
                kernels/gemm miniapp/input miniapp/errors miniapp/device miniapp/machine miniapp/compute miniapp/compute/replay
                miniapp/collectives/drivers miniapp/collectives miniapp/measure/pass miniapp/measure/calibration
                miniapp/measure/verification)
ddproxy_may_use(miniapp/app/record model/statistics model/step model/cost model/predict model/predict/graph kernels/gemm
                results/output results/file results/run miniapp/input miniapp/input/options miniapp/predict/analysis
                miniapp/device miniapp/cores miniapp/machine miniapp/collectives miniapp/measure/pass miniapp/measure/calibration
                miniapp/measure/sweep miniapp/measure/verification)
ddproxy_may_use(miniapp/app model/statistics model/step model/cost model/predict model/predict/graph kernels/gemm results/output
                results/file miniapp/input miniapp/input/toml miniapp/input/options miniapp/predict/analysis miniapp/predict
                miniapp/errors miniapp/device miniapp/machine miniapp/compute miniapp/compute/replay miniapp/measure/pass
                miniapp/measure/calibration miniapp/measure/sweep miniapp/measure/verification miniapp/measure/step
                miniapp/app/record)
ddproxy_may_use(miniapp results/output miniapp/input/options miniapp/predict miniapp/errors miniapp/cores miniapp/machine
                miniapp/app)
