"""The service over HTTP: endpoints, tokens, streams, the page for people."""

from ._app import LOOPBACK, HttpOptions, http_app

__all__ = ["LOOPBACK", "HttpOptions", "http_app"]
