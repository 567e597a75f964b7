"""Moments as they are typed: ``2026-11-21``, ``2026-11-21T06:00``, ``2026-11-21T06:00:00Z``; without a zone, UTC."""

from __future__ import annotations

from datetime import datetime, timezone

import click


class Moment(click.ParamType[str]):
    """Passes on the moment in ISO 8601 with its zone, as GraphQL takes it."""

    name = "TIME"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Raises wrong usage for what is not a moment."""
        try:
            moment = datetime.fromisoformat(value.upper().replace("Z", "+00:00"))
        except ValueError:
            self.fail(f"{value!r} is not a time such as 2026-11-21 or 2026-11-21T06:00:00Z", param, ctx)
        return (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).isoformat()


MOMENT = Moment()
