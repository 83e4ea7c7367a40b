"""``/v1/tools`` and ``/v1/sdk``: what a token's programs can call."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import PlainTextResponse, Response

from ...registry import RUN_CODE_NAME
from ...registry.json_text import compact_text
from ...sdkgen import Detail
from ..runs import RunService
from ._guard import caller_of
from ._models import ToolList
from ._responses import ERRORS, as_json, json_response

if TYPE_CHECKING:
    from ...runtime import JsonValue


def router_of(service: RunService) -> APIRouter:
    """The endpoints."""
    router = APIRouter(prefix="/v1", tags=["tools"])

    @router.get("/tools", response_model=ToolList, summary="List tools", responses=ERRORS)
    async def tools(request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        """The tools that this token sees, with their schemas, and the modes in which it may run them."""
        caller = caller_of(request)
        listed: list[JsonValue] = []
        for tool in service.scope(caller).visible():
            if tool.name == RUN_CODE_NAME:
                continue
            each: dict[str, JsonValue] = {
                "name": tool.name,
                "description": tool.description,
                "parameters": dict(tool.parameters),
            }
            if tool.output is not None:
                each["output"] = dict(tool.output)
            listed.append(each)
        modes: list[JsonValue] = [*sorted(service.modes(caller))]
        return json_response(compact_text({"modes": modes, "tools": listed}))

    @router.get(
        "/sdk",
        response_class=PlainTextResponse,
        summary="Read the SDK text",
        responses={
            200: {
                "description": "Instructions and TypeScript declarations, for a system prompt",
                "content": {"text/plain": {"schema": {"type": "string"}}},
            },
            **as_json(ERRORS),
        },
    )
    async def sdk(  # pyright: ignore[reportUnusedFunction]
        request: Request,
        detail: Detail | None = None,
        max_tokens: Annotated[int | None, Query(alias="maxTokens", ge=1)] = None,
    ) -> Response:
        """What a model is told of the tools: ``tools:sdk``, the same bytes for the same tools."""
        scope = service.scope(caller_of(request))
        own = scope.code_mode
        wanted = replace(
            own,
            sdk_detail=detail or own.sdk_detail,
            sdk_max_tokens=max_tokens or own.sdk_max_tokens,
        )
        text = service.registry.sdk_text(scope, code_mode=wanted)
        return PlainTextResponse(text.encode("utf-8", "replace"))

    return router
