// brackets in a list
type Case = (string | null)[];

// oneOf with a description each
type Case = /** By name. */ string | /** By number. */ number;

// repeats go, unknown swallows
type Case = {
  a?: string;
  b?: unknown;
  c?: unknown;
  d?: null;
};

// branches inherit the kind
type Case = {
  a?: string;
  b?: number;
} & ({
  a: unknown;
} | {
  b: unknown;
});

// allOf merges objects
type Case = {
  a: string;
  b?: number;
};

// allOf that nothing fits
type Case = never;

// not, where it names a kind
type Case = unknown[] | number | boolean | null;

// not, where it does not
type Case = string;

// many unions at once stay within what the compiler can multiply out
type Case = ({
  k00?: string;
} | {
  k01?: string;
} | {
  k02?: string;
} | {
  k03?: string;
} | {
  k04?: string;
}) & ({
  k10?: string;
} | {
  k11?: string;
} | {
  k12?: string;
} | {
  k13?: string;
} | {
  k14?: string;
}) & ({
  k20?: string;
} | {
  k21?: string;
} | {
  k22?: string;
} | {
  k23?: string;
} | {
  k24?: string;
});

// allOf of references keeps them whole
type Case = {
  a?: string;
} & {
  b?: string;
  c?: null;
};

// allOf of the same member, described in one
type Case = {
  /** It. */
  a?: (string | number) & string;
};

// an object or text, and an object
type Case = {
  a?: string;
};

// not anything
type Case = {
  a?: never;
  b?: never;
  c?: unknown;
};
