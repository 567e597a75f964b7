"""Options of all that reads what was captured: where it is, and how to start Spark for it."""

from __future__ import annotations

import click

RECORDS = click.option(
    "--records", required=True, metavar="FOLDER", help="The folder that `capture` kept them in."
)
PROGRAM = click.option(
    "--program",
    metavar="PACKAGE.MODULE:FUNCTION",
    help="Makes the frame that was written, of a session; where the plan has to be built again.",
)
CONF = click.option(
    "--conf", multiple=True, metavar="KEY=VALUE", help="A setting of the Spark session; may be repeated."
)
