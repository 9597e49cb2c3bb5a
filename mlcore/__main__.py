"""The command `mlcore`: the doors of all rooms, and one line for what the user got wrong."""

from __future__ import annotations

from typing import Any, NoReturn

import typer

import mlcore.authoring.commands
import mlcore.course.commands
import mlcore.grading.commands
from mlcore.course.terminal import err, literal
from mlcore.engine.errors import Problem

app = typer.Typer(
    help="Machine learning by checked derivation: open the course, check your answers, see how far you are.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
mlcore.course.commands.register(app)
mlcore.grading.commands.register(app)
mlcore.authoring.commands.register(app)

INTERRUPTED = 130  # what typer makes of Ctrl-C

_UsageError: Any = typer.BadParameter.__base__  # typer has no public name for it


def main() -> None:
    """Run the command; what the user got wrong is told in one line."""
    try:
        status = app(prog_name="mlcore", standalone_mode=False)
    except _UsageError as error:
        about = error.ctx.command_path if error.ctx else "mlcore"
        if not (message := error.format_message()):
            raise SystemExit(2) from None  # no command: the help has been shown
        _complain(f"{message.rstrip('.')}. Try `{about} --help`.")
    except Problem as problem:
        _complain(str(problem))
    except OSError as error:
        _complain(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except (KeyboardInterrupt, typer.Abort):
        status = INTERRUPTED
    if status == INTERRUPTED:
        err.print("mlcore: interrupted", highlight=False)
    raise SystemExit(status)


def _complain(message: str) -> NoReturn:
    err.print(f"[red]mlcore:[/] {literal(message)}", highlight=False, soft_wrap=True)
    raise SystemExit(2)


if __name__ == "__main__":
    main()
