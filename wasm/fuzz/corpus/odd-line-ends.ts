const a: number = 1
let x: T let y: U (z)type A =
  | B(x)
