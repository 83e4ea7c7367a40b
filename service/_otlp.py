"""Tracing for ``codemode serve``: spans are sent to where OpenTelemetry's own environment variables say."""

from collections.abc import Callable, Generator
from contextlib import contextmanager

from starlette.types import ASGIApp

from ..registry import ToolRegistry
from ._open import MissingExtraError
from .runs import LogObserver


@contextmanager
def traced(
    registry: ToolRegistry,
) -> Generator[tuple[LogObserver, Callable[[ASGIApp], ASGIApp]]]:
    """Traces a registry's calls; gives what hears its runs' logs, and what an application is wrapped in.
    When the block ends, what is left is sent.

    Raises:
        MissingExtraError: OpenTelemetry is not installed.
    """
    try:
        from opentelemetry import trace
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import SERVICE_NAME, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        from .tracing import RemoteParent, trace_calls
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            f"tracing: {error.name} is not installed: pip install 'codemode-runtime[otel]'"
        ) from error
    resource = Resource.create().merge(Resource({SERVICE_NAME: "codemode"}))
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    try:
        yield trace_calls(registry).logged, RemoteParent
    finally:
        provider.shutdown()
