"""What crosses between a program and its functions, both ways."""

import asyncio
import contextlib
import json
import math
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codemode.runtime import BindingNamespace, JsonValue, QuickJSRuntime, RunRequest, jsonvalue
from codemode.runtime.jsonvalue import (
    JsonProblemError,
    decode_argument,
    decode_value,
    encode_result,
)
from support import Run, ValueOf, echo, kind, message, texts

pytestmark = pytest.mark.anyio

WIDE_INTEGER = 2**53 - 1


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (
            "[1, -0, 1.5, 1e21, 5e-324, 1.7976931348623157e308]",
            [1, 0, 1.5, 1e21, 5e-324, 1.7976931348623157e308],
        ),
        ("{ a: undefined, b: [undefined, , 3], [Symbol('s')]: 1 }", {"b": [None, None, 3]}),
        ("{ d: new Date(0), bad: new Date(NaN) }", {"d": "1970-01-01T00:00:00.000Z", "bad": None}),
        (
            "{ s: new String('t'), n: new Number(3), b: new Boolean(false) }",
            {"s": "t", "n": 3, "b": False},
        ),
        ("new Uint8Array([1, 2])", {"0": 1, "1": 2}),
        ("{ toJSON() { return [this.x] }, x: 4 }", [4]),
        (
            'JSON.parse(\'{"__proto__":{"a":1},"constructor":2}\')',
            {"__proto__": {"a": 1}, "constructor": 2},
        ),
        (
            "(() => { const s = { x: 1 }; return [s, s, { s }] })()",
            [{"x": 1}, {"x": 1}, {"s": {"x": 1}}],
        ),
        (
            "Object.create({ up: 1 }, { hid: { value: 2 }, vis: { value: 3, enumerable: true } })",
            {"vis": 3},
        ),
        ("new Proxy([1, 2], {})", [1, 2]),
        ("[JSON.rawJSON('1.50'), JSON.rawJSON('\"x\"')]", [1.5, "x"]),
        ("'\\udbff\\0z é 漢 🎉'", "\udbff\0z é 漢 🎉"),
        ("{ ['k\\ud800']: '\\\\\"\\n\\u0001\\u007f' }", {"k\ud800": '\\"\n\x01\x7f'}),
        ("{ 2: 1, 1: 1, b: 1, a: 1 }", {"1": 1, "2": 1, "b": 1, "a": 1}),
    ],
)
async def test_arguments_and_completion_values_follow_one_rule(
    run: Run, expression: str, value: JsonValue
) -> None:
    returned = await run(f"return {expression}")
    assert returned.value == value
    echoed = await run(f"return await tools.echo({expression})", echo=echo)
    assert echoed.value == value


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("{ items: [0, 1, NaN] }", "NaN at {}.items[2]"),
        ("[-Infinity]", "-Infinity at {}[0]"),
        ("{ big: 10n }", "BigInt at {}.big"),
        ("[JSON.rawJSON('1e999')]", "Infinity at {}[0]"),
        ("{ f: () => 1 }", "function at {}.f"),
        ("[Symbol('s')]", "symbol at {}[0]"),
        ("{ p: Promise.resolve(1) }", "missing await"),
        ("(() => { const o = { n: 1 }; o.self = o; return o })()", "circular reference at {}.self"),
        ("{ 'odd key': NaN }", 'NaN at {}["odd key"]'),
    ],
)
async def test_a_value_that_json_would_corrupt_is_refused_with_its_path(
    run: Run, expression: str, problem: str
) -> None:
    returned = await run(f"return {expression}")
    assert kind(returned) == "invalid-output"
    assert problem.format("value") in message(returned)
    caught = await run(
        f"try {{ await tools.echo({expression}) }} catch (e) {{ return e.message }}", echo=echo
    )
    assert problem.format("args") in str(caught.value)
    assert caught.stats.calls == 0


@pytest.mark.parametrize(
    "program",
    [
        "return { get a() { throw new Error('boo') } }",
        "return { toJSON() { throw new Error('boo') } }",
    ],
)
async def test_an_exception_while_a_value_is_read_is_the_programs_own(
    run: Run, program: str
) -> None:
    result = await run(program)
    assert kind(result) == "exception"
    assert "boo" in message(result)


async def test_a_call_made_while_the_result_is_read_is_finished(run: Run) -> None:
    result = await run("return { get a() { tools.echo('from getter'); return 1 } }", echo=echo)
    assert result.value == {"a": 1}
    assert result.stats.calls == 1


