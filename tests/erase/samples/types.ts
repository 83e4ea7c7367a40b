// Types that look like code, and code that looks like types.
type DeepPartial<T> = T extends (infer U)[]
  ? DeepPartial<U>[]
  : T extends object
    ? { [K in keyof T]?: DeepPartial<T[K]> }
    : T
type Getters<T> = { readonly [K in keyof T as `get${Capitalize<string & K>}`]-?: () => T[K] }
type Ctor<A extends any[] = any[], R = {}> = abstract new (...args: A) => R
type First<T extends readonly unknown[]> = T extends readonly [infer H extends string, ...infer _] ? H : never
type Fn = typeof import("x")
type Tag<in out T, const U = "a" | 'b'> = `${T & string}-${U & string}`
declare module "x" { export function y(): void }
declare global { interface Window { z: 1 } }
namespace Shapes { export interface Point { x: number; y: number } }

function assertString(value: unknown): asserts value is string {
  if (typeof value !== "string") throw new TypeError("not a string")
}
function over(a: string): string
function over(a: number): number
function over(a: any): any { return a }

const a = 1, b = 2, c = 3
const compare = a < b && b > (c as number)
const call = over(a < b ? c : a)
const shifts = [a << b, 16 >> b, 16 >>> b, a <= b, a >= b]
const generic = new Map<string, Array<Array<number>>>([["k", [[a]]]])
const nested = ((x: { y?: { z: number } }) => x?.y!.z)({ y: { z: 4 } })
const tuple = [a, b] as const satisfies readonly [number, number]
const point: Shapes.Point = <Shapes.Point>{ x: 1, y: 2 }
const sum = (a + b as number) * c
const power = (-a as number) ** b
const chosen = compare ? (b) : (c)
const arrow = compare ? (x: number): number => x : (x: number) => -x
const text: unknown = `t${a as number}${`n${(b)!}`}`
assertString(text)
const parts = text.split(/[/]/g) as string[]
let as = 1, type = 2, of = 3, is = as as number
type = of
for (const key in { p: 1 } as Record<string, number>) as += key.length
outer: for (let i: number = 0; ; i++) { if (i > 2) break outer }
return [compare, call, shifts, generic.get("k")![0]!, nested, tuple, point, sum, power, chosen,
  arrow(2), parts, as, type, is]
