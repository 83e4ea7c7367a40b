"""The pinned engines are outside the advisories that were reviewed.

Reviewed 2026-11-30. Add a line for each new advisory of Wasmtime or QuickJS-ng that concerns running
untrusted code on the targets we serve; the test then says whether the pin must move.
"""

import json
from pathlib import Path

import pytest
import wasmtime

from codemode.runtime import _engine  # pyright: ignore[reportPrivateUsage]

PINS = json.loads((Path(__file__).parents[1] / "wasm" / "pins.json").read_text())

# (advisory, first version with the fix on the line that PyPI serves)
WASMTIME = [
    ("CVE-2026-24116", (49, 0, 4)),
    ("CVE-2026-34971", (49, 0, 4)),
    ("CVE-2026-34987", (49, 0, 4)),
    ("CVE-2026-115889", (50, 0, 1)),
    ("CVE-2026-115893", (50, 0, 1)),
    ("RUSTSEC-2026-0570", (50, 0, 1)),
]
QUICKJS = [("typed array fixes of early 2026", (0, 12, 0))]


def parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


@pytest.mark.parametrize(("advisory", "fixed"), WASMTIME)
def test_the_pinned_wasmtime_has_the_fix(advisory: str, fixed: tuple[int, ...]) -> None:
    assert parts(PINS["wasmtime"]) >= fixed, advisory


@pytest.mark.parametrize(("advisory", "fixed"), QUICKJS)
def test_the_pinned_engine_has_the_fix(advisory: str, fixed: tuple[int, ...]) -> None:
    assert parts(PINS["quickjs"]["engine"]) >= fixed, advisory


@pytest.mark.parametrize(
    "wat",
    [
        "(module (memory 1 1 shared))",
        "(module (memory i64 1))",
        "(module (func (result v128) (f32x4.relaxed_madd (v128.const i64x2 0 0) (v128.const i64x2 0 0) (v128.const i64x2 0 0))))",
    ],
    ids=["threads", "memory64", "relaxed SIMD"],
)
def test_proposals_that_the_guest_does_not_use_are_off(wat: str) -> None:
    engine = wasmtime.Engine(_engine._config(1))  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(wasmtime.WasmtimeError):
        wasmtime.Module(engine, wat)
