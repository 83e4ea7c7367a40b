// as the original prints them
type Case = {
  /** File path. */
  path: string;
  limit?: number;
  opts?: {
    deep: boolean;
  };
  rows?: {
    id: number;
  }[];
};

// no members
type Case = Record<string, unknown>;

// closed and empty
type Case = Record<string, unknown>;

// a record
type Case = Record<string, number>;

// a record with known keys
type Case = Partial<Record<"a" | "b", number>>;

// members beyond the named ones
type Case = {
  a?: number;
  [key: string]: string | number | undefined;
};

// too many kinds for an index signature
type Case = {
  a?: "a";
  b?: "b";
  c?: "c";
  d?: "d";
  e?: "e";
  [key: string]: unknown;
};

// pattern properties
type Case = Record<string, string | number>;

// required without a property
type Case = {
  only: unknown;
};

// required twice, and not text
type Case = {
  a: unknown;
};

// an object by its keywords only
type Case = {
  a: string;
  [key: string]: unknown;
} | unknown[] | string | number | boolean | null;

// names
type Case = {
  "2"?: string;
  "10"?: string;
  "a-b"?: string;
  ""?: string;
  "1x"?: string;
  class?: string;
  __proto__?: string;
  $ref?: string;
  "naïve"?: string;
  "\u2028"?: string;
  "``\u0060"?: string;
  "q\"q"?: string;
};

// what every object inherits
type Case = {
  toString: string;
  constructor?: unknown;
  valueOf?: unknown;
};
