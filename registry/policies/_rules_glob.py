"""Globs over text: ``*`` is any text, also none and also with ``/``; ``?`` is one character."""

import re


def compile_glob(pattern: str, *, ignore_case: bool = False) -> re.Pattern[str]:
    """For ``fullmatch``. Takes time in proportion to text and pattern: nothing is tried twice."""
    first, *rest = (_fixed(part) for part in pattern.split("*"))
    if rest:
        *middle, last = rest
        # Atomic groups: the first place of each part is right, for what follows may begin later.
        first += "".join(f"(?>.*?{part})" for part in middle if part) + f".*{last}"
    return re.compile(first, re.DOTALL | (re.IGNORECASE if ignore_case else re.NOFLAG))


def _fixed(part: str) -> str:
    return ".".join(re.escape(piece) for piece in part.split("?"))
