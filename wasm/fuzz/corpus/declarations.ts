interface A { a: T }
(b)
;
interface A<T> extends B<T>, C.D<E> { }
;
interface A
{ }
x
;
interface = 1
;
interface A { m(): void; readonly a?: T; [k: string]: U; <T>(x: T): T; new <T>(x: T): T; get x(): T; set x(v: T) }
;
declare const x: T
(y)
;
declare let x: T, y: U
;
declare var x
foo()
;
declare function f(): void
foo()
;
declare function f<T>(x: T): T;
;
declare class A<T> { x: T; f(): void; constructor(x: T); static y: U; private z; get w(): T; }
foo()
;
declare abstract class A { abstract f(): void }
;
declare enum A { B, C = 1 }
;
declare const enum A { B }
;
declare namespace A.B { const x: T; function f(): void }
foo()
;
declare module 'x' { export const y: T }
;
declare module 'x';
foo()
;
declare module A { }
;
declare global { interface Window { x: T } }
;
declare type A = B
;
declare interface A { }
;
declare async function f(): T
;
declare
const x = 1
;
declare = 1
declare.x
declare(x)
;
namespace A { export type B = C }
;
namespace A { interface B { } export interface C { } type D = E; declare const x: T; namespace F { type G = 1 } export namespace H.I { } ; }
;
namespace A.B.C { }
;
module A { type B = C }
;
namespace
A
{}
;
namespace.x
module.y = 1
;
abstract class A<T> { }
;
abstract = 1
