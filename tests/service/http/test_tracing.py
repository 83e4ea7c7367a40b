"""Spans of runs: run, sub-call, stage; under the right parents, also when calls overlap."""

from pathlib import Path
from typing import Any

import anyio
import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from codemode.registry import ToolRegistry
from codemode.service.runs import ServiceOptions
from codemode.service.tracing import RemoteParent, trace_calls

from .kit import served, shop

pytestmark = pytest.mark.anyio


class Spans:
    """What a registry's tracing made."""

    def __init__(self, registry: ToolRegistry) -> None:
        self._exporter = InMemorySpanExporter()
        self.provider = TracerProvider()
        self.provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        self.tracing = trace_calls(registry, self.provider.get_tracer("test"))

    def all(self) -> list[ReadableSpan]:
        return list(self._exporter.get_finished_spans())

    def tree(self) -> Any:
        """Names, each with what is below it, in the order of their begin."""
        spans = sorted(self.all(), key=lambda span: span.start_time or 0)

        def below(parent: int | None) -> list[Any]:
            return [
                (span.name, below(span.context.span_id))
                for span in spans
                if (None if span.parent is None else span.parent.span_id) == parent
                and span.context is not None
            ]

        return below(None)


STAGES: list[Any] = [("pre-execute", []), ("execute", []), ("post-execute", [])]


async def test_a_run_has_its_calls_and_they_their_stages_below_it(tmp_path: Path) -> None:
    made = shop()
    spans = Spans(made[0])
    async with served(tmp_path, made=made) as service, service.client() as client:
        run = await client.run("await tools.add({ a: 1, b: 2 }); return await tools.secret()")
    ((name, stages),) = spans.tree()
    assert name == "codemode.run"
    assert [stage for stage, _ in stages[:2]] == ["pre-execute", "execute"]
    calls = [each for each in stages if each[0].startswith("codemode.call")]
    assert calls == [("codemode.call add", STAGES), ("codemode.call secret", STAGES)]
    named = [span for span in spans.all() if span.name.startswith("codemode.")]
    assert [(span.attributes or {})["codemode.run.id"] for span in named] == [run["id"]] * 3


async def test_calls_that_overlap_have_their_own_parents(tmp_path: Path) -> None:
    registry, gate = shop(max_parallel_sub_calls=4)
    spans = Spans(registry)
    inside = 0
    together = anyio.Event()

    @registry.tool(concurrency_safe=True)
    async def slow(name: str) -> str:  # pyright: ignore[reportUnusedFunction]
        nonlocal inside
        with spans.provider.get_tracer("library").start_as_current_span(f"inside {name}"):
            inside += 1
            if inside == 3:
                together.set()
            await together.wait()
        return name

    async with served(tmp_path, made=(registry, gate)) as service, service.client() as client:
        program = "return await Promise.all(['a', 'b', 'c'].map((name) => tools.slow({ name })))"
        assert (await client.run(program))["result"] == ["a", "b", "c"]
    by_id = {span.context.span_id: span for span in spans.all() if span.context is not None}
    for span in spans.all():
        if span.name.startswith("inside"):
            assert span.parent is not None
            stage = by_id[span.parent.span_id]
            assert (stage.name, stage.parent is not None) == ("execute", True)
    calls = [span for span in spans.all() if span.name == "codemode.call slow"]
    executes = {
        span.parent.span_id for span in spans.all() if span.name == "execute" and span.parent
    }
    assert len(calls) == 3
    assert {span.context.span_id for span in calls if span.context} <= executes


async def test_a_question_is_a_span_and_a_failure_a_status(tmp_path: Path) -> None:
    made = shop()
    spans = Spans(made[0])
    options = ServiceOptions(observe_log=spans.tracing.logged)
    async with served(tmp_path, options, made=made) as service, service.client() as client:
        run_id = await client.begin("await tools.send({ to: 'ada' })")
        question = await client.question()
        await client.post(f"/v1/approvals/{question['id']}", json={"decision": "deny"})
        await client.settled(run_id)
    named = {span.name: span for span in spans.all()}
    call = named["codemode.call send"]
    assert named["approval"].parent == call.context
    assert (named["approval"].attributes or {})["codemode.outcome"] == "rejected"
    assert (call.attributes or {})["error.type"] == "DENIED"
    assert (named["codemode.run"].attributes or {})["error.type"] == "CODE_RUN_FAILED"
    assert "ada" not in repr([(span.name, dict(span.attributes or {})) for span in spans.all()])


async def test_what_an_abort_leaves_ends_with_the_run(tmp_path: Path) -> None:
    made = shop()
    spans = Spans(made[0])
    async with served(tmp_path, made=made) as service, service.client() as client:
        run_id = await client.begin("await tools.hold()")
        await service.gate.entered.wait()
        await client.delete(f"/v1/runs/{run_id}")
    assert {span.name for span in spans.all()} >= {"codemode.run", "codemode.call hold"}
    assert not spans.tracing._runs  # pyright: ignore[reportPrivateUsage]


async def test_the_span_that_a_request_names_is_the_parent_of_its_run(tmp_path: Path) -> None:
    made = shop()
    spans = Spans(made[0])
    trace_id, span_id = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
    async with (
        served(tmp_path, made=made, around=RemoteParent) as service,
        service.client() as client,
    ):
        await client.run("return 1", {"traceparent": f"00-{trace_id}-{span_id}-01"})
    (run,) = [span for span in spans.all() if span.name == "codemode.run"]
    assert run.parent is not None
    assert (f"{run.parent.trace_id:032x}", f"{run.parent.span_id:016x}") == (trace_id, span_id)


async def test_without_tracing_nothing_listens(tmp_path: Path) -> None:
    made = shop()
    async with served(tmp_path, made=made) as service, service.client() as client:
        await client.run("return 1")
        names = {
            each.name
            for stage in (
                "tools/pre-execute",
                "tools/execute",
                "tools/post-execute",
                "tools/result",
            )
            for each in service.registry.listeners(stage)
        }
    assert "tracing" not in names
