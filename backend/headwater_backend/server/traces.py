"""OpenTelemetry traces, where OpenTelemetry's own variables ask for them.

``OTEL_EXPORTER_OTLP_ENDPOINT`` (or ``…_TRACES_ENDPOINT``) or ``OTEL_TRACES_EXPORTER=otlp`` switches them on,
``OTEL_SDK_DISABLED=true`` off. Spans have names of routes and of the store's verbs, and no content.
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


class TracesMissing(HeadwaterError):  # noqa: N818 - says what is the case
    """Traces are asked for, and what sends them is not installed."""

    code = "TRACES_MISSING"


_tracers: list[Any] = []


def asked_for(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether OpenTelemetry's variables ask for traces over OTLP."""
    if environment.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return False
    exporter = environment.get("OTEL_TRACES_EXPORTER", "")
    endpoints = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
    return exporter == "otlp" or (not exporter and any(environment.get(name) for name in endpoints))


def provider() -> TracerProvider:
    """What sends spans to the endpoint of the environment; raises ``TracesMissing``."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
    except ImportError as error:
        hint = "pip install 'headwater[traces]', or unset the OTEL_ variables"
        raise TracesMissing(f"traces are asked for, and {error.name} is not installed", hint) from error
    resource = Resource.create({"service.name": os.environ.get("OTEL_SERVICE_NAME", NAME)})
    made = TracerProvider(resource=resource)
    made.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return made


class Traced:
    """An ASGI layer with a span for each request; the store's calls are spans below it."""

    def __init__(self, app: ASGIApp, sending: TracerProvider) -> None:
        from opentelemetry.instrumentation.asgi import OpenTelemetryMiddleware  # noqa: PLC0415

        _tracers[:] = [sending.get_tracer(NAME)]
        self._app = OpenTelemetryMiddleware(
            app, tracer_provider=sending, excluded_urls="health,metrics", exclude_spans=["receive", "send"]
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)


def span(name: str) -> AbstractContextManager[Any]:
    """A span below the current one; nothing where there is none, as in what health asks of the store."""
    if not _tracers:
        return nullcontext()
    from opentelemetry.trace import get_current_span  # noqa: PLC0415

    return _tracers[0].start_as_current_span(name) if get_current_span().is_recording() else nullcontext()
