#!/usr/bin/env x
let x: T
