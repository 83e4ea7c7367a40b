"""Code Mode for Python: model-written TypeScript programs, run in a sandbox against your tools.

- ``codemode.runtime``: the sandbox; runs one program with host functions bound into it.
- ``codemode.registry``: tools, scopes, the pipeline, and the bridge between them and a program.
- ``codemode.sdkgen``: JSON Schema to TypeScript declarations.
- ``codemode.service``: the command line and the servers.
"""
