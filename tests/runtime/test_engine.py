"""The engine: its cache of compiled code, and the raw Wasmtime surface under it."""

import gc
import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
import wasmtime

from codemode.runtime import QuickJSRuntime, RunRequest, RuntimeUnavailableError, _engine, _wasm  # pyright: ignore[reportPrivateUsage]  # under test here


async def run_one() -> object:
    async with QuickJSRuntime(max_runs=1) as runtime:
        return (await runtime.run(RunRequest(program="return 1"))).value


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CODEMODE_CACHE_DIR", str(tmp_path))
    return tmp_path / "codemode" / "compiled"


def test_the_compiled_guest_is_kept_in_a_private_folder_and_used_again(cache: Path) -> None:
    for _ in range(2):
        assert anyio.run(run_one) == 1
    (file,) = cache.iterdir()
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("damage", [b"", b"not a module", None], ids=["empty", "junk", "cut"])
def test_a_damaged_cache_file_is_replaced(cache: Path, damage: bytes | None) -> None:
    anyio.run(run_one)
    (file,) = cache.iterdir()
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2] if damage is None else damage)
    assert anyio.run(run_one) == 1
    assert file.read_bytes()[:4] == whole[:4]


@pytest.mark.skipif(os.name != "posix", reason="permissions are posix here")
def test_a_file_that_others_can_write_is_not_trusted(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    anyio.run(run_one)
    (file,) = cache.iterdir()
    file.chmod(0o666)

    def refuse(*_: object) -> None:
        raise AssertionError("deserialised a file that others can write")

    monkeypatch.setattr(wasmtime.Module, "deserialize_file", refuse)
    anyio.run(run_one)


def test_a_cache_that_cannot_be_written_costs_only_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEMODE_CACHE_DIR", "/dev/null/nowhere")
    anyio.run(run_one)


def test_a_missing_guest_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_: object) -> Path:
        return Path("/nowhere")

    monkeypatch.setattr(_engine, "files", missing)
    with pytest.raises(RuntimeUnavailableError, match=r"guest_build\.py"):
        QuickJSRuntime(max_runs=1)


def test_the_guest_imports_nothing_and_exports_three_names() -> None:
    module = wasmtime.Module(wasmtime.Engine(), _engine.guest_bytes())
    assert module.imports == []
    assert [item.name for item in module.exports] == ["memory", "turn", "exchange"]


WAT = """
(module
  (memory (export "memory") 1)
  (func (export "spin") (loop $l (br $l)))
  (func (export "die") unreachable)
  (func (export "deep") (call 2))
  (func (export "outside") (drop (i32.load (i32.const 0x7fffffff))))
  (func (export "fine")))
"""


@pytest.fixture(scope="module")
def small() -> Iterator[tuple[wasmtime.Engine, int, int]]:
    config = wasmtime.Config()
    config.epoch_interruption = True
    _wasm.set_stack(config, 1 << 20)
    _wasm.pool_instances(config, instances=2, keep_bytes=65536)
    engine = wasmtime.Engine(config)
    template = wasmtime.Linker(engine).instantiate_pre(wasmtime.Module(engine, WAT))
    yield engine, _wasm.address_of(engine.ptr()), _wasm.address_of(template.ptr())
    template.close()


def instance(small: tuple[wasmtime.Engine, int, int], turn: int) -> _wasm.Instance:
    _, engine, template = small
    return _wasm.Instance(engine, template, memory_bytes=1 << 20, memory_index=0, turn_index=turn)


def finish(guest: _wasm.Instance) -> None:
    while not guest.poll():
        pass


def test_a_call_yields_at_each_epoch_and_can_be_dropped_while_it_hangs(
    small: tuple[wasmtime.Engine, int, int],
) -> None:
    guest, stop = instance(small, 1), threading.Event()

    def tick() -> None:
        while not stop.wait(0.001):
            _wasm.increment_epoch(small[1])

    ticker = threading.Thread(target=tick)
    ticker.start()
    guest.begin()
    assert [guest.poll() for _ in range(3)] == [False, False, False]
    stop.set()
    ticker.join()
    guest.close()
    guest.close()
    with pytest.raises(ValueError, match="closed"):
        guest.begin()


@pytest.mark.parametrize(
    ("turn", "code"),
    [
        (2, _wasm.TrapCode.UNREACHABLE),
        (3, _wasm.TrapCode.STACK_OVERFLOW),
        (4, _wasm.TrapCode.MEMORY_OUT_OF_BOUNDS),
    ],
)
def test_a_trap_is_an_exception_with_its_code(
    small: tuple[wasmtime.Engine, int, int], turn: int, code: _wasm.TrapCode
) -> None:
    guest = instance(small, turn)
    guest.begin()
    with pytest.raises(_wasm.GuestTrapError) as caught:
        finish(guest)
    assert caught.value.code is code
    guest.close()


def test_a_finished_call_may_be_followed_by_another(
    small: tuple[wasmtime.Engine, int, int],
) -> None:
    guest = instance(small, 5)
    for _ in range(3):
        guest.begin()
        finish(guest)
    assert guest.memory_size() == 65536
    with pytest.raises(ValueError, match="no call"):
        guest.poll()
    guest.close()


def test_a_full_pool_says_so(small: tuple[wasmtime.Engine, int, int]) -> None:
    guests = [instance(small, 5) for _ in range(2)]
    with pytest.raises(_wasm.NoSlotError):
        instance(small, 5)
    for guest in guests:
        guest.close()
    instance(small, 5).close()


def test_a_runtime_that_is_dropped_without_closing_warns_and_does_no_harm() -> None:
    async def use(runtime: QuickJSRuntime) -> object:
        return (await runtime.run(RunRequest(program="return 1"))).value

    for _ in range(5):
        runtimes = [QuickJSRuntime(max_runs=2)]
        assert anyio.run(use, runtimes[0]) == 1
        with pytest.warns(ResourceWarning, match="not closed"):
            runtimes.clear()
    gc.collect()


def test_a_user_without_a_home_has_no_cache_and_a_runtime(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("CODEMODE_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    assert anyio.run(run_one) == 1
