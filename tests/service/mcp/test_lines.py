"""The encoding of the stdio transport: whole lines, none of them endless."""

import codecs

from hypothesis import given
from hypothesis import strategies as st

from codemode.service.mcp._lines import CUT, ENCODING, LONGEST_LINE, LineDecoder


@given(st.text(alphabet="ab\né€😀\r"), st.lists(st.integers(1, 7)))
def test_lines_come_whole_however_their_bytes_are_cut(text: str, sizes: list[int]) -> None:
    data, decoder, found = text.encode(), LineDecoder(), list[str]()
    for size in sizes:
        found.append(decoder.decode(data[:size]))
        data = data[size:]
    found.append(decoder.decode(data))
    assert all(piece == "" or piece.endswith("\n") for piece in found)
    assert "".join(found) == text[: text.rfind("\n") + 1]
    assert decoder.decode(b"", True) == text[text.rfind("\n") + 1 :]


def test_bytes_that_are_no_text_are_replaced() -> None:
    assert LineDecoder().decode(b"a\xffb\n") == "a\ufffdb\n"


def test_a_line_without_end_is_cut_to_its_beginning_and_the_next_one_is_whole() -> None:
    decoder = LineDecoder()
    piece = b"x" * (1 << 20)
    for _ in range((LONGEST_LINE >> 20) + 5):
        assert decoder.decode(piece) == ""
    cut, rest = decoder.decode(b"y\nnext\n").split("\n", 1)
    assert cut == "x" * 400 + CUT
    assert rest == "next\n"


def test_what_is_sent_is_utf_8() -> None:
    assert "é€".encode(ENCODING) == "é€".encode()
    assert codecs.decode("é€".encode(), ENCODING) == "é€"


def test_log_messages_are_left_out_and_nothing_that_quotes_one() -> None:
    log = '{"jsonrpc":"2.0","method": "notifications/message","params":{}}\n'
    quoting = '{"jsonrpc":"2.0","id":1,"result":{"method":"notifications/message"}}\n'
    asking = '{"id":7,"method":"notifications/message"}\n'
    first = '{"first":1}\n'
    assert LineDecoder().decode((first + log + quoting + log + asking).encode()) == (
        first + quoting + asking
    )
