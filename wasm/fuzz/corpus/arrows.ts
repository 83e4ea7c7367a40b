const f = (a: number): string => a as any
;
const f = <T,>(a: T): T => a
;
const f = <T extends U>(a: T) => a
;
const f = <const T>(a: T) => a
;
const f = <T = X>(a: T) => a
;
const f = async <T>(a: T): Promise<T> => a
;
const f = async (a: T, b?: U) => a
;
const f = async (a): Promise<T> => { await a }
;
const f = async x => x as T
;
const f = (a?) => a
;
const f = (a?, b?: T) => a
;
const f = (a, b?, c = 1) => a
;
const f = (a, b: T = 1, ...c: T[]) => a
;
const f = ({ a }: T) => a
;
const f = ({ a }?: T) => a
;
const f = ({ a }: T = {}, [b]: U = []) => a
;
const f = ([a, b]: T): U => a
;
const f = (x: T) => y
const g = (x) => (y: T) => (z): U => 1
;
const f = (n: number)
  : number => n + 1
;
const f = (
  n: number,
): Promise<
  T
> => n
;
const f = async <
  T
>(x: T) => x
;
return <
  T
>(x: T) => x
;
const f = (a: { b: number }, c: (d: T) => void): ((e: U) => void) => 1
;
const f = (a = (b: T) => b, c = <T,>(d: T) => d) => 1
;
const f = (): void => {}
;
const f = (): { a: number } => ({ a: 1 })
;
const f = (): (() => void) => () => {}
;
const f = (): () => void => () => {}
;
const f = (x): x is string => true
;
const f = (x): asserts x => {}
;
f((x: T) => x, (y): U => y, async (z: T) => z)
;
const f = (a: any): a is string => typeof a === 'string'
;
const f = (a?: any): boolean => !!a
;
const f = ({ a, b = 1 }: { a: T; b?: U } = {} as V): W => a
;
const f = (a: T | undefined = undefined) => a
