"""Timers, clocks, randomness, and running a program again."""

import pytest

from codemode.runtime import BindingNamespace, Limits, QuickJSRuntime, RunRequest
from support import Run, ValueOf, echo, message, texts

pytestmark = pytest.mark.anyio


async def test_timers_fire_in_the_order_of_their_times(value_of: ValueOf) -> None:
    program = """
      const order = []
      const at = (ms, name) => setTimeout((n) => order.push(n), ms, name)
      at(20, 'c'); at(1, 'a'); at(5, 'b'); at(1, 'a2'); clearTimeout(at(2, 'never'))
      await new Promise((done) => setTimeout(done, 30))
      return order"""
    assert await value_of(program) == ["a", "a2", "b", "c"]


@pytest.mark.parametrize("delay", ["", ", undefined", ", -5", ", NaN", ", '3'", ", 0.5"])
async def test_an_odd_delay_is_taken_as_a_browser_does(value_of: ValueOf, delay: str) -> None:
    assert await value_of(f"await new Promise((r) => setTimeout(r{delay})); return 1") == 1


async def test_a_pending_timer_keeps_the_run_going(run: Run) -> None:
    result = await run("setTimeout(() => tools.echo('late'), 5); return 'done'", echo=echo)
    assert (result.value, result.stats.calls) == ("done", 1)


async def test_a_timer_beyond_the_wall_budget_ends_as_timeout(run: Run) -> None:
    result = await run("setTimeout(() => {}, 2 ** 40); return 1", limits=Limits(wall_ms=30))
    assert result.error is not None
    assert result.error.budget == "wall"


async def test_an_error_in_a_timer_is_reported_and_the_others_fire(run: Run) -> None:
    result = await run(
        "setTimeout(() => { throw new Error('tick') }, 1); setTimeout(() => console.log('next'), 2)"
    )
    assert sorted(texts(result)) == ["Uncaught in a callback: Error: tick", "next"]


async def test_more_timers_than_allowed_throw(run: Run) -> None:
    result = await run("for (;;) setTimeout(() => {}, 1000)", limits=Limits(timers=5))
    assert "the limit of 5 pending timers" in message(result)


async def test_the_clock_moves_while_a_program_waits(value_of: ValueOf) -> None:
    program = """
      const a = [Date.now(), performance.now()]
      await new Promise((r) => setTimeout(r, 30))
      return [Date.now() - a[0] >= 29, performance.now() - a[1] >= 29, a[0] > 1.7e12, a[1] < 10_000]"""
    assert await value_of(program) == [True, True, True, True]


async def test_the_clock_moves_while_a_program_computes(value_of: ValueOf) -> None:
    assert await value_of("const t = Date.now(); while (Date.now() - t < 20); return 1") == 1


RANDOM = """
  const at = Date.now()
  await new Promise((r) => setTimeout(r, 40))
  return [Math.random(), crypto.randomUUID(), [...crypto.getRandomValues(new Uint8Array(4))], at,
          Date.now(), new Date().toISOString(), performance.now(), await tools.echo(Math.random())]"""


async def test_the_same_seed_and_clock_give_the_same_run(runtime: QuickJSRuntime) -> None:
    def request(seed: int | None, clock_ms: float | None) -> RunRequest:
        space = BindingNamespace(name="tools", functions={"echo": echo})
        return RunRequest(program=RANDOM, bindings=[space], seed=seed, clock_ms=clock_ms)

    first = await runtime.run(request(7, 1_000_000))
    again = await runtime.run(request(7, 1_000_000))
    other = await runtime.run(request(8, 1_000_000))
    assert first.error is None
    assert first.value == again.value
    assert first.value != other.value
    assert isinstance(first.value, list)
    assert first.value[3:7] == [1_000_000, 1_000_040, "1970-01-01T00:16:40.040Z", 40]


async def test_without_a_seed_no_two_runs_are_alike(value_of: ValueOf) -> None:
    program = "return [Math.random(), crypto.randomUUID()]"
    assert await value_of(program) != await value_of(program)
