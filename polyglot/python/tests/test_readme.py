"""README.md names nothing that the package does not have."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import errmap_rpc
from errmap_rpc import codec

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def test_names_of_the_package() -> None:
    names = set(re.findall(r"\berrmap_rpc(?:\.[A-Za-z_]\w*)+", README))
    assert len(names) > 12
    for name in names:
        found: object = errmap_rpc
        for part in name.split(".")[1:]:
            if not hasattr(found, part):
                found = importlib.import_module(f"{getattr(found, '__name__', name)}.{part}")
            else:
                found = getattr(found, part)


def test_names_of_the_codecs() -> None:
    names = set(re.findall(r"`((?:encode|decode)_\w+|from_status|to_status)`", README))
    assert len(names) > 4
    assert names <= set(dir(codec))
