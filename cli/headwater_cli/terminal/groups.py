"""Groups of commands that suggest the nearest one where a command is unknown."""

from __future__ import annotations

import click


class Group(click.Group):
    """A group of commands; an unknown one is a usage error that suggests others."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        known = self.list_commands(ctx)
        if args and args[0] not in known and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], known)
            hint = (
                f"did you mean {' or '.join(near)}?"
                if near
                else f"`{ctx.command_path} --help` lists the commands"
            )
            raise click.UsageError(f"unknown command {args[0]!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)
