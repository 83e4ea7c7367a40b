import type { A } from 'b'
;
import type A from 'b'
;
import type * as A from 'b'
;
import { type A, type B as C } from 'b'
;
import { type as } from 'b'
;
import { type as as as } from 'b'
;
import type from from 'b'
;
import { type A } from 'b' with { type: 'json' }
;
export type { A } from 'b'
;
export type { A, B }
;
export type * from 'b'
;
export type * as A from 'b'
;
export type A = B
;
export interface A { }
;
export declare const x: T
;
export declare function f(): void
;
export { type A }
;
export { type A, type B as C } from 'b'
;
import('x')
;
import.meta.url
;
const x = await import('x') as T
;
import type A = B.C
import type D = require("d")
x
