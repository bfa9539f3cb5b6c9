"""A page to play on: sessions in `session.py`, the server in `server.py`, the page itself in `static/`."""

MISSING = "the page needs Starlette and uvicorn: pip install 'drako-env[web]'"
