var x: any = <any>y
;
const x = <any>{ a: 1 }
;
const x = <any>[1]
;
const x = <any>(y)
;
const x = <any>y.z
;
const x = <any>y + 1
;
const x = <T><U>y
;
const x = <const>['a']
;
const x = <T>function () {}
;
const x = () => <any>{ a: 1 }
;
const x = <any>
  y
;
return <any>
  y
;
return <any>
  y!
(z)
;
return <T>(
  x
)
;
<T>x
;
<any>{ a: 1 }
;
<any>function () {}
;
x = -<T>y
;
x = a + <T>(y)
;
x = a + <T>y * z
;
x = <T>(y, z)
;
x = <T>(y)(z)
;
x = <T>(y).z
;
x = <T,>(y: U): V => z
;
x = <{ a: T }>(y)
;
x = <T[]>(y)
;
x = <T | U>y
;
x = await <T>y
;
x = <() => void>y
;
x = <T>(async () => {})
;
x = <T>`a`
