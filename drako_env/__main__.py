"""The command `drako-env`, also `python -m drako_env`."""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from drako_env import __version__

COMMANDS = {
    "play": ("play against the machine, in the terminal or on a page in the browser", "web"),
    "watch": ("watch players play against each other", "replay"),
    "evaluate": ("players against each other: win rates with intervals", "evaluation"),
    "tournament": ("everybody against everybody: pay-offs, ratings, equilibrium", "evaluation"),
    "balance": ("how even a game is under a rules table", "evaluation"),
    "dataset": ("games of players as a data set to learn from", "evaluation"),
    "habits": ("how somebody plays, from a data set of games", "evaluation"),
    "replay": ("leaf through a recorded game; make a page or a film of it", "replay"),
    "train": ("train by self-play (in a clone)", "train"),
    "compile": ("compile all kernels beforehand, for images and many processes", "train"),
}
"""What each does, and the extra that brings what it needs."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a subcommand, or list them."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words and words[0] in COMMANDS:
        return run(words[0], words[1:])
    listed = "\n".join(f"  {name:12} {what}" for name, (what, _) in COMMANDS.items())
    parser = argparse.ArgumentParser(
        "drako-env",
        description="Dragon board games with hidden information.",
        epilog=f"commands:\n{listed}\n\n`drako-env COMMAND --help` says more.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"drako-env {__version__}")
    parser.add_argument("command", nargs="?", choices=COMMANDS, metavar="COMMAND", help="one of those below")
    parser.parse_args(words)
    parser.print_help()
    return 0


def run(name: str, argv: Sequence[str] | None = None) -> int:
    """A subcommand; whatever is wrong, or not installed, is said in one line. Returns the exit code."""
    from drako_env.cli.options import INTERRUPTED, fail  # the list of commands does without

    try:
        code: int = import_module(f"drako_env.cli.{name}").main(sys.argv[1:] if argv is None else argv)
        return code
    except (ValueError, OSError) as error:
        return fail(name, error)
    except ImportError as error:
        missing = (error.name or "").partition(".")[0]
        if missing in ("drako_env", "agents"):
            raise
        advice = f"{missing} is not installed: pip install 'drako-env[{COMMANDS[name][1]}]'"
        return fail(name, ImportError(advice) if missing else error)
    except KeyboardInterrupt:
        return INTERRUPTED
    except EOFError:  # nobody answers any more
        return 0


if __name__ == "__main__":
    sys.exit(main())
