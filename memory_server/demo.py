"""The demo: a conversation goes in over HTTP, memories come out. Uses a temporary folder and leaves nothing behind."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import click
import httpx2
from rich.console import Console
from rich.table import Table
from rich.text import Text

from memory.clock import SystemClock
from memory_server.demo_conversation import CHARACTER, MASTER, TALKS, Talk

BETWEEN_EXCHANGES = timedelta(seconds=90)
START_WAIT, FACTS_WAIT, STOP_WAIT = 30.0, 90.0, 5.0
MOST_RESULTS = 50


class DemoFailed(Exception):
    """Something did not come out as it should; the message says what."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of the sample, placed in time."""

    role: str
    text: str
    at: datetime             # aware


@click.command()
def demo() -> None:
    """Tell a sample conversation to a real server, in a temporary folder, and recall it."""
    console = Console(highlight=False)
    with tempfile.TemporaryDirectory(prefix="companion-memory-demo-") as folder:
        try:
            with served(Path(folder)) as client:
                _show(console, client)
        except (DemoFailed, httpx2.HTTPError) as error:
            raise click.ClickException(f"the demo did not work: {error}") from None


@contextmanager
def served(root: Path) -> Iterator[httpx2.Client]:
    """A server of its own on a free port, and a client for it. Stopped at the end, whatever happens."""
    port = free_port()
    command = [sys.executable, "-X", "utf8", "-m", "memory_server", "serve", "--port", str(port)]
    command += ["--data-root", str(root / "data"), "--master-name", MASTER, "--enable-shutdown"]
    command += ["--also-listen", "none"]
    with (root / "server.log").open("wb") as log:
        # From the folder that holds the package, so that a source tree nobody installed works too.
        home = Path(__file__).resolve().parent.parent
        process = subprocess.Popen(command, cwd=home, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        try:
            # Never through a proxy: the server is on this machine.
            with httpx2.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=30.0) as client:
                _wait_for_health(client, process, root / "server.log")
                yield client
                client.post("/shutdown")
            process.wait(timeout=STOP_WAIT)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()


