"""What erasing costs: microseconds for 20 and 300 lines, fresh and hot, and the wasm that it adds.

"Fresh" is the first call in a new instance, as every program has it; "hot" is the same text again and
again in one instance. Both are medians of the call alone, without making the instance, and less the
cost of a call that does nothing.

    python benchmarks/erase.py [--json]
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.erase.oracle.eraser import Eraser, Status, Unavailable, build_module

FRESH_CALLS = 300
HOT_CALLS = 2_000
TARGETS = {"erase20_us": 60.0, "erase300_us": 250.0, "wasm_kb": 80.0}
BLOCK = """\
interface Order { id: string; customer_id: string; total_cents: number; tags?: string[] }
type Totals = Record<string, { count: number; cents: number }>;
const orders = (await tools.list_orders({ limit: 100 })) as Order[];
const names: Map<string, string> = new Map<string, string>();

function pad<T extends { toString(): string }>(value: T, width: number = 12): string {
  return value.toString().padEnd(width, " ");
}
const totals = orders.reduce<Totals>((sum: Totals, order: Order): Totals => {
  const name = names.get(order.customer_id)!;
  const entry = (sum[name] ??= { count: 0, cents: 0 });
  entry.count += 1;
  entry.cents += order.total_cents as number;
  return sum;
}, {} as Totals);
const lines: string[] = [];
for (const [name, { count, cents }] of Object.entries(totals)) {
  lines.push(`${pad(name)} ${pad<number>(count, 6)} ${(cents / 100).toFixed(2)}`);
}
console.log(lines.sort().join("\\n"));
"""


def elapsed_us(call: Callable[[], object]) -> float:
    start = time.perf_counter_ns()
    call()
    return (time.perf_counter_ns() - start) / 1_000


def call_cost_us(eraser: Eraser) -> float:
    """A call into the module that does nothing."""
    return statistics.median(elapsed_us(eraser.live_allocations) for _ in range(HOT_CALLS))


def fresh_us(eraser: Eraser, source: bytes) -> float:
    def once() -> float:
        eraser.restart()
        eraser.live_allocations()  # wasmtime-py's own first call
        return elapsed_us(eraser.load(source))

    return statistics.median(once() for _ in range(FRESH_CALLS)) - call_cost_us(eraser)


def hot_us(eraser: Eraser, source: bytes) -> float:
    def once() -> float:
        taken = elapsed_us(eraser.load(source))
        eraser.unload()
        return taken

    return statistics.median(once() for _ in range(HOT_CALLS)) - call_cost_us(eraser)


def measure() -> tuple[dict[str, float], list[str]]:
    """The figures by name, and the lines to print."""
    eraser = Eraser(counts=False)
    figures: dict[str, float] = {}
    lines: list[str] = []
    for count, name in ((1, "erase20_us"), (15, "erase300_us")):
        text = BLOCK * count
        source = text.encode()
        assert eraser.erase(text).status is Status.OK
        fresh, hot = fresh_us(eraser, source), hot_us(eraser, source)
        figures[name] = round(fresh, 1)
        size = f"{text.count(chr(10))} lines, {len(source)} bytes"
        lines.append(
            f"{size}: fresh {fresh:.1f} us, hot {hot:.1f} us (target {TARGETS[name]:g} fresh)"
        )
    added = (len(build_module()) - len(build_module(with_eraser=False))) / 1_000
    figures["wasm_kb"] = round(added, 1)
    lines.append(f"wasm: {added:.1f} kB added (target {TARGETS['wasm_kb']:g})")
    return figures, lines


def main() -> int:
    parser = argparse.ArgumentParser(description="What erasing costs.")
    parser.add_argument("--json", action="store_true", help="print the figures as one JSON object")
    arguments = parser.parse_args()
    try:
        figures, lines = measure()
    except Unavailable as reason:
        sys.stderr.write(f"{reason}\n")
        return 2
    output = json.dumps({"figures": figures}) if arguments.json else "\n".join(lines)
    sys.stdout.write(f"{output}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
