"""The tools that each token sees, as scopes of the registry that follow its changes."""

from dataclasses import dataclass

from ...registry import RUN_CODE_NAME, Registration, ToolRegistry, ToolScope
from .grants import Caller


@dataclass(slots=True)
class _Kept:
    scope: ToolScope
    restriction: Registration
    is_fresh: bool = True


class TokenScopes:
    """One scope for each token, made when it first comes."""

    def __init__(self, registry: ToolRegistry) -> None:
        self._registry = registry
        self._kept: dict[str, _Kept] = {}
        registry.on_change(self._changed)

    def of(self, caller: Caller) -> ToolScope:
        """The scope of a caller, with those of the registry's tools that it may see now."""
        kept = self._kept.get(caller.token)
        if kept is None:
            scope = self._registry.scope(f"token {caller.name}")
            kept = self._kept[caller.token] = _Kept(scope, self._restrict(scope, caller))
        elif not kept.is_fresh:
            kept.restriction.close()
            kept.restriction, kept.is_fresh = self._restrict(kept.scope, caller), True
        return kept.scope

    def _restrict(self, scope: ToolScope, caller: Caller) -> Registration:
        known = self._registry.known_names() - {RUN_CODE_NAME}
        return scope.restrict(allow=[name for name in known if caller.grants.allows(name)])

    def _changed(self, scope: ToolScope) -> None:
        if scope is self._registry:
            for kept in self._kept.values():
                kept.is_fresh = False
