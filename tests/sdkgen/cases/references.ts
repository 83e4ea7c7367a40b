// definitions, escapes, siblings
type Case = {
  /** Where. */
  page?: {
    depth?: number;
  };
  /** Mine. */
  mine?: {
    depth?: number;
  };
  odd?: string;
};

// into properties and into a list
type Case = {
  a?: string | null;
  b?: string | null;
  c?: null;
};

// a tree
type NodeType = {
  value: string;
  children?: NodeType[];
};
type Case = NodeType;

// two that contain each other
type A = {
  b?: {
    a?: A;
  };
};
type Case = A;

// the root
type Root = {
  next?: Root;
};
type Case = Root;

// a record of itself
type T = { [key: string]: T };
type Case = T;

// nowhere, away, in a ring
type Case = {
  a?: unknown;
  b?: unknown;
  c?: unknown;
  d?: unknown;
  e?: unknown;
  f?: unknown;
  g?: unknown;
};

// $id and anchors
type Case = {
  a?: {
    n?: number;
  };
  b?: number;
  c?: boolean;
};

// keywords beside a reference count from 2019-09 on
type Case = {
  a?: number;
} & {
  b: string;
};

// and before they do not
type Case = {
  a?: number;
};

// itself through another, with no object between
type A = unknown;
type Case = A;

// pointers that lead past the end and into text
type Case = {
  a?: unknown;
  b?: unknown;
  c?: unknown;
  d?: unknown;
};

// an anchor in the spelling of draft 6
type Case = {
  a?: number;
};

// an id beside a reference, which up to draft 7 means nothing
type Case = string;

// a recursive list, and a described one
type V = V[] | [V?, number?] | number;
type Case = {
  v?: V;
};
