# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
import json
import math
import os
import pathlib

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.rocm import ROCmPackage

from spack.package import *


def holds_ddproxy(folder):
    """Returns whether a folder is the root of a git clone of ddproxy."""
    try:
        text = (folder / "CMakeLists.txt").read_text(errors="replace")
        return "project(ddproxy " in text and (folder / ".git").exists()
    except OSError:
        return False


def address():
    """Returns the address of the git repository to build."""
    given = os.environ.get("DDPROXY_GIT")
    if given:
        return pathlib.Path(given).resolve().as_uri() if os.path.isdir(given) else given
    for folder in pathlib.Path(__file__).resolve().parents:
        if holds_ddproxy(folder):
            return folder.as_uri()
    # This text is no address, so the fetch fails. The message of git shows the text.
    return "this-recipe-lies-in-no-clone-of-ddproxy--set-DDPROXY_GIT-to-the-address-of-one"


class Ddproxy(CMakePackage, CudaPackage, ROCmPackage):
    """Proxy application for data-parallel training. It runs the backward pass and whole training
    steps of GPT-2 and Llama models in Kokkos kernels while MPI, NCCL or RCCL all-reduces the
    gradients bucket by bucket. It measures the step time and the exposed communication for a range
    of bucket sizes, predicts both with a performance model, and stores both in HDF5."""

    # The recipe builds the git repository that the environment variable DDPROXY_GIT names (a folder
    # or an address). Without the variable it builds the clone in which the recipe lies. A copy of
    # the recipe outside a clone needs the variable.
    git = address()

    tags = ["proxy-app", "benchmark"]

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("openmp", default=True, when="~cuda ~rocm", description="Compute with several threads")
    variant("nccl", default=True, when="+cuda", description="All-reduces by NCCL")
    variant("nccl", default=True, when="+rocm", description="All-reduces by RCCL")
    variant("report", default=True, description="Libraries that ddproxy-report needs")
    variant("tests", default=False, description="Build the project's own tests")

    depends_on("c", type="build")  # CMake's FindHDF5 compiles a test program in C
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")

    # CMake asks for these versions of Kokkos and NCCL, and pyproject.toml for this version of
    # Python. MPI 3 is a version of the standard. The bounds of the other libraries are the oldest
    # versions with which ddproxy was built (Debian 12).
    depends_on("kokkos@4.7:5 cxxstd=20")
    depends_on("mpi@3:")
    depends_on("hdf5@1.10: ~mpi +hl")
    depends_on("fmt@9:")
    depends_on("benchmark@1.7:")
    depends_on("cli11@2.1: ~precompiled", type="build")
    depends_on("tomlplusplus@3.3:", type="build")
    depends_on("nlohmann-json@3.11:", type="build")
    depends_on("googletest@1.12:", when="+tests")
    depends_on("python@3.9:", type=("build", "run"), when="+tests")
    depends_on("python@3.9:", type="run")
    with default_args(type="run", when="+report"):
        depends_on("py-h5py@3.7:")
        depends_on("py-matplotlib@3.6:")
        depends_on("py-numpy")

    with when("~cuda ~rocm"):
        depends_on("blas")
        depends_on("kokkos ~cuda ~rocm")
        depends_on("kokkos +openmp", when="+openmp")
        # Spack's default for OpenBLAS is threads=none.
        depends_on("openblas threads=openmp", when="+openmp ^[virtuals=blas] openblas")
        conflicts(
            "^[virtuals=blas] intel-oneapi-mkl",
            msg="MKL has mkl_cblas.h and no cblas.h, so matrix products would not use it",
        )

    with when("+cuda"):
        depends_on("cuda@12:")
        # The wrapper is required with every compiler. With a condition on the compiler, the
        # concretizer could choose another compiler to avoid the wrapper.
        depends_on("kokkos +cuda +wrapper")
        for arch in CudaPackage.cuda_arch_values:
            depends_on(f"kokkos cuda_arch={arch}", when=f"cuda_arch={arch}")
            depends_on(f"nccl@2.10: +cuda cuda_arch={arch}", when=f"+nccl cuda_arch={arch}")
        conflicts("cuda_arch=none", msg="name the GPU, for instance cuda_arch=80 for A100")
        conflicts("+rocm", msg="Kokkos is built for NVIDIA or for AMD GPUs, not for both")
        conflicts(
            "^kokkos@:4.7.01",
            when="^cuda@12.9:",
            msg="with CUDA 12.9 and later, Kokkos before 4.7.02 has a wrong layout of views",
        )

    with when("+rocm"):
        depends_on("kokkos +rocm")
        depends_on("hipblas")
        for arch in ROCmPackage.amdgpu_targets:
            depends_on(f"kokkos amdgpu_target={arch}", when=f"amdgpu_target={arch}")
            depends_on(f"rccl@5: amdgpu_target={arch}", when=f"+nccl amdgpu_target={arch}")

    conflicts("%gcc@:10", msg="ddproxy needs C++20; use GCC 11 or later")
    conflicts("%clang@:15", msg="ddproxy needs C++20; use clang 16 or later")
    conflicts("platform=windows", msg="ddproxy uses POSIX and Linux interfaces")

    def cmake_args(self):
        args = [
            self.define_from_variant("DDPROXY_TESTS", "tests"),
            self.define("DDPROXY_NCCL", self.spec.satisfies("+nccl")),
            self.define("Kokkos_ROOT", self.spec["kokkos"].prefix),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("CMAKE_CXX_COMPILER", self["kokkos-nvcc-wrapper"].kokkos_cxx))
        if self.spec.satisfies("+cuda +nccl"):
            args.append(self.define("NCCL_ROOT", self.spec["nccl"].prefix))
        if self.spec.satisfies("+rocm"):
            args.append(self.define("CMAKE_CXX_COMPILER", self.spec["hip"].hipcc))
        return args

    @run_after("install", when="+report")
    def choose_python(self):
        """Lets ddproxy-report run the Python that has h5py and matplotlib, whatever PATH says."""
        python = self.spec["python"].command.path
        filter_file(
            "exec python3",
            f"exec {python}",
            join_path(self.prefix.bin, "ddproxy-report"),
            string=True,
        )

    # The tests below start no launcher and need neither a GPU nor a network. Each takes less than
    # a minute on two cores. bin/ddproxy of a build for GPUs starts only on machines with their
    # driver, so test_twin is skipped on other machines.

    def run(self, program, *arguments, status=0):
        """Runs a program of this package. Returns what it printed."""
        executable = Executable(join_path(self.prefix.bin, program))
        output = executable(
            *map(str, arguments), output=str.split, error=str.split, fail_on_error=False
        )
        print(output)
        code = executable.returncode
        assert code == status, f"{program} exited with {code}, not with {status}"
        return output

    @property
    def share(self):
        return pathlib.Path(self.prefix.share) / "ddproxy"

    def skip_without_driver(self):
        """Skips a test if this build is for GPUs and this machine has no driver for them."""
        for gpus, device in (("+cuda", "/dev/nvidiactl"), ("+rocm", "/dev/kfd")):
            if self.spec.satisfies(gpus) and not os.path.exists(device):
                raise SkipTest(f"bin/ddproxy of a build {gpus} does not start without {device}")

    def test_twin(self):
        """E of a simulated machine agrees with its prediction within 5 %"""
        self.skip_without_driver()
        twin = "gpt2-large-a100x16-slingshot"
        self.run("ddproxy", "run", twin, "-o", "twin.h5", "--json", "twin.json")
        figures = json.loads(pathlib.Path("twin.json").read_text())["fom"]
        assert figures["valid"] == "replay", figures
        if figures["model_error"] is None:
            raise SkipTest("E is too noisy to compare; its message above has the numbers")
        assert figures["model_error"] < 0.05, figures

    def test_predict(self):
        """the prediction of the example is the stored one"""
        example = self.share / "example"
        self.run("ddproxy-model", "predict", example / "twin.toml", "--json", "prediction.json")
        stored = json.loads((example / "prediction.json").read_text())
        predicted = json.loads(pathlib.Path("prediction.json").read_text())
        for key in ("t_compute_s", "t_comm_s", "floor_s"):
            assert math.isclose(predicted[key], stored[key], rel_tol=1e-9), key
        for case, golden in zip(predicted["cases"], stored["cases"], strict=True):
            for key in ("predicted_s", "exposed_s", "tail_s"):
                assert math.isclose(case[key], golden[key], rel_tol=1e-9), (case, golden)

    def test_compare(self):
        """a slower stored run is found, and with the two sides exchanged no slowdown is found"""
        base, slower = (self.share / "example" / name for name in ("base.h5", "slower.h5"))
        assert "unchanged: " in self.run("ddproxy-model", "compare", slower, base)
        assert "slower: " in self.run("ddproxy-model", "compare", base, slower, status=1)

    def test_report(self):
        """the report of a stored run has a page and a plot"""
        if self.spec.satisfies("~report"):
            raise SkipTest("Package must be installed with +report")
        self.run("ddproxy-report", self.share / "example" / "base.h5", "-o", "report")
        page = pathlib.Path("report", "base.html").read_text()
        assert "<svg" in page or "data:image/png" in page, "the page has no plot"
        assert list(pathlib.Path("report").glob("*.png")), "there is no plot beside the page"
