"""What `pyproject.toml` cannot say: the project's description on PyPI, where there is no repository around it."""

import re
from pathlib import Path

from setuptools import setup

PICTURE = re.compile(r"^!\[[^\]]*\]\((?!https?:)[^)]*\)\n+", re.MULTILINE)
LINK = re.compile(r"\[([^\]]*)\]\((?!https?:)[^)]*\)")


def described(readme: str) -> str:
    """The README without what would lead nowhere: of links into the repository the words stay, pictures go."""
    return LINK.sub(r"\1", PICTURE.sub("", readme))


setup(
    long_description=described((Path(__file__).parent / "README.md").read_text(encoding="utf-8")),
    long_description_content_type="text/markdown",
)
