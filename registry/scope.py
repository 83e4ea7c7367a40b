"""Scopes: who sees which tool, and whose calls a listener is about.

A scope is one caller's (an agent's, a session's) layer over the registry's own. What is registered
through it is for that caller and those below it; a tool of the same name shadows the one above. One
function, :meth:`ToolScope.entries`, decides visibility for prompts, lookup and dispatch alike.
"""

import itertools
import logging
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from ._closing import Closing
from ._decorating import Decorating
from ._entry import Entry, make_entry
from ._handle import Registration
from ._json import copy_json
from ._listening import Listening, must_be_plain
from ._signals import contain
from .code_mode import CodeMode
from .errors import RegistrationError
from .types import (
    RUN_CODE_NAME,
    ChangeListener,
    DefinesTool,
    ToolDefinition,
    ToolSchema,
)

if TYPE_CHECKING:
    from .approval import Approver
    from .log import SessionLog

Approvals = Literal["ask", "never"]
F = TypeVar("F", bound=Callable[..., Any])
_DEFAULTS = CodeMode()
_NOTHING: Mapping[str, Entry] = MappingProxyType({})
_log = logging.getLogger("codemode.registry")


class _Restriction(NamedTuple):
    allow: frozenset[str] | None
    deny: frozenset[str]

    def keeps(self, name: str) -> bool:
        return (self.allow is None or name in self.allow) and name not in self.deny


