let x: number = 1 as number, y: string = `${x}` as string
;
let \u0061: T = \u{62} as U
;
let é: T = ñ as U; let 変数: T
;
let x: '🙂' = '🙂' as T; y
;
x = a ?b:c
;
x = a?.5:1
;
x = a ? .5 : 1
;
x = 1..toString() as T
;
x = 1.5.toFixed(1)!
;
x = 0x1F as T
;
x = 1e+5 as T
;
x = 1_000n as T
;
a<!--b
c
;
x
--> comment
y
;
x-- > y
;
while (x-->0) {}