def free_port() -> int:
    """A port that nobody has at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        assert isinstance(port, int)
        return port


def _wait_for_health(client: httpx2.Client, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + START_WAIT
    while time.monotonic() < until:
        if process.poll() is not None:
            break
        try:
            if not client.get("/health").json()["limited_mode"]:
                return
        except httpx2.TransportError:
            pass  # not listening yet
        time.sleep(0.05)
    last_lines = "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-10:])
    raise DemoFailed(f"the server did not start\n{last_lines}")


def _show(console: Console, client: httpx2.Client) -> None:
    now = SystemClock().now()
    sittings = [(talk, place(talk, now)) for talk in TALKS]

    console.rule("1. The conversation goes in")
    for talk, messages in sittings:
        _tell(client, talk, messages)
        first = messages[0].at
        console.print(f"{first:%a %Y-%m-%d %H:%M}  {len(messages):>2} messages in {talk.language}, cached and settled")
    total = sum(len(messages) for _, messages in sittings)
    turns = _turns(client, [messages[0].at for _, messages in sittings])
    if len(turns) != total:
        raise DemoFailed(f"{total} messages were sent and {len(turns)} are remembered")
    console.print(f"{total} messages sent, {len(turns)} remembered; the last three:")
    for result in sorted(turns.values(), key=lambda result: str(result["created_at"]))[-3:]:
        console.print(_line(result))

    console.rule("2. What became of it: facts, each with the turn it came from")
    facts = _facts(client)
    table = Table(show_edge=False, pad_edge=False)
    table.add_column("fact", ratio=1, overflow="fold")
    table.add_column("said at", no_wrap=True)
    table.add_column("said", ratio=1, overflow="fold")
    rows = ((_sources(turns, fact), str(fact["text"])) for fact in facts)
    for said, text in sorted(rows, key=lambda row: [turn["created_at"] for turn in row[0]]):
        table.add_row(Text(text), _when(said[0]), Text("\n".join(str(turn["text"]) for turn in said)))
    console.print(table)
    console.print(f"{len(facts)} facts")

    console.rule("3. Recall")
    pottery = (now - timedelta(days=7)).date().isoformat()
    lately = f"{(now - timedelta(days=4)).date()}/{now.date()}"
    _recall(console, client, "by words", {"query": "Alex对什么过敏？", "limit": 3})
    _recall(console, client, "by time", {"time": pottery, "limit": 3})
    _recall(console, client, "by both", {"query": "coffee or tea", "time": lately, "limit": 3})

    console.rule(f"4. What the next conversation with {CHARACTER} starts from (GET /new_dialog)")
    console.print(_answer(client.get(f"/new_dialog/{CHARACTER}")).text, markup=False, soft_wrap=True)
    console.rule("Done: the server is stopped and the temporary folder removed")


def place(talk: Talk, now: datetime) -> list[Message]:
    """The messages of a sitting with their times, counted back from ``now``."""
    hour, minute = map(int, talk.starts.split(":"))
    at = (now - timedelta(days=talk.days_ago)).replace(hour=hour, minute=minute, second=0, microsecond=0)
    messages: list[Message] = []
    for asked, answered in talk.exchanges:
        messages.append(Message(role="user", text=asked, at=at))
        messages.append(Message(role="assistant", text=answered, at=at + BETWEEN_EXCHANGES / 3))
        at += BETWEEN_EXCHANGES
    return messages


def _tell(client: httpx2.Client, talk: Talk, messages: list[Message]) -> None:
    """Send a sitting as the companion does: two messages a time, then settle."""
    for first in range(0, len(messages), 2):
        body = {"input_history": _history(messages[first : first + 2]), "language": talk.language}
        # A key makes a resend after a lost answer safe.
        key = {"Idempotency-Key": f"demo-{talk.days_ago}-{first}"}
        _expect(client.post(f"/cache/{CHARACTER}", json=body, headers=key), "cached")
    _expect(client.post(f"/settle/{CHARACTER}", json={"input_history": "[]", "language": talk.language}), "settled")


def _history(messages: list[Message]) -> str:
    speakers = {"user": MASTER, "assistant": CHARACTER}
    return json.dumps(
        [
            {
                "role": message.role,
                "content": message.text,
                "timestamp": message.at.isoformat(),
                "speaker": speakers[message.role],
            }
            for message in messages
        ],
        ensure_ascii=False,
    )


def _turns(client: httpx2.Client, days: list[datetime]) -> dict[str, dict[str, Any]]:
    """Every remembered message by its id, asked for day by day."""
    found: dict[str, dict[str, Any]] = {}
    for day in days:
        asked = {"time": day.date().isoformat(), "tiers": ["turn"], "limit": MOST_RESULTS}
        found |= {result["id"]: result for result in _query(client, asked)}
    return found


def _facts(client: httpx2.Client) -> list[dict[str, Any]]:
    """The facts, once the background work that makes them is done."""
    until = time.monotonic() + FACTS_WAIT
    before: list[str] = []
    while time.monotonic() < until:
        facts = _query(client, {"time": "2000/2099", "tiers": ["fact"], "limit": MOST_RESULTS})
        ids = sorted(fact["id"] for fact in facts)
        if ids and ids == before and _answer(client.get("/health")).json().get("owed", 0) == 0:
            return facts
        before = ids
        time.sleep(0.5)
    raise DemoFailed(f"no facts after {FACTS_WAIT:.0f} s")


def _query(client: httpx2.Client, asked: Mapping[str, object]) -> list[dict[str, Any]]:
    answer = _answer(client.post(f"/query_memory/{CHARACTER}", json=asked)).json()
    if "error_code" in answer:
        raise DemoFailed(f"recall answered {answer['error_code']}")
    results = answer["results"]
    assert isinstance(results, list)
    return results


def _recall(console: Console, client: httpx2.Client, how: str, asked: dict[str, object]) -> None:
    console.print(Text(f"{how}: {json.dumps(asked, ensure_ascii=False)}", style="bold"))
    results = _query(client, asked)
    if not results:
        raise DemoFailed(f"recall {how} found nothing")
    for result in results:
        console.print(_line(result))


def _line(result: Mapping[str, Any]) -> Text:
    return Text(f"  {result['tier']:<5} {_when(result)}  {result['text']}")


def _when(result: Mapping[str, Any]) -> str:
    """When it happened, or else when it was said, to the minute."""
    return str(result["event_start_at"] or result["created_at"])[:16].replace("T", " ")


def _sources(turns: Mapping[str, dict[str, Any]], fact: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The messages a fact rests on."""
    said = [turns[source] for source in fact["sources"] if source in turns]
    if not said:
        raise DemoFailed(f"the fact {fact['id']} names no message it came from")
    return said


def _expect(response: httpx2.Response, status: str) -> None:
    answer = _answer(response).json()
    if answer.get("status") != status:
        raise DemoFailed(f"{response.request.url.path} answered {answer}")


def _answer(response: httpx2.Response) -> httpx2.Response:
    if response.status_code != 200:
        raise DemoFailed(f"{response.request.url.path} answered {response.status_code}")
    return response
