"""A nested call is a call: gated, wrapped, judged and logged like a direct one, also beside others.

One table of rows (``conformance_gate.py``, ``conformance_ends.py``, ``conformance_aborts.py``), each made three ways.
"""

from typing import get_args

import pytest

from codemode.registry import ApprovalOutcome, PostToolDecision, PreToolDecision, ToolError, errors
from codemode.registry._listening import Stage
from codemode.runtime import QuickJSRuntime

from .conformance import BODY, MODES, Mode, Row, World, expected
from .conformance_aborts import ABORTS
from .conformance_ends import ENDS
from .conformance_gate import GATE

TABLE: dict[str, Row] = {**GATE, **ENDS, **ABORTS}


@pytest.mark.anyio
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", TABLE)
async def test_a_call_ends_alike_however_it_is_made(
    runtime: QuickJSRuntime,
    name: str,
    mode: Mode,
) -> None:
    row = TABLE[name]
    world = World(row, mode, runtime)
    assert await world.run() == expected(row)
    if mode == "overlapping" and not row.is_gone:
        assert world.beside_when_begun == 1, "another call's body was to run beside this one"


def test_the_parts_of_the_table_have_no_name_in_common() -> None:
    assert len(TABLE) == len(GATE) + len(ENDS) + len(ABORTS)


def test_every_decision_has_a_row() -> None:
    known = {kind.__name__ for kind in (*get_args(PreToolDecision), *get_args(PostToolDecision))}
    assert {name for row in TABLE.values() for name in row.decides} == known


def test_every_outcome_of_an_approval_has_a_row() -> None:
    seen = {outcome for row in TABLE.values() for _, outcome in row.audit}
    assert seen == set(get_args(ApprovalOutcome))


def test_every_stage_has_a_row_that_is_about_it_and_one_that_ends_before_it() -> None:
    stages = {*get_args(Stage), BODY}
    assert stages <= {row.by for row in TABLE.values()}
    assert stages == {stage for row in TABLE.values() for stage in row.stages}
    skipped = {stage for stage in stages for row in TABLE.values() if stage not in row.stages}
    assert skipped == stages - {"tools/result"}  # every call has a result


def test_every_code_that_a_call_can_end_with_has_a_row() -> None:
    classes = {
        kind
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, ToolError)
    }
    classes.remove(errors.LogFailedError)  # what the log has, not the call (test_bypasses.py)
    codes = {kind.code for kind in classes} | {"ABORTED_BEFORE_DISPATCH"}
    assert codes <= {row.code for row in TABLE.values()}
