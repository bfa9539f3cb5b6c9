"""How somebody plays, from a data set of games: `drako-env habits`, from a clone that need not be installed."""

import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from drako_env.__main__ import run

main = partial(run, "habits")

if __name__ == "__main__":
    sys.exit(main())
