f(a, b as T, ...c as U)
;
f(...(a as T))
;
new (a as any)(b!)
;
new a.b.c<T>(d)
;
new (f<T>())()
;
new new A<T>()()
;
new.target
;
function f() { new.target as T }
;
super_
;
class A extends B { constructor() { super<T>(x as any)!; super.y! } }
;
async
x
;
async (x)
;
async<T>(x)
;
async < T
;
async()
;
async(a, ...b)
;
async (a, ...b) => c
;
async (a as T)
;
var async; async
(x)
;
async function
f() {}
;
const x = async function <T>(a: T): Promise<U> { }
;
const x = function <T>(a: T): U { }
;
const x = function f(this: T): U { }
;
const x = class A<T> extends B<T> implements C<T> { x: T = 1 }
;
function f(a = b as T, c: U = d!) {}
;
(function (this: T) {})()
;
(<T,>(x: T) => x)(y)
;
(async () => { const x: T = await y as U })()
;
(() => {})<T>()
;
items.map((x: T): U => x.y!).filter(Boolean) as V[]
;
items.reduce<T>((a, b) => a + b, 0)
;
items.reduce((a: T, b: U) => a + b, 0 as T)
;
Object.entries(x as Record<string, T>).map(([k, v]) => [k, v] as [string, T])
;
new Promise<void>((resolve) => setTimeout(resolve, 1))
;
const x = await Promise.all<T>(ys.map(async (y): Promise<T> => z))
