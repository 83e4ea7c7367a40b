"""The server: a client's calls become calls of the registry, each in a scope of its own."""

import itertools
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server

from ...registry import (
    RUN_CODE_NAME,
    ApprovalOutcome,
    ApprovalQuestion,
    Approver,
    ContentBlock,
    ImageBlock,
    OtherBlock,
    TextBlock,
    ToolExecution,
    ToolExecutionResult,
    ToolRegistry,
    ToolScope,
    content_text,
)
from ...registry.discovery import Discovery
from ...runtime import BindingError, JsonValue
from ._held import Context, HeldRuns
from ._hub import ProgressHub
from ._progress import progress_of
from ._questions import form_of, outcome_of
from ._sendable import sendable, valid_text
from ._tools import DESCRIBE_NAME, SEARCH_NAME, discovery_tools, run_code_tool

PREFACE: Final = (
    "This server runs TypeScript programs against the tools below: write one program for run_code "
    "instead of many calls.\n\n"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """``instructions_tokens`` bounds the tools' text in the instructions. ``discovery`` also offers
    ``search_tools`` and ``describe_tool`` as tools of their own."""

    name: str = "codemode"
    version: str = ""
    instructions_tokens: int = 8_000
    discovery: bool = False


def make_server(
    registry: ToolRegistry,
    options: ServerOptions | None = None,
    *,
    progress: ProgressHub | None = None,
) -> Server[Any]:
    """An MCP server over a registry whose mode has ``run_code``. Serve it with ``serve_stdio`` or
    ``http_app``.

    Each call has a scope below the registry: the person behind the client answers its questions, where
    the client can ask them, and what the program prints is sent as progress, where the client asked for it;
    so is what ``progress`` hears of the servers behind its calls.
    """
    options = options or ServerOptions()
    handler = _Handler(registry, options, progress or ProgressHub())
    return _LiveServer(
        options.name,
        version=options.version,
        instructions=lambda: instructions(registry, options),
        lifespan=_lifespan,
        on_list_tools=handler.list_tools,
        on_call_tool=handler.call_tool,
    )


def instructions(registry: ToolRegistry, options: ServerOptions) -> str:
    """The tools, as richly as the budget allows."""
    own = registry.code_mode
    budget = min(options.instructions_tokens, own.sdk_max_tokens or options.instructions_tokens)
    return PREFACE + registry.sdk_text(code_mode=replace(own, sdk_max_tokens=budget))


@asynccontextmanager
async def _lifespan(server: Server[Any]) -> AsyncGenerator[dict[str, Any]]:
    async with anyio.create_task_group() as tasks:
        yield {"held": HeldRuns(tasks)}
        tasks.cancel_scope.cancel()


class _LiveServer(Server[Any]):
    """Its instructions are made for each client that connects: tools come and go."""

    def __init__(self, name: str, *, instructions: Callable[[], str], **options: Any) -> None:
        self._make_instructions = instructions
        super().__init__(name, **options)

    @property
    def instructions(self) -> str | None:
        return self._make_instructions()

    @instructions.setter
    def instructions(self, value: str | None) -> None:  # what the SDK's constructor sets
        pass


class _Handler:
    def __init__(
        self, registry: ToolRegistry, options: ServerOptions, progress: ProgressHub
    ) -> None:
        self._registry = registry
        self._options = options
        self._progress = progress
        self._numbers = itertools.count(1)

    async def list_tools(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        tools = [run_code_tool(self._registry)]
        if self._options.discovery:
            tools += discovery_tools()
        return types.ListToolsResult(tools=tools)

    async def call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        if self._options.discovery and params.name in (SEARCH_NAME, DESCRIBE_NAME):
            return await _discover(self._registry, params.name, dict(params.arguments or {}))
        if params.name != RUN_CODE_NAME:
            return _error(f'unknown tool "{params.name}": this server has {RUN_CODE_NAME}')
        session = context.session
        can_ask = _can_ask(context)
        if session.can_send_request:
            approver = partial(_elicit, context) if can_ask else None
            return await self._run(params, approver, lambda: context)
        held: HeldRuns = context.lifespan_context["held"]
        request = json.dumps([params.name, params.arguments, can_ask], sort_keys=True)
        if params.request_state is not None:
            return await held.go_on(context, request, params.request_state, params.input_responses)
        return await held.begin(
            context,
            request,
            lambda run: self._run(params, run.approve if can_ask else None, lambda: run.context),
        )

    async def _run(
        self,
        params: types.CallToolRequestParams,
        approver: Approver | None,
        context: Callable[[], Context | None],
    ) -> types.CallToolResult:
        number = next(self._numbers)
        arguments: dict[str, Any] = dict(params.arguments or {})
        with self._registry.scope(f"mcp call {number}", approver=approver) as scope:
            call_id = f"mcp-{number}"
            async with progress_of(context) as show:
                scope.on_run_log(lambda exec, entry: show(entry.text))
                with self._progress.listening(call_id, show):
                    result = await self._registry.execute(
                        ToolExecution(
                            call_id=call_id, name=RUN_CODE_NAME, arguments=arguments, scope=scope
                        )
                    )
        return _to_mcp(result)


def _can_ask(context: Context) -> bool:
    """Whether the client shows forms: it says so, or says nothing of the ways that it has."""
    capabilities = context.session.client_capabilities
    ways = None if capabilities is None else capabilities.elicitation
    return ways is not None and (ways.form is not None or ways.url is None)


async def _elicit(context: Context, question: ApprovalQuestion) -> ApprovalOutcome:
    form = form_of(question)
    answer = await context.session.elicit_form(
        form.message, form.requested_schema, related_request_id=context.request_id
    )
    return outcome_of(answer)


async def _discover(scope: ToolScope, name: str, arguments: dict[str, Any]) -> types.CallToolResult:
    discovery = Discovery(scope)
    try:
        if name == SEARCH_NAME:
            given = [arguments.get("query"), {"limit": arguments.get("limit", 10)}]
            found = await discovery.search(given)
            assert isinstance(found, list)
            lines = [
                f"{each['name']}: {each['description']}" for each in found if isinstance(each, dict)
            ]
            return _text("\n".join(lines) or "no tool has these words")
        return _text(str(await discovery.describe([arguments.get("name")])))
    except BindingError as error:
        return _error(error.message)


def _text(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=text)])


def _error(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=text)], is_error=True)


def _to_mcp(result: ToolExecutionResult) -> types.CallToolResult:
    content = [_block(block) for block in (*result.content, *result.additional_context)]
    if result.is_error:
        return types.CallToolResult(content=content, is_error=True)
    # the declared output schema holds for every success, also one whose content a policy replaced
    value: JsonValue = result.value
    if not result.has_value:
        value = {"logs": [content_text(result.content)]}
    return types.CallToolResult(content=content, structured_content=sendable(value))


def _block(block: ContentBlock) -> types.ContentBlock:
    if isinstance(block, TextBlock):
        return types.TextContent(text=valid_text(block.text))
    if isinstance(block, ImageBlock):
        return types.ImageContent(data=block.data, mime_type=block.mime_type)
    assert isinstance(block, OtherBlock)
    return types.TextContent(text=f"[{block.kind} content]")
