"""What servers ask of us, and how many of them may wait for the answer.

We offer a server nothing: a ``ping`` is answered, every other request refused. The session would start a task
for each, and a server that asks without end and never reads the answers fills the memory with them.
"""

from collections import deque
from typing import TYPE_CHECKING, Final

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import METHOD_NOT_FOUND, ErrorData, JSONRPCError, JSONRPCRequest, JSONRPCResponse

if TYPE_CHECKING:
    from mcp.client._transport import WriteStream

MOST_WAITING: Final = 100
LONGEST_UNREAD_S: Final = 2.0
"""How long a server may read none of so many answers: one that only asked fast is no flood."""
FLOOD: Final = f"it sent more than {MOST_WAITING} requests and does not read the answers"


class Answers:
    """The answers to one connection's server, in its order."""

    def __init__(self, write: "WriteStream[SessionMessage]") -> None:
        self._write = write
        self._waiting: deque[SessionMessage] = deque()
        self._news = anyio.Event()
        self._room = anyio.Event()
        self._is_over = False

    async def take(self, request: JSONRPCRequest) -> bool:
        """Answers the request, in its turn. False if too many wait, and the server reads none of them."""
        if len(self._waiting) >= MOST_WAITING:
            self._room = anyio.Event()
            with anyio.move_on_after(LONGEST_UNREAD_S):
                await self._room.wait()
        if len(self._waiting) >= MOST_WAITING:
            return False
        if not self._is_over:
            self._waiting.append(SessionMessage(_answer(request)))
            self._news.set()
        return True

    async def run(self) -> None:
        """Sends, until the transport ends or this is cancelled."""
        try:
            while True:
                await self._news.wait()
                self._news = anyio.Event()
                while self._waiting:
                    await self._write.send(self._waiting[0])
                    self._waiting.popleft()
                    self._room.set()
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass  # the session hears of it, too
        finally:
            self._is_over = True
            self._waiting.clear()
            self._room.set()


def _answer(request: JSONRPCRequest) -> JSONRPCResponse | JSONRPCError:
    if request.method == "ping":
        return JSONRPCResponse(jsonrpc="2.0", id=request.id, result={})
    error = ErrorData(code=METHOD_NOT_FOUND, message="this client offers nothing to servers")
    return JSONRPCError(jsonrpc="2.0", id=request.id, error=error)
