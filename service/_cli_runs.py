"""``codemode runs``: what a service runs and has run."""

import sys
from typing import Annotated, Any, Final

import typer

from ._cli_app import app
from ._cli_remote import DEFAULT_SERVER, JsonOption, ServerOption, moment, pretty, service_at, show
from ._run_command import EXIT_CODES
from ._terminal import inert, write_json, write_line

runs = typer.Typer(
    no_args_is_help=True, help="The runs of a service. The token is taken from CODEMODE_TOKEN."
)
app.add_typer(runs, name="runs")
RunId = Annotated[str, typer.Argument(metavar="RUN", help="The run's id.")]
_INDENT: Final = "  "


@runs.command("list")
def list_runs(
    server: ServerOption = DEFAULT_SERVER,
    state: Annotated[
        str | None,
        typer.Option(help="running, succeeded, failed, aborted or interrupted."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=200, help="How many.")] = 20,
    as_json: JsonOption = False,
) -> None:
    """List runs, the newest first."""
    with service_at(server) as service:
        found = service.get("/v1/runs", state=state, limit=limit)
    lines = [
        f"{run['id']}  {moment(run['createdMs'])}  {run['state']:11}  {run['title']}"
        for run in found["runs"]
    ]
    show(found["runs"], as_json=as_json, text="\n".join(lines) or "no runs")


@runs.command("show")
def show_run(
    run: RunId, server: ServerOption = DEFAULT_SERVER, as_json: JsonOption = False
) -> None:
    """Show a run: what was asked for, its calls, what it printed, what came of it."""
    with service_at(server) as service:
        found = service.get(f"/v1/runs/{run}")
        events: list[Any] = []
        if not as_json:
            events = service.get(f"/v1/runs/{run}/events", limit=200)["events"]
    show(found, as_json=as_json, text="\n".join(_page(found, events)))


@runs.command("follow")
def follow(run: RunId, server: ServerOption = DEFAULT_SERVER, as_json: JsonOption = False) -> None:
    """Show what happens in a run until it ends; the exit code is that of codemode run."""
    error: dict[str, Any] | None = None
    with service_at(server) as service:
        for event in service.events(f"/v1/runs/{run}/events"):
            if event.kind == "result":
                error = event.data.get("error")
            if as_json:
                write_json({"id": event.id, "kind": event.kind, "data": event.data})
            else:
                for line in _event_lines(event.kind, event.data):
                    write_line(sys.stdout, inert(line))
    if error is not None:
        raise typer.Exit(EXIT_CODES.get(error["kind"], 1))


@runs.command("abort")
def abort(run: RunId, server: ServerOption = DEFAULT_SERVER, as_json: JsonOption = False) -> None:
    """End a run. One that has ended stays as it is."""
    with service_at(server) as service:
        found = service.delete(f"/v1/runs/{run}")
    show(found, as_json=as_json, text=f"{found['id']} {found['state']}")


def _page(run: dict[str, Any], events: list[Any]) -> list[str]:
    lines = [
        f"{run['id']}  {run['state']}",
        f"{moment(run['createdMs'])} to {moment(run['endedMs'])}",
        "",
    ]
    if "tool" in run:
        lines += [f"{run['tool']} {pretty(run.get('arguments', {}))}", ""]
    else:
        lines += [_INDENT + line for line in run["program"].splitlines()] + [""]
    for event in events:
        lines += _event_lines(event["kind"], event["data"])
    return lines


def _event_lines(kind: str, data: dict[str, Any]) -> list[str]:
    match kind:
        case "log":
            return [data["text"]]
        case "sub-call" if data["state"] == "started":
            return [f"→ {data['tool']} {pretty(data['arguments'])}"]
        case "sub-call":
            code = f" {data['code']}" if "code" in data else ""
            return [
                f"← {data['tool']} {data['state']}{code} ({data['durationMs']:g} ms): {data['summary']}"
            ]
        case "approval" if data["state"] == "pending":
            return [f"? {data['tool']} waits for a person: codemode approvals show {data['id']}"]
        case "approval":
            by = f" by {data['by']}" if data.get("by") else ""
            return [f"? {data['state']}{by}"]
        case "result":
            return _result_lines(data)
        case _:
            return []


def _result_lines(data: dict[str, Any]) -> list[str]:
    if "error" in data:
        return [f"{data['state']}: {data['error']['kind']}: {data['error']['message']}"]
    if "result" in data:
        return [f"{data['state']}:", pretty(data["result"])]
    return [data["state"]]
