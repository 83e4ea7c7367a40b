"""The run store: what is kept, found, forgotten, and what survives. On SQLite and PostgreSQL alike."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from sqlalchemy import create_engine, text

from codemode.service.store import (
    ApprovalRecord,
    EventRecord,
    RunRecord,
    Store,
    StoreError,
    StoreInUseError,
    StoreUnavailableError,
    StoreVersionError,
    Write,
    new_id,
    open_store,
    open_tokens,
)

pytestmark = pytest.mark.anyio


def run_record(**fields: Any) -> RunRecord:
    record = RunRecord(
        id=new_id("run"),
        owner="ada",
        token="tok",
        state="running",
        error_kind=None,
        title='"title"',
        created_ms=1_000,
        ended_ms=None,
        request='{"program":"return 1"}',
        outcome=None,
        idempotency_key=None,
        request_hash="hash",
        stored_bytes=10,
    )
    return replace(record, **fields)


def event(run_id: str, seq: int, data: str = "{}") -> EventRecord:
    return EventRecord(run_id=run_id, seq=seq, at_ms=1, kind="log", data=data)


def approval(run_id: str, number: int = 1) -> ApprovalRecord:
    return ApprovalRecord(
        id=f"{run_id}:code:{number}:ask:1", run_id=run_id, owner="ada", state="pending", asked_ms=1, data="{}"
    )  # fmt: skip


async def accepted(store: Store, **fields: Any) -> RunRecord:
    record = run_record(**fields)
    assert await store.accept(record) is None
    return record


async def ended(store: Store, ended_ms: int, size: int = 10) -> RunRecord:
    record = await accepted(store)
    record = replace(
        record, state="succeeded", ended_ms=ended_ms, outcome='{"output":""}', stored_bytes=size
    )
    await store.end(record).wait()
    return record


def nothing(write: Write) -> None:
    pass


async def test_a_run_is_found_as_it_was_kept(where: str) -> None:
    async with open_store(where) as store:
        record = await accepted(store)
        assert await store.run(record.id) == record
        over = replace(
            record, state="failed", error_kind="exception", ended_ms=2_000, outcome='{"error":{}}', stored_bytes=99
        )  # fmt: skip
        await store.end(over).wait()
    async with open_store(where) as store:
        assert await store.run(record.id) == over
        assert await store.run("run_x") is None
        assert [each.kind for each in await store.events(record.id)] == ["start"]


async def test_a_key_is_taken_once_for_each_owner(where: str) -> None:
    async with open_store(where) as store:
        first = await accepted(store, idempotency_key="k")
        assert await store.accept(run_record(idempotency_key="k")) == first
        assert await store.accept(run_record(idempotency_key="k", owner="bob")) is None
        assert len(await store.runs(None, limit=10)) == 2


async def test_keys_that_come_at_one_time_are_taken_once(where: str) -> None:
    found: list[RunRecord | None] = []
    async with open_store(where) as store:

        async def accept() -> None:
            found.append(await store.accept(run_record(idempotency_key="k")))

        async with anyio.create_task_group() as tasks:
            for _ in range(20):
                tasks.start_soon(accept)
        (kept,) = await store.runs("ada", limit=10)
        assert found.count(None) == 1
        assert {each.id for each in found if each is not None} == {kept.id}


async def test_events_are_kept_in_order_and_found_behind_a_number(where: str) -> None:
    async with open_store(where) as store:
        record = await accepted(store)
        settled: list[int] = []
        writes = [
            store.append([event(record.id, seq)], lambda write, seq=seq: settled.append(seq))
            for seq in range(1, 50)
        ]
        await writes[-1].wait()
        assert settled == list(range(1, 50))
        assert [each.seq for each in await store.events(record.id, after=10, limit=5)] == [
            11,
            12,
            13,
            14,
            15,
        ]
        assert await store.events("run_x") == []


async def test_odd_texts_come_back_as_they_were(where: str) -> None:
    odd = json.dumps({"text": "\0 \ud800 \u2028 é 'quote' \\ %s :name ?"})
    async with open_store(where) as store:
        record = await accepted(store, request=odd, title=json.dumps("\0\ud800"))
        await store.append([event(record.id, 1, odd)], nothing).wait()
        assert await store.run(record.id) == record
        assert (await store.events(record.id, after=0))[0].data == odd


async def test_a_row_that_the_database_refuses_fails_alone(where: str) -> None:
    async with open_store(where) as store:
        record = await accepted(store)
        writes = [store.append([event(record.id, 0)], nothing)]  # number 0 is taken
        writes += [store.append([event(record.id, seq)], nothing) for seq in range(1, 20)]
        with pytest.raises(StoreUnavailableError):
            await writes[0].wait()
        for write in writes[1:]:
            await write.wait()
        assert [each.seq for each in await store.events(record.id)] == list(range(20))


async def test_runs_are_listed_by_owner_state_and_page(where: str) -> None:
    async with open_store(where) as store:
        mine = [(await accepted(store)).id for _ in range(5)]
        await accepted(store, owner="bob")
        over = await ended(store, 5)
        listed = await store.runs("ada", limit=10)
        assert sorted(run.id for run in listed) == sorted([*mine, over.id])
        assert [run.id for run in listed] == sorted((run.id for run in listed), reverse=True)
        assert [run.id for run in await store.runs("ada", limit=9, state="succeeded")] == [over.id]
        page = await store.runs("ada", limit=3)
        rest = await store.runs("ada", limit=9, before=page[-1].id)
        assert [*page, *rest] == listed


async def test_a_question_takes_one_answer(where: str) -> None:
    async with open_store(where) as store:
        record = await accepted(store)
        question = approval(record.id)
        await store.ask(question).wait()
        assert [each.id for each in await store.approvals("ada", limit=5, state="pending")] == [
            question.id
        ]
        assert await store.decide(question.id, "allowed", "ada").wait() is True
        assert await store.decide(question.id, "denied", "bob").wait() is False
        found = await store.approval(question.id)
        assert found is not None
        assert (found.state, found.decided_by) == ("allowed", "ada")
        assert await store.approvals("bob", limit=5) == []


async def test_what_was_running_when_a_service_ended_is_interrupted(where: str) -> None:
    async with open_store(where) as store:
        going, over = await accepted(store), await ended(store, 5)
        await store.append([event(going.id, 1, '{"text":"seen"}')], nothing).wait()
        await store.ask(approval(going.id)).wait()
    async with open_store(where) as store:
        assert await store.recover() == [going.id]
        found = await store.run(going.id)
        assert found is not None
        assert (found.state, found.error_kind) == ("interrupted", "worker-exit")
        kinds = [(each.seq, each.kind) for each in await store.events(going.id)]
        assert kinds == [(0, "start"), (1, "log"), (2, "result")]
        (question,) = await store.approvals("ada", limit=5)
        assert question.state == "cancelled"
        assert await store.run(over.id) == over
        assert await store.recover() == []


async def test_old_runs_are_forgotten_with_all_of_theirs(where: str) -> None:
    async with open_store(where) as store:
        old, new, going = await ended(store, 100), await ended(store, 300), await accepted(store)
        await store.ask(approval(old.id)).wait()
        assert await store.prune(ended_before_ms=200, most_bytes=None) == 1
        assert await store.prune(ended_before_ms=200, most_bytes=None) == 0
        assert {run.id for run in await store.runs(None, limit=9)} == {new.id, going.id}
        assert await store.events(old.id) == []
        assert await store.approvals(None, limit=5) == []


async def test_the_oldest_are_forgotten_while_all_take_too_much(where: str) -> None:
    async with open_store(where) as store:
        runs = [await ended(store, number, size=100) for number in range(10)]
        assert await store.prune(ended_before_ms=None, most_bytes=350) == 7
        assert {run.id for run in await store.runs(None, limit=20)} == {run.id for run in runs[7:]}


async def test_one_service_at_a_time_has_a_store(where: str) -> None:
    async with open_store(where):
        with pytest.raises(StoreInUseError, match="is used by another codemode serve"):
            async with open_store(where):
                pass
        with open_tokens(where) as tokens:  # what people do beside it
            tokens.new("ada", grants="{}")
    async with open_store(where) as store:
        assert [token.name for token in await store.tokens()] == ["ada"]


async def test_a_connection_that_is_lost_is_taken_again_and_with_it_the_store(where: str) -> None:
    if "://" not in where:
        pytest.skip("SQLite has no connection to lose")
    other = create_engine(where.replace("postgresql://", "postgresql+psycopg://"))
    async with open_store(where) as store:
        record = await accepted(store)
        with other.begin() as connection:
            connection.execute(
                text(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'codemode'"
                )
            )
        await store.append([event(record.id, 1)], nothing).wait()
        assert len(await store.events(record.id)) == 2
        with pytest.raises(StoreInUseError):
            async with open_store(where):
                pass
    other.dispose()


async def test_a_store_of_a_newer_codemode_is_left_alone(where: str) -> None:
    with open_tokens(where):
        pass
    url = (
        where.replace("postgresql://", "postgresql+psycopg://")
        if "://" in where
        else f"sqlite:///{where}"
    )
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    engine.dispose()
    with pytest.raises(StoreVersionError, match="made by a newer codemode"), open_tokens(where):
        pass


async def test_a_closed_store_says_so(where: str) -> None:
    async with open_store(where) as store:
        pass
    with pytest.raises(StoreUnavailableError, match="closed"):
        await store.accept(run_record())


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ("mysql://x/y", "a store is a file"),
        ("://", "is not a URL"),
        ("sqlite://", "a store is a file"),
        ("/dev/null/x/runs.sqlite", "Not a directory"),
        ("postgresql://nobody@127.0.0.1:1/none", "127.0.0.1"),
    ],
)
async def test_a_store_that_cannot_be_had_says_why(where: str, says: str) -> None:
    with pytest.raises(StoreUnavailableError, match=says):
        async with open_store(where):
            pass


async def test_a_file_that_is_no_store_is_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("not a database, and longer than a header of one would be\n" * 20)
    before = file.read_bytes()
    with pytest.raises(StoreUnavailableError, match="not a database"):
        async with open_store(str(file)):
            pass
    assert file.read_bytes() == before


async def test_passwords_of_a_url_are_shown_nowhere() -> None:
    with pytest.raises(StoreUnavailableError) as raised:
        async with open_store("postgresql://ada:hunter2@127.0.0.1:1/none"):
            pass
    assert "hunter2" not in str(raised.value)


async def test_tokens_are_made_found_and_revoked(where: str) -> None:
    with open_tokens(where) as tokens:
        ada, secret = tokens.new("ada", grants='{"maxRuns":1}')
        bob, _ = tokens.new("bob", grants="{}", owner="team", expires_ms=5)
        assert (ada.owner, bob.owner) == (ada.id, "team")
        assert tokens.all() == [ada, bob] or tokens.all() == [bob, ada]
        assert secret not in repr(tokens.all())
        assert (ada.is_valid(10), bob.is_valid(4), bob.is_valid(5)) == (True, True, False)
        assert [each.id for each in tokens.revoke("ada")] == [ada.id]
        with pytest.raises(StoreError, match="no token 'ada' that is not revoked"):
            tokens.revoke("ada")


def test_ids_sort_by_time_and_do_not_repeat() -> None:
    ids = [new_id("run") for _ in range(1_000)]
    assert len(set(ids)) == 1_000
    assert [each[:14] for each in ids] == sorted(each[:14] for each in ids)
