"""The web page for people, and its style and script."""

from importlib.resources import files
from typing import Final

from fastapi import APIRouter
from starlette.responses import Response

from ._sign_in import CSP

_SCRIPTS: Final = (
    "api",
    "app",
    "approvals",
    "card",
    "diff",
    "run",
    "runs",
    "stream",
    "text",
    "time",
    "timeline",
)
_FILES: Final = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/page/style.css": ("style.css", "text/css; charset=utf-8"),
    **{f"/page/{name}.js": (f"{name}.js", "text/javascript; charset=utf-8") for name in _SCRIPTS},
}


def router_of() -> APIRouter:
    """``/`` and what it loads."""
    router = APIRouter(include_in_schema=False)
    folder = files("codemode.service.http").joinpath("page")
    for path, (name, kind) in _FILES.items():
        content = folder.joinpath(name).read_bytes()

        async def serve(content: bytes = content, kind: str = kind) -> Response:
            return Response(content, headers={"Content-Type": kind, "Content-Security-Policy": CSP})

        router.add_api_route(path, serve, methods=["GET"])
    return router
