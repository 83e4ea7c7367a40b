"""Every error as one shape: ``{"error": {"code", "message"}}``."""

from collections.abc import Mapping

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.routing import compile_path

from ..runs import RequestError
from ..store import StoreError

_CODES = {
    400: "BAD_REQUEST",
    401: "UNAUTHORIZED",
    403: "FORBIDDEN",
    404: "NOT_FOUND",
    405: "METHOD_NOT_ALLOWED",
    408: "BODY_TIMEOUT",
    413: "BODY_TOO_LARGE",
    421: "WRONG_HOST",
}
MOST_FAULTS = 10


def error_response(
    status: int, message: str, code: str | None = None, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """An error; the message says what to change."""
    content = {"error": {"code": code or _CODES.get(status, "ERROR"), "message": message}}
    return JSONResponse(content, status, headers)


def add_error_handlers(app: FastAPI) -> None:
    """Maps exceptions to responses, in the one place that does."""

    @app.exception_handler(RequestError)
    async def refused(request: Request, error: RequestError) -> Response:  # pyright: ignore[reportUnusedFunction]
        headers = None
        if error.retry_after_s is not None:
            headers = {"Retry-After": str(error.retry_after_s)}
        return error_response(error.status, str(error), error.code, headers)

    @app.exception_handler(StoreError)
    async def unavailable(request: Request, error: StoreError) -> Response:  # pyright: ignore[reportUnusedFunction]
        return error_response(503, str(error), "STORE_UNAVAILABLE", {"Retry-After": "5"})

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:  # pyright: ignore[reportUnusedFunction]
        faults = [_fault(each["loc"], each["msg"]) for each in error.errors()[:MOST_FAULTS]]
        return error_response(422, "; ".join(faults), "INVALID_REQUEST")

    @app.exception_handler(HTTPException)
    async def plain(request: Request, error: HTTPException) -> Response:  # pyright: ignore[reportUnusedFunction]
        headers = dict(error.headers or {})
        if error.status_code == 405:
            allowed = _methods(app, request.url.path)
            headers["Allow"] = ", ".join(sorted(allowed))
        return error_response(error.status_code, str(error.detail), headers=headers)


def _methods(app: FastAPI, path: str) -> set[str]:
    """What the document says that a path has: the framework names one method alone."""
    paths: dict[str, dict[str, object]] = app.openapi()["paths"]
    return {
        method.upper()
        for template, operations in paths.items()
        if compile_path(template)[0].match(path)
        for method in operations
    }


def _fault(place: tuple[int | str, ...], message: str) -> str:
    where = ".".join(str(step) for step in place)
    text = message.removeprefix("Value error, ").replace(
        "Extra inputs are not permitted", "there is no such key"
    )
    shown = f"{where}: {text}"
    return shown.encode("utf-8", "replace").decode()[:300]
