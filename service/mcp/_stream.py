"""What comes from a transport, before the SDK's session sees it.

- Notifications that nobody here listens to are dropped: the session would start a task for each, and a
  server may send any number.
- Requests are answered here, within limits.
- ``list_changed`` and the end of the stream are told at once.
- A message that the transport could not read is read again, patiently: half characters, deep nesting, a missing
  ``jsonrpc``. What is still no answer, and names the request it is about, rejects that request; else
  the request would wait for its timeout.
"""

import json
import re
from types import TracebackType
from typing import Final, Self, cast

import anyio
from mcp.client._transport import ReadStream
from mcp.shared.message import SessionMessage
from mcp_types import (
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)
from pydantic import ValidationError

from ...runtime import JsonValue
from ._answers import Answers
from ._lines import CUT

Item = SessionMessage | Exception
NOT_AN_ANSWER: Final = object()
"""``ErrorData.data`` of an error that this module made of an answer that is none."""

_PROGRESS: Final = "notifications/progress"
_ID: Final = re.compile(r'"id"\s*:\s*(\d{1,15})\s*[,}]')
_SEARCHED: Final = 400
_KINDS: Final[dict[type[object], str]] = {
    str: "a text",
    list: "a list",
    bool: "true or false",
    type(None): "null",
}


def _nothing() -> None:
    pass


class CheckedStream:
    """A transport's read stream; the session reads from this one."""

    def __init__(self, inner: ReadStream[Item], answers: Answers) -> None:
        self._inner = inner
        self._answers = answers
        self.on_list_changed = _nothing
        self.on_end = _nothing
        self.on_flood = _nothing
        self.fault = ""
        """The last line that was no message, and about no request."""

    def end(self) -> None:
        """Nothing that comes is of use any more."""
        self.on_end()

    async def receive(self) -> Item:
        while True:
            try:
                item: Item | None = await self._inner.receive()
            except (anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError):
                self.end()
                raise
            if isinstance(item, Exception):
                item = self._mended(item)
                if item is None:
                    continue
            message = item.message
            if isinstance(message, JSONRPCRequest):
                if not await self._answers.take(message):
                    self.on_flood()
                    self.end()
                    raise anyio.EndOfStream
                continue
            if not isinstance(message, JSONRPCNotification) or message.method == _PROGRESS:
                return item
            if message.method == "notifications/tools/list_changed":
                self.on_list_changed()

    def _mended(self, error: Exception) -> SessionMessage | None:
        if not isinstance(error, ValidationError):
            self.fault = type(error).__name__
            return None
        message = reread(error)
        if message is None:
            self.fault = "a line that is not JSON-RPC"
            return None
        return SessionMessage(message)

    async def aclose(self) -> None:
        await self._inner.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Item:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> bool | None:
        return await self._inner.__aexit__(exc_type, exc_val, exc_tb)


def reread(error: ValidationError) -> JSONRPCResponse | JSONRPCError | None:
    """The answer that a message was meant to be, or an error about it."""
    text = ""
    for detail in error.errors(include_url=False, include_context=False):
        given: object = detail["input"]
        if isinstance(given, dict) and len(detail["loc"]) <= 2:
            return _answer(cast("dict[str, JsonValue]", given))
        if detail["type"] == "json_invalid" and isinstance(given, str | bytes):
            text = given if isinstance(given, str) else given.decode("utf-8", "replace")
    if not text.lstrip().startswith("{"):
        return None
    try:
        read: object = json.loads(text)
    except (ValueError, RecursionError):
        found = _ID.search(text[:_SEARCHED]) if '"jsonrpc"' in text[:_SEARCHED] else None
        what = (
            "an answer of more than 32 MiB" if text.endswith(CUT) else "an answer that is not JSON"
        )
        return None if found is None else _fault(int(found[1]), what)
    return _answer(cast("dict[str, JsonValue]", read)) if isinstance(read, dict) else None


def _answer(message: dict[str, JsonValue]) -> JSONRPCResponse | JSONRPCError | None:
    request = message.get("id")
    if isinstance(request, bool) or not isinstance(request, int | str) or "method" in message:
        return None
    if "result" in message:
        result = message["result"]
        if isinstance(result, dict):
            return JSONRPCResponse.model_construct(jsonrpc="2.0", id=request, result=result)
        kind = _KINDS.get(type(cast("object", result)), "a number")
        return _fault(request, f"a result that is {kind} and not an object")
    if "error" in message:
        return _fault(request, f"an error that is malformed: {json.dumps(message['error'])}")
    return _fault(request, "an answer that has neither a result nor an error")


def _fault(request: int | str, text: str) -> JSONRPCError:
    error = ErrorData.model_construct(code=PARSE_ERROR, message=text, data=NOT_AN_ANSWER)
    return JSONRPCError.model_construct(jsonrpc="2.0", id=request, error=error)
