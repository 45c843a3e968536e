"""What every client is asked to provoke, from ../errors.json, and where the
agent is. The driver sets the environment.
"""

import json
import os
import pathlib

from google.rpc import error_details_pb2

URL = os.environ["INTEROP_URL"]
MIDDLE_URL = os.environ["INTEROP_MIDDLE_URL"]
DOMAIN = "a2a-protocol.org"

ROWS = json.loads(
    (pathlib.Path(__file__).parent.parent / "errors.json")
    .read_text()
    .replace("$TASK", os.environ["INTEROP_TASK"])
)
if len({row["reason"] for row in ROWS if "reason" in row}) != 9:
    raise ValueError("errors.json does not have the nine errors")


def headers(row):
    """The headers of a row's request, of A2A 1.0 unless it says otherwise."""
    return {"A2A-Version": "1.0", **row.get("headers", {})}


def url(row):
    """The server of a row: one fails after its first answer."""
    return MIDDLE_URL if row.get("after") else URL


def check_details(test, row, details):
    """Compares pairs of type and bytes with the details of a row."""
    names = ["google.rpc.ErrorInfo"] if "reason" in row else row["details"]
    test.assertEqual([name for name, _ in details], names)
    if "reason" not in row:
        return
    info = error_details_pb2.ErrorInfo.FromString(details[0][1])
    test.assertEqual(info.reason, row["reason"])
    test.assertEqual(info.domain, DOMAIN)
    test.assertEqual(dict(info.metadata), row.get("metadata", {}))
