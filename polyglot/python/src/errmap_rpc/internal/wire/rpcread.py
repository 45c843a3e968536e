"""The error object of JSON-RPC 2.0, read."""

from __future__ import annotations

from collections.abc import Mapping

from google.rpc.error_details_pb2 import ErrorInfo

from .. import hub
from ..code import code_from_connect_http, row
from ..hub import Detail, Received, Wire
from ..jsontree import (
    MISSING,
    JSONError,
    Node,
    Number,
    compact,
    doubled,
    get,
    integer,
    length,
    members,
    text_of,
)
from ..number import is_number
from ..protojson import parse, serialize
from ..schema import info_detail
from . import forms
from .carried import Shape
from .decode import Body, Reading, reread
from .detail import element, error_info, only_of, typed_node
from .member import Keys, Member, Names, Raw, member_text, members_text
from .options import Decoding
from .profile import Profile, ProfileError
from .received import merge_received
from .restore import restore
from .rpcnumber import Standing, code_of, implied, standing_of
from .scalar import read_number

MARKER_URL = hub.PREFIX + hub.STATUS
_ENVELOPE = Names("jsonrpc", "id", "result", "error")


def read_jsonrpc(body: Body, profile: Profile, options: Decoding) -> hub.Error:
    """Read the error object of JSON-RPC 2.0 under a profile, or the response that holds one."""
    r = _Reader(options, profile)
    try:
        root = r.parse(body)
    except JSONError as why:
        return r.foreign(Wire.JSONRPC, body, code_from_connect_http, str(why))
    if not isinstance(root, dict):
        return r.foreign(Wire.JSONRPC, body, code_from_connect_http, "not a JSON object")
    own = r.find_members(root)
    if not own:
        return r.foreign(Wire.JSONRPC, body, code_from_connect_http, "no code, message or data")
    error, catalog = r.error, options.catalog
    error.message = r.text(own, "message") or ""
    number, token, numbered = r.read_number(own)
    data = own.get("data", MISSING)
    r.own = profile.means(number, data)
    r.read_data(data)
    kept = numbered and number not in profile.codes
    if r.own is not None:
        kept = r.supply(r.own) and kept
    standing = standing_of(error.details, profile, catalog)
    error.number = r.marker or code_of(profile, standing, number)
    r.keep(Wire.JSONRPC)
    if restore(r, Shape.ELEMENTS):
        standing = standing_of(error.details, profile, catalog)
    if kept:
        r.keep_number(token, number, standing)
    return r.finish()


