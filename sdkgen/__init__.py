"""JSON Schema to TypeScript declarations. Nothing is public yet."""

__all__: list[str] = []
