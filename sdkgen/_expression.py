"""A type as one expression, laid out over lines as the original system's codegen does."""

from collections.abc import Callable
from typing import Final

from ._convert import Converter
from ._names import type_name
from ._spelling import member_key, needs_brackets, record_text, tuple_text
from ._types import (
    Described,
    Intersection,
    Keyword,
    ListOf,
    Literals,
    Named,
    Object,
    Tuple,
    Type,
    Types,
    Union,
)

MAX_CHARS: Final = 100_000
"""Where the text has grown to this, what is left to spell becomes `unknown`."""
MAX_DEPTH: Final = 100


class Expression:
    """Spells types out in full. `name` gives a recursive type its name, or None to have it unrolled
    once, with `unknown` where it comes round to itself."""

    def __init__(self, name: Callable[[Named], str | None]) -> None:
        self._name = name
        self._left = MAX_CHARS
        self._open: set[Named] = set()

    def spell(self, type: Type, pad: str = "", depth: int = 0) -> str:
        if isinstance(type, Keyword):
            text = type.text
        elif self._left <= 0 or depth > MAX_DEPTH:
            return "unknown"
        elif isinstance(type, Described):
            return self.spell(type.type, pad, depth)
        elif isinstance(type, Literals):
            text = " | ".join(type.texts)
        elif isinstance(type, Named):
            return self._recursive(type, pad, depth)
        elif isinstance(type, ListOf):
            text = f"{self._operand(type.item, pad, depth)}[]"
        elif isinstance(type, Object):
            text = self._object(type, pad, depth)
        else:
            text = self._composed(type, pad, depth)
        self._left -= len(text) + len(pad)
        return text

    def _operand(self, type: Type, pad: str, depth: int) -> str:
        text = self.spell(type, pad, depth + 1)
        return f"({text})" if needs_brackets(type) and text != "unknown" else text

    def _composed(self, type: Type, pad: str, depth: int) -> str:
        if isinstance(type, Union):
            return " | ".join(self._documented(part, pad, depth) for part in type.members)
        if isinstance(type, Intersection):
            return " & ".join(self._operand(part, pad, depth) for part in type.members)
        assert isinstance(type, Tuple)
        return tuple_text(
            type,
            lambda item: self._operand(item, pad, depth),
            lambda item: self.spell(item, pad, depth + 1),
        )

    def _documented(self, type: Type, pad: str, depth: int) -> str:
        text = self.spell(type, pad, depth + 1)
        return f"/** {type.text} */ {text}" if isinstance(type, Described) else text

    def _recursive(self, type: Named, pad: str, depth: int) -> str:
        name = self._name(type)
        if name is not None:
            return name
        if type in self._open:
            return "unknown"
        self._open.add(type)
        text = self.spell(type.body, pad, depth + 1)
        self._open.discard(type)
        return f"({text})" if needs_brackets(type.body) else text

    def _object(self, type: Object, pad: str, depth: int) -> str:
        inner = f"{pad}  "
        if not type.fields:
            index = "unknown" if type.index is None else self.spell(type.index, pad, depth + 1)
            keys = None if type.keys is None else self.spell(type.keys, pad, depth + 1)
            return record_text(type, index, keys)
        lines = ["{"]
        for name, optional, member in type.fields:
            if isinstance(member, Described):
                lines.append(f"{inner}/** {member.text} */")
                self._left -= len(member.text)
            text = self.spell(member, inner, depth + 1)
            lines.append(f"{inner}{member_key(name, optional)} {text};")
            self._left -= len(name) + len(inner)
        if type.index is not None:
            # The index must stay as wide as the fields, some of which may have been cut to unknown.
            index = self.spell(type.index, inner, depth + 1) if self._left > 0 else "unknown"
            lines.append(f"{inner}[key: string]: {index};")
        lines.append(f"{pad}}}")
        return "\n".join(lines)


def json_schema_to_ts(schema: object, *, named: dict[str, str] | None = None) -> str:
    """The schema as a TypeScript type: total, and a value that the schema admits fits the type.

    A type that contains itself is spelled out once, with `unknown` where it would come round. With
    `named` it is referred to by name instead, and `named` gets what to declare (`type <key> = <value>`).
    """
    root = Converter(schema, Types()).root()
    if named is None:
        return Expression(lambda _: None).spell(root)
    names: dict[Named, str] = {}
    waiting: list[Named] = []

    def name(type: Named) -> str:
        if type not in names:
            stem = type_name(type.hint)
            taken = {*named, *names.values()}
            count = next(
                n for n in range(1, len(taken) + 2) if f"{stem}{n if n > 1 else ''}" not in taken
            )
            names[type] = stem if count == 1 else f"{stem}{count}"
            waiting.append(type)
        return names[type]

    text = Expression(name).spell(root)
    for type in waiting:  # grows while the bodies are spelled
        named[names[type]] = Expression(name).spell(type.body)
    return text
