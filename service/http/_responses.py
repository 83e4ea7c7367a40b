"""What endpoints answer with."""

from collections.abc import Mapping
from typing import Any

from fastapi.responses import Response

from ._models import ErrorBody


def json_response(
    text: str, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """A response of JSON that is text already. Half surrogates are escapes in it."""
    return Response(text.encode(), status, headers, media_type="application/json")


def _error(description: str) -> dict[str, Any]:
    return {"model": ErrorBody, "description": description}


def as_json(responses: dict[int | str, dict[str, Any]]) -> dict[int | str, dict[str, Any]]:
    """The same for an endpoint whose own response is plain text."""
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorBody"}}}
    return {
        status: {"description": each["description"], "content": content}
        for status, each in responses.items()
    }


ERRORS: dict[int | str, dict[str, Any]] = {
    400: _error("Not a request that can be read"),
    401: _error("No valid token"),
    403: _error("The token may not do this"),
    404: _error("There is no such thing for this token"),
    408: _error("The body did not come in time"),
    409: _error("Decided already"),
    413: _error("The body is too large"),
    421: _error("The host name is not served here"),
    422: _error("A value is wrong"),
    429: _error("Too much at one time: come again after Retry-After seconds"),
    503: _error("The service ends, or the store cannot be used"),
}
"""Every endpoint's, for the OpenAPI document."""

STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "JSON; or server-sent events, for Accept: text/event-stream",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}
