"""``/healthz``, ``/readyz`` and ``/metrics``: for machines that look after the service."""

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response

from ..runs import RunService
from ..store import StoreError
from ._guard import caller_of
from ._metrics import Metrics
from ._models import Health
from ._responses import ERRORS, as_json


def router_of(service: RunService, metrics: Metrics) -> APIRouter:
    """The endpoints."""
    router = APIRouter(tags=["health"])

    @router.get("/healthz", response_model=Health, summary="Is the process alive?")
    async def healthz() -> Response:  # pyright: ignore[reportUnusedFunction]
        """Answers as long as the process does."""
        return JSONResponse({"status": "ok"})

    @router.get(
        "/readyz",
        response_model=Health,
        summary="Does it take runs?",
        responses={503: {"model": Health, "description": "It takes none now"}},
    )
    async def readyz() -> Response:  # pyright: ignore[reportUnusedFunction]
        """503 while the service ends, or when the store cannot be written."""
        if service.is_draining:
            return JSONResponse({"status": "ending"}, 503)
        try:
            await service.store.ping()
        except StoreError:
            return JSONResponse({"status": "no store"}, 503)
        return JSONResponse({"status": "ok"})

    @router.get(
        "/metrics",
        response_class=PlainTextResponse,
        summary="Numbers for Prometheus",
        responses=as_json(ERRORS),
    )
    async def numbers(request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        """Of the whole service: a token needs the permission ``metrics``."""
        service.must(caller_of(request), "metrics")
        return Response(metrics.text(), media_type=metrics.media_type)

    return router
