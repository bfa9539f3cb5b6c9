"""What keeps a run safe: no file is half written, no two processes share a folder, no worker outlives its parent."""

import errno
import hashlib
import json
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""How a system says that there is no room: on the disk, in what the user may have of it, in a single file."""


def write(path: Path, content: bytes | str) -> None:
    """Write a file: a new one, which takes the place of the old one once all of it is on the disk. Whatever happens on
    the way, the old one stays as it was."""
    data = content.encode() if isinstance(content, str) else content
    new = path.with_name(f"{path.name}.tmp")
    try:
        with room(path, len(data)):
            new.write_bytes(data)
            sync(new)
            new.replace(path)
            sync(path.parent)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def read(path: Path, keys: Sequence[str], do: str) -> dict[str, Any]:
    """An object of JSON that has these keys; `ValueError` says what is wrong with the file and what to do about it."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        missing = [key for key in keys if key not in content]
        if not isinstance(content, dict) or missing:
            raise ValueError(f"no {' and no '.join(missing)}")
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path}: damaged ({error}); {do}") from None
    return content


def append(path: Path, line: str) -> None:
    """Add a line to a file. If it is cut off, those before it are whole."""
    data = line.encode()
    with room(path, len(data)), path.open("ab") as file:
        file.write(data)


@contextmanager
def room(path: Path, size: int | None = None) -> Iterator[None]:
    """Say for which file there was no room, and how much it wants."""
    try:
        yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        wanted = "" if size is None else f" for {size:,} bytes"
        raise OSError(error.errno, f"no room{wanted}", str(path)) from None


def sync(path: Path) -> None:
    """Wait until a file, or a folder's list of files, would survive a loss of power."""
    if path.is_dir() and not hasattr(os, "O_DIRECTORY"):
        return  # a system on which folders cannot be opened
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def digest(path: Path) -> str:
    """Tells whether a file is still what was written; nothing if it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


@contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Have a folder for this process alone; `BlockingIOError` if another one has it. The system itself takes the claim
    back when the process ends, also by kill -9."""
    import fcntl  # not every system has it, and not everybody who reads or writes files needs it

    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            says = "another run is at work in this folder; wait until it has ended, or choose another --out"
            raise BlockingIOError(f"{folder}: {says}") from None
        except OSError:
            pass  # a file system without locks: better an unguarded run than none
        yield


def obey_parent() -> None:
    """In a worker: Ctrl-C is for the parent, which ends us; and when it has ended, be it by kill -9, so do we."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    if parent := multiprocessing.parent_process():
        parent.join()
        os._exit(1)
