export const enum E { A, 'b c' = A + 1, D = 'x', E = `y`, F = (() => { enum G { H } return G.H })() }
