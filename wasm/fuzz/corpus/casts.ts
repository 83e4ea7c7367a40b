a as any as T
;
a as const
;
[1, 2] as const
;
a satisfies T as U
;
a + b as T * c
;
a * b as T + c
;
a as T * b
;
a as T ** b
;
-a as T
;
(-a) as T ** b
;
a ** b as T
;
a || b as T && c
;
a ?? b as T ?? c
;
a as T ?? b
;
a as T || b && c
;
a == b as T
;
a == b as T == c
;
a < b as T
;
a as number < b
;
a as number > b
;
a as string | b
;
a as T & b
;
a | b as T
;
a, b as T, c
;
!a as T
;
typeof a as T
;
await a as T
;
await (a as T)
;
(await a)!
;
x => x as T
;
x => ({} as T)
;
async () => (await x) as T
;
a = b as T = c
;
a ? b : c as T
;
a as T ? b : c
;
a as T extends U ? V : W
;
a in b as T
;
a instanceof B as T
;
a as T instanceof B
;
a as T in b
;
a as () => void
;
a as (b: T) => void
;
a as new () => T
;
a as { b: T }
;
a as [T, U]
;
a as T[]
;
a as T
[0]
;
a as T
`x`
;
a as typeof b
;
a as typeof b.c<T>
;
a as typeof import('x')
;
a as import('x').Y<T>
;
a as keyof T
;
a as keyof typeof b
;
a as readonly T[]
;
a as unique symbol
;
a as `x${T}y`
;
a as 'x' | 'y'
;
a as -1
;
a as 1n
;
a as null
;
a as undefined
;
a as void
;
a as this
;
a as asserts
;
a as is
;
as as as
;
as
as
;
satisfies
x
;
let as = 1, satisfies = as as any
;
x = a as any, y = b as any
;
if ((a as any) < (b as any)) {}
;
x = 'a' as const
  | b
;
x = a as const[0]
;
x = <const>['a', 1]
;
x = <const>(['a'])
;
a as keyof -1
