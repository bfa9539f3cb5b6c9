"""The command lines, called in this process: much quicker than starting Python anew."""

import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from io import StringIO
from unittest.mock import patch


def call(name, *words):
    """What `python scripts/NAME.py WORDS` returns and says."""
    words = list(map(str, words))
    main, out, err = import_module(f"scripts.{name}").main, StringIO(), StringIO()
    with patch.object(sys, "argv", [f"scripts/{name}.py", *words]), redirect_stdout(out), redirect_stderr(err):
        try:
            code = main()
        except SystemExit as end:  # argparse
            code = end.code
    return subprocess.CompletedProcess([name, *words], code, out.getvalue(), err.getvalue())
