"""JSON between Python and a program: the one place that decides what crosses, and how.

From the guest: strict JSON text. Integers that a program's numbers cannot tell apart (beyond
±(2^53-1)) become the float that the program has when they are call arguments, so that a tool that
gives them back gives the same number. In a completion value they are the integer that the JSON text says.

To the guest: what ``json`` would write, with these decisions. NaN, infinities, anything that is not
JSON, a ring, or too deep nesting is refused with its path. Integers beyond ±(2^53-1) become decimal
strings, never rounded numbers, and the caller is told where. Tuples are arrays; keys are strings
(``json``'s rule for int, float, bool and None keys holds; other keys are refused). Half surrogate
pairs survive as escapes.
"""

import contextlib
import json
import sys
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Final, cast

from .types import JsonValue

LARGEST_SAFE_INTEGER: Final = 2**53 - 1
_LONGEST_SAFE_DIGITS: Final = 15
MOST_STEPS: Final = 24
DEEPEST: Final = 2_000  # the largest Limits.depth
_BAD_CONSTANT: Final = "NaN and Infinity are not JSON"


class JsonProblemError(ValueError):
    """A value or text that is not the JSON we accept; the message says what and where."""


@dataclass(slots=True)
class Encoded:
    """JSON text, and the paths of integers that crossed as strings."""

    data: bytes
    big_integers: list[str] = field(default_factory=list[str])


# --- from the guest


def _refuse_constant(text: str) -> float:
    raise JsonProblemError(f"{text}: {_BAD_CONSTANT}")


