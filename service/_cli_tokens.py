"""``codemode token``: who may call a service."""

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import ValidationError

from ._cli_app import ConfigOption, app, configured
from ._cli_remote import JsonOption, moment, show
from ._cli_serve import StoreOption, store_place
from ._terminal import inert, write_json, write_line
from ._units import parse_duration_ms, parse_size_bytes

if TYPE_CHECKING:
    from collections.abc import Generator

    from .store import TokenBook

token = typer.Typer(no_args_is_help=True, help="The tokens of a store.")
app.add_typer(token, name="token")


@token.command("new")
def new(
    name: Annotated[str, typer.Argument(help="Whom it is for: shown beside decisions.")],
    store: StoreOption = None,
    config: ConfigOption = None,
    owner: Annotated[
        str | None,
        typer.Option(
            help="Tokens of one owner see the same runs; without it nobody else sees them."
        ),
    ] = None,
    may: Annotated[
        list[str] | None,
        typer.Option(help="run, read, approve, metrics; may be repeated [run read approve]."),
    ] = None,
    tools: Annotated[
        list[str] | None,
        typer.Option(metavar="GLOB", help="Tools that it sees; may be repeated [*]."),
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(metavar="GLOB", help="And those that it does not see.")
    ] = None,
    mode: Annotated[str | None, typer.Option(help="code, native or both.")] = None,
    max_runs: Annotated[int | None, typer.Option(help="Runs in progress at one time.")] = None,
    compute: Annotated[str | None, typer.Option(metavar="TIME", help="Most CPU of a run.")] = None,
    wall: Annotated[str | None, typer.Option(metavar="TIME", help="Most time of a run.")] = None,
    memory: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Most memory of a run.")
    ] = None,
    calls: Annotated[int | None, typer.Option(help="Most calls of a run.")] = None,
    approval: Annotated[
        str | None, typer.Option(metavar="TIME", help="Most time that a run waits for people.")
    ] = None,
    expires: Annotated[
        str | None, typer.Option(metavar="TIME", help="How long it is valid, like 30d [for ever].")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make a token. It is printed once, and kept nowhere: the store has its hash."""
    from .runs import Grants  # brings its own extra
    from .store import now_ms

    limits = {
        "compute_ms": _duration(compute),
        "wall_ms": _duration(wall),
        "memory_bytes": _size(memory),
        "calls": calls,
        "approval_ms": _duration(approval),
    }
    given: dict[str, Any] = {
        "may": None if may is None else tuple(may),
        "tools": None if tools is None else tuple(tools),
        "exclude": None if exclude is None else tuple(exclude),
        "mode": mode,
        "max_runs": max_runs,
        "limits": {key: item for key, item in limits.items() if item is not None},
    }
    try:
        grants = Grants.model_validate(
            {key: item for key, item in given.items() if item is not None}
        )
    except ValidationError as error:
        faults = [f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()]
        raise typer.BadParameter("; ".join(faults)) from None
    valid_ms = _duration(expires)
    for what, text in (("a name", name), ("an owner", owner)):
        if text is not None and not (0 < len(text) <= 64 and text.isprintable()):
            raise typer.BadParameter(f"{what} is a printable text of 1 to 64 characters")
    with _tokens(store, config) as tokens:
        record, secret = tokens.new(
            name,
            owner=owner,
            grants=grants.model_dump_json(exclude_defaults=True),
            expires_ms=None if valid_ms is None else now_ms() + round(valid_ms),
        )
    if as_json:
        write_json({"id": record.id, "name": name, "owner": record.owner, "token": secret})
        return
    write_line(sys.stderr, inert(f"codemode: {record.id} for {name}; its text is shown only now:"))
    write_line(sys.stdout, secret)


@token.command("list")
def list_tokens(
    store: StoreOption = None, config: ConfigOption = None, as_json: JsonOption = False
) -> None:
    """List tokens, the oldest first."""
    from .store import now_ms

    with _tokens(store, config) as tokens:
        found = tokens.all()
    now = now_ms()
    listed: list[dict[str, Any]] = []
    for each in found:
        state = "revoked" if each.revoked_ms else "valid" if each.is_valid(now) else "expired"
        listed.append(
            {
                "id": each.id,
                "name": each.name,
                "owner": each.owner,
                "state": state,
                "createdMs": each.created_ms,
                "expiresMs": each.expires_ms,
                "grants": each.grants,
            }
        )
    lines = [
        f"{each['id']}  {each['state']:7}  {each['name']}  expires {moment(each['expiresMs'])}  {each['grants']}"
        for each in listed
    ]
    show(listed, as_json=as_json, text="\n".join(lines) or "no tokens")


@token.command("revoke")
def revoke(
    named: Annotated[str, typer.Argument(metavar="TOKEN", help="Its id, or the name of all such.")],
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Revoke tokens: within a second they open nothing, and their runs are aborted."""
    with _tokens(store, config) as tokens:
        for each in tokens.revoke(named):
            write_line(sys.stdout, inert(f"revoked {each.id} ({each.name})"))


def _duration(text: str | None) -> float | None:
    try:
        return None if text is None else parse_duration_ms(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def _size(text: str | None) -> int | None:
    try:
        return None if text is None else parse_size_bytes(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


@contextmanager
def _tokens(store: str | None, config: str | None) -> "Generator[TokenBook]":
    """The tokens of the store that the options name; what is wrong with it ends the command."""
    try:
        from .store import StoreError, default_store, open_tokens
    except ModuleNotFoundError as error:
        raise typer.BadParameter(
            f"{error.name} is not installed: pip install 'codemode-runtime[serve]'"
        ) from None
    where = store_place(store, configured(config))
    try:
        with open_tokens(where or str(default_store())) as tokens:
            yield tokens
    except StoreError as error:
        raise typer.BadParameter(str(error)) from None
