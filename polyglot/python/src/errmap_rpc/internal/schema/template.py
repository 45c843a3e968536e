"""Message templates: "{field}" stands for a field, "{{" and "}}" for braces."""

from __future__ import annotations

import re
from typing import NamedTuple

_PIECE = re.compile(r"\{\{|\}\}|\{([A-Za-z_][A-Za-z0-9_]*)\}|[{}]")


class Part(NamedTuple):
    """Literal text, or the name of the field that a placeholder stands for."""

    text: str
    placeholder: bool


def parse(text: str) -> list[Part]:
    """Split a template. Raises ValueError for a brace that belongs to nothing."""
    parts: list[Part] = []
    literal, at = "", 0
    for match in _PIECE.finditer(text):
        literal += text[at : match.start()]
        at = match.end()
        if match[1]:
            if literal:
                parts.append(Part(literal, False))
            literal = ""
            parts.append(Part(match[1], True))
        elif len(match[0]) == 2:
            literal += match[0][0]
        else:
            raise ValueError(f'"{match[0]}" at character {match.start()} belongs to no placeholder')
    literal += text[at:]
    if literal:
        parts.append(Part(literal, False))
    return parts
