"""Clients that mean harm, each in a way of its own; they go on until they are cancelled."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from service_client import Connection

PROGRAMS = {
    "endless loop": "for (;;) {}",
    "memory bomb": "const all = []; for (;;) all.push(new Array(1e5).fill(all.length))",
    "call flood": "for (let i = 0; i < 5000; i++) tools.add({ a: i, b: i }).catch(() => {}); await 0",
    "log flood": "for (let i = 0; i < 1e6; i++) console.log('x'.repeat(1000))",
}
LARGE = "return 'x'.repeat(1e6)"
SLEEPER = "await new Promise((done) => setTimeout(done, 3000))"
PAUSE_S = 0.05  # after a refusal: a client that did not wait would only measure itself


def _runner(program: str) -> Callable[[Connection], Awaitable[None]]:
    async def run(connection: Connection) -> None:
        status, _ = await connection.ask("POST", "/v1/runs", {"program": program})
        if status == 429:
            await asyncio.sleep(PAUSE_S)

    return run


async def _slow_reader(connection: Connection) -> None:
    """Asks for a stream of large results, and reads a little of it."""
    await connection.send("POST", "/v1/runs", {"program": LARGE}, "Accept: text/event-stream\r\n")
    reader, _ = await connection.open()
    for _ in range(20):
        await reader.read(100)
        await asyncio.sleep(PAUSE_S)
    connection.drop()


async def _goes_away(connection: Connection) -> None:
    """Disconnects while its run is in progress."""
    await connection.send("POST", "/v1/runs", {"program": SLEEPER})
    await asyncio.sleep(PAUSE_S)
    connection.drop()


async def _sends_junk(connection: Connection) -> None:
    """Bodies that are too large, cut off, or no JSON."""
    await connection.ask("POST", "/v1/runs", {"program": "x", "more": "y" * 100_000})
    _, writer = await connection.open()
    writer.write(b"POST /v1/runs HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n{{{{")
    await writer.drain()
    await asyncio.sleep(PAUSE_S)
    connection.drop()


def hostile() -> list[tuple[str, Callable[[Connection], Awaitable[None]]]]:
    """What each client does, again and again."""
    kinds: list[tuple[str, Callable[[Connection], Awaitable[None]]]] = [
        (name, _runner(program)) for name, program in PROGRAMS.items()
    ]
    return [
        *kinds,
        ("endless loop", _runner(PROGRAMS["endless loop"])),
        ("slow reader", _slow_reader),
        ("goes away", _goes_away),
        ("junk", _sends_junk),
    ]


async def misbehave(port: int, token: str, act: Callable[[Connection], Awaitable[None]]) -> None:
    """One client, until it is cancelled."""
    while True:
        async with Connection(port, token) as connection:
            with contextlib.suppress(OSError, EOFError, ValueError):
                while True:
                    await act(connection)
        await asyncio.sleep(PAUSE_S)
