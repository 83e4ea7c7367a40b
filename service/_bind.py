"""The socket of a server, before anything else is started."""

import socket

from .config import ConfigError


def bind(host: str, port: int) -> socket.socket:
    """A socket that is bound, not yet listening.

    Raises:
        ConfigError: it cannot be.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise ConfigError(f"cannot listen on {host}:{port}: {error.strerror}") from None
    return listener
