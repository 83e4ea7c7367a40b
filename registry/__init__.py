"""Tools: who may call them, how a call runs, and what the model is told of them.

::

    registry = ToolRegistry(mode="code", runtime=runtime)
    registry.register(tool(add))
    result = await registry.execute(
        ToolExecution(call_id="c1", name="run_code", arguments={"code": "return await tools.add({a: 1, b: 2})"})
    )

Subpackages: ``schema`` (validation), ``policies`` (timeouts, approval), ``presentation`` (cards for user
interfaces).
"""

from ._handle import Registration
from .approval import ApprovalOutcome, ApprovalQuestion, Approver
from .catalog import tool_catalog
from .code_mode import CodeMode
from .content import ContentBlock, ImageBlock, OtherBlock, TextBlock, content_text
from .context import ExecContext
from .define import define_tool
from .errors import (
    ApprovalExpiredError,
    CodeRunFailedError,
    ListenerError,
    OutputSchemaError,
    PromptError,
    RegistrationError,
    ToolAbortedError,
    ToolArgsError,
    ToolBlockedError,
    ToolDeniedError,
    ToolError,
    ToolNotFoundError,
    ToolOutputError,
    ToolTimeoutError,
)
from .function import FunctionTool, tool
from .present import present_call, present_result
from .prompt import (
    PromptAssembly,
    PromptContext,
    PromptSection,
    SystemPrompt,
    ToolContribution,
)
from .registry import ToolRegistry
from .scope import ToolScope
from .types import (
    RUN_CODE_NAME,
    Accept,
    Allow,
    Ask,
    Block,
    DefinesTool,
    Deny,
    ExecuteListener,
    Guard,
    JsonSchema,
    Next,
    NextExecute,
    NextPost,
    PostListener,
    PostToolDecision,
    PreListener,
    PresentedResult,
    PreToolDecision,
    ToolDefinition,
    ToolErrorInfo,
    ToolExecution,
    ToolExecutionResult,
    ToolMode,
    ToolOutput,
    ToolSchema,
)

__all__ = [
    "RUN_CODE_NAME",
    "Accept",
    "Allow",
    "ApprovalExpiredError",
    "ApprovalOutcome",
    "ApprovalQuestion",
    "Approver",
    "Ask",
    "Block",
    "CodeMode",
    "CodeRunFailedError",
    "ContentBlock",
    "DefinesTool",
    "Deny",
    "ExecContext",
    "ExecuteListener",
    "FunctionTool",
    "Guard",
    "ImageBlock",
    "JsonSchema",
    "ListenerError",
    "Next",
    "NextExecute",
    "NextPost",
    "OtherBlock",
    "OutputSchemaError",
    "PostListener",
    "PostToolDecision",
    "PreListener",
    "PreToolDecision",
    "PresentedResult",
    "PromptAssembly",
    "PromptContext",
    "PromptError",
    "PromptSection",
    "Registration",
    "RegistrationError",
    "SystemPrompt",
    "TextBlock",
    "ToolAbortedError",
    "ToolArgsError",
    "ToolBlockedError",
    "ToolContribution",
    "ToolDefinition",
    "ToolDeniedError",
    "ToolError",
    "ToolErrorInfo",
    "ToolExecution",
    "ToolExecutionResult",
    "ToolMode",
    "ToolNotFoundError",
    "ToolOutput",
    "ToolOutputError",
    "ToolRegistry",
    "ToolSchema",
    "ToolScope",
    "ToolTimeoutError",
    "content_text",
    "define_tool",
    "present_call",
    "present_result",
    "tool",
    "tool_catalog",
]
