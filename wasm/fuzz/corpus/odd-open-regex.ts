let x: T = /[/ as any
