type A = B
;
type A<T> = B
(x)
;
type A = B
[x]
;
type A = | B | C
;
type
A = B
;
type A =
  | { a: 1 }
  | { b: 2 }
foo()
;
type = 5
type
;
type.x = 1
;
type(x)
;
type A = (a: T) => U; x
;
type A = new (...a: any[]) => T
;
type A = abstract new () => T
;
type A = { (x: T): U; new (x: T): U; readonly [K in keyof T]?: T[K]; -readonly [K in T as `x${K}`]-?: U; get a(): T; set a(v: T); m?<T>(): U; }
;
type A = T extends U ? V : W
;
type A = T extends (infer U)[] ? U : never
;
type A = T extends infer U extends V ? U : never
;
type A = T extends (infer U extends V) ? U : never
;
type A = T extends { a: infer U extends V ? 1 : 2 } ? U : never
;
type A = T extends (infer U extends V ? 1 : 2) ? U : never
;
type A = T extends ((x: infer U extends V) => any) ? U : never
;
type A = [infer U extends V ? 1 : 2]
;
type A = infer U extends V ? 1 : 2
;
type A = T extends [infer U extends string, ...infer R] ? [U, ...R] : never
;
type A = T extends () => infer R ? R : never
;
type A = keyof T[]
;
type A = (keyof T)[]
;
type A = T['a']['b'][]
;
type A = T
['x']
;
type A = [a: T, b?: U, ...c: V[]]
;
type A = [...T, U?]
;
type A = `a${B}c${D extends E ? `f${G}` : H}`
;
type A = typeof x
;
type A = typeof x.y.z
;
type A = typeof x
<T>(y)
;
type A = typeof this.x
;
type A = asserts
;
type A = (x) => x is T
;
type A = (this: T) => void
;
type A = ({ a }: T) => void
;
type A = ([a]: T) => void
;
type A = (a?) => void
;
type A = (a, b) => void
;
type A = (a) => void
;
type A = (a)
;
type A = (a)[]
;
type A = (a | b) & c
;
type A = <T>(x: T) => T
;
type A = object & unknown
;
type A = intrinsic
;
type A = string
(x)
;
type A<in T, out U, in out V, const W> = T
;
type A<out, in out> = T
;
type A<T>= B<T>
;
type A<T,>= B<T,>
