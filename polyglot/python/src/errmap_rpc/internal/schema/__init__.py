"""What annotated descriptors say: definitions, metadata, the catalogue."""

from .catalog import NOTHING, Catalog, builtin_errors, linked, of, register
from .definition import DOMAIN_A2A, Definition, definition_of, detail_of, info_detail

__all__ = [
    "DOMAIN_A2A",
    "NOTHING",
    "Catalog",
    "Definition",
    "builtin_errors",
    "definition_of",
    "detail_of",
    "info_detail",
    "linked",
    "of",
    "register",
]
