"""`python -m drako_env.compile` does what the command `drako-env compile` does."""

import sys

from drako_env.__main__ import run

if __name__ == "__main__":
    sys.exit(run("compile"))
