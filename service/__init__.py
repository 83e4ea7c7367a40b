"""The command line and the servers on top of the registry and the runtime."""

__all__: list[str] = []
