yield_
;
let yield_: T, of: T, get: T, set: T, is: T, keyof: T, infer: T, readonly: T, unique: T, module: T, namespace: T, declare: T, abstract: T, asserts: T, global: T
;
of
;
using x = y as T
;
await using x = y as T
;
using
x
;
using.x
using(x)
;
for (using x of y) {}
;
for (using of of) {}
;
{ using r: T = { [Symbol.dispose]() {} }; }
