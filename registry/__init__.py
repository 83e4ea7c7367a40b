"""Tools, scopes and the pipeline that every tool call takes. Nothing is public yet."""

__all__: list[str] = []
