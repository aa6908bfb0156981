"""Check the links inside the built site: ``python docs/check_links.py docs/_build/html``.

Every link to a page, picture or other file of the site must lead to one, and every anchor to an
element. Links to other sites are not followed.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The anchors that a page has, and the addresses that it names."""

    def __init__(self, file):
        super().__init__()
        self.anchors, self.addresses = {"", "top"}, set()
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        """Collect what a tag declares and what it refers to."""
        for name, value in attributes:
            if not value:
                continue
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)
            elif name in ("href", "src"):
                self.addresses.add(value)
            elif name == "srcset":
                self.addresses.update(part.split()[0] for part in value.split(","))


def broken_links(root):
    """Return descriptions of all links that lead nowhere."""
    # _static holds templates of the theme, which are no pages.
    files = [file for file in sorted(root.rglob("*.html")) if "_static" not in file.parts]
    pages = {file.resolve(): Page(file) for file in files}
    if not pages:
        sys.exit(f"{root} has no pages.")
    broken = []
    for file, page in pages.items():
        for address in sorted(page.addresses):
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file():
                broken.append(f"{file.name}: {address} is no file")
            elif target in pages and unquote(parts.fragment) not in pages[target].anchors:
                broken.append(f"{file.name}: {address} is no anchor")
    print(f"{len(pages)} pages, {len(broken)} broken links")
    return broken


if __name__ == "__main__":
    found = broken_links(Path(sys.argv[1]))
    print("\n".join(found))
    sys.exit(bool(found))
