"""ECMA-262 pattern text rewritten for the PyPI package ``regex``; what is not known is refused.

A guess could accept what the author forbids, so a construct outside ECMA-262 is an error, not a
literal.
"""

import re

_MAX_GROUPS_DEEP = 60
_MAX_UNROLLED = 20_000

_WORD = "A-Za-z0-9_"
_DIGIT = "0-9"
_SPACE = "\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff"
_CLASSES = {"d": _DIGIT, "w": _WORD, "s": _SPACE}
_CONTROLS = {"t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "0": "\0"}
_BOUNDARY = f"(?:(?<=[{_WORD}])(?![{_WORD}])|(?<![{_WORD}])(?=[{_WORD}]))"
_NO_BOUNDARY = f"(?:(?<=[{_WORD}])(?=[{_WORD}])|(?<![{_WORD}])(?![{_WORD}]))"
_ANY = "[\\x00-\\U0010ffff]"
_REPEAT = re.compile(r"(?:[*+?]|\{(\d{1,5})(?:,(\d{0,5}))?\})\??")
_PROPERTY = re.compile(r"[A-Za-z_]+(?:=[A-Za-z0-9_]+)?")
_HEX = re.compile(r"u\{([0-9A-Fa-f]{1,6})\}|u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})")
_LOW = re.compile(r"\\u([Dd][C-Fc-f][0-9A-Fa-f]{2})")
_NAMED = re.compile(r"\?<([^\W\d][\w$]*)>")
_BACK = re.compile(r"[1-9]\d?")
_BACK_NAMED = re.compile(r"k<([^\W\d][\w$]*)>")


class PatternError(Exception):
    """The pattern cannot be used; the text says why."""


def translate(source: str) -> str:
    """``source`` in the dialect of ``regex``; raises :class:`PatternError`."""
    return _Translator(source).translate()


class _Translator:
    def __init__(self, source: str) -> None:
        self._source = source
        self._at = 0
        self._groups = 0
        self._names: dict[str, int] = {}
        self._cost = 0  # how many atoms the engine will lay out: it unrolls counted repeats
        self._opened: list[int] = []  # the cost before each open group

    def translate(self) -> str:
        out: list[str] = []
        last = 1
        source = self._source
        repeatable = False
        while self._at < len(source):
            if match := _REPEAT.match(source, self._at):
                if not repeatable:
                    raise PatternError("repeats nothing")
                self._unroll(last, int(match[1] or 1) - 1)
                out.append(match[0])
                self._at = match.end()
                repeatable = False
                continue
            char = source[self._at]
            self._at += 1
            repeatable = char not in "(|^"
            last = 1
            if char == "\\":
                text, repeatable = self._escape()
                out.append(text)
            elif char == "[":
                out.append(self._set())
            elif char == "(":
                if len(self._opened) > _MAX_GROUPS_DEEP:
                    raise PatternError("is nested too deeply")
                self._opened.append(self._cost)
                out.append(self._open())
            elif char == ")":
                if not self._opened:
                    raise PatternError("closes a group that is not open")
                last = self._cost - self._opened.pop() + 1
                out.append(")")
            elif char == ".":
                out.append("[^\\n\\r\\u2028\\u2029]")
            elif char == "^":
                out.append("\\A")
            elif char == "$":
                out.append("\\Z")
                repeatable = False
            else:
                out.append("|" if char == "|" else _literal(char))
            self._unroll(1, 1)
        return "".join(out)

    def _unroll(self, atoms: int, more: int) -> None:
        self._cost += atoms * max(more, 0)
        if self._cost > _MAX_UNROLLED:
            raise PatternError("repeats too much")

    def _open(self) -> str:
        source = self._source
        for head in ("?:", "?=", "?!", "?<=", "?<!"):
            if source.startswith(head, self._at):
                self._at += len(head)
                return f"({head}"
        if match := _NAMED.match(source, self._at):
            self._at = match.end()
            self._groups += 1
            if self._names.setdefault(match[1], self._groups) != self._groups:
                raise PatternError("names two groups alike")
            return "("
        if source.startswith("?", self._at):
            raise PatternError("has a group that ECMA-262 does not have")
        self._groups += 1
        return "("

    def _escape(self) -> tuple[str, bool]:
        """The text of the escape after a backslash, and whether it can be repeated."""
        source = self._source
        char = source[self._at : self._at + 1]
        if char in ("b", "B"):
            self._at += 1
            return (_BOUNDARY if char == "b" else _NO_BOUNDARY), False
        if match := _BACK.match(source, self._at):
            self._at = match.end()
            return self._back(int(match[0])), True
        if match := _BACK_NAMED.match(source, self._at):
            self._at = match.end()
            return self._back(self._names.get(match[1], 0)), True
        single, text = self._class_escape()
        return (_literal(single) if single else text), True

    def _back(self, group: int) -> str:
        if not 0 < group <= self._groups:
            raise PatternError("refers to a group that does not stand before")
        # In ECMA-262 a group that took no part matches the empty text; here it would fail.
        return f"(?({group})\\{group}|)"

    def _class_escape(self) -> tuple[str, str]:
        """One character, or else the text of a class: the escapes that sets have too."""
        source = self._source
        char = source[self._at : self._at + 1]
        if match := _HEX.match(source, self._at):
            self._at = match.end()
            code = int(match[1] or match[2] or match[3], 16)
            if 0xD800 <= code < 0xDC00 and (low := _LOW.match(source, self._at)):
                self._at = low.end()
                code = 0x10000 + ((code - 0xD800) << 10) + (int(low[1], 16) - 0xDC00)
            if code > 0x10FFFF:
                raise PatternError("names a character that does not exist")
            return chr(code), ""
        self._at += 1
        if char and char in "dws":
            return "", f"[{_CLASSES[char]}]"
        if char and char in "DWS":
            return "", f"[^{_CLASSES[char.lower()]}]"
        if char and char in "pP" and source.startswith("{", self._at):
            end = source.find("}", self._at)
            name = source[self._at + 1 : end]
            if end < 0 or not _PROPERTY.fullmatch(name):
                raise PatternError("has an unknown property class")
            self._at = end + 1
            return "", f"\\{char}{{{name}}}"
        if char in _CONTROLS:
            return _CONTROLS[char], ""
        if char == "c" and (letter := source[self._at : self._at + 1]).isalpha():
            self._at += 1
            return chr(ord(letter) % 32), ""
        if not char or char.isalnum():
            raise PatternError(f"has an escape that ECMA-262 does not have: \\{char}")
        return char, ""

    def _set(self) -> str:
        source = self._source
        negated = source.startswith("^", self._at)
        self._at += negated
        chars: list[str] = []
        classes: list[str] = []
        while not source.startswith("]", self._at):
            low, text = self._set_member()
            if text:
                classes.append(text)
            elif source.startswith("-", self._at) and source[self._at + 1 : self._at + 2] != "]":
                self._at += 1
                high, text = self._set_member()
                if text or high < low:
                    raise PatternError("has a range that is out of order")
                chars.append(f"{_literal(low)}-{_literal(high)}")
            else:
                chars.append(_literal(low))
        self._at += 1
        if chars:
            classes.append(f"[{''.join(chars)}]")
        if not classes:
            return _ANY if negated else "(?!)"
        either = "|".join(classes)
        return f"(?:(?!{either}){_ANY})" if negated else f"(?:{either})"

    def _set_member(self) -> tuple[str, str]:
        char = self._source[self._at : self._at + 1]
        if not char:
            raise PatternError("has a set that does not end")
        self._at += 1
        if char != "\\":
            return char, ""
        if self._source.startswith("b", self._at):
            self._at += 1
            return "\b", ""
        return self._class_escape()


def _literal(char: str) -> str:
    return char if char.isalnum() and char.isascii() else f"\\U{ord(char):08x}"
