"""The programs and tools of the benchmark: those of a comparison with other sandboxes, made for this
project. The numbers of rows and calls are part of the comparison: change none."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

ONE: Final = "return 1+1"
HOST_CALLS: Final = (
    "let s = 0; for (let i = 0; i < 1000; i++) { s = await tools.add({ a: i, b: 1 }); } return s;"
)
FANOUT: Final = (
    "const r = await Promise.all(Array.from({ length: 200 }, (_, i) => tools.sleep({ i }))); "
    "return r.length;"
)
LARGE_RESULT: Final = (
    "const rows = await tools.big({}); return rows.filter(r => r.active && r.score > 50).length;"
)
COMPUTE: Final[Mapping[str, str]] = {
    "fib": ("function fib(n){ return n<2?n:fib(n-1)+fib(n-2) } return fib(27);"),
    "loop": ("let s=0; for (let i=0;i<300000;i++) { s=(s+i*7)%1000003; } return s;"),
    "sort": (
        "let x=12345; const a=[]; for (let i=0;i<100000;i++){ x=(x*1103515245+12345)%2147483648; "
        "a.push(x); } a.sort((p,q)=>p-q); return a[50000];"
    ),
    "json": (
        "const rows=[]; for (let i=0;i<10000;i++) "
        "rows.push({id:i,name:'item-'+i,score:i%100,active:i%2===0,tag:'tag-'+(i%7),note:'some "
        "text here for padding '+i}); const s=JSON.stringify(rows); const b=JSON.parse(s); "
        "return JSON.stringify(b).length;"
    ),
    "text": (
        "let t=''; for (let i=0;i<20000;i++) t+='line '+i+' user'+(i%97)+'@example.com some "
        "text\\n'; const m=t.match(/[a-z]+\\d+@[a-z]+\\.com/g).length; const "
        "u=t.replace(/user(\\d+)/g,(_,d)=>'u'+d).length; const "
        "p=t.split('\\n').map(l=>l.toUpperCase()).join('|').length; return m+u+p;"
    ),
}
TYPICAL: Final = (
    "const users=await tools.get_users({limit:100}); const orders=await "
    "tools.get_orders({limit:100}); const tot={}; for (const o of orders) "
    "tot[o.user_id]=(tot[o.user_id]||0)+o.amount; const "
    "top=users.filter(u=>u.active).map(u=>({id:u.id,name:u.name,total:tot[u.id]||0})).sort((a"
    ",b)=>b.total-a.total); const ok=await tools.save({n:top.length}); return "
    "{count:top.length, first:top[0], ok};"
)

TYPESCRIPT_20: Final = """
interface Order { id: number; userId: number; amount: number; status: "paid" | "open" }
interface User { id: number; name: string; active: boolean; tags?: readonly string[] }
type Totals = Record<number, number>;
enum Level { Low, High = 10 }
const users: User[] = [{ id: 1, name: "a", active: true }, { id: 2, name: "b", active: false }];
const orders: Array<Order> = [{ id: 1, userId: 1, amount: 20, status: "paid" }];
const totals: Totals = {};
function total<T extends Order>(items: readonly T[], pick: (item: T) => number = (i) => i.amount): number {
  return items.reduce((sum: number, item: T): number => sum + pick(item), 0);
}
for (const order of orders as Order[]) {
  totals[order.userId] = (totals[order.userId] ?? 0) + order.amount;
}
class Report<K extends string> {
  constructor(readonly name: K, private rows: User[] = []) {}
  lines(): string[] { return this.rows.map((row) => `${row.name}: ${totals[row.id]!}`); }
}
const report = new Report<"daily">("daily", users.filter((u): u is User => u.active));
return { total: total<Order>(orders), lines: report.lines(), level: Level.High satisfies number };
"""
JAVASCRIPT_20: Final = """


var Level; (function (Level) { Level[Level["Low"] = 0] = "Low"; Level[Level["High"] = 10] = "High" })(Level || (Level = {}));

const users = [{ id: 1, name: "a", active: true }, { id: 2, name: "b", active: false }];
const orders = [{ id: 1, userId: 1, amount: 20, status: "paid" }];
const totals = {};
function total(items, pick = (i) => i.amount) {
  return items.reduce((sum, item) => sum + pick(item), 0);
}
for (const order of orders) {
  totals[order.userId] = (totals[order.userId] ?? 0) + order.amount;
}
class Report {
  name; rows; constructor(name, rows = []) { this.name = name; this.rows = rows }
  lines() { return this.rows.map((row) => `${row.name}: ${totals[row.id]}`); }
}
const report = new Report("daily", users.filter((u) => u.active));
return { total: total(orders), lines: report.lines(), level: Level.High };
"""

USERS: Final = [
    {
        "id": i,
        "name": f"user {i}",
        "email": f"u{i}@example.com",
        "active": i % 3 != 0,
        "age": 20 + i % 50,
    }
    for i in range(100)
]
ORDERS: Final = [
    {"id": i, "user_id": i * 7 % 100, "amount": i * 13 % 97, "status": "paid"} for i in range(100)
]
BIG_ROWS: Final = [
    {
        "id": i,
        "name": f"item-{i}",
        "score": i % 100,
        "active": i % 2 == 0,
        "tag": f"tag-{i % 7}",
        "note": f"some text here for padding {i}",
    }
    for i in range(10_000)
]


async def add(args: Any) -> int:
    return args["a"] + args["b"]


async def sleep(args: Any) -> int:
    await asyncio.sleep(0.001)
    return args["i"]


async def big(_: Any) -> object:
    return BIG_ROWS


async def get_users(args: Any) -> object:
    return USERS[: args["limit"]]


async def get_orders(args: Any) -> object:
    return ORDERS[: args["limit"]]


async def save(_: Any) -> bool:
    return True


def functions() -> dict[str, Callable[[Any], Awaitable[object]]]:
    """The six tools of the workloads."""
    return {
        "add": add,
        "sleep": sleep,
        "big": big,
        "get_users": get_users,
        "get_orders": get_orders,
        "save": save,
    }