async def test_data_that_json_cannot_show_is_noted_in_the_log(run: Run) -> None:
    result = await run("return { m: new Map([[1, 2]]) }")
    assert result.value == {"m": {}}
    assert texts(result) == [
        "value.m is a Map, which JSON writes as {}: use Object.fromEntries(map) or [...map]"
    ]


@pytest.mark.parametrize("arguments", ["", "undefined"])
async def test_no_argument_and_undefined_mean_an_empty_object(
    value_of: ValueOf, arguments: str
) -> None:
    assert await value_of(f"return await tools.echo({arguments})", echo=echo) == {}


@pytest.mark.parametrize("argument", [None, [1], "s", 5, True])
async def test_other_arguments_arrive_as_they_are(value_of: ValueOf, argument: JsonValue) -> None:
    seen: list[JsonValue] = []

    async def keep(value: JsonValue) -> JsonValue:
        seen.append(value)
        return None

    await value_of(f"await tools.keep({json.dumps(argument)}, 'ignored')", keep=keep)
    assert seen == [argument]


async def test_a_result_of_none_is_null(value_of: ValueOf) -> None:
    async def nothing(_: JsonValue) -> None:
        return None

    assert await value_of("return [await tools.nothing()]", nothing=nothing) == [None]


async def test_numbers_beyond_the_safe_integers_come_back_as_the_same_number(
    value_of: ValueOf,
) -> None:
    program = """
      const sent = [2 ** 53, 2 ** 63, -(2 ** 64), 123456789012345680]
      const back = await tools.echo(sent)
      return back.every((n, i) => n === sent[i])
    """
    assert await value_of(program, echo=echo) is True
    assert await value_of("return 2 ** 63") == 9223372036854776000


@pytest.mark.parametrize(
    "number",
    [WIDE_INTEGER + 1, -WIDE_INTEGER - 1, 2**63, 10**30, pytest.param(10**5000, id="10**5000")],
)
async def test_host_integers_beyond_the_safe_ones_cross_as_text_and_the_log_says_where(
    run: Run, number: int
) -> None:
    async def give(_: JsonValue) -> object:
        return {"rows": [{"id": 1}, {"id": number}]}

    result = await run("return (await tools.give()).rows.map((row) => typeof row.id)", give=give)
    assert result.value == ["number", "string"]
    assert texts(result) == [
        "give: integers beyond ±(2^53-1) are given as decimal strings: result.rows[1].id"
    ]


@pytest.mark.parametrize("number", [WIDE_INTEGER, -WIDE_INTEGER, 0, 1234567890123456])
async def test_safe_integers_stay_numbers(run: Run, number: int) -> None:
    async def give(_: JsonValue) -> object:
        return [number]

    result = await run("return await tools.give()", give=give)
    assert result.value == [number]
    assert result.logs == ()


@pytest.mark.parametrize(
    ("result", "problem"),
    [
        ({"a": [math.nan]}, "nan at result.a[0]"),
        ([math.inf], "inf at result[0]"),
        (b"x", "bytes at result"),
        ({"when": datetime(2026, 1, 1)}, "datetime at result.when"),
        ({1, 2}, "set at result"),
        ({(1, 2): 3}, "a key of type tuple at result"),
    ],
)
async def test_a_result_that_is_not_json_rejects_its_call_with_the_path(
    value_of: ValueOf, result: object, problem: str
) -> None:
    async def give(_: JsonValue) -> object:
        return result

    caught = await value_of("try { await tools.give() } catch (e) { return e.message }", give=give)
    assert "give" in str(caught)
    assert problem in str(caught)


async def test_a_ring_in_a_result_rejects_its_call(value_of: ValueOf) -> None:
    ring: list[object] = []
    ring.append(ring)

    async def give(_: JsonValue) -> object:
        return ring

    caught = await value_of("try { await tools.give() } catch (e) { return e.message }", give=give)
    assert "circular reference at result[0]" in str(caught)


async def test_tuples_and_scalar_keys_have_their_json_forms(value_of: ValueOf) -> None:
    async def give(_: JsonValue) -> object:
        return {"t": (1, (2,)), 2: "a", True: "b", None: "c"}

    assert await value_of("return await tools.give()", give=give) == {
        "t": [1, [2]],
        "2": "a",
        "true": "b",
        "null": "c",
    }


