"""What callers may ask for: the words of the wire (camelCase), checked."""

from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from ...registry import ToolMode
from ...runtime import InvalidRequestError, Limits
from ...runtime.limits import LARGEST_MS
from .errors import InvalidRunError

Permission = Literal["run", "read", "approve", "metrics"]
PERMISSIONS: Final[tuple[Permission, ...]] = ("run", "read", "approve", "metrics")
LONGEST_DESCRIPTION: Final = 200
LARGEST_SEED: Final = 2**63 - 1


class Wire(BaseModel):
    """A strict object of the wire."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
    )


Milliseconds = Annotated[float, Field(ge=1, le=LARGEST_MS)]


class RunLimits(Wire):
    """Limits of one run. What is left out is as the token or the service has it."""

    compute_ms: Milliseconds | None = None
    wall_ms: Milliseconds | None = None
    memory_bytes: Annotated[int, Field(ge=8 << 20, le=4 << 30)] | None = None
    log_bytes: Annotated[int, Field(ge=256, le=1 << 30)] | None = None
    value_bytes: Annotated[int, Field(ge=1, le=1 << 30)] | None = None
    calls: Annotated[int, Field(ge=1, le=2**31 - 1)] | None = None
    approval_ms: Milliseconds | None = None

    def given(self) -> dict[str, float]:
        """Those that are set, by field name."""
        return {name: value for name, value in self if value is not None}


class Grants(Wire):
    """What a token may. ``tools`` and ``exclude`` are globs over names; ``limits`` are the most that a run
    may ask for; ``max_runs`` is how many it may have at one time."""

    may: tuple[Permission, ...] = ("run", "read", "approve")
    tools: tuple[str, ...] = ("*",)
    exclude: tuple[str, ...] = ()
    mode: ToolMode | None = None
    limits: RunLimits = RunLimits()
    max_runs: Annotated[int, Field(ge=1)] | None = None

    def allows(self, tool: str) -> bool:
        """Whether the token sees a tool of this name."""
        return any(fnmatchcase(tool, glob) for glob in self.tools) and not any(
            fnmatchcase(tool, glob) for glob in self.exclude
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who asks. Runs and approvals belong to owners; tokens of one owner see the same."""

    token: str
    name: str
    owner: str
    grants: Grants


class NewRun(Wire):
    """What to run: a ``program`` (code mode), or one ``tool`` with its ``arguments`` (native mode)."""

    program: str | None = None
    tool: str | None = None
    arguments: dict[str, Any] | None = None
    description: Annotated[str, Field(max_length=LONGEST_DESCRIPTION)] | None = None
    limits: RunLimits = RunLimits()
    seed: Annotated[int, Field(ge=0, le=LARGEST_SEED)] | None = None

    @model_validator(mode="after")
    def _is_one_of_two(self) -> Self:
        if (self.program is None) == (self.tool is None):
            raise ValueError("a run has either a program or a tool")
        if self.tool is None and self.arguments is not None:
            raise ValueError("arguments belong to a tool; this run has a program")
        if self.tool is not None and self.seed is not None:
            raise ValueError("seed belongs to a program; this run has a tool")
        return self


_LIMITS: Final = tuple((name, to_camel(name)) for name in RunLimits.model_fields)


def limits_for(
    asked: RunLimits, allowed: RunLimits, own: Limits, approval_ms: float
) -> tuple[Limits, float]:
    """The limits of a run, and its approval budget: what is asked for, within what is allowed, and as the
    service has it where nothing is said.

    Raises:
        InvalidRunError: more is asked for than is allowed.
    """
    chosen: dict[str, Any] = {}
    for name, wire in _LIMITS:
        default: float = approval_ms if name == "approval_ms" else getattr(own, name)
        cap: float | None = getattr(allowed, name)
        most = default if cap is None else cap
        value: float | None = getattr(asked, name)
        if value is not None and value > most:
            raise InvalidRunError(
                f"limits.{wire}: {value:g} is more than the {most:g} that this token may have"
            )
        chosen[name] = min(default, most) if value is None else value
    approval = chosen.pop("approval_ms")
    try:
        return replace(own, **chosen), approval
    except InvalidRequestError as error:
        raise InvalidRunError(f"limits: {error}") from None