class ToolScope(Listening, Decorating, Closing):
    """One caller's view of the tools. Make one with :meth:`scope`; use it on the event loop's thread.

    ``approver`` answers the questions of its calls instead of the one above; ``approvals="never"``
    denies them without asking, here and below. ``log`` takes the entries of its calls. ``code_mode`` is how
    its programs run.
    """

    def __init__(
        self,
        name: str,
        *,
        parent: "ToolScope | None" = None,
        approver: "Approver | None" = None,
        approvals: Approvals | None = None,
        log: "SessionLog | None" = None,
        code_mode: CodeMode | None = None,
    ) -> None:
        if approvals not in (None, "ask", "never"):
            raise RegistrationError(f'approvals is "ask" or "never", not {approvals!r}')
        super().__init__(parent)
        self._name = name
        self._parent = parent
        self._root: ToolScope = self if parent is None else parent._root
        self._approver = approver
        self._approvals = approvals
        self._log = log
        self._code_mode = code_mode
        self._tools: dict[str, Entry] = {}
        self._restrictions: dict[object, _Restriction] = {}
        self._children: dict[ToolScope, None] = {}
        self._owned: dict[Registration, None] = {}
        self._version = 0
        self._view: tuple[int, Mapping[str, Entry]] = (-1, {})
        self._change_listeners: dict[object, ChangeListener] = {}
        self._closed = False
        self._kept: tuple[object, dict[object, object]] = (None, {})

    # --- what it is

    @property
    def name(self) -> str:
        return self._name

    @property
    def parent(self) -> "ToolScope | None":
        return self._parent

    @property
    def is_closed(self) -> bool:
        return self._closed

    def chain(self) -> "list[ToolScope]":
        """The scopes whose tools and listeners count here, outermost first."""
        scopes: list[ToolScope] = []
        scope: ToolScope | None = self
        while scope is not None:
            scopes.append(scope)
            scope = scope._parent
        return scopes[::-1]

    def belongs_to(self, other: "ToolScope") -> bool:
        """Whether both are of one registry."""
        return self._root is other._root

    @property
    def approver(self) -> "Approver | None":
        """Who answers questions about calls of this scope: the nearest one set."""
        return next((s._approver for s in reversed(self.chain()) if s._approver is not None), None)

    @property
    def approvals(self) -> Approvals:
        """``never`` if this scope or any above it says so; nothing below can lift it."""
        return "never" if any(scope._approvals == "never" for scope in self.chain()) else "ask"

    @property
    def log(self) -> "SessionLog | None":
        """Where the entries of its calls go: the nearest one set."""
        scope: ToolScope | None = self
        while scope is not None:
            if scope._log is not None:
                return scope._log
            scope = scope._parent
        return None

    @property
    def code_mode(self) -> CodeMode:
        """How its programs run: the nearest one set."""
        own = next((s._code_mode for s in reversed(self.chain()) if s._code_mode is not None), None)
        return own or _DEFAULTS

    # --- tools

    def register(self, tool: ToolDefinition | DefinesTool) -> Registration:
        """Adds a tool for this scope and those below it.

        Raises:
            RegistrationError: the definition is wrong, or its name is taken in this scope.
        """
        self._must_be_open("register")
        entry = make_entry(tool)
        name = entry.definition.name
        if name in self._tools:
            raise RegistrationError(
                f'tool "{name}" is already registered (for a variant of one caller, register it '
                "through that caller's scope instead)"
                if self._parent is None
                else f'tool "{name}" is already registered in this scope'
            )
        self._tools[name] = entry

        def undo() -> None:
            if self._tools.get(name) is entry:
                del self._tools[name]
                self._changed()

        self._change_or(undo)
        for warning in entry.warnings:
            _log.warning("tool %r: %s", name, warning)
        return self._own_or(undo, entry.warnings)

    def restrict(
        self, *, allow: Iterable[str] | None = None, deny: Iterable[str] | None = None
    ) -> Registration:
        """Masks tools that this scope inherits: ``allow`` keeps only the named, ``deny`` removes them.

        Its own tools stay. Restrictions intersect; each can be closed by itself.

        Raises:
            RegistrationError: not a scope, nothing given, or a name that this scope does not know.
        """
        self._must_be_open("restrict")
        if self._parent is None:
            raise RegistrationError(
                "restrict needs a scope: the registry itself is everybody's. Make one with "
                "registry.scope(name) and restrict that"
            )
        if allow is None and deny is None:
            raise RegistrationError(
                "restrict needs allow or deny: an empty filter restricts nothing"
            )
        restriction = _Restriction(
            None if allow is None else self._named("allow", allow),
            frozenset() if deny is None else self._named("deny", deny),
        )
        key = object()
        self._restrictions[key] = restriction

        def undo() -> None:
            if self._restrictions.pop(key, None) is not None:
                self._changed()

        self._change_or(undo)
        return self._own_or(undo)

    def _named(self, which: str, names: Iterable[str]) -> frozenset[str]:
        if isinstance(names, str):
            raise RegistrationError(f"{which} is a list of names, not the text {names!r}")
        named = list(names)
        if RUN_CODE_NAME in named:
            raise RegistrationError(
                f'"{RUN_CODE_NAME}" is reserved: a restriction can neither name nor remove it'
            )
        known = self.known_names()
        unknown = [name for name in dict.fromkeys(named) if name not in known]
        if unknown:
            raise RegistrationError(
                f"{which} names unknown tool{'s' if len(unknown) > 1 else ''} "
                f"{', '.join(repr(name) for name in unknown)}; known tools: "
                f"{', '.join(sorted(known)) or '(none)'}"
            )
        return frozenset(named)

    def entries(self) -> Mapping[str, Entry]:
        """Everything that callers of this scope see, by name. The one function that decides it."""
        if self._closed:
            return _NOTHING  # what it masked must not come back with its end
        stamp, view = self._view
        now = self._stamp()
        if stamp == now:
            return view
        inherited = {} if self._parent is None else dict(self._parent.entries())
        infrastructure = inherited.pop(RUN_CODE_NAME, None)
        for restriction in self._restrictions.values():
            inherited = {name: e for name, e in inherited.items() if restriction.keeps(name)}
        for name, entry in self._tools.items():
            inherited[name] = entry
        infrastructure = self._infrastructure() or infrastructure
        if infrastructure is not None:
            inherited[RUN_CODE_NAME] = infrastructure
        view = MappingProxyType(inherited)
        self._view = (now, view)
        return view

    def keep(self, key: object, value: object = None) -> object:
        """What was kept under a key for as long as the same tools are seen here; ``value`` is put there."""
        view = self.entries()
        if self._kept[0] is not view:  # a view lives until what is seen changes
            self._kept = (view, {})
        if value is not None:
            self._kept[1][key] = value
        return self._kept[1].get(key)

    def _infrastructure(self) -> Entry | None:
        """The reserved tool, of the layer that has it."""
        return None

    def _stamp(self) -> int:
        """Grows with every change of what is seen here."""
        return self._version + (0 if self._parent is None else self._parent._stamp())

    def get(self, name: str) -> ToolDefinition | None:
        """The tool that the name means here; None for one that is unknown or restricted away."""
        entry = self.entries().get(name)
        return None if entry is None else entry.definition

    def visible(self) -> list[ToolDefinition]:
        """Every tool that is seen here, with ``run_code`` last where the mode has it."""
        return [entry.definition for entry in self.entries().values()]

    def known_names(self) -> frozenset[str]:
        """The names of all tools of this scope and those above, restricted away or not."""
        return frozenset(itertools.chain.from_iterable(s._tools for s in self.chain()))

    def schemas(self) -> list[ToolSchema]:
        """What a model may be told of each visible tool: name, description, parameters."""
        made: list[ToolSchema] = []
        for name, entry in self.entries().items():
            parameters = copy_json(entry.parameters)
            assert isinstance(parameters, dict)
            made.append(ToolSchema(name, entry.definition.description, parameters))
        return made

    def on_change(self, listener: ChangeListener) -> Registration:
        """Hears of each tool or restriction that comes or goes, in any scope: ``listener(scope)``."""
        self._must_be_open("listen")
        must_be_plain("tools/change", listener)
        key = object()
        self._root._change_listeners[key] = listener
        return self.own(partial(self._root._change_listeners.pop, key, None))

    # --- life

    def scope(
        self,
        name: str,
        *,
        approver: "Approver | None" = None,
        approvals: Approvals | None = None,
        log: "SessionLog | None" = None,
        code_mode: CodeMode | None = None,
    ) -> "ToolScope":
        """A scope below this one. Close it, or use it as a context manager."""
        self._must_be_open("make a scope")
        child = ToolScope(
            name, parent=self, approver=approver, approvals=approvals, log=log, code_mode=code_mode
        )
        self._children[child] = None
        return child

    def close(self) -> None:
        """Closes what this scope owns: its scopes, tools, restrictions and listeners. Harmless twice.

        It sees no tools then, and its callers can call none: a call that has not reached its tool is
        denied. One that has goes on to its end, under the listeners that it began with.
        """
        if self._closed:
            return
        for child in list(self._children):
            child.close()
        self._freeze_listeners()
        self._closed = True
        for registration in reversed(list(self._owned)):
            registration.close()
        if self._parent is not None:
            self._parent._children.pop(self, None)

    def _must_be_open(self, what: str) -> None:
        if any(scope._closed for scope in self.chain()):
            raise RegistrationError(f'cannot {what}: the scope "{self._name}" is closed')

    def _own_or(self, undo: Callable[[], object], warnings: tuple[str, ...] = ()) -> Registration:
        """The same for what is in its place already: a listener that heard of it may have closed the scope."""
        if self._closed:
            undo()
            self._must_be_open("register")
        return self.own(undo, warnings)

    def own(self, undo: Callable[[], object], warnings: tuple[str, ...] = ()) -> Registration:
        """A registration that ends with this scope: ``undo`` is called once, at the latest then.

        Raises:
            RegistrationError: the scope is closed.
        """
        self._must_be_open("register")

        def disown() -> None:
            self._owned.pop(registration, None)
            undo()

        registration = Registration(disown, warnings)
        self._owned[registration] = None
        return registration

    def _change_or(self, rollback: Callable[[], None]) -> None:
        """Tells of a change; a listener that refuses it by raising undoes it."""
        self._version += 1
        try:
            for listener in list(self._root._change_listeners.values()):
                listener(self)
        except BaseException:
            rollback()
            raise

    def _changed(self) -> None:
        """Tells of a change that cannot be refused."""
        self._version += 1
        for listener in list(self._root._change_listeners.values()):
            try:
                listener(self)
            except BaseException as error:  # the change has happened  # noqa: BLE001
                contain(error)
                _log.exception("a tools/change listener failed")
