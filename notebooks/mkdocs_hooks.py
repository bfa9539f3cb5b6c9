"""Files of the project that are pages or pictures of the documentation as they stand."""

import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
SHARED = {
    "rules/drako.md": "drako_env/drako/RULES.md",
    "rules/golden_dragon.md": "drako_env/golden_dragon/RULES.md",
    "guides/contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
    "pictures/drako.svg": "tests/render/pictures/fire.svg",
    "pictures/page.png": "tests/web/page.png",
    "pictures/analysis.png": "tests/web/analysis.png",
    "pictures/golden_dragon.png": "tests/web/pictures/golden_dragon.png",
    "pictures/practice.png": "tests/web/pictures/practice.png",
    "pictures/setup.png": "tests/web/pictures/setup.png",
    "pictures/rules.png": "tests/web/pictures/rules.png",
    "pictures/guided.png": "tests/web/pictures/guided.png",
    "pictures/watching.png": "tests/web/pictures/watching.png",
    "pictures/portrait.png": "tests/web/pictures/portrait.png",
    "pictures/landscape.png": "tests/web/pictures/landscape.png",
}
"""Their places in the documentation, and in the project."""
LINK = re.compile(r"\[([^\]]+)\]\((?!https?:|#)([^)#\s]+)(#[^)\s]*)?\)")


def on_files(files: "Files", config: "MkDocsConfig") -> "Files":
    """Add the shared files."""
    from mkdocs.structure.files import File

    for page, source in SHARED.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / source)))
    return files


def on_page_markdown(markdown: str, page: "Page", config: "MkDocsConfig", files: "Files") -> str:
    """Links of a shared page: to the other pages where there is one, else mere words."""
    place = page.file.src_uri
    return relinked(markdown, place) if place in SHARED else markdown


def relinked(markdown: str, place: str) -> str:
    """The text of a shared page with its links as they must be in the documentation."""
    pages = {source: page for page, source in SHARED.items()}
    folder = posixpath.dirname(SHARED[place])

    def link(match: re.Match[str]) -> str:
        words, target, anchor = match[1], match[2], match[3] or ""
        page = pages.get(posixpath.normpath(posixpath.join(folder, target)))
        return f"[{words}]({posixpath.relpath(page, posixpath.dirname(place) or '.')}{anchor})" if page else words

    return LINK.sub(link, markdown)
