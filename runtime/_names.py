"""Which names a namespace may have."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from .errors import InvalidRequestError
from .types import BindingErrorClass, BindingNamespace

IDENTIFIER: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")

RESERVED_WORDS: Final = frozenset(
    [
        "arguments",
        "await",
        "break",
        "case",
        "catch",
        "class",
        "const",
        "continue",
        "debugger",
        "default",
        "delete",
        "do",
        "else",
        "enum",
        "eval",
        "export",
        "extends",
        "false",
        "finally",
        "for",
        "function",
        "if",
        "implements",
        "import",
        "in",
        "instanceof",
        "interface",
        "let",
        "new",
        "null",
        "package",
        "private",
        "protected",
        "public",
        "return",
        "static",
        "super",
        "switch",
        "this",
        "throw",
        "true",
        "try",
        "typeof",
        "var",
        "void",
        "while",
        "with",
        "yield",
        "async",
        "undefined",
    ]
)

PROGRAM_GLOBALS: Final = frozenset(
    [
        "AggregateError",
        "Array",
        "ArrayBuffer",
        "AsyncDisposableStack",
        "BigInt",
        "BigInt64Array",
        "BigUint64Array",
        "Boolean",
        "DOMException",
        "DataView",
        "Date",
        "DisposableStack",
        "Error",
        "EvalError",
        "FinalizationRegistry",
        "Float16Array",
        "Float32Array",
        "Float64Array",
        "Function",
        "Infinity",
        "Int16Array",
        "Int32Array",
        "Int8Array",
        "InternalError",
        "Iterator",
        "JSON",
        "Map",
        "Math",
        "NaN",
        "Number",
        "Object",
        "Promise",
        "Proxy",
        "RangeError",
        "ReferenceError",
        "Reflect",
        "RegExp",
        "Set",
        "String",
        "SuppressedError",
        "Symbol",
        "SyntaxError",
        "TextDecoder",
        "TextEncoder",
        "TypeError",
        "URIError",
        "URL",
        "URLSearchParams",
        "Uint16Array",
        "Uint32Array",
        "Uint8Array",
        "Uint8ClampedArray",
        "WeakMap",
        "WeakRef",
        "WeakSet",
        "atob",
        "btoa",
        "clearTimeout",
        "console",
        "crypto",
        "decodeURI",
        "decodeURIComponent",
        "encodeURI",
        "encodeURIComponent",
        "escape",
        "eval",
        "globalThis",
        "isFinite",
        "isNaN",
        "parseFloat",
        "parseInt",
        "performance",
        "queueMicrotask",
        "setTimeout",
        "structuredClone",
        "undefined",
        "unescape",
    ]
)
"""Every global of a program but its namespaces and their error classes: the reviewed list. A test
compares it with what the guest has."""

RESERVED_MEMBERS: Final = frozenset({"name", "message", "stack", "cause", "errors", "code"})


def _check_identifier(what: str, name: object) -> None:
    if not isinstance(name, str) or not IDENTIFIER.fullmatch(name):
        raise InvalidRequestError(
            f"{what} {name!r} is not an identifier: use letters, digits, _ and $, no digit first"
        )
    if name in RESERVED_WORDS:
        raise InvalidRequestError(f"{what} {name!r} is a reserved word of JavaScript")


def check_namespaces(namespaces: Sequence[BindingNamespace]) -> None:
    """Raises InvalidRequestError at the first namespace that a program cannot have."""
    taken: set[str] = set()
    classes: set[str] = set()
    for space in namespaces:
        _check_identifier("the namespace", space.name)
        for group in (space.functions, space.helpers):
            if not isinstance(group, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise InvalidRequestError(
                    f"the functions of {space.name} must be a mapping by name"
                )
        both = space.functions.keys() & space.helpers.keys()
        if both:
            raise InvalidRequestError(f"{space.name} has two members called {min(both)!r}")
        if not isinstance(space.error_class, BindingErrorClass):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidRequestError(
                f"the error class of {space.name} must be a BindingErrorClass"
            )
        _check_identifier("the error class", space.error_class.name)
        _check_identifier("the error class's member", space.error_class.member)
        for name in (space.name, space.error_class.name):
            if name in PROGRAM_GLOBALS:
                raise InvalidRequestError(f"{name!r} is a global that every program has: rename it")
        if space.error_class.member in RESERVED_MEMBERS:
            raise InvalidRequestError(
                f"the error class's member {space.error_class.member!r} is one that every error has"
            )
        if space.name in taken:
            raise InvalidRequestError(f"two namespaces are called {space.name!r}")
        taken.add(space.name)
        classes.add(space.error_class.name)
        for name, function in (*space.functions.items(), *space.helpers.items()):
            if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise InvalidRequestError(f"a function's name must be text, not {name!r}")
            if not callable(function):
                raise InvalidRequestError(f"{space.name}.{name} is not callable")
    both = taken & classes
    if both:
        raise InvalidRequestError(f"{both.pop()!r} is a namespace and an error class")
