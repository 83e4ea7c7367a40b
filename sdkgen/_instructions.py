"""The text before the declarations: how to write a program."""

from typing import Final

INSTRUCTIONS: Final = """\
## Writing code for run_code

Pass the body of an async TypeScript function; top-level `await` and `return` work, types are advisory.
- Call `await tools.name({ ... })`, an odd name as `tools["odd-name"]({ ... })`, with JSON values.
- Only what you `return` or `console.log` comes back: filter and sum up in code.
- A failed call throws `ToolCallError` (`toolName`, `code`, `message`); catch it to go on.
- Calls run one after another, even under `Promise.all`.
- No imports, `fetch` or files; JavaScript's globals, `URL`, `crypto` and `setTimeout` exist.
"""
