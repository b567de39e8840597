"""Names of characters: the one place where they are checked and normalised.

Everything that later becomes a directory name passes through here first. The rules are those of the published API
with three additions. A name is brought to Unicode form NFC, so that the composed and the decomposed spelling of ``é``
are one character and one directory. Letters that no font shows (the Hangul fillers) are refused like every other
invisible character. The device names of Windows are also recognised before a blank (``CON .txt``) and with
superscript digits (``COM¹``), as Windows itself does.

No name is too long for a directory: 50 code points are at most 200 bytes of UTF-8, which leaves 55 of the usual 255
for a temporary suffix.
"""

from __future__ import annotations

import unicodedata
from urllib.parse import unquote_to_bytes

from memory.errors import BadInput

NAME_LIMIT = 50                 # code points, after normalisation
FIELD = "lanlan_name"

LENGTH_MESSAGE = f"a character name has between 1 and {NAME_LIMIT} characters"
CHARACTERS_MESSAGE = "the character name contains characters or a form that is not allowed"

_PUNCTUATION = frozenset(" _-()（）·・•'’.")
_INVISIBLE_LETTERS = frozenset("\u115f\u1160\u3164\uffa0")
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", "clock$", "conin$", "conout$"]
    + [f"{port}{digit}" for port in ("com", "lpt") for digit in "123456789¹²³"]
)

# First path segments of the companion's own pages and mounts: a character of that name could not be reached there.
RESERVED_ROUTES = frozenset({
    "api", "ws", "health", "static", "chat", "memory_browser", "model_manager", "voice_clone", "workshop", "toast",
    "subtitle", "jukebox", "l2d",
})  # fmt: skip


def check_name(raw: str) -> str:
    """The normalised name. Raises ``BadInput`` whose ``why`` is one of the two fixed messages."""
    name = raw.strip()
    # Normalising a long run of combining marks is slow, and never makes a legal name out of a far longer one.
    if len(name) > 20 * NAME_LIMIT:
        raise _refused(LENGTH_MESSAGE)
    name = unicodedata.normalize("NFC", name)
    if not name:
        raise _refused(LENGTH_MESSAGE)
    if "/" in name or "\\" in name or ".." in name or name.endswith("."):
        raise _refused(CHARACTERS_MESSAGE)
    if name.split(".", 1)[0].rstrip().casefold() in _DEVICES or name.casefold() in RESERVED_ROUTES:
        raise _refused(CHARACTERS_MESSAGE)
    if not all(_allowed(char) for char in name):
        raise _refused(CHARACTERS_MESSAGE)
    if len(name) > NAME_LIMIT:
        raise _refused(LENGTH_MESSAGE)
    return name


def from_raw_path_segment(raw: bytes) -> str:
    """The normalised name in one segment of a path as it came over the wire, still percent-encoded.

    It must be cut from the *raw* path: a server's decoded path has already turned ``%2F`` into a separator, and then
    ``a%2Fb`` would look like two segments. Here it is a slash inside the name, and refused.
    """
    try:
        name = unquote_to_bytes(raw).decode("utf-8")
    except UnicodeDecodeError:
        raise _refused(CHARACTERS_MESSAGE) from None
    return check_name(name)


def _allowed(char: str) -> bool:
    if char in _PUNCTUATION:
        return True
    return (char.isalnum() and char not in _INVISIBLE_LETTERS) or unicodedata.category(char) == "Zs"


def _refused(why: str) -> BadInput:
    return BadInput(FIELD, why)