@pytest.mark.parametrize("depth", [900, 1199])
async def test_nesting_up_to_the_limit_crosses_in_all_directions(
    value_of: ValueOf, depth: int
) -> None:
    program = f"""
      let o = 0
      for (let i = 0; i < {depth}; i++) o = i % 2 ? [o] : {{ k: o }}
      const back = await tools.echo(o)
      let d = 0
      for (let p = back; typeof p === 'object'; p = Array.isArray(p) ? p[0] : p.k) d++
      return [d, back]
    """
    value = await value_of(program.replace(", back]", "]"), echo=echo)
    assert value == [depth]


@pytest.mark.parametrize("depth", [1300, 100_000])
async def test_deeper_nesting_is_refused_by_name_in_all_directions(run: Run, depth: int) -> None:
    build = f"let o = 0; for (let i = 0; i < {depth}; i++) o = [o];"
    assert "too deep nesting" in message(await run(f"{build} return o"))
    assert "too deep nesting" in message(await run(f"{build} await tools.echo(o)", echo=echo))

    async def give(_: JsonValue) -> object:
        value: list[object] = []
        for _i in range(depth):
            value = [value]
        return value

    assert "nest" in message(await run("await tools.give()", give=give))


async def test_an_argument_is_a_snapshot_that_nobody_shares(value_of: ValueOf) -> None:
    kept: list[JsonValue] = []

    async def mutate(argument: JsonValue) -> JsonValue:
        assert isinstance(argument, dict)
        assert isinstance(argument["list"], list)
        argument["list"].append("T")
        kept.append(argument)
        return argument

    program = (
        "const a = { list: [1] }; const p = tools.mutate(a); a.list.push(9); return [a, await p]"
    )
    assert await value_of(program, mutate=mutate) == [{"list": [1, 9]}, {"list": [1, "T"]}]


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-WIDE_INTEGER, WIDE_INTEGER)
    | st.floats(-WIDE_INTEGER, WIDE_INTEGER)  # beyond, a program's JSON has digits of its own
    | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=25,
)


def test_any_json_value_survives_the_round_trip_through_a_program() -> None:
    current: list[JsonValue] = [None]

    async def give(_: JsonValue) -> JsonValue:
        return current[0]

    space = BindingNamespace(name="tools", functions={"give": give, "echo": echo})
    request = RunRequest(program="return await tools.echo(await tools.give())", bindings=[space])
    with asyncio.Runner() as runner:
        runtime = QuickJSRuntime(max_runs=1)

        @given(json_values)
        @settings(max_examples=300, deadline=None)
        def check(value: JsonValue) -> None:
            current[0] = value
            result = runner.run(runtime.run(request))
            assert result.error is None, result.error.message
            assert result.value == value

        check()
        runner.run(runtime.aclose())


@given(json_values)
@settings(deadline=None)
def test_the_careful_encoder_and_the_json_module_agree(value: JsonValue) -> None:
    careful = jsonvalue._encode_carefully(value, 100)  # pyright: ignore[reportPrivateUsage]
    assert decode_value(careful.data) == value
    assert decode_value(encode_result(value, depth=100).data) == value


@given(json_values)
@settings(deadline=None)
def test_the_decoder_for_deep_text_and_the_json_module_agree(value: JsonValue) -> None:
    text = encode_result(value, depth=100).data.decode()
    decoder = jsonvalue._value_decoder  # pyright: ignore[reportPrivateUsage]
    assert jsonvalue._decode_deep(text, decoder) == value  # pyright: ignore[reportPrivateUsage]


@given(
    st.binary(max_size=60)
    | st.text(alphabet='[]{},:"0123456789.-+eEtrufalsn\\ ', max_size=40).map(str.encode)
)
@settings(max_examples=500, deadline=None)
def test_text_that_is_not_json_is_a_problem_and_nothing_else(data: bytes) -> None:
    with contextlib.suppress(JsonProblemError):
        decode_argument(data)


@pytest.mark.parametrize(
    "text", ["NaN", "[Infinity]", "1e999", "-1e999", "1" * 500, '{"a":1', "[1,]", "1 2", ""]
)
def test_what_pythons_json_takes_too_easily_is_refused(text: str) -> None:
    with pytest.raises(JsonProblemError):
        decode_argument(text.encode())
