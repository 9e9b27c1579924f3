"""The pages of `shapesmt help`: a Markdown file per topic, in the folder `pages`."""

from __future__ import annotations

from importlib import resources

TOPICS = (
    "verdicts",
    "ranges",
    "data",
    "samples",
    "models",
    "fleet",
    "repair",
    "simplify",
    "settings",
    "json",
    "python",
    "rules",
    "limits",
    "security",
    "shell",
)
"""The topics, in the order in which a newcomer reads them."""


def page(topic: str) -> str:
    """Return the Markdown text of a topic.

    >>> page("verdicts").splitlines()[0]
    '# What a verdict means'
    """
    return (resources.files("shapesmt.entrypoints.cli") / "pages" / f"{topic}.md").read_text("utf-8")


def titles() -> dict[str, str]:
    """Return the topics with the titles of their pages."""
    return {topic: page(topic).partition("\n")[0].removeprefix("# ") for topic in TOPICS}
