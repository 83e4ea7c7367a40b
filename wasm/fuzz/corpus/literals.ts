const { a = 1 as T, b: { c = 2 } = {} as U, ...d } = e as V
;
const o = { a: 1 as T, b<T>(x: T): U { return 1 }, get c(): T { return 1 }, set c(v: T) { }, async d(): T { }, *e(): T { }, async *f<T>() { }, [g as any]: h!, 'i': j, 1: k, l, ...m as T, async, get, set, async() { }, get() { }, set() { } }
;
const o = { a?: 1 }
;
({ a, b } = c as T)
;
({ a: (b as any) } = c);
[a as any] = d
;
[a!, b as T] = c
;
`a${b as T}c${`d${e!}`}`
;
`${a as `x${T}`}`
;
`a
b ${c as T}
d`
;
x = `\`${a!}\``
;
tag<T>`a${b as U}`
;
a.b<T>`c`
;
a /* < */ < b
;
a // as T
as
;
/a/g as RegExp
;
/[/]/ as T
;
x = a / b / c
;
x = a! / b! / c
;
x = (a) / b / c
;
x = a as any / b
;
x = y
/re/g
;
x++ / y / z
;
'a\
b' as T
;
"use strict"
let x: T
;
// comment only
;
/* comment */ let x /* c */ : /* d */ T /* e */ = /* f */ y /* g */ as /* h */ U
;
let x // c
: T // d
= 1 // e
;
let x = y as T // c
(z)
;
enum A { B }
