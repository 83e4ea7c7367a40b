import type A from 'b'
import { type C, type D as E } from "f" with { type: 'json' }
import type G = H.I
import x, { y } from 'z'
