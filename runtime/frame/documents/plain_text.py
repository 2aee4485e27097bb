"""Make foreign text safe to print: escape terminal controls, direction marks and hidden characters."""

import re

# those that are shaped by joiners: from Arabic to N'Ko, the Indic ones, Tibetan, Burmese, Khmer, Mongolian
_JOINED = (
    "\u0600-\u085f\u0870-\u0dff\u0f00-\u109f\u1780-\u18af\u1a20-\u1aad\u1b00-\u1c4f\ua800-\uabff"
    "\ufb50-\ufdff\ufe70-\ufefe\U00011000-\U000115ff"
)
_EMOJI = "\u00a9\u00ae\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f\ud800-\udfff]"
    f"|(?<![{_JOINED}])[\u180e\u200c]"
    f"|(?<![{_JOINED}{_EMOJI}\ufe0f])\u200d|(?<=[{_EMOJI}\ufe0f])\u200d(?![{_EMOJI}])"
)
"""Control characters, and characters of category Cf that hide, reorder or split text invisibly."""
_WHITE = re.compile(r"\s+")


def plain(text: str) -> str:
    r"""The text with control characters, direction marks and unseen characters written out, as in `\u001b`.

    Joiners stay where a script or an emoji needs them.
    JSON text keeps its value, because JSON allows such escapes.
    """
    return _STEERING.sub(_written_out, text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """Replace each run of white space by one space, then escape the text as `plain` does."""
    return plain(_WHITE.sub(" ", text).strip())


def _written_out(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
