"""Checks values against a schema from elsewhere; nothing that schema or value hold makes it raise."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, cast

import jsonschema.validators
from jsonschema import ValidationError
from referencing import Registry

from ._applicators import APPLY
from ._assertions import HOLDS, Holds
from ._budget import BudgetSpent, budget, current
from ._clean import clean
from ._fast import NoShortWay, compile_fast
from ._graph import NEVER
from ._messages import describe
from ._walker import Apply, Errors, Walker

MAX_VIOLATIONS: Final = 20
_MAX_COUNTED = 1_000


class SchemaChecker:
    """A compiled schema; immutable, to be used from any thread.

    ``warnings`` has one text for each part of the schema that is not checked, with its place, the
    keyword and the reason: a part that cannot be understood accepts every value.
    """

    __slots__ = ("_fast", "_schema", "warnings")

    warnings: tuple[str, ...]

    def __init__(self, schema: object) -> None:
        plain, self.warnings = clean(schema)
        self._schema: dict[str, object] = plain if isinstance(plain, dict) else {}
        if plain is False:
            self._schema = NEVER
        self._fast = compile_fast(plain)

    def check(self, value: object, *, root: str = "arguments") -> list[str]:
        """All violations of ``value``, each with its path; empty when it is valid.

        ``root`` names the value itself. At most 20 texts of at most 600 characters, then
        ``and N more``. Never raises. A value too large, too deep or with text too slow to match is
        refused, not passed: else a caller could choose the value that ends the check.
        """
        fast = self._fast
        if fast is not None:
            try:
                if fast(value):
                    return []
            except NoShortWay:
                pass
            except Exception:  # noqa: BLE001, S110  # the long way meets it again, and says so
                pass
        return _explain(self._schema, value, root)


def compile_schema(schema: object) -> SchemaChecker:
    """The checker of ``schema``: any JSON Schema of drafts 4 to 2020-12, or any other value at all.

    Never raises, fetches nothing: only references inside the schema are followed. ``format`` and
    ``default`` are notes. See ``SchemaChecker.warnings`` for what is not checked.
    """
    return SchemaChecker(schema)


def _explain(schema: dict[str, object], value: object, root: str) -> list[str]:
    texts: dict[str, None] = {}
    count = 0
    end = ""
    try:
        with budget():
            for error in _errors(schema, value):
                for text in describe(error, root):
                    if text not in texts:
                        count += 1
                        if count <= MAX_VIOLATIONS:
                            texts[text] = None
                if count > _MAX_COUNTED:
                    break
    except BudgetSpent as spent:
        end = f'"{root}" {spent}'
    except (RecursionError, MemoryError):
        end = f'"{root}" is nested too deeply to be checked further'
    except Exception as error:  # noqa: BLE001  # keys whose own comparison raises, and the like
        end = f'"{root}" cannot be checked ({type(error).__name__})'
    found = list(texts)
    if count > MAX_VIOLATIONS:
        more = f"over {_MAX_COUNTED}" if count > _MAX_COUNTED else f"{count - MAX_VIOLATIONS}"
        found.append(f"and {more} more")
    if end:
        found.append(end)
    return found


def _errors(schema: dict[str, object], value: object) -> Iterator[ValidationError]:
    # An explicit empty registry: without one the package would fetch references by itself.
    validator = _Validator(schema, registry=_NOTHING)
    return iter(cast("Walker", validator).descend(value, schema))


def _charged(apply: Apply) -> Apply:
    def run(walker: Walker, value: object, instance: object, schema: dict[str, object]) -> Errors:
        spent = current()
        spent.enter()
        try:
            yield from apply(walker, value, instance, schema)
        finally:
            spent.leave()

    return run


def _assertion(holds: Holds) -> Apply:
    def run(walker: Walker, value: object, instance: object, schema: dict[str, object]) -> Errors:
        current().spend()
        if not holds(value, instance):
            yield ValidationError("")

    return run


def _no_id(schema: object) -> None:
    """The schemas are finished: their identifiers are resolved and gone."""


_FUNCTIONS: Mapping[str, Apply] = {
    **{word: _charged(apply) for word, apply in APPLY.items()},
    **{word: _assertion(holds) for word, holds in HOLDS.items()},
}
_NOTHING: Registry[Any] = Registry()
_create = cast("Callable[..., Any]", jsonschema.validators.create)  # pyright: ignore[reportUnknownMemberType]  # the stub's
_Validator = _create(meta_schema={}, validators=_FUNCTIONS, id_of=_no_id)
