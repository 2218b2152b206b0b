"""MkDocs hook: a link from a page to a file of the repository leads to a page that shows the file.

So links work in the repository and on the site alike. A link to a file that is not there leads to a
page that is not there, which MkDocs reports.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

LINK = re.compile(r"(?<=\]\()[^)\s#]+")
LANGUAGES = {".py": "python", ".yaml": "yaml", ".toml": "toml"}


def on_files(files: Files, config: Any) -> Files:
    """Add a page for each file of the repository that a page links to."""
    root = Path(config.config_file_path).parent
    linked = {
        _source(page.src_uri, link)
        for page in files.documentation_pages()
        for link in LINK.findall(page.content_string)
    }
    for source in sorted(linked - {None}):
        if (root / source).is_file():
            text = _page_text(source, (root / source).read_text(encoding="utf-8"))
            files.append(File.generated(config, _page_uri(source), content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Let the page's links to files of the repository lead to their pages."""

    def replaced(match: re.Match[str]) -> str:
        source = _source(page.file.src_uri, match[0])
        if source is None:
            return match[0]
        return posixpath.relpath(_page_uri(source), posixpath.dirname(page.file.src_uri) or ".")

    return LINK.sub(replaced, markdown)


def _source(page: str, link: str) -> str | None:
    """Return the path in the repository that a link leads to, None if it stays in docs/."""
    path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), link))
    return None if ":" in link or path.startswith("docs/") else path


def _page_uri(source: str) -> str:
    return f"source/{source}.md"


def _page_text(source: str, text: str) -> str:
    language = LANGUAGES.get(Path(source).suffix, "text")
    head = "---\nhide: [navigation, toc]\nsearch: {exclude: true}\n---\n"
    return f"{head}# {source}\n\n``````{language}\n{text}``````\n"
