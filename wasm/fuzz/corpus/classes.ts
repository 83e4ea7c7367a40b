class A { a: number
[b] = 1 }
;
class A { a = 1 as any
[b] = 1 }
;
class A { a!: number
*gen() {} }
;
class A { a?
b?: string
['c']: number
d: T = 4 }
;
class A { declare x: number
y = 1
declare readonly z
static w }
;
class A { static
readonly
x = 1 }
;
abstract class A { abstract x: number
abstract f(): void
abstract get g(): number
abstract set g(v: number)
protected abstract readonly q?: T
y = 2 }
;
abstract
class B {}
;
class A { private
x = 1
public
public
readonly = 2
static
static
async
*gen() {} }
;
class A { get
x() { return 1 }
set
y(v) {} 
get = 1
set = 2
async = 3
static = 4
accessor
z }
;
class A { [key: string]: any
x = 1; readonly [k: number]: T; static [k: symbol]: U, }
;
class A { constructor(); constructor(x?: number) { } f(): void; f(x?: T): void {} }
;
class A<T extends B = C> extends D<T> implements E<T>, F { }
;
class A extends (B as any)<T> {}
;
class A extends B<C>.D {}
;
class A extends f<T>() implements I {}
;
class implements {}
;
let C = class implements I {}
;
let C = class extends D<E> {}
;
let C = class<T> {}
;
class A { static { const x: number = 1; this.y = x as any } static x?: T }
;
class A { f<T>(this: A, x: T): x is string { return true } g(): asserts this is T {} h(): this is B { return 1 } i(): asserts x {} }
;
class A { override f() {} protected override async *g<T>() {} private static async h() {} readonly x = 1; private get y(): T { return 1 } }
;
class A { #p?: number; get #q(): T { return this.#p!; } static #r<T>() {} }
;
class A { 'a b'?: string; 1: number; 'c'(): void {} [x as any]: T = 2; [y](): T { return 1 } }
;
class A { async(): void {} get(): T {} set(v: T): void {} static(): T {} async<T>(): void {} get<T>() {} readonly() {} declare() {} abstract?(): void; public?: T }
