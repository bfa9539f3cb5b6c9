"""A page to play on: tables in `table.py`, the server in `server.py`, the page itself in `static/`."""

MISSING = "the page needs Starlette and uvicorn: pip install 'drako-env[web]'"
