"""What callers may ask for: the words of the wire (camelCase), checked."""

from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from ...registry import ToolMode
from ...runtime import InvalidRequestError, Limits
from ...runtime.limits import LARGEST_MEMORY_BYTES, LARGEST_MS, SMALLEST_MEMORY_BYTES
from .errors import ForbiddenError, InvalidRunError

Permission = Literal["run", "read", "approve", "metrics"]
PERMISSIONS: Final[tuple[Permission, ...]] = ("run", "read", "approve", "metrics")
LONGEST_DESCRIPTION: Final = 200
LARGEST_SEED: Final = 2**53 - 1  # what JSON numbers carry


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


def _whole(value: object) -> object:
    """In JSON 5.0 is a whole number."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


INTEGRAL: Final = BeforeValidator(_whole)
Milliseconds = Annotated[float, Field(ge=1, le=LARGEST_MS)]


class RunLimits(Wire):
    """Limits of one run. What is left out is as the token or the service has it."""

    compute_ms: Milliseconds | None = None
    wall_ms: Milliseconds | None = None
    memory_bytes: (
        Annotated[int, Field(ge=SMALLEST_MEMORY_BYTES, le=LARGEST_MEMORY_BYTES), INTEGRAL] | None
    ) = None
    log_bytes: Annotated[int, Field(ge=256, le=1 << 30), INTEGRAL] | None = None
    value_bytes: Annotated[int, Field(ge=1, le=1 << 30), INTEGRAL] | None = None
    calls: Annotated[int, Field(ge=1, le=2**31 - 1), INTEGRAL] | None = None
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
    max_runs: Annotated[int, Field(ge=1), INTEGRAL] | None = None

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


def _one_of_two(schema: dict[str, Any]) -> None:
    program: list[dict[str, Any]] = [{"required": ["tool"]}, {"required": ["arguments"]}]
    tool: list[dict[str, Any]] = [{"required": ["program"]}, {"required": ["seed"]}]
    schema["oneOf"] = [
        {"required": ["program"], "not": {"anyOf": program}},
        {"required": ["tool"], "not": {"anyOf": tool}},
    ]
    schema["examples"] = [{"program": "return 6 * 7"}]


class NewRun(Wire):
    """What to run: a ``program`` (code mode), or one ``tool`` with its ``arguments`` (native mode)."""

    model_config = ConfigDict(json_schema_extra=_one_of_two)

    program: str = ""
    tool: str = ""
    arguments: dict[str, Any] = {}
    description: Annotated[str, Field(max_length=LONGEST_DESCRIPTION)] | None = None
    limits: RunLimits = RunLimits()
    seed: Annotated[int, Field(ge=0, le=LARGEST_SEED), INTEGRAL] | None = None

    @property
    def is_program(self) -> bool:
        return "program" in self.model_fields_set

    @model_validator(mode="after")
    def _is_one_of_two(self) -> Self:
        given = self.model_fields_set
        if ("program" in given) == ("tool" in given):
            raise ValueError("a run has either a program or a tool")
        if "program" in given and "arguments" in given:
            raise ValueError("arguments belong to a tool; this run has a program")
        if "tool" in given and "seed" in given:
            raise ValueError("seed belongs to a program; this run has a tool")
        return self


_LIMITS: Final = tuple((name, to_camel(name)) for name in RunLimits.model_fields)


def limits_for(
    asked: RunLimits, allowed: RunLimits, own: Limits, approval_ms: float
) -> tuple[Limits, float]:
    """The limits of a run, and its approval budget: what is asked for, within what is allowed, and as the
    service has it where nothing is said.

    Raises:
        ForbiddenError: more is asked for than is allowed.
        InvalidRunError: they do not fit together.
    """
    chosen: dict[str, Any] = {}
    for name, wire in _LIMITS:
        default: float = approval_ms if name == "approval_ms" else getattr(own, name)
        cap: float | None = getattr(allowed, name)
        most = default if cap is None else cap
        value: float | None = getattr(asked, name)
        if value is not None and value > most:
            raise ForbiddenError(
                f"limits.{wire}: {value:g} is more than the {most:g} that this token may have"
            )
        chosen[name] = min(default, most) if value is None else value
    approval = chosen.pop("approval_ms")
    try:
        return replace(own, **chosen), approval
    except InvalidRequestError as error:
        raise InvalidRunError(f"limits: {error}") from None
