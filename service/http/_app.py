"""The application: the endpoints, behind the guard."""

from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import version

from fastapi import FastAPI
from starlette.types import ASGIApp

from ..runs import RunService
from . import _approvals, _health, _page, _runs, _sign_in, _tools
from ._errors import add_error_handlers
from ._guard import Guard
from ._metrics import Metrics
from ._streams import Streams

LOOPBACK = ("127.0.0.1", "localhost", "::1")
DESCRIPTION = "Runs model-written TypeScript programs against tools, in a sandbox; keeps, streams and aborts them."


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpOptions:
    """``hosts`` are the names that requests may name, ``origins`` the web pages that may call."""

    hosts: Iterable[str] = LOOPBACK
    origins: Iterable[str] = ()
    most_body_bytes: int = 4 * 1024 * 1024


def http_app(service: RunService, options: HttpOptions | None = None) -> ASGIApp:
    """The service as an ASGI application."""
    options = options or HttpOptions()
    app = FastAPI(
        title="codemode",
        version=version("codemode-runtime"),
        description=DESCRIPTION,
        docs_url=None,  # its pages come from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        responses={},
    )
    streams = Streams()
    metrics = Metrics(service, streams)
    app.include_router(_runs.router_of(service, streams, metrics))
    app.include_router(_approvals.router_of(service))
    app.include_router(_tools.router_of(service))
    app.include_router(_health.router_of(service, metrics))
    app.include_router(_sign_in.router_of(service.callers))
    app.include_router(_page.router_of())
    add_error_handlers(app)
    return Guard(
        app,
        callers=service.callers,
        hosts=options.hosts,
        origins=options.origins,
        most_body_bytes=options.most_body_bytes,
    )
