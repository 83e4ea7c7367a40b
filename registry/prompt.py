"""The system prompt of a caller, put together for each request: sections of text, and the tools.

Sections stand in ascending ``order``; the original's bands are -100 identity, 0 persona, 99 the rule of
Code Mode, 100 to 199 guidance about tools, 150 the SDK. A section's text may be a function: it is asked
at each assembly. ``{{name}}`` in a text is replaced by the variable of that name.
"""

import math
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from ..runtime.errors import describe
from ._handle import Registration
from ._interpolate import interpolate
from ._listening import Listener
from ._tool_order import ToolOrder
from ._waterfall import Waterfall
from .errors import PromptError, RegistrationError, ToolError
from .scope import ToolScope
from .types import ToolSchema


@dataclass(frozen=True, slots=True)
class PromptContext:
    """For whom a prompt is assembled."""

    scope: ToolScope | None = None


SectionText: TypeAlias = str | Callable[[PromptContext], str | Awaitable[str]]


@dataclass(frozen=True, slots=True)
class PromptSection:
    """One section with its text."""

    name: str
    order: float
    text: str


@dataclass(frozen=True, slots=True)
class PromptAssembly:
    """What a request is made of: a snapshot."""

    sections: tuple[PromptSection, ...]
    tools: tuple[ToolSchema, ...]
    scope: ToolScope | None = None
    """For whom it was assembled."""

    @property
    def text(self) -> str:
        """The sections that are not empty, with a blank line between them."""
        return "\n\n".join(section.text for section in self.sections if section.text.strip())


@dataclass(frozen=True, slots=True)
class ToolContribution:
    """What a provider of tools gives: schemas, and every name that a tool order may have."""

    schemas: Sequence[ToolSchema]
    known_names: Iterable[str]


ToolProvider: TypeAlias = Callable[[PromptContext], ToolContribution | Awaitable[ToolContribution]]
AssembleListener: TypeAlias = Callable[
    [PromptAssembly, Callable[[], Awaitable[PromptAssembly]]],
    Awaitable[PromptAssembly] | PromptAssembly,
]


@dataclass(frozen=True, slots=True)
class _Section:
    name: str
    order: float
    text: SectionText
    is_literal: bool


