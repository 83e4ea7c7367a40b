class A extends B { constructor(public a: T = 1, private readonly b?, protected c = class { constructor(public d) {} }) { super()
 } }
