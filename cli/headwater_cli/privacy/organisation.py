"""The option ``--organisation``: a file of what the organisation states about its processing."""

from __future__ import annotations

from pathlib import Path

import click

organisation_option = click.option(
    "--organisation",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    envvar="HEADWATER_ORGANISATION",
    show_envvar=True,
    help="A YAML file of what the organisation states; with --url, instead of the server's.",
)


def organisation_text(file: Path | None) -> str | None:
    """Return the text of the file, as the variable of a query; it is read here so that an error names its line."""
    if file is None:
        return None
    from headwater_backend.privacy.organisation.organisation_file import read_organisation

    read_organisation(file)
    return file.read_text("utf-8")
