"""Something on this machine that takes what webhooks are sent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One request as it came."""

    line: str
    headers: dict[str, str]         # names in lower case
    body: bytes

    @property
    def told(self) -> Any:
        return json.loads(self.body)


class Receiver:
    """Answers with the statuses it is given, the last one again and again; None is no answer at all."""

    def __init__(self, *statuses: int | None, location: str | None = None) -> None:
        self.messages: list[Message] = []
        self.waiting = asyncio.Event()      # set once somebody waits for an answer that does not come
        self._statuses = list(statuses or (204,))
        self._location = location
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook?for=me"

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[Receiver]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (one.partition(":") for one in head[1:])}
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            self.messages.append(Message(line=head[0], headers=headers, body=body))
            status = self._statuses.pop(0) if len(self._statuses) > 1 else self._statuses[0]
            if status is None:
                self.waiting.set()
                await reader.read()     # until the other side has had enough
                return
            location = f"location: {self._location}\r\n" if self._location else ""
            writer.write(f"HTTP/1.1 {status} X\r\n{location}content-length: 0\r\n\r\n".encode())
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            writer.close()
