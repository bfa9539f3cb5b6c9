"""How even is a game? `drako-env balance`, from a clone that need not be installed."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from drako_env.cli.balance import main

if __name__ == "__main__":
    sys.exit(main())
