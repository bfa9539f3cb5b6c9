"""Games of players as a data set: `drako-env dataset`, from a clone that need not be installed."""

import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from drako_env.__main__ import run

main = partial(run, "dataset")

if __name__ == "__main__":
    sys.exit(main())
