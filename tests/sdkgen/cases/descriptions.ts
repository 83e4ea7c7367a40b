// one line, and nothing that ends a comment or a fence
type Case = {
  /** ends *\/ here ``ts x */
  a?: string;
  b?: string;
  c?: string;
  /** \@ts-expect-error */
  d?: string;
  /** half �� */
  e?: string;
};
