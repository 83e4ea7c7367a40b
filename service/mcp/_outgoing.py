"""What goes to a transport: the one message that must not wait for a server that has stopped reading."""

from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp.client._transport import WriteStream

_LONGEST_CANCEL_S: Final = 0.5


class BoundedStream:
    """A transport's write stream. The session sends ``notifications/cancelled`` where nothing can
    interrupt it, for up to 5 s; a server that does not take it within half a second is stuck, and
    ``on_stuck`` is told."""

    def __init__(
        self, inner: "WriteStream[SessionMessage]", on_stuck: "Callable[[], None]"
    ) -> None:
        self._inner = inner
        self._on_stuck = on_stuck

    async def send(self, item: SessionMessage, /) -> None:
        message = item.message
        if not (
            isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled"
        ):
            await self._inner.send(item)
            return
        with anyio.move_on_after(_LONGEST_CANCEL_S) as limit:
            await self._inner.send(item)
        if limit.cancelled_caught:
            self._on_stuck()
            raise anyio.BrokenResourceError

    async def aclose(self) -> None:
        await self._inner.aclose()

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