class SystemPrompt:
    """Sections, tools and variables, from which :meth:`assemble` makes a prompt.

    ``tool_order`` names tools in the order in which the model sees them, with ``<unlisted-tools>`` once
    for all others; without it they stand in the order of their names.
    """

    def __init__(self, *, tool_order: Sequence[str] | None = None) -> None:
        self._order = ToolOrder(tool_order)
        self._sections: dict[ToolScope | None, dict[str, _Section]] = {}
        self._providers: dict[object, ToolProvider] = {}
        self._variables: dict[str, SectionText] = {}
        self._listeners: list[Listener] = []

    def section(
        self,
        name: str,
        text: SectionText,
        *,
        order: float = 0,
        scope: ToolScope | None = None,
        is_literal: bool = False,
    ) -> Registration:
        """Adds a section, for everybody or for one scope, where it shadows a section of the same name.

        In a literal section ``{{`` means nothing: for text that others write, such as tools' own.

        Raises:
            RegistrationError: the name is taken there, or the order is not a finite number.
        """
        if not _is_finite(order):
            raise RegistrationError(
                f'section "{name}": the order is a finite number, not {order!r}'
            )
        if scope is not None and scope.is_closed:
            raise RegistrationError(f'section "{name}": the scope "{scope.name}" is closed')
        layer = self._sections.setdefault(scope, {})
        if name in layer:
            raise RegistrationError(f'section "{name}" is already registered there')
        layer[name] = _Section(name, order, text, is_literal)

        def undo() -> None:
            layer.pop(name, None)
            if not layer and self._sections.get(scope) is layer:
                del self._sections[scope]

        return Registration(undo) if scope is None else scope.own(undo)

    def tools(self, provider: ToolProvider) -> Registration:
        """Adds a provider of tool schemas, asked at each assembly."""
        key = object()
        self._providers[key] = provider
        return Registration(partial(self._providers.pop, key, None))

    def variable(self, name: str, value: SectionText) -> Registration:
        """Names a value for ``{{name}}`` in section texts.

        Raises:
            RegistrationError: the name is taken.
        """
        if name in self._variables:
            raise RegistrationError(f'variable "{name}" is already registered')
        self._variables[name] = value
        return Registration(partial(self._variables.pop, name, None))

    def on_assemble(self, listener: AssembleListener, *, name: str | None = None) -> Registration:
        """Wraps assembly: ``listener(assembly, next)`` gives the assembly that counts."""
        shown = name or getattr(listener, "__qualname__", type(listener).__qualname__)
        entry = Listener(len(self._listeners), shown, listener)
        self._listeners.append(entry)
        return Registration(lambda: self._listeners.remove(entry))

    async def assemble(self, scope: ToolScope | None = None) -> PromptAssembly:
        """The prompt of one caller, now.

        Raises:
            PromptError: it cannot be made; the message says what to change.
        """
        if scope is not None and scope.is_closed:
            raise PromptError(f'the scope "{scope.name}" is closed')
        context = PromptContext(scope)
        tools = await self._tools(context)
        sections = await self._texts(context)
        made = PromptAssembly(sections, tools, scope)
        if not self._listeners:
            return made

        async def base() -> PromptAssembly:
            return made

        chain = Waterfall[PromptAssembly](
            "system-prompt/assemble",
            tuple(self._listeners),
            lambda function, asking: function(made, asking),
            base,
            (PromptAssembly,),
        )
        try:
            return await chain.run()
        except ToolError as error:
            raise PromptError(str(error)) from error

    async def _tools(self, context: PromptContext) -> tuple[ToolSchema, ...]:
        schemas: list[ToolSchema] = []
        known: set[str] = set()
        for provider in list(self._providers.values()):
            try:
                given = await _value(provider(context))
            except PromptError:
                raise
            except Exception as error:
                raise PromptError(f"a provider of tools failed: {describe(error)}") from error
            schemas.extend(given.schemas)
            known.update(given.known_names)
        return tuple(self._order.sort(schemas, known))

    async def _texts(self, context: PromptContext) -> tuple[PromptSection, ...]:
        sections: dict[str, _Section] = {}
        scopes = [] if context.scope is None else context.scope.chain()
        for layer in (None, *scopes):
            sections.update(self._sections.get(layer, {}))
        made: list[PromptSection] = []
        variables: dict[str, str] = {}
        for section in sorted(sections.values(), key=lambda section: section.order):
            shown = await self._text(f'section "{section.name}"', section.text, context)
            if not section.is_literal:
                shown = await self._fill(section.name, shown, variables, context)
            if shown.strip():
                made.append(PromptSection(section.name, section.order, shown))
        return tuple(made)

    async def _fill(
        self, section: str, text: str, known: dict[str, str], context: PromptContext
    ) -> str:
        """The text with its variables; a value is asked for once, and never looked into."""

        async def value(name: str) -> str:
            if name not in known:
                if name not in self._variables:
                    names = ", ".join(sorted(self._variables)) or "(none)"
                    raise PromptError(
                        f'section "{section}" uses the unknown variable "{name}"; known: {names}'
                    )
                known[name] = await self._text(f'variable "{name}"', self._variables[name], context)
            return known[name]

        return await interpolate(text, value, f'section "{section}"') if "{{" in text else text

    async def _text(self, what: str, text: SectionText, context: PromptContext) -> str:
        try:
            given: Any = text(context) if callable(text) else text
            given = await _value(given)
        except PromptError:
            raise
        except Exception as error:
            raise PromptError(f"{what} failed: {describe(error)}") from error
        if not isinstance(given, str):
            raise PromptError(f"{what} gave {type(given).__name__}, not a text")
        return given


async def _value(given: Any) -> Any:
    return await given if hasattr(given, "__await__") else given


def _is_finite(order: object) -> bool:
    return isinstance(order, int | float) and not isinstance(order, bool) and math.isfinite(order)
