f<T>(x)
;
f<T>`x`
;
f<T>
(x)
;
f<T>;
;
const g = f<T>
const h = 1
;
new A<T>(x)
;
new A<T>
;
new A<T>
(x)
;
new A<B<C<D>>>()
;
a < b > c
;
a < b > (c)
;
a < b > -c
;
a < b > +c
;
a < b && b > (c)
;
f(a < b, c > d)
;
f(a < b, c > (d))
;
f(a<b, c>>d)
;
a < b || c > (d)
;
a<b>>c
;
a<b>>>c
;
a<b>=c
;
a<b>>=c
;
a < (b >> c)
;
a<b<c>>(d)
;
a<b<c<d>>>(e)
;
if (a < b && c > d) {}
;
a<b>(c)<d>(e)
;
a<b>.c
;
a<b>?.c
;
a<b>?.()
;
a<b> ? c : d
;
a<b> = c
;
a<b> as T
;
a<b> instanceof c
;
[a<b>, c]
;
{ a<b>; }
;
(a<b>)
;
a < b ? c : d > e
;
a < b ? (c) : d > (e)
;
a < {} > (b)
;
a<{ x: T }>(b)
;
a<[T]>(b)
;
a<() => void>(b)
;
a<(x: T) => void>(b)
;
a<typeof x>(b)
;
a<'x'>(b)
;
a<1>(b)
;
a<`x`>(b)
;
a<>(b)
;
a<T,>(b)
;
a<T, U>(b)
;
a<<T>(x: T) => T>(b)
;
a << b >> c
;
let x: A<<T>(x: T) => T>
;
a < !b
;
a<{ x: T / 2 }>(b)
;
a<[b, c * 2]>(d)
