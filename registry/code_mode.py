"""``run_code``: the tool that runs a program against the other tools."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from ..runtime import JsonValue, Limits
from ..sdkgen import Detail
from ._bridge import Bridge
from ._entry import Entry
from .errors import CodeRunFailedError, RegistrationError
from .presentation import GenericCall
from .types import RUN_CODE_NAME, JsonSchema, ToolDefinition, ToolOutput

if TYPE_CHECKING:
    from .context import ExecContext
    from .presentation import ToolCallView
    from .registry import ToolRegistry

DESCRIPTION = """\
Runs a TypeScript program against the available tools. Write the body of an async function: top-level \
await and return work, types are erased. Call tools as `await tools.name({ ... })`. Only what the program \
returns or prints with console.log comes back, so filter and sum up in code. Pass the program as `code` and, \
if you like, a few words on what it does as `description`."""

PARAMETERS: JsonSchema = {
    "type": "object",
    "properties": {
        "code": {"type": "string", "description": "The program: the body of an async function."},
        "description": {
            "type": "string",
            "description": "What the program does, in 5 to 10 words, for the person who watches.",
        },
    },
    "required": ["code"],
}


OUTPUT: JsonSchema = {
    "type": "object",
    "properties": {"logs": {"type": "array", "items": {"type": "string"}}, "result": {}},
    "required": ["logs"],
    "additionalProperties": False,
}
"""The structured result of a run: what it printed, and its value where it has one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeMode:
    """How programs run, and what comes back of them.

    ``limits`` are the runtime's for each run; None leaves its own. ``output_bytes`` bounds what one run
    gives the model (UTF-8): more is cut by structure; ``context_bytes`` bounds the images and texts that
    its tools add to that. ``max_parallel_sub_calls`` lets that many bodies of
    calls overlap, of tools that say they are concurrency-safe. ``drain_ms`` is how long calls in flight
    may take to stop when a run has ended. ``approval_ms`` is how long one run may wait for people, in all;
    its wall budget stands still meanwhile. ``seed`` makes programs' random numbers repeat themselves.
    ``sdk_detail`` and ``sdk_max_tokens`` are
    ``render_tools_sdk``'s: below ``full``, programs look tools up with ``tools.$search``.
    """

    limits: Limits | None = None
    output_bytes: int = 32 * 1024
    context_bytes: int = 4 * 1024 * 1024
    max_parallel_sub_calls: int = 1
    drain_ms: float = 800.0
    approval_ms: float = 3_600_000.0
    seed: int | None = None
    sdk_detail: Detail = "full"
    sdk_max_tokens: int | None = None

    def __post_init__(self) -> None:
        _at_least("output_bytes", self.output_bytes, 256)
        _at_least("context_bytes", self.context_bytes, 0)
        _at_least("max_parallel_sub_calls", self.max_parallel_sub_calls, 1)
        _at_least("drain_ms", self.drain_ms, 0, kinds=(int, float))
        _at_least("approval_ms", self.approval_ms, 0, kinds=(int, float))
        if self.sdk_detail not in ("full", "compact", "names"):
            raise RegistrationError(
                f'sdk_detail is "full", "compact" or "names", not {self.sdk_detail!r}'
            )
        if self.sdk_max_tokens is not None:
            _at_least("sdk_max_tokens", self.sdk_max_tokens, 1)


def _at_least(
    name: str, value: object, least: int, kinds: tuple[type[int] | type[float], ...] = (int,)
) -> None:
    is_number = isinstance(value, kinds) and not isinstance(value, bool)
    if not is_number or not cast("float", value) >= least:
        what = "a whole number" if kinds == (int,) else "a number"
        raise RegistrationError(f"{name} is {what} of at least {least}, not {value!r:.40}")


def make_run_code(registry: "ToolRegistry") -> Entry:
    """The reserved tool of a registry whose mode has it."""

    async def execute(args: JsonValue, exec: "ExecContext") -> ToolOutput:
        runtime = registry.runtime
        if runtime is None:
            raise CodeRunFailedError(
                "run_code needs a code runtime, and the registry has none", kind="worker-exit"
            )
        assert isinstance(args, dict)
        code = args["code"]
        assert isinstance(code, str)
        return await Bridge(registry, runtime, exec.scope.code_mode, exec).run(code)

    return Entry(
        ToolDefinition(
            name=RUN_CODE_NAME,
            execute=execute,
            description=DESCRIPTION,
            parameters=PARAMETERS,
            output=OUTPUT,
            present_call=_present_call,
        ),
        is_run_code=True,
    )


def _present_call(args: JsonValue) -> "ToolCallView | None":
    """A label for the person who watches, with the program in the detail view. The result needs no
    view of its own: its content is what there is to see."""
    if not isinstance(args, dict) or not isinstance(args.get("code"), str):
        return None
    described = args.get("description")
    title = described.strip() if isinstance(described, str) else ""
    return GenericCall(title=title or "Run a program", kind="execute", raw_input=args["code"])
