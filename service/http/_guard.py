"""What stands before every endpoint: Host, Origin, the token, the size and the pace of bodies.

ASGI, so that nothing of a request is read before it may be. Health answers to everybody; nothing else does
where there are tokens.
"""

import ipaddress
from collections.abc import Iterable
from typing import Final

import anyio
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..runs import Caller, Callers
from ..store import StoreError
from ._errors import error_response
from ._sign_in import COOKIE, sign_in_page

HEALTH: Final = ("/healthz", "/readyz")
PAGE: Final = "/"
SIGN: Final = ("/sign-in", "/sign-out")
BODY_SECONDS: Final = 20.0
_SAFE: Final = {
    b"x-content-type-options": b"nosniff",
    b"cross-origin-resource-policy": b"same-origin",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"same-origin",  # with none, browsers hide a form's origin from us too
    b"cache-control": b"no-store",
}


class Guard:
    """``hosts`` are the names under which the service may be addressed; ``origins`` the pages, besides its
    own, that may call it."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        callers: Callers,
        hosts: Iterable[str],
        origins: Iterable[str],
        most_body_bytes: int,
    ) -> None:
        self._app = app
        self._callers = callers
        self._hosts = frozenset(host.lower() for host in hosts)
        self._origins = frozenset(origin.lower().rstrip("/") for origin in origins)
        self._most = most_body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                names = {name.lower() for name, _ in message["headers"]}
                extra = [(name, value) for name, value in _SAFE.items() if name not in names]
                message["headers"] = [*message["headers"], *extra]
            await send(message)

        refusal = await self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send_safely)
            return
        body = await self._body(Headers(scope=scope), receive)
        if isinstance(body, Response):
            await body(scope, receive, send_safely)
            return
        await self._app(scope, _replay(body, receive), send_safely)

    async def _refusal(self, scope: Scope) -> Response | None:
        path, headers = scope["path"], Headers(scope=scope)
        if path in HEALTH:
            return None
        if not self._is_our_host(headers):
            return error_response(
                421, "this host name is not served here: see --allow-host of codemode serve"
            )
        if not self._is_our_page(path, headers):
            return error_response(403, "this origin may not call the service", "WRONG_ORIGIN")
        if path in SIGN:
            return None
        try:
            caller = await self._callers.of(_secret(Request(scope)))
        except StoreError as error:
            return error_response(503, str(error), "STORE_UNAVAILABLE", {"Retry-After": "5"})
        if caller is None:
            if path == PAGE:
                return sign_in_page(401)
            return error_response(
                401,
                "a valid token is needed: Authorization: Bearer …",
                headers={"WWW-Authenticate": 'Bearer realm="codemode"'},
            )
        scope.setdefault("state", {})["caller"] = caller
        return None

    def _is_our_host(self, headers: Headers) -> bool:
        named = headers.getlist("host")
        return len(named) == 1 and _host_name(named[0]) in self._hosts

    def _is_our_page(self, path: str, headers: Headers) -> bool:
        """Browsers say where a request comes from. What is no browser says nothing."""
        origin = headers.get("origin")
        if origin is not None:
            scheme, _, host = origin.lower().partition("://")
            own = scheme in ("http", "https") and host == headers["host"].lower()
            return own or origin.lower() in self._origins
        if headers.get("sec-fetch-site") in (None, "same-origin", "none"):
            return True
        return path == PAGE and headers.get("sec-fetch-mode") == "navigate"  # a link to the page

    async def _body(self, headers: Headers, receive: Receive) -> bytes | Response:
        """The whole body, or why not. Nothing behind this waits for a client that sends."""
        try:
            announced = int(headers.get("content-length", "0"))
        except ValueError:
            return error_response(400, "Content-Length is no number")
        too_large = error_response(413, f"a body has at most {self._most} bytes")
        if announced > self._most:
            return too_large
        chunks: list[bytes] = []
        size = 0
        with anyio.move_on_after(BODY_SECONDS):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return error_response(400, "the client went away")
                chunk = message.get("body", b"")
                size += len(chunk)
                if size > self._most:
                    return too_large
                chunks.append(chunk)
                if not message.get("more_body", False):
                    return b"".join(chunks)
        return error_response(408, f"the body did not come within {BODY_SECONDS:g} s")


def _replay(body: bytes, receive: Receive) -> Receive:
    is_told = False

    async def replayed() -> Message:
        nonlocal is_told
        if is_told:
            return await receive()  # a disconnect
        is_told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replayed


def _secret(request: Request) -> str | None:
    header = request.headers.get("authorization")
    if header is not None:
        scheme, _, secret = header.partition(" ")
        return secret.strip() if scheme.lower() == "bearer" else None
    return request.cookies.get(COOKIE)


def _host_name(text: str) -> str:
    """The name of a Host header, without its port; an IPv6 address without brackets."""
    name, bracket, _ = text.lower().partition("]")
    name = name[1:] if bracket else name.partition(":")[0]
    try:
        return str(ipaddress.ip_address(name))
    except ValueError:
        return name.rstrip(".")


def caller_of(request: Request) -> Caller:
    """Who makes the request; the guard has put it there."""
    return request.state.caller
