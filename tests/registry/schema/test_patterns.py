"""Patterns are ECMA-262's, whatever Python would make of them."""

import pytest

from codemode.registry.schema import compile_schema


@pytest.mark.parametrize(
    ("pattern", "text", "valid"),
    [
        ("b", "abc", True),
        ("^b", "abc", False),
        ("^a$", "a\n", False),
        (r"^\d+$", "١٢", False),
        (r"^\d+$", "12", True),
        (r"^\w$", "é", False),
        (r"^\W$", "é", True),
        (r"^\s$", "\ufeff", True),
        (r"^\S$", "\u00a0", False),
        (r"\bcat\b", "a cat", True),
        (r"\Bat", "cat", True),
        (r"^(?<year>\d{4})-\k<year>$", "2024-2024", True),
        (r"^(a)|b\1$", "b", True),
        (r"^(?:x)(?=y)(?!z)", "xy", True),
        (r"(?<=a)b(?<!c)", "ab", True),
        (r"^\p{L}+$", "é", True),
        (r"^\P{L}$", "é", False),
        (r"^\p{Script=Greek}$", "α", True),
        (r"^\u{1F600}$", "😀", True),
        (r"^\ud83d\ude00$", "😀", True),
        (r"^\u0041\x42\cA\t\0$", "AB\x01\t\0", True),
        (r"^.$", "😀", True),
        (r"^.$", "\u2028", False),
        (r"^[^\D5]$", "6", True),
        (r"^[^\D5]$", "5", False),
        (r"^[\w.-]+@[\b-]?[a-z]+$", "a.b-c@d", True),
        (r"^[[&&~~||-]+$", "[&~|-", True),
        ("^[]$", "", False),
        ("^[^]$", "\n", True),
        (r"^a{2,3}?$", "aaa", True),
        ("^a{,3}$", "a{,3}", True),
        (r"^\/\-\.\$$", "/-.$", True),
        ("^(?:foo){e<=1}$", "fo", False),
        ("^#x y$", "#x y", True),
    ],
)
def test_a_pattern_means_what_ecma_says(pattern: str, text: str, valid: bool) -> None:
    checker = compile_schema({"pattern": pattern})
    assert checker.warnings == ()
    assert (checker.check(text) == []) is valid


@pytest.mark.parametrize(
    "pattern",
    [
        "[",
        "(",
        ")",
        "*",
        "a**",
        "a++",
        "^*",
        r"\Z",
        r"\A",
        r"\h",
        r"\p{Nope}",
        r"\p",
        r"\p{a-b}",
        r"\2(a)",
        r"\k<no>",
        "(?i)a",
        "(?>a)",
        "(?P<n>a)",
        "(?<n>a)(?<n>b)",
        "[b-a]",
        r"[a-\d]",
        r"\u{110000}",
        "\\",
        "(?:(?:a?){1000}){1000}",
        "(" * 500 + ")" * 500,
        "a" * 5_000,
    ],
)
def test_a_pattern_that_is_not_understood_is_skipped_with_a_warning(pattern: str) -> None:
    checker = compile_schema({"pattern": pattern})
    assert len(checker.warnings) == 1
    assert checker.warnings[0].startswith("pattern: ")
    assert checker.check("text") == []
