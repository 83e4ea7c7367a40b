"""A wire between a browser and a service, that can be cut."""

import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress


class Wire:
    """Carries bytes to ``port`` of this machine from ``url``; nothing while it is cut."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._ends: set[socket.socket] = set()
        self._is_cut = False
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def cut(self) -> None:
        """Ends what is connected; what connects from now on is closed at once."""
        with self._lock:
            self._is_cut = True
            for end in self._ends:
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        with self._lock:
            self._is_cut = False

    def close(self) -> None:
        self.cut()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listener.close()

    def _accept(self) -> None:
        carriers: list[threading.Thread] = []
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                break
            with self._lock:
                if self._is_cut:
                    near.close()
                    continue
                far = socket.create_connection(("127.0.0.1", self._port))
                self._ends |= {near, far}
            for source, target in ((near, far), (far, near)):
                carriers.append(threading.Thread(target=self._carry, args=(source, target)))
                carriers[-1].start()
        for carrier in carriers:
            carrier.join()
        for end in self._ends:
            end.close()

    def _carry(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while chunk := source.recv(65536):
                target.sendall(chunk)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)


@contextmanager
def wired(port: int) -> Generator[Wire]:
    wire = Wire(port)
    try:
        yield wire
    finally:
        wire.close()
