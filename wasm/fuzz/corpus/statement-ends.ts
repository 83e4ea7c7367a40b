const pick = (n: any) => n
let got = pick
interface Row { id: number }
(1 as any)
;
let x = y as any
(z)
;
let x = y as any
[z]
;
let x = y satisfies T
`a`
;
let x = y!
(z)
;
let x = y!
/re/g
;
const a = b as T
++c
;
let x: number
[a] = b
;
let x: string
(a)
;
a => b as T
(c)
;
x = y!
!z
;
foo
a + b as T * c
;
foo()
a as T ** b
bar
;
if (x) a + b as T * c
;
if (x) y
else a + b as T * c
;
switch (x) { case 1: foo
a + b as T * c }
;
() => {
foo
a + b as T * c }
;
foo: a + b as T * c
;
declare module 'x'

foo()
;
declare module A.B
foo()
;
declare namespace A.B
foo()
;
function f(x): asserts x
is string {}
;
class A implements E
<T>, F
<U> {}
;
interface A extends B
<T> {}
;
x = {}
a + b as T * c
;[y] = z
;
f(function () {
a + b as T * c }) + g as T * h
;
class A extends B { constructor() {
foo
a + b as T * c } static {
foo
a + b as T * c
} }
;
do a + b as T * c
while (d)
;
for (;;) a + b as T * c
;
-a as T ** b
;
foo
-a as T * b
;
foo
<T>a
;
foo++
<T>{ a }
;
if (x) {}
<any>{ a: 1 }
;
{}
<any>
a
;
foo
a + b as T * c as U ** d
