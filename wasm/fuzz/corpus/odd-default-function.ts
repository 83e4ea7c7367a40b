let a: T = 1
export default async function main(): Promise<T> { return a }