class _Reader(Reading):
    def __init__(self, options: Decoding, profile: Profile) -> None:
        super().__init__(options)
        self.profile = profile
        self.own: ProfileError | None = None
        """What the number means."""
        self.marker = 0
        self.free: list[Member] | None = None
        """Free-form data of an own error, as members."""
        self.free_raw = ""
        """And as it stood."""
        self.beside: list[Member] = []
        """The members that an object has beside details."""

    def find_members(self, root: dict[str, Node]) -> dict[str, Node]:
        """Find the members of the error object, in a response too: what stands beside the
        object there rides along. The version and the id are the call's; a result beside an
        error is dropped."""
        inner = root.get("error")
        if not isinstance(inner, dict) or "jsonrpc" not in root or "code" in root:
            return self.take(root, forms.JSONRPC)
        own = self.take(inner, forms.JSONRPC)
        taken = Keys(*forms.JSONRPC.names, *(name for name, _ in self.rest))
        for name, value, repeats in members(root):
            if repeats:
                self.twice(name)
            elif _ENVELOPE.folds(name):
                self.folded(name)
            elif name not in _ENVELOPE:
                self.rest.append((taken.free(name), value))
            elif name == "result" and value is not None:
                self.note(f"result {hub.clip(compact(value), 128)} dropped: an error stands beside it")
        return own

    def read_number(self, own: dict[str, Node]) -> tuple[int, str, bool]:
        """Read the code, and tell whether it is a number. One that is no integer within
        ±(2^53-1) is number 0, kept as the token that it was."""
        value = own.get("code", MISSING)
        number = read_number(value)
        if number is not None:
            return number, "", True
        if value is MISSING:
            self.note("code is missing: UNKNOWN")
            return 0, "", False
        token = str(value) if type(value) is Number else text_of(value)
        if type(value) is Number or is_number(token):
            self.note(f"code {hub.clip(token, 64)} is no integer that JSON-RPC can say: UNKNOWN")
            return 0, token, True
        self.note("code is no number: UNKNOWN")
        self.rest.append(("code", value))
        return 0, "", False

    def keep_number(self, token: str, number: int, standing: Standing) -> None:
        """Keep the number that stood there, unless a writer chooses it itself. The token is
        that of one that is no integer, else ""."""
        error = self.error
        if not token:
            if number == implied(self.profile, error.number, standing):
                return
            token = str(number)
            if error.on(Wire.JSONRPC).number and number == row(error.number).jsonrpc:
                return
        said = Received(Wire.JSONRPC, number=token)
        error.set_received(merge_received(error.on(Wire.JSONRPC), said, error.notes))

    def read_data(self, data: Node) -> None:
        if data is MISSING or (type(data) is list and not data):
            return
        if type(data) is list and any(map(typed_node, data)):
            self.read_list(data)
            return
        if typed_node(data):
            self.read_list([data])
            return
        if self.own is None:
            self.error.details.append(element(self.codec, data, self.error.notes))
            return
        if self.profile.object_data and isinstance(data, dict):
            details = data.get("details")
            if type(details) is list:
                if details:
                    self.beside = self.members_of(data, True)
                    self.read_list(details)
                else:
                    # As data itself it says nothing, least of all that the rest is not read.
                    self.free = self.members_of(data, True)
                    self.free_raw = members_text(self.free)
                return
        self.free_raw = compact(data)
        self.free = self.members_of(data, False) if isinstance(data, dict) else [("data", data)]

    def members_of(self, node: dict[str, Node], without_details: bool) -> list[Member]:
        out: list[Member] = []
        for name, value, repeats in members(node):
            if repeats:
                self.twice(name)
            elif not (without_details and name == "details"):
                out.append((name, value))
        return out

    def read_list(self, elements: list[Node]) -> None:
        """Read an array of details."""
        elements = elements[: self.at_most(len(elements))]
        marked = -1
        for i, node in enumerate(elements):
            code = marker_code(node)
            if code:
                marked, self.marker = i, code
        untyped = []
        for i, node in enumerate(elements):
            if i == marked:
                if doubled(node):
                    self.note("the code marker has a member twice: the first counts")
            elif self.own is not None and not typed_node(node):
                untyped.append(compact(node))
            else:
                self.error.details.append(element(self.codec, node, self.error.notes))
        if untyped:
            self.free_raw = "[" + ",".join(untyped) + "]"
            self.free = [("data", Raw(self.free_raw))]

    def supply(self, own: ProfileError) -> bool:
        """Give an own error its ErrorInfo, first, where it came without one of the profile's
        domain, and put free-form data into its metadata. It is false where the ErrorInfo
        contradicts the number."""
        details, profile = self.error.details, self.profile
        place, info = -1, None
        for i, detail in enumerate(details):
            found = error_info(self.codec, detail)
            if found is not None and found.domain == profile.domain:
                place, info = i, found
                break
        if info is None:
            metadata = _add_free({}, own, self.beside)
            metadata = _add_free(metadata, own, self.free or [])
            details.insert(0, info_detail(own.definition.reason, own.definition.domain, metadata))
            return True
        agrees = True
        known = profile.own.find(profile.domain, info.reason)
        if known is not None and known.reason != own.definition.reason:
            self.note(f"the number is that of {own.definition.reason}, the ErrorInfo says {info.reason}, which stands")
            own, agrees = profile.entry_of(known) or own, False
        self._note_unsaid(info, own)
        if self.free is None:
            return agrees
        if details[place].json is not None:  # JSON stays the JSON that it is
            details.append(reread(self, self.free_raw))
            return agrees
        details[place] = _with_metadata(details[place], _add_free(dict(info.metadata), own, self.free))
        return agrees

    def _note_unsaid(self, info: ErrorInfo, own: ProfileError) -> None:
        """Note the members beside details that the ErrorInfo in them, which is what is read,
        does not say."""
        required = {member.name: member for member in own.data}
        for name, value in self.beside:
            text = _said(name, value, own)
            if text is None:
                continue
            said = info.metadata.get(name)
            member = required.get(name)
            if said is not None and member is not None and not member.is_string:
                said = member.value(said)
            if said != text:
                self.note(f"member {hub.quoted(name)} beside details dropped: the ErrorInfo in them does not say it")


def _with_metadata(detail: Detail, metadata: Mapping[str, str]) -> Detail:
    """Return the ErrorInfo with other metadata. Fields that its schema does not know stay."""
    info = parse(ErrorInfo, detail.value)
    assert isinstance(info, ErrorInfo)
    info.metadata.clear()
    info.metadata.update(metadata)
    return Detail(hub.URL_ERROR_INFO, serialize(info))


def _add_free(metadata: dict[str, str], own: ProfileError, free: list[Member]) -> dict[str, str]:
    """Put free-form members into metadata: strings as they are, other values as compact JSON,
    null not at all. A key that is taken stays."""
    taken = Keys(*metadata)
    for name, value in free:
        text = _said(name, value, own)
        if text is not None:
            metadata[taken.free(name)] = text
    return metadata


def _said(name: str, value: Node, own: ProfileError) -> str | None:
    """Return the metadata text of a member; None where it says nothing: null, or the empty
    value of one that the error requires."""
    if value is None:
        return None
    text = text_of(value) if type(value) is str else str(member_text(value))
    for member in own.data:
        if member.name == name and text == member.empty_text:
            return None
    return text


def marker_code(node: Node) -> int:
    """Return the code of a code marker: an object of exactly the two members, of which peers
    that know no duplicates see no more; 0 where the element is none."""
    if not isinstance(node, dict) or length(node) < 2:
        return 0
    kind = get(node, "@type")
    if type(kind) is not str or text_of(kind) != MARKER_URL or not only_of(node, "@type", "code"):
        return 0
    number = integer(node.get("code", MISSING))
    return number if number is not None and hub.canonical(number) else 0


__all__ = ["MARKER_URL", "marker_code", "read_jsonrpc"]
