"""Builds ``guest.wasm``: fetch QuickJS-ng, compile with zig, pre-initialise, keep in the user's cache.

The product depends on its inputs only (the files of this folder and the pins), so the same inputs are
built once per user and two builds give the same bytes. Run by the package's build step
(guest_backend.py), or by hand: ``python wasm/guest_build.py [--force]``.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PRODUCT = HERE.parent / "runtime" / "guest.wasm"
PINS: dict[str, Any] = json.loads((HERE / "pins.json").read_text())
SDIST_VARIABLE = "CODEMODE_QUICKJS_SDIST"

# The shadow stack. The engine stops the program's recursion somewhat earlier (guest.c), and the host
# gives WebAssembly's own stack many times as much, so the program meets a RangeError, not a trap.
STACK_BYTES = 2 << 20
TARGET = ("-target", "wasm32-wasi", "-mexec-model=reactor")
FLAGS = (
    *TARGET,
    "-O3",
    "-flto",  # our code and the engine's in one: 3 to 5 % on loops and text
    "-g0",
    "-DNDEBUG",
    "-D_GNU_SOURCE",
    "-std=gnu23",
    "-fno-strict-aliasing",
    "-ffile-prefix-map={root}=.",
    "-I{sources}",
    "-I{here}",
)
# Their code is theirs to lint; ours is held to every warning.
THEIR_FLAGS = ("-w",)
OUR_FLAGS = ("-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter")
LINK_FLAGS = (*TARGET, f"-Wl,-z,stack-size={STACK_BYTES}", "-Wl,--strip-all", "-Wl,--gc-sections")
ENGINE_SOURCES = ("libregexp.c", "libunicode.c", "dtoa.c")


class GuestBuildError(Exception):
    """The guest could not be built; the message says what to do."""


def requirements() -> list[str]:
    """What a build needs installed, as requirement specifiers; nothing if the cache has the guest."""
    if cached_guest().exists():
        return []
    return [f"ziglang=={PINS['ziglang']}", f"wasmtime=={PINS['wasmtime']}", "pip>=23.1"]


def cache_folder() -> Path:
    root = os.environ.get("CODEMODE_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    return Path(root) / "codemode" if root else Path.home() / ".cache" / "codemode"


def input_files() -> list[Path]:
    kinds = {".c", ".h", ".js", ".json", ".py"}
    return sorted(
        path
        for path in HERE.rglob("*")
        if path.suffix in kinds and "tests" not in path.relative_to(HERE).parts
    )


def input_digest() -> str:
    digest = hashlib.sha256()
    for path in input_files():
        digest.update(path.relative_to(HERE).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def cached_guest() -> Path:
    return cache_folder() / "guest" / f"{input_digest()[:32]}.wasm"


def run(command: Sequence[str], what: str, advice: str, **environment: str) -> None:
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )
    if done.returncode:
        tail = "\n".join(done.stdout.splitlines()[-30:])
        raise GuestBuildError(f"{what} failed.\n{tail}\n{advice}")


def download_sdist(folder: Path) -> Path:
    """Has pip fetch the pinned source distribution from the index it is configured for."""
    pin = PINS["quickjs"]
    name, version = pin["distribution"], pin["version"]
    wanted = folder / "requirements.txt"
    wanted.write_text(f"{name}=={version} --hash=sha256:{pin['sdist_sha256']}\n")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--no-binary", name, "--require-hashes", "-r", str(wanted)]
    run(
        [*command, "-d", str(folder)],
        f"Fetching the sources of {name} {version}",
        "pip fetches them from the package index it is configured for: check the network and pip's "
        "index settings. Without an index, download that source distribution elsewhere and set "
        f"{SDIST_VARIABLE} to its path.",
    )
    archives = list(folder.glob("*.tar.gz"))
    if len(archives) != 1:
        raise GuestBuildError(f"pip did not deliver one source archive of {name}.")
    return archives[0]


def fetch_sdist(folder: Path) -> Path:
    """The pinned source distribution of quickjs-ng: given, cached or downloaded; its hash checked."""
    wanted = PINS["quickjs"]["sdist_sha256"]
    cached = cache_folder() / "sdist" / f"{wanted}.tar.gz"
    given = os.environ.get(SDIST_VARIABLE)
    if given and not Path(given).is_file():
        raise GuestBuildError(f"{SDIST_VARIABLE} names {given}, which is not a file.")
    if given:
        found = Path(given)
    else:
        found = cached if cached.exists() else download_sdist(folder)
    data = found.read_bytes()
    actual = hashlib.sha256(data).hexdigest()
    if actual != wanted:
        raise GuestBuildError(
            f"{found} has the SHA-256 {actual}, not the pinned {wanted}. It is not the release that "
            "this project was checked with: delete it and do not use it."
        )
    if found != cached:
        write_atomically(cached, data)
    return found


def unpack_sources(sdist: Path, folder: Path) -> Path:
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    found = list(folder.glob(f"*/{PINS['quickjs']['sources']}"))
    if len(found) != 1:
        raise GuestBuildError(f"{sdist.name} has no folder {PINS['quickjs']['sources']}.")
    return found[0]


def check_tools() -> None:
    for module in ("ziglang", "wasmtime"):
        done = subprocess.run(
            [sys.executable, "-c", f"import {module}"], capture_output=True, check=False
        )
        if done.returncode:
            raise GuestBuildError(
                f"The build needs {module} {PINS[module]}: pip install {module}=={PINS[module]}"
            )


def compile_guest(sources: Path, work: Path) -> Path:
    zig = [sys.executable, "-m", "ziglang", "cc"]
    flags = [flag.format(root=HERE.parent, sources=sources, here=HERE) for flag in FLAGS]
    environment = {
        "ZIG_GLOBAL_CACHE_DIR": str(cache_folder() / "zig"),
        "ZIG_LOCAL_CACHE_DIR": str(work / "zig"),
    }

    def compile_one(source: Path, extra: Sequence[str]) -> str:
        product = work / f"{source.parent.name}-{source.stem}.o"
        run(
            [*zig, *flags, *extra, "-c", str(source), "-o", str(product)],
            f"Compiling {source.name}",
            f"The guest is built with ziglang {PINS['ziglang']}; another version may not do.",
            **environment,
        )
        return str(product)

    ours = [path for path in input_files() if path.suffix == ".c"]
    jobs = [(sources / name, THEIR_FLAGS) for name in ENGINE_SOURCES]
    jobs += [(path, THEIR_FLAGS if path.name == "engine.c" else OUR_FLAGS) for path in ours]
    jobs.sort(key=lambda job: job[0].name != "engine.c")  # the longest first
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = sorted(pool.map(lambda job: compile_one(*job), jobs))
    linked = work / "linked.wasm"
    run(
        [*zig, *LINK_FLAGS, *objects, "-o", str(linked)],
        "Linking the guest",
        f"The guest is built with ziglang {PINS['ziglang']}; another version may not do.",
        **environment,
    )
    return linked


def build() -> bytes:
    """Builds the guest from its sources. Takes about half a minute of CPU.

    Raises:
        GuestBuildError: a download, a hash, a compile or the pre-initialisation failed.
    """
    check_tools()
    sys.path.insert(0, str(HERE))
    import snapshot  # needs wasmtime, which only a real build has

    with tempfile.TemporaryDirectory(prefix="codemode-guest-") as name:
        work = Path(name)
        sources = unpack_sources(fetch_sdist(work), work)
        linked = compile_guest(sources, work)
        try:
            return snapshot.snapshot(linked.read_bytes())
        except snapshot.SnapshotError as error:
            raise GuestBuildError(f"Pre-initialising the guest failed: {error}") from error


def write_atomically(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(data)
    Path(file.name).chmod(0o644)
    Path(file.name).replace(path)


def ensure(*, force: bool = False) -> Path:
    """Puts the guest beside the runtime, from the cache if its inputs are unchanged."""
    cached = cached_guest()
    if force or not cached.exists():
        write_atomically(cached, build())
    if not PRODUCT.exists() or PRODUCT.read_bytes() != cached.read_bytes():
        temporary = PRODUCT.with_suffix(".tmp")
        shutil.copyfile(cached, temporary)
        temporary.replace(PRODUCT)
    return PRODUCT


def main() -> int:
    parser = argparse.ArgumentParser(description="Build runtime/guest.wasm.")
    parser.add_argument("--force", action="store_true", help="build also what the cache has")
    arguments = parser.parse_args()
    try:
        product = ensure(force=arguments.force)
    except GuestBuildError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    digest = hashlib.sha256(product.read_bytes()).hexdigest()
    sys.stdout.write(f"{product.name}: {product.stat().st_size} bytes, sha256 {digest}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
