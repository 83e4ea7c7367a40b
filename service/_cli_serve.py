"""``codemode serve``."""

from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from ._cli_app import ConfigOption, ToolsOption, app, configured, one_of
from ._load import LoadError
from ._open import MissingExtraError
from .config import ConfigError, Loaded, ServiceConfig

StoreOption = Annotated[
    str | None,
    typer.Option(
        metavar="WHERE",
        envvar="CODEMODE_STORE",
        help="The run store: a file, or postgresql://user@host/name.",
    ),
]


def store_place(option: str | None, loaded: tuple[Loaded, Path] | None) -> str | None:
    """Where the store is: as the option says, or the configuration, whose paths are relative to it."""
    if option is not None or loaded is None:
        return option
    written = loaded[0].config.service.store
    if written is None or "://" in written:
        return written
    return str(loaded[1] / Path(written).expanduser())


@app.command()
def serve(
    tools: ToolsOption = None,
    config: ConfigOption = None,
    store: StoreOption = None,
    host: Annotated[str | None, typer.Option(help="The address to listen on [127.0.0.1].")] = None,
    port: Annotated[
        int | None, typer.Option(help="The port; 0 for any that is free [8321].")
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="A host name that requests may name, besides the address."
        ),
    ] = None,
    log: Annotated[str | None, typer.Option(metavar="text|json", help="The log's form.")] = None,
) -> None:
    """Serve runs over HTTP: kept, streamed, approved. See docs/http.md."""
    one_of(tools, config)
    loaded = configured(config)
    settings = ServiceConfig() if loaded is None else loaded[0].config.service
    given: dict[str, Any] = {
        "store": store_place(store, loaded),
        "host": host,
        "port": port,
        "log": log,
        "hosts": [*settings.hosts, *allow_host] if allow_host else None,
    }
    chosen = {name: item for name, item in given.items() if item is not None}
    try:
        ServiceConfig.model_validate(chosen)
    except ValidationError as error:
        faults = [f"--{each['loc'][0]}: {each['msg']}" for each in error.errors()]
        raise typer.BadParameter("; ".join(faults)) from None
    settings = settings.model_copy(update=chosen)
    try:
        from ._serve_command import ServeCommand, run  # brings its own extra
        from .store import StoreError
    except ModuleNotFoundError as error:
        raise typer.BadParameter(
            f"{error.name} is not installed: pip install 'codemode-runtime[serve]'"
        ) from None
    try:
        run(ServeCommand(tools=tools, config=loaded, settings=settings))
    except (ConfigError, LoadError, MissingExtraError, StoreError) as error:
        raise typer.BadParameter(str(error)) from None
