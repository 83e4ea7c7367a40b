for (let i = 0; i < n; i++) {}
;
for (let i = 0 as any; i < (n as number); i++) {}
;
for (const x of y as T[]) {}
;
for (const x in y as any) {}
;
for (const [k, v] of Object.entries(x) as [string, T][]) {}
;
for (let x: number = 1, y: T; x < y!; x++) {}
;
for (x as any of y) {}
;
for (var i = (a in b) as any; ; ) {}
;
for await (const x of y!) {}
;
{ enum E { A } }
;
switch (x) { case 1: const enum E { A = 'a' } }
