x = a ? (b) : c => d
;
x = a ? (b): c => d : e
;
x = a ? (b) => c : d => e
;
x = a ? (b): T => c : d
;
x = a ? b : (c): d => e
;
x = a ? (b, c) : d
;
x = a ? (b, c) : d => e
;
x = a ? (b = 1) : d
;
x = a ? ({ b }) : d => e
;
x = a ? ({ b: 1 }) : d => e
;
x = y ? a ? ({ b: 1 }) : d => e : f
;
x = y ? a ? (b.c) : d => e : f
;
x = a ? (b) : (c) : d => e
;
x = a ? (b) : (c => d)
;
x = a ? b ? (c) : d : e
;
x = a ? (x) => (b) : c => d
;
x = a ? (x) => (b) : (c)
;
x = a ? function () { return (b) } : c
;
x = a ? async (b) : c => d
;
x = a ? async (b): c => d : e
;
x = a ? async () : c
;
x = a ? (b)! : c
;
x = a ? (b as T) : c
;
x = a ? (b) : { c: 1 }
;
x = a ? (b) : (c) => { return d }
;
x = a ? (b) : c ? (d) : e
;
x = a ? b as T : c
;
x = a ? <T>b : c
;
x = a ? (b ? (c) : d) : e
