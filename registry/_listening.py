"""The listeners of a scope: kept in their order, found along the chain of scopes."""

import inspect
import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, get_args

from ._handle import Registration
from .errors import RegistrationError
from .types import (
    ExecuteListener,
    Guard,
    PostListener,
    PreListener,
    ResultObserver,
    RunEndListener,
    RunLogListener,
)

Stage = Literal["tools/pre-execute", "guard", "tools/execute", "tools/post-execute", "tools/result"]


Channel = Literal["run/log", "run/end"]
"""What is only told of: it decides nothing about a call."""


class Listener(NamedTuple):
    """A listener in its place; ``order`` sorts all listeners of a registry."""

    order: int
    name: str
    function: Callable[..., Any]


def must_be_plain(stage: str, function: object) -> None:
    """Raises RegistrationError for an async function where nobody would await it."""
    if inspect.iscoroutinefunction(function):
        raise RegistrationError(
            f"a {stage} listener is a plain function: it is told in passing, and nobody awaits it"
        )


class Orders:
    """Places for the listeners of one registry: behind all others, or before them."""

    def __init__(self) -> None:
        self.behind = itertools.count()
        self.before = itertools.count(-1, -1)


class Listening(ABC):
    """What a scope is to its listeners."""

    def __init__(self, above: "Listening | None") -> None:
        self._above = above
        self._orders: Orders = Orders() if above is None else above._orders
        self._listeners: dict[str, dict[int, Listener]] = {}
        self._listeners_version = 0
        self._chains: tuple[int, dict[str, tuple[Listener, ...]]] = (-1, {})
        self._frozen: dict[str, tuple[Listener, ...]] | None = None

    @abstractmethod
    def own(self, undo: Callable[[], object]) -> Registration:
        """A registration that ends with this scope: ``undo`` is called once, at the latest then."""

    @abstractmethod
    def _must_be_open(self, what: str) -> None: ...

    def on_pre_execute(
        self, listener: PreListener, *, name: str | None = None, prepend: bool = False
    ) -> Registration:
        """Gates calls of this scope: ``listener(exec, next)`` gives Allow, Deny or Ask, or ``await next()``."""
        return self._listen("tools/pre-execute", listener, name, prepend)

    def guard(self, guard: Guard, *, name: str | None = None) -> Registration:
        """Adds a last look before dispatch that can only deny, by giving a reason."""
        return self._listen("guard", guard, name, prepend=False)

    def on_execute(
        self, listener: ExecuteListener, *, name: str | None = None, prepend: bool = False
    ) -> Registration:
        """Wraps dispatch: ``listener(exec, next)`` gives a result, mostly ``await next()``."""
        return self._listen("tools/execute", listener, name, prepend)

    def on_post_execute(
        self, listener: PostListener, *, name: str | None = None, prepend: bool = False
    ) -> Registration:
        """Judges results: ``listener(exec, result, next)`` gives Accept or Block, or ``await next()``."""
        return self._listen("tools/post-execute", listener, name, prepend)

    def on_result(self, observer: ResultObserver, *, name: str | None = None) -> Registration:
        """Sees every final result. It can change nothing, and its failures are only logged."""
        return self._listen("tools/result", observer, name, prepend=False)

    def on_run_log(self, listener: RunLogListener, *, name: str | None = None) -> Registration:
        """Sees what programs of this scope print, as they print it: ``listener(exec, entry)``, where
        ``exec`` is the ``run_code`` call. Its failures are only logged."""
        return self._listen("run/log", listener, name, prepend=False)

    def on_run_end(self, listener: RunEndListener, *, name: str | None = None) -> Registration:
        """Sees how programs of this scope ended, before the result of their ``run_code`` is judged:
        ``listener(exec, result)`` with the runtime's own ``RunResult``. Its failures are only logged."""
        return self._listen("run/end", listener, name, prepend=False)

    def _listen(
        self,
        stage: Stage | Channel,
        function: Callable[..., Any],
        name: str | None,
        prepend: bool,
        order: int | None = None,
    ) -> Registration:
        self._must_be_open("listen")
        if not callable(function):
            raise RegistrationError(
                f"a {stage} listener is a function, not {type(function).__name__}"
            )
        if stage == "tools/result" or stage in get_args(Channel):
            must_be_plain(stage, function)
        if order is None:
            order = next(self._orders.before if prepend else self._orders.behind)
        shown = name or getattr(function, "__qualname__", None) or type(function).__qualname__
        listener = Listener(order, shown.replace("<locals>.", ""), function)
        self._listeners.setdefault(stage, {})[order] = listener
        self._listeners_version += 1

        def undo() -> None:
            del self._listeners[stage][order]
            self._listeners_version += 1

        return self.own(undo)

    def listeners(self, stage: Stage | Channel) -> tuple[Listener, ...]:
        """Those of this scope and the ones above it, in the order in which they are called."""
        if self._frozen is not None:
            return self._frozen[stage]
        now = self._listeners_stamp()
        if self._chains[0] != now:
            self._chains = (now, {})
        chain = self._chains[1].get(stage)
        if chain is None:
            found = [
                each
                for layer in self._layers()
                for each in layer._listeners.get(stage, {}).values()
            ]
            if stage != "guard":  # guards: the registry's first, then along the scopes
                found.sort()
            chain = self._chains[1][stage] = tuple(found)
        return chain

    def _listeners_stamp(self) -> int:
        above = 0 if self._above is None else self._above._listeners_stamp()
        return self._listeners_version + above

    def _freeze_listeners(self) -> None:
        """Keeps them as they are for the calls that go on while the scope closes."""
        self._frozen = {
            stage: self.listeners(stage) for stage in (*get_args(Stage), *get_args(Channel))
        }

    def _layers(self) -> "list[Listening]":
        return [self] if self._above is None else [*self._above._layers(), self]
