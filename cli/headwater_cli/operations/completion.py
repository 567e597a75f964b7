"""``headwater completion``: shell completion of commands and options."""

from __future__ import annotations

import click
from click.shell_completion import ShellComplete, get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a script for shell completion.

    \b
    headwater completion bash >> ~/.bashrc
    headwater completion zsh >> ~/.zshrc
    headwater completion fish > ~/.config/fish/completions/headwater.fish
    """
    made = get_completion_class(shell)
    if made is None:
        raise click.UsageError(f"{shell} is not supported")
    # click's BashComplete.source would require a recent Bash here; the script may be for another one.
    click.echo(
        ShellComplete.source(made(context.find_root().command, {}, "headwater", "_HEADWATER_COMPLETE"))
    )
