"""Rules tables as files: shipped ones by name, any other by its path."""

import tomllib
from pathlib import Path
from typing import Any

from drako_env.engine.checks import shown

MAX_BYTES = 2**16
MAX_LINE = 1000  # of a key with very many dots the parser would not come back


def read_table(source: str | Path, shipped: Path, what: str, prefix: str = "") -> tuple[Path, dict[str, Any]]:
    """A TOML file and its path, from a path or the bare name of one of the `shipped` folder, where a variant's own have
    names with a `prefix`. `what` is the word for such a table in messages."""
    if not isinstance(source, (str, Path)):
        raise ValueError(f"{what} {shown(source)}: expected a name, a path, a table or a Rules object")
    path = Path(source)
    if isinstance(source, str) and path.name == source and path.suffix != ".toml":
        path = shipped / f"{prefix}{source.removeprefix(prefix)}.toml"
    if not path.is_file():
        names = ", ".join(sorted(p.stem.removeprefix(prefix) for p in shipped.glob(f"{prefix}*.toml")))
        raise FileNotFoundError(f"no {what} {str(source)!r}: give a shipped name ({names}) or a path to a .toml")
    table = _parsed(path)
    if not isinstance(options := table.get("options", {}), dict):
        raise ValueError(f"{path}: [options]: expected a table of options, got {shown(options)}")
    return path, table


def _parsed(path: Path) -> dict[str, Any]:
    """What a TOML file holds: it may be anybody's, so first it is measured."""
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ValueError(f"{path}: larger than {MAX_BYTES} bytes: not a table of this project")
    if long := [number for number, line in enumerate(data.split(b"\n"), start=1) if len(line) > MAX_LINE]:
        raise ValueError(f"{path}, line {long[0]}: longer than {MAX_LINE} bytes: break it up")
    try:
        return tomllib.loads(data.decode())
    except RecursionError:
        raise ValueError(f"{path}: not valid TOML: nested too deeply") from None
    except ValueError as error:  # of the parser, of the encoding, of a number with too many digits
        raise ValueError(f"{path}: not valid TOML: {error}") from None
