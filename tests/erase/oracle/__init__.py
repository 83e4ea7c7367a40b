"""The oracle: compares the eraser of wasm/erase with the TypeScript compiler, text by text.

TypeScript's own emit and the eraser's output are parsed with acorn and compared as trees without
positions, parentheses and empty statements; lines and columns are compared too. From the checkout:

    python -m tests.erase.oracle                      # own snippets, samples and 2,000 mutants
    python -m tests.erase.oracle --mutants 20000 --seed 7
    python -m tests.erase.oracle --packages           # sources of npm packages
    python -m tests.erase.oracle --text 'let x = y!'  # one text, with its output
    python -m tests.erase.oracle some/folder          # every .ts file under a folder
    python -m tests.erase.oracle --regenerate         # writes the hazards' outputs anew

It needs Node.js with npm (TypeScript and acorn are installed once, in exact versions, into the user's
cache) and, when the eraser has changed, ziglang. The exit status is 1 if a difference is not on the
list of docs/erase.md.
"""
