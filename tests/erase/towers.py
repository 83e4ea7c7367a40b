"""Inputs that a parser with any quadratic or exponential step cannot read in time, by size."""

from collections.abc import Callable
from typing import Final

Tower = Callable[[int], str]


def _nested(open_: str, inside: str, close: str) -> Tower:
    return lambda n: open_ * n + inside + close * n


def _wide(inside: str, count: int, open_: str, close: str) -> Tower:
    """A nest of fixed depth around a text that grows: what is tried again is tried `count` times."""
    return lambda n: f"x = {open_ * count}{inside * n}1{close * count}"


TOWERS: Final[dict[str, Tower]] = {
    # chains that are read once
    "plus": lambda n: "return " + "1 + " * n + "1",
    "casts": lambda n: "return a" + " as any" * n,
    "protected casts": lambda n: "x = " + "a + b as T * " * n + "c",
    "bangs": lambda n: "a" + "!" * n,
    "optional links": lambda n: "a" + "?.b" * n,
    "conditionals": lambda n: "return " + "a ? b : " * (n // 4) + "c",
    "else if": lambda n: "if (a) {} else " * n + "{}",
    "labels": lambda n: "a: " * n + "b",
    "statements": lambda n: "const x: number = 1 as number;\n" * n,
    "declarations": lambda n: "declare const x: T\n" * n,
    "interfaces": lambda n: "interface A { b(): C; d?: { e: F }[] }\n" * n,
    "type imports": lambda n: "import type A = B.C\n" * n,
    "import list": lambda n: "import { " + "type A, " * n + "} from 'x'",
    "value import": lambda n: "import { " + "A, " * n + "} from 'x'",
    "unions": lambda n: "type X = " + "| A " * n,
    "enum": lambda n: "enum E { " + ", ".join(f"m{i} = {i}" for i in range(n)) + " }",
    "properties": lambda n: (
        "class A { constructor(" + ", ".join(f"public p{i}" for i in range(n)) + ") {} }"
    ),
    "members": lambda n: "class A { " + "private a?: T; b(): void; " * n + "}",
    "long names": lambda n: f"enum {'E' * n} {{ {'A' * n} }}",
    "slashes": lambda n: "/" * n,
    "regular expressions": lambda n: "x = /a/;" * n,
    "spaces": lambda n: "x" + " " * n + ": y",
    "comments": lambda n: "x /* */;" * n,
    "newlines": lambda n: "x as any\n" * n,
    "strings": lambda n: '"a" + ' * n + "1",
    "templates": lambda n: "`a${b}` + " * n + "1",
    # brackets that never close
    "open parentheses": lambda n: "(" * n,
    "open brackets": lambda n: "[" * n,
    "open braces": lambda n: "{" * n,
    "open objects": lambda n: "x = " + "{a:" * n,
    "open templates": lambda n: "`${" * n,
    "open types": lambda n: "let x: " + "{a: " * n,
    "open tuples": lambda n: "let x: " + "[" * n,
    # `<` that may or may not start type arguments
    "less": lambda n: "a<" * n,
    "less and a name": lambda n: "a<" * n + "b",
    "less closed": lambda n: "x = " + "a<" * n + "b" + ">" * n + "(c)",
    "less closed apart": lambda n: "x = " + "a<" * n + "b" + "> " * n + "c",
    "less in statements": lambda n: "a < b;" * n,
    "less in a list": lambda n: "f(" + "a<b,c," * n + "d)",
    "less in a closed list": lambda n: "f(" + "a<b,c," * n + "d>(e))",
    "less and parenthesis": lambda n: "f(" + "a<(b," * n + "d)",
    "less and brace": lambda n: "x = " + "a<{b:" * n,
    "less and bracket": lambda n: "x = " + "a<[" * n,
    "less and arrow": lambda n: "a<()=>" * n,
    "less and template": lambda n: "x = a<" + "`${a<" * n,
    "less twice": lambda n: "a<<" * n + "b",
    "less in brackets": _wide("[1, 2],", 300, "[a<", "]"),
    "type arguments in brackets": _wide("1,", 300, "a<[", "]>"),
    # `(` that may or may not be parameters
    "parentheses": _nested("(", "1", ")"),
    "parameters or not": lambda n: "(a,b:(" * n,
    "defaults": _wide("1+", 300, "(a=", ")"),
    "generic defaults": _wide("1,", 300, "<T>(", ")"),
    "async calls": lambda n: "async(a," * n,
    "async defaults": _wide("1,", 300, "async (x=", ")"),
    "async less": lambda n: "async<a," * n,
    "conditional arrows": lambda n: "x = " + "a?(b):c=>" * n + "1",
    "conditional arrows in brackets": lambda n: "x = " + "(a?(b):c=>" * n + "1" + ")" * n,
    "conditional objects": lambda n: "x = " + "a?(b):{c:" * n + "1" + "}" * n,
    "conditional arrows wide": lambda n: "x = " + "a?(b):c=>" * 500 + "1" + "+1" * n,
    "conditional less": lambda n: "x = " + "a?(b):c<" * n,
    # types
    "infer": lambda n: (
        "type X = " + "A extends (infer U extends " * n + "V" + " ? 1 : 2)" * n + " ? 1 : 2"
    ),
    "conditional types": lambda n: "type X = " + "A extends B ? C : " * n + "D",
    "keyof": lambda n: "type X = " + "keyof " * n + "Y",
    "function types": lambda n: "let x: " + "(a:" * n,
    "results": lambda n: "let x: " + "() => " * n + "T",
    "patterns in types": lambda n: "let x: " + "({a}: {b: " * n,
    "indices": lambda n: "let x: " + "T[" * n,
    "namespaces": lambda n: "namespace A {" * n,
    # the rest of the language
    "not": lambda n: "!" * n + "x",
    "new": lambda n: "new " * n + "x",
    "powers": lambda n: "x = " + "a**" * n + "b",
    "arrows": lambda n: "x => " * n + "1",
    "classes": lambda n: "x = " + "class extends " * n,
    "functions": lambda n: "function f() {" * n,
    "patterns": lambda n: "let " + "[" * n,
    "calls": _nested("f(", "", ")"),
}
