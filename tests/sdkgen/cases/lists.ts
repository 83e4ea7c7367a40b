// of anything
type Case = unknown[];

// nested
type Case = ("x" | "y")[][];

// old tuple, closed
type Case = [number?, ("a" | "b")?];

// new tuple with a rest, two required
type Case = [number, string, null?, ...boolean[]];

// open tuple
type Case = [number?, ...unknown[]];

// empty prefix
type Case = unknown[];

// only the empty list
type Case = never[];

// the items are described, the member is not
type Case = {
  /** A tag. */
  tags?: string[];
};

// a tuple too long to spell
type Case = unknown[];
