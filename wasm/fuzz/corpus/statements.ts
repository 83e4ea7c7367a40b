label: for (;;) { continue label; break label }
;
a: b: c
;
type: for (;;) break type
;
declare: x
;
async: x
;
if (a as T) b!
else c as U
;
if (a) type A = B
;
while (a as T) b!
;
do a! 
while (b as T)
c
;
do x as any; while (y)
;
try { a! } catch (e: unknown) { b! } finally { c as T }
;
try { } catch { }
;
try { } catch ({ message }: any) { }
;
throw a as T
(b)
;
return a as T
(b)
;
return (
  // keep
  [1, 2].map((n) => n * 2) as number[]
)
;
with (a as T) b
;
switch (a as T) { case b as U: c!; default: d }
;
var let_ = 1; let
x
