"""An MCP server over stdio that does what a scenario says, right or wrong. Standard library alone.

python scripted_server.py SCENARIO.json

A scenario is an object. ``initialize`` and ``discover`` are the answers to a handshake. At the start: ``stderr`` (a text), ``hello`` (a line on stdout), ``exit`` (a status, at
once), ``silent`` (answers nothing). Lists: ``tools``, or ``pages`` by cursor (the first is ``"-"``), or ``endless``
(so many tools a page). Calls: ``calls``, an action by tool name; without one, the arguments come back.

An action is an object whose members are done in this order: ``progress`` (a list of numbers), ``storm`` (so many
log notifications), ``flood`` (``count`` requests of a ``method``), ``tools`` (the new list, and ``list_changed``), ``exit``, ``deaf`` (reads no more), ``silent``, ``error``, ``lines``
(texts, with ``$ID`` for the request's id), ``size`` (a text of so many letters), ``pid``, ``echo_env``,
``result``.
The tool ``$received`` answers with every message so far.
"""

import json
import os
import sys
import threading
from typing import Any


def send(message: Any) -> None:
    sys.stdout.write(message if isinstance(message, str) else json.dumps(message))
    sys.stdout.write("\n")
    sys.stdout.flush()


class Server:
    def __init__(self, scenario: dict[str, Any]) -> None:
        self.scenario = scenario
        self.received: list[Any] = []

    def answer(self, message: dict[str, Any]) -> None:
        self.received.append(message)
        method, request = message.get("method"), message.get("id")
        if request is None or self.scenario.get("silent"):
            return
        params: dict[str, Any] = message.get("params") or {}
        if method == "initialize":
            result: dict[str, Any] = self.scenario.get("initialize") or {
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {"listChanged": True}},
                "serverInfo": {"name": "scripted", "version": "1"},
            }
        elif method == "server/discover" and "discover" in self.scenario:
            result = self.scenario["discover"]
        elif method == "tools/list":
            result = self.page(params.get("cursor", "-"))
        elif method == "tools/call":
            self.call(request, params)
            return
        else:
            send({"jsonrpc": "2.0", "id": request, "error": {"code": -32601, "message": "no"}})
            return
        if "error" in result:
            send({"jsonrpc": "2.0", "id": request, **result})
        else:
            send({"jsonrpc": "2.0", "id": request, "result": result})

    def page(self, cursor: str) -> dict[str, Any]:
        count = self.scenario.get("endless")
        if count:
            number = 0 if cursor == "-" else int(cursor)
            tools: Any = [{"name": f"t{number}_{i}", "inputSchema": {}} for i in range(count)]
            return {"tools": tools, "nextCursor": str(number + 1)}
        pages = self.scenario.get("pages")
        return pages[cursor] if pages else {"tools": self.scenario.get("tools", [])}

    def call(self, request: Any, params: dict[str, Any]) -> None:
        name, arguments = params["name"], params.get("arguments", {})
        if name == "$received":
            text = json.dumps(self.received)
            send(
                {
                    "jsonrpc": "2.0",
                    "id": request,
                    "result": {"content": [{"type": "text", "text": text}]},
                }
            )
            return
        calls = self.scenario.get("calls", {})
        action = calls.get(arguments.get("k"), calls.get(name, {}))
        for number in action.get("progress", []):
            token = params["_meta"]["progressToken"]
            params_of = {"progressToken": token, "progress": number, "message": f"step {number}"}
            send({"jsonrpc": "2.0", "method": "notifications/progress", "params": params_of})
        for number in range(action.get("storm", 0)):
            params_of = {"level": "info", "data": number}
            send({"jsonrpc": "2.0", "method": "notifications/message", "params": params_of})
        flood = action.get("flood", {})
        for number in range(flood.get("count", 0)):
            send({"jsonrpc": "2.0", "id": f"q{number}", "method": flood["method"], "params": {}})
        if "tools" in action:
            self.scenario["tools"] = action["tools"]
            for _ in range(3):
                send({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        if "exit" in action:
            sys.stderr.write("giving up\n")
            sys.stderr.flush()
            os._exit(action["exit"])
        if action.get("deaf"):
            threading.Event().wait()
        if action.get("silent"):
            return
        if "error" in action:
            send({"jsonrpc": "2.0", "id": request, "error": action["error"]})
            return
        if "lines" in action:
            for line in action["lines"]:
                send(line.replace("$ID", str(request)))
            return
        if "size" in action:
            result: Any = {"content": [{"type": "text", "text": "x" * action["size"]}]}
        elif "pid" in action:
            result = {"structuredContent": os.getpid(), "content": []}
        elif "echo_env" in action:
            result = {"structuredContent": dict(os.environ), "content": []}
        else:
            result = action.get("result", {"content": [], "structuredContent": arguments})
        send({"jsonrpc": "2.0", "id": request, "result": result})


def main() -> None:
    with open(sys.argv[1]) as file:
        scenario = json.load(file)
    sys.stderr.write(scenario.get("stderr", ""))
    sys.stderr.flush()
    if "exit" in scenario:
        sys.exit(scenario["exit"])
    if "hello" in scenario:
        send(scenario["hello"])
    server = Server(scenario)
    for line in sys.stdin:
        server.answer(json.loads(line))


main()
