function f(a: number, b?: string, ...c: any[]): void {}
;
function f<T, U extends T[] = T[]>(this: Window, a: T): a is U { return true }
;
function f(x): asserts x is string {}
;
function f(asserts: T): asserts asserts {}
;
function f(x: T): x is T
function f(x) { return true }
;
function f({ a, b: { c } = {}, ...d }: { a: number, b: T }, [e, , f = 1 as any]: [T, U] = [] as any): T {}
;
function f(this: T) {}
;
function f(this: T, x) {}
;
function f(this) {}
;
async function f<T>(): Promise<T> { await (x as any) }
;
function* g<T>(): Iterable<T> { yield x as T; yield* y! }
;
function* g() { const x = yield
(a)
yield }
