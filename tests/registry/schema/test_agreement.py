"""Agreement with the JSON-Schema-Test-Suite, where a copy lies beside the repository."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from codemode.registry.schema import compile_schema

SUITE = (
    Path(__file__).parents[3].parent / "shared" / "json_schema" / "json-schema-test-suite" / "tests"
)
pytestmark = pytest.mark.skipif(not SUITE.is_dir(), reason="no copy of the test suite here")

DIALECTS = {
    "draft4": "http://json-schema.org/draft-04/schema#",
    "draft6": "http://json-schema.org/draft-06/schema#",
    "draft7": "http://json-schema.org/draft-07/schema#",
    "draft2019-09": "https://json-schema.org/draft/2019-09/schema",
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
}
Case = tuple[str, object, object, bool]


def cases(draft: str) -> Iterator[Case]:
    for file in sorted((SUITE / draft).glob("*.json")):
        if file.stem == "vocabulary":  # meta-schemas of their own, which lie elsewhere
            continue
        for group in cast("list[dict[str, object]]", json.loads(file.read_text())):
            schema = group["schema"]
            if isinstance(schema, dict):
                schema = {"$schema": DIALECTS[draft], **cast("dict[str, object]", schema)}
            for case in cast("list[dict[str, object]]", group["tests"]):
                name = f"{file.stem}: {group['description']}: {case['description']}"
                yield name, schema, case["data"], cast("bool", case["valid"])


@pytest.mark.parametrize("draft", list(DIALECTS))
def test_a_schema_that_is_checked_whole_agrees_with_the_suite(draft: str) -> None:
    wrong = [
        name
        for name, schema, data, valid in cases(draft)
        if not (checker := compile_schema(schema)).warnings
        and (checker.check(data) == []) is not valid
    ]
    assert wrong == []


@pytest.mark.parametrize("draft", list(DIALECTS))
def test_a_schema_that_is_not_checked_whole_never_refuses_what_is_valid(draft: str) -> None:
    wrong = [
        name
        for name, schema, data, valid in cases(draft)
        if valid and (checker := compile_schema(schema)).warnings and checker.check(data)
    ]
    assert wrong == []
