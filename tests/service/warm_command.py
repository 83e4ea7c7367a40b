"""The command ``codemode`` in a process that has imported everything: it forks for each use.

The argument is the number of a socket. A request is a JSON list, the folder and the arguments, with
the three standard streams; the answer is the exit status. In the fork everything is as in a process
of its own, except that nothing is imported for the first time.
"""

import gc
import importlib
import json
import os
import socket
import sys

from codemode.service import cli

USED = ("codemode.service.mcp", "mcp", "rich.console", "rich.markdown", "typer.rich_utils")


def use(asked: socket.socket) -> tuple[bytes, list[int]]:
    """Returns in a fork, with the request and the streams; the parent never returns."""
    while True:
        request, streams, _, _ = socket.recv_fds(asked, 1 << 16, 3)
        if not request:
            sys.exit()
        child = os.fork()
        if not child:
            return request, streams
        for stream in streams:
            os.close(stream)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        asked.send(str(status).encode())


def main() -> None:
    for name in USED:
        importlib.import_module(name)
    gc.freeze()  # a fork that ends would go through all of it, and so copy it
    with socket.socket(fileno=int(sys.argv[1])) as asked:
        request, streams = use(asked)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    folder, *arguments = json.loads(request)
    os.chdir(folder)
    sys.path.insert(0, folder)
    sys.argv[1:] = arguments
    cli.main()


if __name__ == "__main__":
    main()
