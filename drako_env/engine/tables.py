"""Rules tables as files: shipped ones by name, any other by its path."""

import tomllib
from pathlib import Path
from typing import Any


def read_table(source: str | Path, shipped: Path, what: str, prefix: str = "") -> tuple[Path, dict[str, Any]]:
    """A TOML file and its path, from a path or the bare name of one of the `shipped` folder, where a variant's own have
    names with a `prefix`. `what` is the word for such a table in messages."""
    if not isinstance(source, (str, Path)):
        raise ValueError(f"{what} {source!r}: expected a name, a path, a table or a Rules object")
    path = Path(source)
    if isinstance(source, str) and path.name == source and path.suffix != ".toml":
        path = shipped / f"{prefix}{source.removeprefix(prefix)}.toml"
    if not path.is_file():
        names = ", ".join(sorted(p.stem.removeprefix(prefix) for p in shipped.glob(f"{prefix}*.toml")))
        raise FileNotFoundError(f"no {what} {str(source)!r}: give a shipped name ({names}) or a path to a .toml")
    try:
        return path, tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: not valid TOML: {error}") from None