def _finite_float(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise JsonProblemError(f"{text[:40]} is too large for a number")
    return number


def _int_or_float(text: str) -> int | float:
    if len(text) <= _LONGEST_SAFE_DIGITS:
        return int(text)
    if len(text) > 400:  # never a number that a program printed
        raise JsonProblemError("a number with more than 400 digits")
    number = int(text)
    return number if -LARGEST_SAFE_INTEGER <= number <= LARGEST_SAFE_INTEGER else float(number)


def _whole(text: str) -> int:
    if len(text) > 400:
        raise JsonProblemError("a number with more than 400 digits")
    return int(text)


_argument_decoder: Final = json.JSONDecoder(
    parse_int=_int_or_float, parse_float=_finite_float, parse_constant=_refuse_constant
)
_value_decoder: Final = json.JSONDecoder(
    parse_int=_whole, parse_float=_finite_float, parse_constant=_refuse_constant
)
_plain_decoder: Final = json.JSONDecoder()


def _decode_text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise JsonProblemError(f"not UTF-8 at byte {error.start}") from None


def decode_argument(data: bytes) -> JsonValue:
    """A call's argument.

    Raises:
        JsonProblemError: it is not JSON.
    """
    return _decode(data, _argument_decoder)


def decode_value(data: bytes) -> JsonValue:
    """A completion value; an integer is the one whose digits its JSON has, however large.

    Raises:
        JsonProblemError: it is not JSON.
    """
    return _decode(data, _value_decoder)


def _decode(data: bytes, decoder: json.JSONDecoder) -> JsonValue:
    text = _decode_text(data)
    try:
        value, end = decoder.raw_decode(text)
    except RecursionError:
        try:
            with _more_recursion():
                value, end = decoder.raw_decode(text)
        except (RecursionError, json.JSONDecodeError, StopIteration):
            return _decode_deep(text, decoder)
    except (json.JSONDecodeError, StopIteration) as error:
        raise JsonProblemError(f"not JSON: {error}") from None
    if end != len(text):
        raise JsonProblemError(f"not JSON: unexpected text at {end}")
    return value


@contextlib.contextmanager
def _more_recursion() -> Generator[None, None, None]:
    """Room for JSON as deep as ``Limits.depth`` may be, in the C scanner, while it holds the GIL."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(before + 3 * DEEPEST)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _decode_deep(text: str, decoder: json.JSONDecoder) -> JsonValue:
    """The same without recursion, for nesting that the json module's recursion cannot take.

    Reads structure here and leaves every scalar to the decoder.
    """
    at, stack, keys = 0, list[Any](), list[str]()
    done: list[JsonValue] = []

    def fail(where: int) -> JsonProblemError:
        return JsonProblemError(f"not JSON: unexpected text at {where}")

    def scalar(where: int) -> tuple[Any, int]:
        try:
            return decoder.raw_decode(text, where)
        except (json.JSONDecodeError, StopIteration):
            raise fail(where) from None

    def read_key(where: int) -> int:
        key, end = scalar(where)
        if not isinstance(key, str) or text[end : end + 1] != ":":
            raise fail(end)
        keys.append(key)
        return end + 1

    while not done:
        mark = text[at : at + 1]
        if mark in ("[", "{") and text[at + 1 : at + 2] != {"[": "]", "{": "}"}[mark]:
            stack.append([] if mark == "[" else {})
            at += 1
            if mark == "{":
                at = read_key(at)
            continue
        value: Any
        if mark in ("[", "{"):
            empty: Any = [] if mark == "[" else {}
            value, at = empty, at + 2
        else:
            value, at = scalar(at)
        while True:  # put the value where it belongs, and close what ends
            if not stack:
                done.append(value)
                break
            inner = stack[-1]
            if isinstance(inner, list):
                cast("list[Any]", inner).append(value)
            else:
                inner[keys.pop()] = value
            mark = text[at : at + 1]
            at += 1
            if mark == ",":
                if isinstance(inner, dict):
                    at = read_key(at)
                break
            if mark != ("]" if isinstance(inner, list) else "}"):
                raise fail(at - 1)
            value = stack.pop()
    if at != len(text):
        raise fail(at)
    return done[0]


# --- to the guest

_encoder: Final = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":"), check_circular=True
)
_ascii_encoder: Final = json.JSONEncoder(
    ensure_ascii=True, allow_nan=False, separators=(",", ":"), check_circular=True
)
_LONG_NUMBER: Final = 16  # digits: from here on an integer may be too large


def encode_result(value: object, *, depth: int) -> Encoded:
    """A binding's result as JSON for the program.

    Raises:
        JsonProblemError: it has no JSON form; the message has the path.
    """
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return Encoded(_to_bytes(value))
    if kind is int:
        number = cast("int", value)
        if -LARGEST_SAFE_INTEGER <= number <= LARGEST_SAFE_INTEGER:
            return Encoded(b"%d" % number)
    try:
        data = _to_bytes(value)
    except (RecursionError, JsonProblemError, TypeError, ValueError, OverflowError):
        return _encode_carefully(value, depth)
    if _has_long_number(data):
        return _encode_carefully(value, depth)
    return Encoded(data)


def _to_bytes(value: object) -> bytes:
    try:
        return _encoder.encode(value).encode()
    except UnicodeEncodeError:
        return _ascii_encoder.encode(value).encode()
    except ValueError as error:
        raise JsonProblemError(str(error)) from None


_DIGIT_RUNS: Final = bytes(0x30 if 0x30 <= byte <= 0x39 else 0x20 for byte in range(256))
_RUN: Final = b"0" * _LONG_NUMBER


def _has_long_number(data: bytes) -> bool:
    """A cheap look for sixteen digits in a row, anywhere; the careful way then decides."""
    return _RUN in data.translate(_DIGIT_RUNS)


def _key(key: object, stack: Sequence["_Open"]) -> str:
    if isinstance(key, str):
        return key
    if key is True or key is False or key is None:
        return {True: "true", False: "false", None: "null"}[key]
    if isinstance(key, int):
        return int.__repr__(key)
    if isinstance(key, float) and isfinite(key):
        return float.__repr__(key)
    where = _path(stack)
    raise JsonProblemError(f"a key of type {type(key).__name__} at {where}: JSON keys are text")


def _step(path: str, key: str) -> str:
    return f"{path}.{key[:80]}" if key.isidentifier() else f"{path}[{json.dumps(key[:80])}]"


def _scalar(value: object, stack: Sequence["_Open"], big_integers: list[str]) -> JsonValue:
    if value is None or isinstance(value, (str, bool)):
        return value if not isinstance(value, str) else str.__str__(value)
    if isinstance(value, int):
        if -LARGEST_SAFE_INTEGER <= value <= LARGEST_SAFE_INTEGER:
            return int(value)
        if len(big_integers) < MOST_STEPS:
            big_integers.append(_path(stack))
        return _decimal(int(value))
    if isinstance(value, float):
        if not isfinite(value):
            raise JsonProblemError(f"{float.__repr__(value)} at {_path(stack)} is not JSON")
        return float(value)
    kind, where = type(value).__name__, _path(stack)
    raise JsonProblemError(f"a value of type {kind} at {where} is not JSON")


def _decimal(number: int) -> str:
    """``str(number)`` without Python's cap of 4300 digits."""
    try:
        return str(number)
    except ValueError:
        digits, sign, number = list[str](), "-" if number < 0 else "", abs(number)
        chunk = 10**4000
        while number >= chunk:
            number, rest = divmod(number, chunk)
            digits.append(f"{rest:04000d}")
        return sign + str(number) + "".join(reversed(digits))


def _path(stack: Sequence["_Open"]) -> str:
    """Where the encoder stands; only the last steps of a deep place."""
    shown = stack[-MOST_STEPS:]
    steps = "".join(
        _step("", level.key) if level.is_object else f"[{level.key}]" for level in shown
    )
    return f"result{'…' if len(shown) < len(stack) else ''}{steps}"


@dataclass(slots=True)
class _Open:
    """A container that is being written, and the key of the item that is next."""

    items: Iterator[Any]
    is_object: bool
    identity: int
    key: Any = None


def _encode_carefully(value: object, depth: int) -> Encoded:
    """Rebuilds the value step by step, without recursion, and writes that."""
    big_integers: list[str] = []
    parts: list[str] = []
    open_ids: set[int] = set()
    stack: list[_Open] = []

    def enter(container: object) -> None:
        identity = id(container)
        if identity in open_ids:
            raise JsonProblemError(f"a circular reference at {_path(stack)}")
        if len(stack) >= depth:
            raise JsonProblemError(f"nesting deeper than {depth} levels at {_path(stack)}")
        open_ids.add(identity)
        if isinstance(container, Mapping):
            mapping = cast("Mapping[Any, Any]", container)
            members = {_key(key, stack): item for key, item in mapping.items()}
            parts.append("{")
            stack.append(_Open(iter(members.items()), True, identity))
        else:
            parts.append("[")
            items = enumerate(cast("list[Any]", container))
            stack.append(_Open(items, False, identity))

    def write(item: object) -> None:
        if isinstance(item, (dict, list, tuple)):
            enter(cast("object", item))
        else:
            parts.append(json.dumps(_scalar(item, stack, big_integers)))

    write(value)
    while stack:
        level = stack[-1]
        for key, item in level.items:
            level.key = key
            if parts[-1] not in ("{", "["):
                parts.append(",")
            if level.is_object:
                parts.append(json.dumps(level.key) + ":")
            write(item)
            break
        else:
            stack.pop()
            open_ids.discard(level.identity)
            parts.append("}" if level.is_object else "]")
    return Encoded("".join(parts).encode(), big_integers)
