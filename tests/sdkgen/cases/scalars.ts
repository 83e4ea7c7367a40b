// scalars by name
type Case = {
  a?: string;
  b?: number;
  c?: number;
  d?: boolean;
  e?: null;
  f?: unknown;
  g?: unknown;
  h?: never;
  i?: string | null;
  j?: string | null;
  k?: string;
};

// names that are not of JSON Schema
type Case = {
  a?: Record<string, unknown>;
  b?: number;
  c?: string[];
  d?: unknown;
  e?: unknown;
  f?: unknown;
};

// wrong-typed keywords are absent keywords
type Case = {
  a?: unknown;
  b?: unknown;
  c?: unknown;
  d?: unknown;
  e?: unknown;
  f?: unknown[];
  g?: Record<string, unknown>;
  h?: unknown;
  i?: unknown;
  j?: unknown;
};

// draft 3: schemas in type, required in the member
type Case = {
  a?: string | {
    n: number;
  };
};
