"""Plain text: what others wrote, without what would steer a terminal or turn the direction of a page."""

import re

_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)
_WHITE = re.compile(r"\s+")


def plain(text: str) -> str:
    r"""The text with control characters, direction marks and tags written out, as in `\u001b`.

    JSON stays the same JSON, for it may write its characters so.
    """
    return _STEERING.sub(_written_out, text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """The text as `plain`, in one line."""
    return plain(_WHITE.sub(" ", text).strip())


def _written_out(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
