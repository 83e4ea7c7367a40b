"""Golden text: each `cases/<feature>.json` holds inputs, the `.ts` beside it the exact text they give.

Run with CODEMODE_WRITE_CASES=1 to write the texts anew, and review the difference.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from codemode.sdkgen import json_schema_to_ts, render_tools_sdk

from .compiler import Compiler

FOLDER = Path(__file__).parent / "cases"
FEATURES = sorted(path.stem for path in FOLDER.glob("*.json"))


def text_of(case: dict[str, Any]) -> str:
    title = f"// {case['title']}\n"
    if "tools" in case:
        return title + render_tools_sdk(case["tools"], instructions="", **case.get("options", {}))
    named: dict[str, str] = {}
    text = json_schema_to_ts(case["schema"], named=named)
    declared = "".join(f"type {name} = {body};\n" for name, body in named.items())
    return f"{title}{declared}type Case = {text};\n"


@pytest.mark.parametrize("feature", FEATURES)
def test_the_text_is_exactly_as_reviewed(feature: str) -> None:
    cases = json.loads((FOLDER / f"{feature}.json").read_text(encoding="utf-8"))
    text = "\n".join(text_of(case) for case in cases)
    golden = FOLDER / f"{feature}.ts"
    if os.environ.get("CODEMODE_WRITE_CASES"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


def test_all_reviewed_texts_compile(typescript: Compiler) -> None:
    files: dict[str, str] = {}
    for feature in FEATURES:
        cases = json.loads((FOLDER / f"{feature}.json").read_text(encoding="utf-8"))
        for number, case in enumerate(cases):
            text = text_of(case)
            if "tools" in case:
                text = text.split("```ts\n")[1].split("\n```")[0]
            files[f"{feature}-{number}"] = text
    assert typescript.check(files, module=True) == []
