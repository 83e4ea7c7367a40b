type X = A extends (infer U extends (infer V extends B ? 1 : 2) ? 3 : 4) ? U : V
