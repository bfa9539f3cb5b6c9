"""What requests bring, and how they are answered: in the same way everywhere."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from drako_env.web import MISSING

try:
    import msgspec
    from starlette.exceptions import HTTPException
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import Response
except ImportError as error:
    raise ImportError(MISSING) from error

from drako_env.web.limits import client_of

TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
JSON, REPLAY = "application/json", "application/jsonl"
LARGEST_BODY = 4096
LONGEST_ERROR = 300
"""Characters of an answer that says what was wrong with what was sent."""
POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
Body = TypeVar("Body")
Headers = Mapping[str, str]
NONE: Headers = MappingProxyType({})


async def read(request: Request, kind: str, most: int) -> bytes:
    """The body of a request, of a type that no form of a foreign page can send."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != kind:
        raise HTTPException(415, f"expected {kind}")
    found = b""
    try:
        async for part in request.stream():
            found += part
            if len(found) > most:
                raise HTTPException(413, f"a request has at most {most} bytes")
    except ClientDisconnect:  # nobody hears the answer; without one the log would have a traceback
        raise HTTPException(400, "the request broke off") from None
    return found


async def body(request: Request, shape: type[Body], most: int = LARGEST_BODY) -> Body:
    """A JSON body of the right shape."""
    data = await read(request, JSON, most)
    try:
        return msgspec.json.decode(data, type=shape)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise HTTPException(422, str(error)) from None


def client(request: Request) -> str:
    """Who asks."""
    return client_of(request.client.host if request.client else "")


def answer(content: Any, status: int = 200, headers: Headers = NONE) -> Response:
    """Something as JSON."""
    return Response(msgspec.json.encode(content), status, HEADERS | dict(headers), media_type=JSON)


def file(path: Path) -> Response:
    """A part of the page."""
    return Response(path.read_bytes(), headers=HEADERS, media_type=TYPES[path.suffix])


def replay_file(lines: bytes, headers: Headers = NONE) -> Response:
    """A game to be kept."""
    name = {"Content-Disposition": 'attachment; filename="game.jsonl"'}
    return Response(lines, media_type=REPLAY, headers=HEADERS | dict(headers) | name)


async def problem(request: Request, error: Exception) -> Response:
    """Whatever is refused is answered in the same way, that which Starlette refuses, too."""
    assert isinstance(error, HTTPException)
    return answer({"error": error.detail[:LONGEST_ERROR]}, error.status_code, error.headers or NONE)
