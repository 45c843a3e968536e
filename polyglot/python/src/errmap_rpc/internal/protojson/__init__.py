"""ProtoJSON and Protobuf bytes, by tables that are compiled from descriptors."""

from .codec import Codec, Fidelity, Types, parse
from .encode import serialize
from .read import decode_base64
from .table import Refused

__all__ = ["Codec", "Fidelity", "Refused", "Types", "decode_base64", "parse", "serialize"]
