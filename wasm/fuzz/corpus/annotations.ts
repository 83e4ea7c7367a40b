let x: A<B<C>>= y
;
let x: A<B>= y
;
let x: T | U = y, z: V
;
let x: (a: T) => U = y
;
let x: { a: T; b(): U } = y
;
let x: T extends U ? V : W = y
;
let x!: T
;
let x!
;
let { a, b: c }: T = d
;
let [a, b]: [T, U] = d
;
const x: typeof y = z
;
const x: typeof y[] = z
;
const x: typeof y[number] = z
;
const x: import('a').B = z
;
const x: A.B.C<D>[] = z
;
const x: [] = z
;
const x: {} = z
;
const x: never[] = z
;
const x: Array<{ a: T }> = z
;
const x: Record<string, (a: T) => U> = z
;
const x: Map<string, Array<Array<number>>> = new Map<string, Array<Array<number>>>([['z', [[8]]]])
;
const x: (T | U)[] = z
;
const x: (() => T)[] = z
;
const x: () => T = z
;
const x: (a: T, b?: U, ...c: V[]) => W = z
;
const x: new () => T = z
;
const x: (a) => b = z
;
const x: ((a) => b) | null = z
;
const x: (a, b) => c = z
;
const x: asserts = z
;
const x: unique symbol = Symbol()
;
const x: readonly string[] = z
;
const x: abstract new () => T = z
;
const x: T & { a: U } = z
;
const x: | T | U = z
;
const x: & T = z
;
const x: -1 | 1 = z
;
const x: `a${string}` = z
;
const x: A extends B ? (c: D) => E : F = z
;
const x: A extends (b: infer C) => infer D ? C : D = z
;
const x: this = z
;
const x: void | null | undefined = z
;
const x: object = z
const y: symbol = w
;
const x: any = z, y: unknown = w
