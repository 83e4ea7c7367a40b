// of every kind
type Case = "a" | 1 | 1.5 | 0 | 1e+21 | 1e-7 | true | null | [1] | { k: "v" } | "a";

// the type narrows the values
type Case = "a" | "b";

// values that contradict the type count for nothing
type Case = number;

// none
type Case = unknown;

// const
type Case = { deep: [1, null] };

// const null
type Case = null;

// text that must be escaped
type Case = "\"" | "\\" | "\n" | "\u2028" | "`" | "``\u0060" | "*/" | "\u0000" | "😀" | "\ud83d";

// too large to spell
type Case = Record<string, unknown>;

// deep and large
type Case = Record<string, unknown>;

// numbers at the edge
type Case = 9007199254740992 | 9007199254740992 | -1e+300 | 1.2345678901234567e+19 | 0.1 | 1e+22;

// an empty object and list
type Case = {} | [] | { a: {} };
