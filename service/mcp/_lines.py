"""A text encoding for the SDK's stdio transport: UTF-8 that arrives in whole lines, none of them endless.

The transport joins and splits everything that it has of a line again at each 64 KiB: a line of 40 MB takes it
eight seconds, and every server waits. Here the pieces wait as bytes until their line has ended. A line of
more than 32 MiB is cut to its beginning, which still says what request it is about. Log messages are left
out: a server may send any number.
"""

import codecs
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from typing_extensions import Buffer

ENCODING: Final = "codemode_mcp_lines"
LONGEST_LINE: Final = 32 << 20
CUT: Final = "…(longer than 32 MiB)"
_KEPT_OF_CUT: Final = 400
_LOG_MESSAGE: Final = re.compile(rb'"method"\s*:\s*"notifications/message"')
_ANSWERS: Final = re.compile(rb'"(?:result|error|id)"\s*:')


class LineDecoder(codecs.IncrementalDecoder):
    """Gives text up to the last line end that it has seen."""

    def __init__(self, errors: str = "strict") -> None:
        super().__init__(errors)
        self._parts: list[bytes] = []
        self._size = 0

    def decode(self, input: "Buffer", final: bool = False) -> str:
        given = bytes(input)
        end = given.find(b"\n") + 1
        if end == 0:
            self._keep(given)
            return self._released() if final else ""
        self._keep(given[:end])
        text = self._released()
        last = given.rfind(b"\n") + 1
        self._keep(given[last:])
        whole = given[end:last]
        if b'"notifications/message"' in whole:
            lines = whole.splitlines(keepends=True)
            whole = b"".join(line for line in lines if not _is_log_message(line))
        return text + whole.decode("utf-8", "replace")

    def reset(self) -> None:
        self._parts, self._size = [], 0

    def _keep(self, part: bytes) -> None:
        self._size += len(part)
        if self._size <= LONGEST_LINE:
            self._parts.append(part)
        else:
            self._parts = [b"".join(self._parts)[:_KEPT_OF_CUT]]

    def _released(self) -> str:
        data, is_cut = b"".join(self._parts), self._size > LONGEST_LINE
        self.reset()
        text = data.decode("utf-8", "replace")
        return f"{text}{CUT}\n" if is_cut else text


def _is_log_message(line: bytes) -> bool:
    """Nobody here listens to a server's log; reading each message as JSON costs ten times as much."""
    return _LOG_MESSAGE.search(line) is not None and _ANSWERS.search(line) is None


def _encode(text: str, errors: str = "strict") -> tuple[bytes, int]:
    return text.encode("utf-8", errors), len(text)


def _decode(data: "Buffer", errors: str = "strict") -> tuple[str, int]:
    given = bytes(data)
    return given.decode("utf-8", errors), len(given)


def _search(name: str) -> codecs.CodecInfo | None:
    if name != ENCODING:
        return None
    return codecs.CodecInfo(_encode, _decode, incrementaldecoder=LineDecoder, name=ENCODING)


codecs.register(_search)
