async function (a: T): U { return a! }
