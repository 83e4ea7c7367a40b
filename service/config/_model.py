"""What a configuration may say."""

from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from ...registry.policies import ApprovalLevel
from ...sdkgen import Detail
from .._units import parse_duration_ms, parse_size_bytes


def _duration(value: object) -> object:
    return parse_duration_ms(value) if isinstance(value, str) else _no_number(value, "500ms or 2s")


def _size(value: object) -> object:
    return parse_size_bytes(value) if isinstance(value, str) else _no_number(value, "64KiB or 8MiB")


def _no_number(value: object, example: str) -> object:
    if isinstance(value, int | float) and not isinstance(value, bool):
        raise ValueError(f"{value!r} has no unit: write it like {example}")  # noqa: TRY004  # pydantic's
    return value


def _web_address(value: str) -> str:
    try:
        parts = urlsplit(value)
        is_one = parts.scheme in ("http", "https") and bool(parts.hostname)
        _ = parts.port
    except ValueError as error:
        raise ValueError(f"not a url: {error}") from None
    if not is_one:
        raise ValueError("a url begins with http:// or https:// and a host")
    return value


def _no_nul(value: str) -> str:
    if "\0" in value:
        raise ValueError("a command, its arguments and its environment hold no NUL")
    return value


def _variable_name(value: str) -> str:
    if not value or "=" in value:
        raise ValueError("the name of an environment variable is not empty and holds no =")
    return _no_nul(value)


def _server_name(value: str) -> str:
    if not value or not value.isprintable() or value != value.strip():
        raise ValueError("a server's name is a printable text without outer spaces")
    return value


def _positive(value: float) -> float:
    if value <= 0:
        raise ValueError("a time of more than nothing is needed")
    return value


Text = Annotated[str, AfterValidator(_no_nul)]


DurationMs = Annotated[float, BeforeValidator(_duration)]
SizeBytes = Annotated[int, BeforeValidator(_size)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class LimitsConfig(_Strict):
    """The limits of one run; see ``Limits``."""

    compute: DurationMs | None = None
    wall: DurationMs | None = None
    memory: SizeBytes | None = None
    logs: SizeBytes | None = None
    value: SizeBytes | None = None
    calls: Annotated[int, Field(ge=1)] | None = None


class CodeModeConfig(_Strict):
    """See ``CodeMode``."""

    output: SizeBytes | None = None
    max_parallel_sub_calls: Annotated[int, Field(ge=1)] | None = None
    drain: DurationMs | None = None
    approval: DurationMs | None = None
    sdk_detail: Detail | None = None
    sdk_max_tokens: Annotated[int, Field(ge=1)] | None = None


class ServerConfig(_Strict):
    """One MCP server: a command that is started, or a URL.

    ``approval`` is the level of all its tools that no rule is about; without it a person is asked where
    the server says that a tool may destroy something.
    """

    command: Annotated[Text, Field(min_length=1)] | None = None
    args: list[Text] = []
    env: dict[Annotated[str, AfterValidator(_variable_name)], Text] = {}
    cwd: Text | None = None
    url: Annotated[str, AfterValidator(_web_address)] | None = None
    headers: dict[str, str] = {}
    transport: Literal["stdio", "http", "sse"] | None = None
    include: list[str] = ["*"]
    exclude: list[str] = []
    prefix: str | None = None
    trust_annotations: bool = False
    approval: ApprovalLevel | None = None
    start_timeout: Annotated[DurationMs, AfterValidator(_positive)] = 30_000.0
    tool_timeout: Annotated[DurationMs, AfterValidator(_positive)] | None = None

    @model_validator(mode="after")
    def _is_one_of_two(self) -> Self:
        if (self.command is None) == (self.url is None):
            raise ValueError("a server has either a command or a url")
        if self.command is None and (self.args or self.env or self.cwd is not None):
            raise ValueError("args, env and cwd belong to a command; this server has a url")
        if self.url is None and self.headers:
            raise ValueError("headers belong to a url; this server has a command")
        if self.transport is not None and (self.transport == "stdio") != (self.command is not None):
            raise ValueError(
                f"the transport {self.transport} does not fit: a command is stdio, a url http or sse"
            )
        return self


class ServiceConfig(_Strict):
    """The service of ``codemode serve``; see ``ServiceOptions``. ``hosts`` are names under which it may be
    addressed besides its address, ``origins`` web pages that may call it. ``tracing`` sends OpenTelemetry
    spans to where its own environment variables say."""

    store: Annotated[str, Field(min_length=1)] | None = None
    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65_535)] = 8321
    hosts: list[str] = []
    origins: list[str] = []
    max_runs: Annotated[int, Field(ge=1, le=2_000)] = 128
    max_runs_per_token: Annotated[int, Field(ge=1, le=2_000)] = 64
    keep: DurationMs | None = None
    keep_bytes: SizeBytes | None = None
    body: SizeBytes = 4 * 1024 * 1024
    drain: DurationMs = 30_000.0
    redact: dict[str, list[str]] = {}
    log: Literal["text", "json"] = "text"
    tracing: bool = False


class Config(_Strict):
    """Everything that a service is made of."""

    mode: Literal["code", "both"] = "code"
    limits: LimitsConfig = LimitsConfig()
    code_mode: CodeModeConfig = CodeModeConfig()
    approval: dict[str, Any] | None = None
    servers: dict[Annotated[str, AfterValidator(_server_name)], ServerConfig] = {}
    tools: list[str] = []
    cache: str | None = None
    service: ServiceConfig = ServiceConfig()
