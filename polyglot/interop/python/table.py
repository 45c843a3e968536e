"""What every client is asked to provoke, from ../errors.json, and where the
agent is. The driver sets the environment.
"""

import json
import os
import pathlib

URL = os.environ["INTEROP_URL"]
HOST = URL.removeprefix("http://")
DOMAIN = "a2a-protocol.org"

ROWS = json.loads(
    (pathlib.Path(__file__).parent.parent / "errors.json")
    .read_text()
    .replace("$TASK", os.environ["INTEROP_TASK"])
)
if len({row["reason"] for row in ROWS}) != 9:
    raise ValueError("errors.json does not have the nine errors")


def headers(row):
    """The headers of a row's request, of A2A 1.0 unless it says otherwise."""
    return {"A2A-Version": "1.0", **row.get("headers", {})}


def check_info(test, row, info):
    """Compares a google.rpc.ErrorInfo with that of a row."""
    test.assertEqual(info.reason, row["reason"])
    test.assertEqual(info.domain, DOMAIN)
    test.assertEqual(dict(info.metadata), row.get("metadata", {}))
