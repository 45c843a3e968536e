"""The error object of JSON-RPC 2.0, written."""

from __future__ import annotations

from dataclasses import replace

from google.rpc.error_details_pb2 import ErrorInfo

from .. import hub
from ..code import target
from ..hub import Received, Wire
from ..jsontree import MISSING, parse_or_missing, quote
from ..number import integer as integer_token
from ..protojson import Fidelity
from . import forms
from .carried import Shape, Writing, untyped_text
from .detail import error_info, node_of, typed_node
from .member import split_members
from .options import DETAIL_DEPTH, Encoding
from .profile import Profile, ProfileError
from .rpcnumber import Standing, code_of, implied, standing_of
from .rpcread import MARKER_URL, marker_code
from .write import detail_json


def write_jsonrpc(error: hub.Error, profile: Profile, options: Encoding) -> tuple[int, str]:
    """Return the number and the text of an error as the error object of JSON-RPC 2.0
    section 5.1."""
    w = _Writer(error, profile, options)
    w.decide()
    return w.number, f'{{"code":{w.number},"message":{quote(error.message)}{w.data()}{w.standing}}}'


def number_of(error: hub.Error, profile: Profile, options: Encoding) -> int:
    """Return the number that an error has under a profile."""
    w = _Writer(error, profile, options)
    w.choose(standing_of(w.details, profile, options.catalog))
    return w.number


class _Writer(Writing):
    """Writes one error object."""

    def __init__(self, error: hub.Error, profile: Profile, options: Encoding) -> None:
        super().__init__(error, options, Shape.ELEMENTS)
        self.profile = profile
        self.number = 0
        self.own: ProfileError | None = None
        """What the number means beside the identity of the error."""
        self.marker = False
        self.standing = ""
        """The members that rode along, each after a comma."""

    def decide(self) -> None:
        """Choose the number, and tell whether the code marker is needed and what of what was
        received rides."""
        profile, error = self.profile, self.error
        s = standing_of(self.details, profile, self.options.catalog)
        repeated = self.choose(s)
        self.own = profile.by_number.get(self.number)
        if self.own is None and s.own is not None:
            for entry in profile.conditions:
                if entry.number == self.number and entry.definition.reason == s.own.reason:
                    self.own = entry
        self.wrap = self.own is not None
        if error.received or not hub.canonical(error.number):
            self.standing, riding = split_members(error.on(Wire.JSONRPC).members, forms.JSONRPC.place_in)

            def rest(r: Received) -> Received:
                if r.wire != Wire.JSONRPC:
                    return r
                return replace(r, members=riding, number="" if repeated else r.number)

            self.receive(False, rest)
        code = target(error.number)
        self.marker = (
            code_of(profile, s, self.number) != code
            or code_of(profile, Standing(None, s.own), self.number) != code
            or self.looks_marked()
            or self.misread()
        )

    def choose(self, s: Standing) -> bool:
        """Set the number: the one that was received where readers see it for what it is,
        else the error's own. Tell whether it is the received one."""
        profile = self.profile
        self.number = implied(profile, self.error.number, s)
        token = self.error.on(Wire.JSONRPC).number if self.error.received else ""
        number = integer_token(token) if token else None
        if number is None or not profile.may_repeat(number) or number == self.number:
            return False
        if number == implied(profile, self.error.number, Standing(None, s.own)):
            return False
        own = profile.by_number.get(number)
        if own is not None:
            info = self.of_domain(profile.domain)
            if info is None:
                return False  # readers add one
            named = profile.own.find(profile.domain, info.reason)
            if named is not None and named is not own.definition:
                return False  # which contradicts the number
        self.number = number
        return True

    def of_domain(self, domain: str) -> ErrorInfo | None:
        """Return the first ErrorInfo of a domain."""
        for detail in self.details:
            info = error_info(self.codec, detail)
            if info is not None and info.domain == domain:
                return info
        return None

    def looks_marked(self) -> bool:
        """Tell whether a detail would be read as a code marker."""
        for detail in self.details:
            if detail.name != hub.STATUS:
                continue
            if detail.json is not None:
                node = node_of(detail)
            else:
                text, fidelity = self.codec.any_text(detail.type_url, detail.value, DETAIL_DEPTH)
                node = MISSING if fidelity is Fidelity.NONE else parse_or_missing(text)
            if marker_code(node):
                return True
        return False

    def misread(self) -> bool:
        """Tell whether free-form details, with nothing typed beside them, would be read as
        something else."""
        if self.wrap or not self.details or (self.received and self.options.carries(self.error)):
            return False
        if any(detail.typed for detail in self.details):
            return False
        if len(self.details) > 1:
            return True
        root = node_of(self.details[0])
        if type(root) is list:
            return not root or any(map(typed_node, root))
        return self.profile.means(self.number, root) is not None

    def data(self) -> str:
        """Return the data member after a comma; "" where there is nothing to say."""
        if self.own is not None and self.profile.object_data:
            return self.object_data(self.own)
        carries = bool(self.received) and self.options.carries(self.error)
        if len(self.details) == 1 and not self.details[0].typed and not self.wrap and not self.marker and not carries:
            self.carries(Wire.JSONRPC)
            return ',"data":' + untyped_text(self.details[0])
        text = self.list_text()
        return "" if text == "[]" else ',"data":' + text

    def list_text(self) -> str:
        """Return the details, the code marker and the Carried as an array."""
        parts = [detail_json(self, i) or "" for i in range(len(self.details))]
        if self.marker:
            parts.append(f'{{"@type":"{MARKER_URL}","code":{target(self.error.number)}}}')
        if self.carries(Wire.JSONRPC):
            parts.append(f'{{"@type":"{hub.URL_CARRIED}",{self.codec.text(self.carried())[1:]}')
        return "[" + ",".join(parts) + "]"

    def object_data(self, own: ProfileError) -> str:
        """Return the data of an own error whose data is an object: the members that it
        requires, and all else that the error says under details."""
        info = self.of_domain(self.profile.domain)
        metadata = dict(info.metadata) if info is not None else {}
        parts = [f"{quote(m.name)}:{m.value(metadata.get(m.name, ''))}" for m in own.data]
        if info is not None and self.said_by_members(own, info):
            self.carries(Wire.JSONRPC)
        else:
            parts.append('"details":' + self.list_text())
        return ',"data":{' + ",".join(parts) + "}" if parts else ""

    def said_by_members(self, own: ProfileError, info: ErrorInfo) -> bool:
        """Tell whether the members that an own error requires say all of it."""
        definition = own.definition
        if (
            self.marker
            or len(self.details) != 1
            or self.details[0].json is not None
            or (self.received and self.options.carries(self.error))
            or info.reason != definition.reason
            or info.domain != definition.domain
            or self.codec.has_unknown(hub.URL_ERROR_INFO, self.details[0].value)
        ):
            return False
        members = {member.name: member for member in own.data}
        for key, text in info.metadata.items():
            member = members.get(key)
            if member is None or text == member.empty_text:
                return False
            if not member.is_string and member.value(text) != text:
                return False
        return True
