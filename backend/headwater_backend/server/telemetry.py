"""OpenTelemetry traces, enabled by OpenTelemetry's own environment variables.

``OTEL_EXPORTER_OTLP_ENDPOINT`` (or ``…_TRACES_ENDPOINT``) or ``OTEL_TRACES_EXPORTER=otlp`` enables them,
``OTEL_SDK_DISABLED=true`` disables them. Spans have the names of routes and store methods, and contain no data.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from headwater_backend.domain.errors import HeadwaterError

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from starlette.types import ASGIApp, Receive, Scope, Send

NAME = "headwater"


class TracesMissing(HeadwaterError):  # noqa: N818 - the name describes the condition
    """Traces are enabled, but the exporter is not installed."""

    code = "TRACES_MISSING"


_tracers: list[Any] = []


def is_enabled(environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether the environment variables enable traces over OTLP."""
    if environment.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return False
    exporter = environment.get("OTEL_TRACES_EXPORTER", "")
    endpoints = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
    return exporter == "otlp" or (not exporter and any(environment.get(name) for name in endpoints))


def provider() -> TracerProvider:
    """Return a provider that sends spans to the configured endpoint; raises ``TracesMissing``."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415 - optional
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
    except ImportError as error:
        hint = "pip install 'headwater[traces]', or unset the OTEL_ variables"
        raise TracesMissing(f"traces are enabled, but {error.name} is not installed", hint) from error
    resource = Resource.create({"service.name": os.environ.get("OTEL_SERVICE_NAME", NAME)})
    tracer_provider = TracerProvider(resource=resource)
    tracer_provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return tracer_provider


class TracingMiddleware:
    """ASGI middleware with a span for each request; store calls are spans below it."""

    def __init__(self, app: ASGIApp, sending: TracerProvider) -> None:
        from opentelemetry.instrumentation.asgi import OpenTelemetryMiddleware  # noqa: PLC0415 - optional

        _tracers[:] = [sending.get_tracer(NAME)]
        self._app = OpenTelemetryMiddleware(
            app, tracer_provider=sending, excluded_urls="health,metrics", exclude_spans=["receive", "send"]
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)


def span(name: str) -> AbstractContextManager[Any]:
    """Return a span below the current one; no span if there is no current one, as in health checks."""
    if not _tracers:
        return nullcontext()
    from opentelemetry.trace import get_current_span  # noqa: PLC0415 - optional

    return _tracers[0].start_as_current_span(name) if get_current_span().is_recording() else nullcontext()
