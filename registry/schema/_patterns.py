"""ECMA-262 patterns, read by a translator and run by an engine that can be stopped.

JSON Schema's ``pattern`` is an ECMA-262 regular expression (2020-12 core, section 6.4). Each is
rewritten for the PyPI package ``regex``, whose matcher takes a timeout: Python's ``re`` backtracks
without limit, and RE2 has neither look-around nor back references.
"""

from functools import lru_cache
from typing import Protocol, cast

import regex

from ._ecma import PatternError, translate

_MAX_PATTERN = 4_096


class _Compiled(Protocol):
    def search(self, string: str, *, timeout: float) -> object: ...


class Pattern:
    """A compiled pattern. ``source`` is the author's text."""

    __slots__ = ("_compiled", "source")

    def __init__(self, source: str, compiled: _Compiled) -> None:
        self.source = source
        self._compiled = compiled

    def search(self, text: str, seconds: float) -> bool:
        """Whether the pattern occurs anywhere in ``text``; raises TimeoutError after ``seconds``."""
        return self._compiled.search(text, timeout=seconds) is not None


@lru_cache(maxsize=512)
def compile_pattern(source: str) -> Pattern:
    """The pattern of this ECMA-262 text; raises :class:`PatternError`."""
    if len(source) > _MAX_PATTERN:
        raise PatternError(f"is longer than {_MAX_PATTERN} characters")
    try:
        text = translate(source)
        return Pattern(source, cast("_Compiled", regex.compile(text, regex.V0)))
    except PatternError:
        raise
    except (regex.error, ValueError, TypeError, LookupError, ArithmeticError, RecursionError):
        raise PatternError("is not a pattern that can be compiled") from None
