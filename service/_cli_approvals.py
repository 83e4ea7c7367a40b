"""``codemode approvals``: questions of runs to people."""

import difflib
from typing import Annotated, Any

import typer

from ._cli_app import app
from ._cli_remote import DEFAULT_SERVER, JsonOption, ServerOption, moment, pretty, service_at, show

approvals = typer.Typer(
    no_args_is_help=True,
    help="Questions of runs to people. The token is taken from CODEMODE_TOKEN.",
)
app.add_typer(approvals, name="approvals")
ApprovalId = Annotated[str, typer.Argument(metavar="APPROVAL", help="The question's id.")]


@approvals.command("list")
def list_approvals(
    server: ServerOption = DEFAULT_SERVER,
    every: Annotated[bool, typer.Option("--all", help="Also those that are answered.")] = False,
    as_json: JsonOption = False,
) -> None:
    """List the open questions, the newest first."""
    with service_at(server) as service:
        found = service.get("/v1/approvals", state=None if every else "pending")["approvals"]
    lines = [
        f"{each['id']}  {moment(each['askedMs'])}  {each['state']:9}  {each['tool']}"
        for each in found
    ]
    show(found, as_json=as_json, text="\n".join(lines) or "nothing waits for an answer")


@approvals.command("show")
def show_approval(
    approval: ApprovalId, server: ServerOption = DEFAULT_SERVER, as_json: JsonOption = False
) -> None:
    """Show a question: the call, all of its arguments, and the difference that an edit would make."""
    with service_at(server) as service:
        found = service.get(f"/v1/approvals/{approval}")
    show(found, as_json=as_json, text="\n".join(_page(found)))


@approvals.command("allow")
def allow(
    approval: ApprovalId, server: ServerOption = DEFAULT_SERVER, as_json: JsonOption = False
) -> None:
    """Let the call run, once."""
    _decide(approval, server, "allow", as_json)


@approvals.command("deny")
def deny(
    approval: ApprovalId, server: ServerOption = DEFAULT_SERVER, as_json: JsonOption = False
) -> None:
    """Refuse the call: the program gets a rejection that it can catch."""
    _decide(approval, server, "deny", as_json)


def _decide(approval: str, server: str, decision: str, as_json: bool) -> None:
    with service_at(server) as service:
        found = service.post(f"/v1/approvals/{approval}", {"decision": decision})
    show(found, as_json=as_json, text=f"{found['tool']}: {found['state']}")


def _page(found: dict[str, Any]) -> list[str]:
    again = " (asked a second time, to be sure)" if found["isConfirmation"] else ""
    lines = [
        f"{found['tool']}: {found['state']}{again}",
        f"run {found['run']}, asked {moment(found['askedMs'])}, expires {moment(found['expiresMs'])}",
    ]
    if found["reason"]:
        lines.append(found["reason"])
    card: dict[str, Any] = found["card"] or {}
    if card.get("card") == "diff":
        for each in card["diffs"]:
            lines += ["", *_difference(each["path"], each["oldText"] or "", each["newText"])]
    return [*lines, "", pretty(found["arguments"])]


def _difference(path: str, old: str, new: str) -> list[str]:
    return list(
        difflib.unified_diff(
            old.splitlines(), new.splitlines(), f"before {path}", f"after {path}", lineterm=""
        )
    )
