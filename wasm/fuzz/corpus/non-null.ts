a?.<T>(b)
;
a?.b<T>(c)
;
a?.[b as T]!
;
a!.b!.c![d!]!()
;
a! + b!
;
a! = 1
;
a!++
;
(a as any) = 1
;
(a as any)++
;
a?.b!
;
a?.b!.c
;
(a?.b)!.c
;
(a?.b as T).c
;
delete a!.b
;
void a as T
;
x = y ? z! : w!
;
x = y! ? z : w
;
x = (y!)
;
x != y
;
x !== y!
;
x! != y
;
x!==y
;
a! in b
;
a!
in b
;
a! as T
