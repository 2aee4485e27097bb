"""Convert JSON to YAML that every YAML reader loads as the same document."""

import io
import re
from typing import Final

from ruamel.yaml import YAML
from ruamel.yaml.nodes import ScalarNode
from ruamel.yaml.representer import RoundTripRepresenter
from ruamel.yaml.scalarstring import DoubleQuotedScalarString

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import is_array, is_object

_PLAIN_KEY: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
# unquoted, YAML 1.1 readers take these for booleans and nulls
_SPECIAL_KEYS: Final = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
_NEVER_FOLDED: Final = 1 << 30


class _Representer(RoundTripRepresenter):
    """Writes floats in the form that YAML 1.1 requires: a mantissa with a point."""

    def represent_float(self, data: float) -> ScalarNode:
        text = repr(data)
        if "." not in text:
            text = text.replace("e", ".0e")
        return self.represent_scalar("tag:yaml.org,2002:float", text)  # pyright: ignore[reportUnknownMemberType]


_Representer.add_representer(float, _Representer.represent_float)  # pyright: ignore[reportUnknownMemberType]


def dump_yaml(document: JsonObject) -> str:
    """Convert a JSON object. Every string is quoted, so that no time or number changes its type."""
    writer = YAML(typ="rt", pure=True)
    writer.Representer = _Representer
    writer.width = _NEVER_FOLDED
    text = io.StringIO()
    writer.dump(_quoted(document), text)  # pyright: ignore[reportUnknownMemberType]
    return text.getvalue()


def _quoted(value: JsonValue) -> JsonValue:
    if is_object(value):
        return {_key(name): _quoted(member) for name, member in value.items()}
    if is_array(value):
        return [_quoted(element) for element in value]
    return DoubleQuotedScalarString(value) if isinstance(value, str) else value


def _key(name: str) -> str:
    plain = _PLAIN_KEY.fullmatch(name) and name.lower() not in _SPECIAL_KEYS
    return name if plain else DoubleQuotedScalarString(name)
