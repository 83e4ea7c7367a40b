let a: T = 1
export default { a } as T // done
