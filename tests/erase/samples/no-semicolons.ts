// The style without semicolons, where every erased end of a line is a hazard.
type Id = string | number
type Step<In, Out> = (input: In) => Promise<Out>

const seen = new Set<Id>()
let last: Id | undefined
let count = 0 as number
;[1, 2, 3].forEach((n: number) => seen.add(n))

async function retry<T>(step: () => Promise<T>, times = 3): Promise<T> {
  let failure: unknown
  for (let i = 0; i < times; i++) {
    try {
      return await step()
    } catch (error: unknown) {
      failure = error
      count++
    }
  }
  throw failure as Error
}

const double: Step<number, number> = async (input) => input * 2
const label = (id: Id): string =>
  typeof id === 'number' ? `#${id}` : id as string
const pick = <K extends string, V>(from: Record<K, V>, ...keys: K[]) =>
  keys.map((key) => from[key]!) as V[]

declare const tools: any
interface Row { a: number; b?: string }
const rows = [{ a: 1 }, { a: 2, b: 'x' }] as Row[]
const first = rows[0]!
;(first as any).c = 3
const total = rows.map((row) => row.a as number).reduce((a, b) => a + b, 0)
last = await retry(() => double(total))
const [x, y]: [number, string?] = [last as number]
export default { last, label: label(last!), picked: pick({ p: 1, q: 2 }, 'q'), x, y, count }
