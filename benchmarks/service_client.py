"""A small HTTP/1.1 client for load: one connection, as little work for each request as there can be."""

import asyncio
import json
from typing import Any, Self


class Connection:
    """One keep-alive connection to the service. Use it as an async context manager."""

    def __init__(self, port: int, token: str) -> None:
        self._port = port
        self._head = (
            f"Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
            "Content-Type: application/json\r\n"
        )
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.drop()

    def drop(self) -> None:
        """Ends the connection as a client that dies does."""
        if self._streams is not None:
            self._streams[1].transport.abort()
            self._streams = None

    async def open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        return self._streams

    async def send(self, method: str, path: str, body: object = None, headers: str = "") -> None:
        """Writes a request."""
        _, writer = await self.open()
        data = b"" if body is None else json.dumps(body).encode()
        head = (
            f"{method} {path} HTTP/1.1\r\n{self._head}{headers}Content-Length: {len(data)}\r\n\r\n"
        )
        writer.write(head.encode() + data)
        await writer.drain()

    async def receive(self) -> tuple[int, bytes]:
        """Reads a response that has a Content-Length: its status and body."""
        reader, _ = await self.open()
        head = await reader.readuntil(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        length = next(
            (int(line[15:]) for line in lines if line.lower().startswith("content-length:")), 0
        )
        return int(lines[0].split(" ")[1]), await reader.readexactly(length)

    async def ask(
        self, method: str, path: str, body: object = None, headers: str = ""
    ) -> tuple[int, Any]:
        """One request: the status, and the JSON of the response."""
        await self.send(method, path, body, headers)
        status, data = await self.receive()
        return status, json.loads(data)
