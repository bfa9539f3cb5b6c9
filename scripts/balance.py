"""How even is a game? `drako-env balance`, from a clone that need not be installed; with `--search` a table is searched
under which strong play is even.

python scripts/balance.py --games 1000                              # measure the game's own table
python scripts/balance.py --search --steps 20 --out runs/even       # change copies and wound spaces
python scripts/balance.py --search --steps 40 --out runs/even --resume
python scripts/balance.py --search --set rules=runs/even/best.toml --start policy:runs/even/policies --out runs/more
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from drako_env.__main__ import run


def main() -> int:
    """Measure, or search."""
    if "--search" not in sys.argv[1:]:
        return run("balance")
    from agents.balance.command import main as search  # it needs what training needs

    return search(sys.argv[1:], __doc__)


if __name__ == "__main__":
    sys.exit(main())
