"""JSON text that encoders share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _json
from ._carried import Item
from ._render import render
from .detail import RawDetail

if TYPE_CHECKING:
    from .catalog import Catalog


def member_text(name: str, text: str) -> str:
    return f"{_json.quote(name)}:{text}"


def details_text(types: Catalog, items: list[Item], carried: RawDetail | None) -> list[str]:
    """Return the elements of a list of details."""
    texts = [item.json.text for item in items if item.plain]
    if carried is not None:
        texts.append(render(types, carried)[0].text)
    return texts


def details_member(types: Catalog, items: list[Item], carried: RawDetail | None) -> list[str]:
    """Return the details member of a JSON form; nothing without any."""
    texts = details_text(types, items, carried)
    return ['"details":[' + ",".join(texts) + "]"] if texts else []
