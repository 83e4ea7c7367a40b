"""The tool registry: who may call what, how a call runs, and what the model is told."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, get_args

from ._dispatch import unknown
from ._entry import Entry
from ._pipeline import execute
from ._results import failure
from ._sdk_text import sdk_text
from .code_mode import CodeMode, make_run_code
from .context import Call, Lane
from .errors import PromptError, RegistrationError, ToolNotFoundError
from .policies.timeout import timeout_policy
from .prompt import PromptContext, SystemPrompt, ToolContribution
from .scope import Approvals, ToolScope
from .types import RUN_CODE_NAME, ToolExecution, ToolExecutionResult, ToolMode, ToolSchema

if TYPE_CHECKING:
    from ..runtime import CodeRuntime
    from .approval import Approver
    from .log import SessionLog

CODE_ONLY = f"""\
The only tool that you can call directly is {RUN_CODE_NAME}. Every other tool is a function of its \
`tools` object: call it from inside a program."""


class ToolRegistry(ToolScope):
    """The tools that everybody sees, and the pipeline that every call goes through.

    It is the outermost scope; :meth:`scope` makes a caller's own. ``mode`` says how tools reach the
    model: ``native`` as function definitions, ``code`` as ``run_code`` alone with an SDK text in the
    prompt, ``both`` both ways. The last two need ``runtime``, which may also be set later.

    ``approver`` answers what a policy wants a person to decide; without one such calls are denied.
    ``log`` gets an entry for the beginning and the end of every call. ``timeouts=False`` leaves out the
    policy that keeps each tool's ``timeout_ms``.

    Not thread-safe: use it on the event loop's thread.
    """

    def __init__(
        self,
        *,
        mode: ToolMode = "native",
        runtime: "CodeRuntime | None" = None,
        approver: "Approver | None" = None,
        approvals: Approvals | None = None,
        log: "SessionLog | None" = None,
        tool_order: Sequence[str] | None = None,
        timeouts: bool = True,
        code_mode: CodeMode | None = None,
    ) -> None:
        super().__init__(
            "registry", approver=approver, approvals=approvals, log=log, code_mode=code_mode
        )
        if mode not in get_args(ToolMode):
            raise RegistrationError(f'mode is "native", "code" or "both", not {mode!r}')
        self._mode: ToolMode = mode
        self.runtime = runtime
        self._run_code: Entry | None = None
        if mode != "native":
            self._run_code = make_run_code(self)
        if timeouts:
            # the innermost: what a retry wraps is bounded anew at each dispatch
            self._listen(
                "tools/execute", timeout_policy(), "timeout policy", False, order=sys.maxsize
            )
        self.prompt = SystemPrompt(tool_order=tool_order)
        self._contribute()

    @property
    def mode(self) -> ToolMode:
        return self._mode

    def _infrastructure(self) -> Entry | None:
        return self._run_code

    async def execute(self, execution: ToolExecution) -> ToolExecutionResult:
        """Runs one call through pre-execute, execute and post-execute.

        It never raises: every failure is a result with ``is_error`` and ``error.code``. When
        ``execution.signal`` fires, the call ends as ``ABORTED`` (or ``ABORTED_BEFORE_DISPATCH``), after a
        body that has begun has ended. When the awaiting task is cancelled the same happens, and the
        cancellation goes on.
        """
        return await execute(self, execution, self._refuse)

    async def execute_in(self, execution: ToolExecution, lane: Lane) -> ToolExecutionResult:
        """The same, in a place among the calls of one program."""
        return await execute(self, execution, self._refuse, lane)

    def _refuse(self, call: Call) -> ToolExecutionResult | None:
        """In code mode a model may call run_code alone; a call from within another call is free."""
        if self._mode != "code" or call.execution.parent is not None:
            return None
        name = call.execution.name
        if name == RUN_CODE_NAME:
            return None
        if name not in call.scope.entries():
            return unknown(call)
        return failure(
            call.execution.call_id,
            f'unknown tool "{name}": only {RUN_CODE_NAME} can be called directly. Call {name} from '
            f"inside a program: {RUN_CODE_NAME} with code such as `return await tools[{name!r}]({{…}})`",
            ToolNotFoundError,
        )

    # --- what the model is told

    def sdk_text(self, scope: ToolScope | None = None, *, code_mode: CodeMode | None = None) -> str:
        """The ``tools:sdk`` section: the declarations of the tools that programs of this caller have.

        The same bytes for the same tools. ``code_mode`` asks for another level of detail than the
        caller's own.
        """
        scope = scope or self
        return sdk_text(scope, code_mode or scope.code_mode)

    def _contribute(self) -> None:
        self.own(self.prompt.tools(self._contribution).close)
        if self._mode == "native":
            return
        self.own(
            self.prompt.section(
                "tools:sdk",
                lambda context: self.sdk_text(context.scope),
                order=150,
                is_literal=True,
            ).close
        )
        if self._mode == "code":
            self.own(self.prompt.section("tools:code-only", CODE_ONLY, order=99).close)

    def _contribution(self, context: PromptContext) -> ToolContribution:
        scope = context.scope or self
        if not scope.belongs_to(self):
            raise PromptError(f'the scope "{scope.name}" belongs to another registry')
        if self._mode == "native":
            return ToolContribution(scope.schemas(), scope.known_names())
        self._must_have_runtime()
        schemas: list[ToolSchema] = scope.schemas()
        if self._mode == "code":
            schemas = [schema for schema in schemas if schema.name == RUN_CODE_NAME]
            return ToolContribution(schemas, (RUN_CODE_NAME,))
        return ToolContribution(schemas, scope.known_names() | {RUN_CODE_NAME})

    def _must_have_runtime(self) -> None:
        if self.runtime is None:
            raise PromptError(
                f'mode "{self._mode}" requires a code runtime: give the registry one '
                '(ToolRegistry(runtime=…)), or set mode to "native"'
            )
        if self.runtime.language != "typescript":
            raise PromptError(
                f'mode "{self._mode}" writes programs in "typescript", and the runtime runs '
                f'"{self.runtime.language}": give the registry a runtime for typescript'
            )
