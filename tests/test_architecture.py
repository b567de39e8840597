"""Who may import whom, where each library lives, and what no module may do: read off the source, not the docs.

The tables come first and are the part to extend. Each check takes modules and answers with the lines that
break it, so the second half of this file can show on small made-up sources that every check really fails.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
OURS = ("memory", "memory_server", "launcher")

# --- The tables -------------------------------------------------------------------------------------------

FOUNDATION = ("memory.errors", "memory.clock", "memory.ids", "memory.settings")
WORDING = ("memory.locale", "memory.names", "memory.tokens", "memory.holiday", "memory.strings.*")
STORE = ("memory.store.*",)
RECALL = ("memory.recall.*",)
MODELS = ("memory.models.*",)
SPACE = (
    "memory.space", "memory.spaces", "memory.library", "memory.catalogue", "memory.cast", "memory.tombstones",
    "memory.views", "memory.recovery", "memory.vectors",
)
CAPABILITIES = ("history", "facts", "reflections", "persona", "sessions", "state")
NOUNS = (
    "memory.people", "memory.scopes", "memory.facts.memory", "memory.facts.draft", "memory.facts.keys",
    "memory.facts.slots",
    "memory.sessions.repository",
    "memory.history.turn",
    "memory.facts.fact", "memory.facts.record", "memory.facts.rules.*", "memory.facts.conflict",
    "memory.reflections.reflection", "memory.reflections.evidence", "memory.reflections.record",
    "memory.reflections.fields", "memory.reflections.mentions",
    "memory.persona.entry", "memory.persona.record",
    "memory.sessions.checkpoint",
    "memory.state.digest", "memory.state.working", "memory.state.stable", "memory.state.facets", "memory.state.budget",
    "memory.facts.sameness", "memory.history.telling", "memory.state.webhook",
    "memory.state.digest_state", "memory.state.structured", "memory.state.working_cues", "memory.state.plan",
    "memory.state.write_tier", "memory.state.direct",
    "memory.state.digest.align", "memory.state.digest.classes",
    "memory.state.digest.consistency", "memory.state.digest.guard", "memory.state.digest.kinds",
    "memory.state.digest.likeness", "memory.state.digest.merge", "memory.state.digest.piece",
    "memory.state.digest.run", "memory.state.digest.select",
)
VIEWS = (
    "memory.scope_file", "memory.cursors", "memory.tries", "memory.forgotten",
    "memory.history.recent", "memory.history.turns_db", "memory.history.keys",
    "memory.facts.view", "memory.facts.archive", "memory.facts.pairs",
    "memory.reflections.view", "memory.reflections.surfaced", "memory.reflections.backoff",
    "memory.persona.view", "memory.persona.corrections",
    "memory.sessions.view", "memory.state.view", "memory.sessions.handoffs",
    "memory.facts.retired", "memory.history.withheld", "memory.history.event_notes", "memory.history.turn_row",
    "memory.history.raw",
    "memory.state.accounts", "memory.state.answered", "memory.state.card", "memory.state.digests",
    "memory.state.digest_runs",
    "memory.state.reminders", "memory.state.errands", "memory.state.working_file",
)
# Every other module of a capability is a verb. What a space is made of is checked apart, see made_of.
CAPABILITY = tuple(f"memory.{name}.*" for name in CAPABILITIES)
VERBS = (
    *CAPABILITY, "memory.thinking", "memory.dead_letters", "memory.briefing", "memory.search", "memory.funnel",
    "memory.embed", "memory.recollect", "memory.scoped", "memory.shelves", "memory.forget",
    "memory.selection", "memory.remains", "memory.erase", "memory.export", "memory.checks.*",
)
WORK = ("memory.work.*",)
ENGINE = (
    "memory.engine", "memory.lifecycle", "memory.model_config", "memory.characters", "memory.backup", "memory.restore",
    "memory.doctor", "memory.tenancy", "memory.courier", "memory.queues",
)
DIALECTS = ("neko", "recallnest", "statecore")
SERVER = ("memory_server", "memory_server.*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """Modules, and which of ours they may import. The first layer that matches a module is its own."""

    modules: tuple[str, ...]
    may: tuple[str, ...]
    never: tuple[str, ...] = ()


PURE = (*FOUNDATION, *WORDING, *RECALL, *NOUNS)
LAYERS: Mapping[str, Layer] = {
    "foundation": Layer(modules=FOUNDATION, may=("memory.errors",)),
    "wording": Layer(modules=WORDING, may=(*FOUNDATION, *WORDING)),
    "store": Layer(modules=STORE, may=(*FOUNDATION, *STORE)),
    "recall": Layer(modules=RECALL, may=PURE),
    "nouns": Layer(modules=NOUNS, may=PURE),
    "the database view": Layer(modules=("memory.history.turns_db",), may=(*PURE, *STORE, *VIEWS, *CAPABILITY)),
    "views": Layer(modules=VIEWS, may=(*PURE, *STORE, *VIEWS, *CAPABILITY), never=("memory.store.files",)),
    "models": Layer(modules=MODELS, may=("memory.errors", "memory.clock", "memory.settings", "memory.tokens", *MODELS)),
    "spaces": Layer(
        modules=SPACE, may=(*PURE, *STORE, *VIEWS, *CAPABILITY, *SPACE, "memory.models.vectors")
    ),
    "verbs": Layer(modules=VERBS, may=(*PURE, *STORE, *VIEWS, *MODELS, *SPACE, *VERBS)),
    "work": Layer(modules=WORK, may=(*PURE, *STORE, *VIEWS, *MODELS, *SPACE, *VERBS, *WORK)),
    "engine": Layer(modules=ENGINE, may=("memory.*",)),
    "package": Layer(modules=("memory", "memory.*"), may=()),
    "dialects": Layer(
        modules=tuple(f"memory_server.{name}.*" for name in DIALECTS),
        may=("memory.*", *SERVER),
        never=(*STORE, *WORK, "memory_server.app", "memory_server.serve", "memory_server.cli"),
    ),
    "server": Layer(modules=SERVER, may=("memory.*", *SERVER)),
    "launcher": Layer(modules=("launcher",), may=("memory_server.cli",)),
}

# capability → the capabilities it may read, itself aside
BELOW: Mapping[str, tuple[str, ...]] = {
    "history": (),
    "facts": ("history",),
    "reflections": ("history", "facts"),
    "persona": ("history", "facts", "reflections"),
    "sessions": ("history", "facts"),
    "state": ("history", "facts", "sessions"),
}

COMMANDS = ("memory_server.cli", "memory_server.options", "memory_server.commands.*", "memory_server.demo")

# library (as imported) → the modules it lives in
HOMES: Mapping[str, tuple[str, ...]] = {
    "starlette": ("memory_server.*",),
    "uvicorn": ("memory_server.serve",),
    "pydantic": ("memory_server.*.wire", "memory_server.*.wire.*", "memory_server.openapi"),
    "orjson": (*STORE, *VIEWS, *SPACE, *VERBS, *ENGINE, "memory_server.replies"),
    "aiosqlite": ("memory.history.turns_db", "memory.catalogue"),
    "filelock": ("memory_server.exclusive",),
    "httpx2": ("memory.models.chat_http", "memory.courier", *COMMANDS),
    "numpy": (*RECALL, *MODELS, "memory.vectors"),
    "rank_bm25": RECALL,
    "onnx": ("memory.models.convert.*",),
    "onnxruntime": MODELS,
    "tokenizers": MODELS,
    "sentencepiece": MODELS,
    "snowballstemmer": ("memory.recall.words",),
    "opencc": ("memory.recall.words",),
    "holidays": ("memory.holiday",),
    "platformdirs": COMMANDS,
    "click": COMMANDS,
    "rich": COMMANDS,
}

# Modules that may import inside a function; each says why where it does.
LAZY = ("launcher", *COMMANDS)

# call → the only modules that may make it
CALLS: Mapping[str, tuple[str, ...]] = {
    "datetime.now": ("memory.clock",),
    "datetime.utcnow": (),
    "datetime.today": ("memory.clock",),
    "date.today": ("memory.clock",),
    "time.time": ("memory.clock",),
    "time.time_ns": ("memory.clock",),
    "uuid.uuid4": ("memory.ids", "memory_server.*"),
}

DRAWERS = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "managers"}
MOST_LINES = 450


# --- Reading the source -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    name: str                # dotted; a package by its own name
    text: str
    tree: ast.Module
    is_package: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    target: str              # dotted; a name imported from a package of ours is resolved to the module it is
    line: int
    on_top: bool


def read_tree(root: Path) -> list[Module]:
    paths = [root / "launcher.py", *sorted(root.glob("memory/**/*.py")), *sorted(root.glob("memory_server/**/*.py"))]
    return [_read(path.relative_to(root), path.read_text(encoding="utf-8")) for path in paths]


def _read(path: Path, text: str) -> Module:
    parts = path.with_suffix("").parts
    is_package = parts[-1] == "__init__"
    name = ".".join(parts[:-1] if is_package else parts)
    return Module(name=name, text=text, tree=ast.parse(text), is_package=is_package)


def imports_of(module: Module, known: set[str]) -> Iterator[Import]:
    on_top = {id(node) for node in _top_level(module.tree.body)}
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            source = _source(node, module)
            targets = [name if (name := f"{source}.{alias.name}") in known else source for alias in node.names]
        else:
            continue
        for target in dict.fromkeys(targets):
            yield Import(target=target, line=node.lineno, on_top=id(node) in on_top)


def _top_level(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements outside functions and classes; what stands under a module's own ``if`` is still on top."""
    for node in body:
        yield node
        if isinstance(node, ast.If):
            yield from _top_level(node.body)
            yield from _top_level(node.orelse)


def _source(node: ast.ImportFrom, module: Module) -> str:
    if node.level == 0:
        return node.module or ""
    parts = module.name.split(".")
    base = parts[: len(parts) - node.level + module.is_package]
    return ".".join([*base, node.module] if node.module else base)


def matches(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def is_ours(name: str) -> bool:
    return name.partition(".")[0] in OURS


# --- The checks -------------------------------------------------------------------------------------------


def layers(modules: Sequence[Module]) -> Iterator[str]:
    known = {module.name for module in modules}
    for module in modules:
        name, layer = next(pair for pair in LAYERS.items() if matches(module.name, pair[1].modules))
        for found in imports_of(module, known):
            allowed = matches(found.target, layer.may) and not matches(found.target, layer.never)
            if is_ours(found.target) and not allowed:
                yield f"{module.name}:{found.line} ({name}) imports {found.target}"


def made_of(modules: Sequence[Module]) -> Iterator[str]:
    """What a space or a view is made of, however deep, acts on no space and asks no model: it is no verb."""
    known = {module.name for module in modules}
    targets = {module.name: {found.target for found in imports_of(module, known)} for module in modules}
    wanted = [name for name in targets if matches(name, (*SPACE, *VIEWS))]
    seen = set(wanted)
    while wanted:
        name = wanted.pop()
        if not matches(name, SPACE):
            yield from (f"{name} imports {bad}" for bad in targets[name] if matches(bad, (*SPACE, *MODELS)))
        parts = {target for target in targets[name] if target in known and matches(target, CAPABILITY)} - seen
        seen |= parts
        wanted += sorted(parts)


def capabilities(modules: Sequence[Module]) -> Iterator[str]:
    known = {module.name for module in modules}
    for module in modules:
        own = _part(module.name, "memory")
        for found in imports_of(module, known):
            other = _part(found.target, "memory")
            if own in BELOW and other in BELOW and other != own and other not in BELOW[own]:
                yield f"{module.name}:{found.line} ({own}) imports {found.target}"


def dialects(modules: Sequence[Module]) -> Iterator[str]:
    known = {module.name for module in modules}
    for module in modules:
        own = _part(module.name, "memory_server")
        for found in imports_of(module, known):
            other = _part(found.target, "memory_server")
            if own in DIALECTS and other in DIALECTS and other != own:
                yield f"{module.name}:{found.line} imports another dialect, {found.target}"


def _part(name: str, package: str) -> str:
    """The second part of a dotted name inside a package: ``facts`` of ``memory.facts.view``."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 and parts[0] == package else ""


def homes(modules: Sequence[Module]) -> Iterator[str]:
    known = {module.name for module in modules}
    for module in modules:
        for found in imports_of(module, known):
            library = found.target.partition(".")[0]
            if is_ours(library) or library in sys.stdlib_module_names:
                continue
            if not matches(module.name, HOMES.get(library, ())):
                yield f"{module.name}:{found.line} imports {library}, which does not live there"


def on_top(modules: Sequence[Module]) -> Iterator[str]:
    known = {module.name for module in modules}
    for module in modules:
        if matches(module.name, LAZY):
            continue
        for found in imports_of(module, known):
            if not found.on_top:
                yield f"{module.name}:{found.line} imports {found.target} inside a function"


def calls(modules: Sequence[Module]) -> Iterator[str]:
    for module in modules:
        for node in ast.walk(module.tree):
            if not isinstance(node, ast.Attribute):
                continue
            # datetime.datetime.now and datetime.now are the same call
            called = ".".join(ast.unparse(node).split(".")[-2:])
            if called in CALLS and not matches(module.name, CALLS[called]):
                yield f"{module.name}:{node.lineno} uses {called}"


def shapes(modules: Sequence[Module]) -> Iterator[str]:
    for module in modules:
        last = module.name.rpartition(".")[2]
        if last in DRAWERS:
            yield f"{module.name} is a drawer: name it after its subject"
        if len(module.text.splitlines()) > MOST_LINES:
            yield f"{module.name} has more than {MOST_LINES} lines"
        if ast.get_docstring(module.tree) is None:
            yield f"{module.name} has no docstring"
        if module.is_package and len(module.tree.body) > 1:
            yield f"{module.name} holds more than a docstring"


Check = Callable[[Sequence[Module]], Iterator[str]]
CHECKS: tuple[Check, ...] = (layers, made_of, capabilities, dialects, homes, on_top, calls, shapes)


# --- The tests --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_source_keeps_to_the_table(check: Check) -> None:
    modules = read_tree(ROOT)
    assert len(modules) > 20
    assert list(check(modules)) == []


def module(path: str, text: str) -> Module:
    """A made-up module with a docstring."""
    return _read(Path(path), f'"""Made up."""\n{text}\n')


# What "from package import module" names has to exist to be told from "from module import name".
NEIGHBOURS = [
    module(path, "")
    for path in (
        "memory/space.py", "memory/store/files.py", "memory/store/journal.py", "memory/facts/commands.py",
        "memory/facts/extract.py", "memory/work/loops.py", "memory_server/replies.py", "memory_server/neko/wire.py",
    )
]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("memory/clock.py", "import memory.settings"),
        ("memory/store/files.py", "from memory.history.turn import Turn"),
        ("memory/history/turn.py", "from memory import space"),
        ("memory/history/turn.py", "from memory.models.chat import Chat"),
        ("memory/recall/query.py", "from memory.models.embedder import Embedder"),
        ("memory/recall/query.py", "from memory.store.files import replace"),
        ("memory/facts/view.py", "from memory.store import files"),
        ("memory/facts/view.py", "from memory.space import MemorySpace"),
        ("memory/models/chat.py", "from memory.facts.fact import Fact"),
        ("memory/space.py", "from memory.models.chat import Chat"),
        ("memory/history/turn.py", "from memory.history.recent import Recent"),
        ("memory/facts/commands.py", "from memory.engine import Engine"),
        ("memory/facts/commands.py", "from memory.work.runner import Runner"),
        ("memory/briefing.py", "from memory.work import loops"),
        ("memory/work/loops.py", "from memory_server import replies"),
        ("memory/engine.py", "from memory_server.app import build"),
        ("memory_server/neko/routes.py", "from memory.store import journal"),
        ("memory_server/neko/routes.py", "from memory_server.app import build"),
        ("launcher.py", "from memory.engine import Engine"),
    ],
)
def test_an_import_against_the_layers_is_found(path: str, text: str) -> None:
    assert len(list(layers([module(path, text), *NEIGHBOURS]))) == 1


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("memory/facts/view.py", "from memory.facts.fact import Fact\nfrom memory.store.view import View"),
        ("memory/history/turns_db.py", "from memory.store import files\nfrom memory.history.turn import Turn"),
        ("memory/facts/commands.py", "from memory.space import MemorySpace\nfrom memory.models.chat import Chat"),
        ("memory/space.py", "from memory.facts.view import FactsView"),
        ("memory/work/loops.py", "from memory.facts import extract"),
        ("memory/engine.py", "from memory.work.loops import LOOPS"),
        ("memory_server/neko/routes.py", "from memory.engine import Engine\nfrom memory_server.neko import wire"),
    ],
)
def test_an_import_along_the_layers_is_not(path: str, text: str) -> None:
    assert list(layers([module(path, text), *NEIGHBOURS])) == []


def test_a_verb_that_a_space_is_made_of_is_found_however_deep() -> None:
    modules = [
        module("memory/space.py", "from memory.facts.view import FactsView"),
        module("memory/facts/view.py", "from memory.facts.merging import merge"),
        module("memory/facts/merging.py", "from memory.facts.learn import learn"),
        module("memory/facts/learn.py", "from memory.models.chat import Chat"),
    ]
    assert list(made_of(modules)) == ["memory.facts.learn imports memory.models.chat"]


def test_a_verb_that_no_space_is_made_of_may_act_on_one() -> None:
    modules = [
        module("memory/space.py", "from memory.facts.view import FactsView"),
        module("memory/facts/view.py", "from memory.facts.fact import Fact"),
        module("memory/facts/learn.py", "from memory.space import MemorySpace\nfrom memory.models.chat import Chat"),
    ]
    assert list(made_of(modules)) == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("memory/history/settle.py", "from memory.facts.fact import Fact"),
        ("memory/facts/commands.py", "from memory.reflections.view import Reflections"),
        ("memory/reflections/confirm.py", "from memory.persona.promote import promote"),
        ("memory/sessions/resume.py", "from memory.persona.render import render"),
        ("memory/state/view.py", "from memory.reflections.reflection import Reflection"),
    ],
)
def test_an_import_against_the_arrow_between_capabilities_is_found(path: str, text: str) -> None:
    assert len(list(capabilities([module(path, text)]))) == 1


def test_an_import_along_the_arrow_is_not() -> None:
    assert list(capabilities([module("memory/persona/promote.py", "from memory.facts.fact import Fact")])) == []


def test_a_dialect_that_reads_another_is_found() -> None:
    absolute = module("memory_server/neko/routes.py", "from memory_server.statecore import wire")
    relative = module("memory_server/neko/context.py", "from ..statecore import wire")
    assert len(list(dialects([absolute, relative]))) == 2


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("memory/engine.py", "import starlette"),
        ("memory/recall/query.py", "import orjson"),
        ("memory/facts/extract.py", "from numpy import array"),
        ("memory_server/neko/routes.py", "import filelock"),
        ("memory_server/app.py", "import a_library_nobody_chose"),
    ],
)
def test_a_library_away_from_home_is_found(path: str, text: str) -> None:
    assert len(list(homes([module(path, text)]))) == 1


def test_a_library_at_home_and_the_standard_library_are_not() -> None:
    modules = [
        module("memory/recall/bm25.py", "import json\nimport numpy as np"),
        module("memory_server/neko/wire.py", "import pydantic"),
    ]
    assert list(homes(modules)) == []


def test_an_import_inside_a_function_is_found() -> None:
    hidden = module("memory/engine.py", "def open():\n    import json\n    return json")
    guarded = module("memory/spaces.py", "import sys\nif sys.platform != 'win32':\n    import fcntl")
    assert list(on_top([hidden, guarded])) == ["memory.engine:3 imports json inside a function"]


@pytest.mark.parametrize(
    "text",
    [
        "from datetime import datetime\nnow = datetime.now()",
        "import datetime\nnow = datetime.datetime.now(datetime.UTC)",
        "from datetime import datetime\ndefault_factory = datetime.utcnow",
        "import time\nstarted = time.time()",
        "import uuid\nname = uuid.uuid4()",
    ],
)
def test_asking_the_machine_for_time_or_ids_is_found(text: str) -> None:
    assert len(list(calls([module("memory/facts/extract.py", text)]))) == 1


def test_the_clock_may_ask_for_the_time() -> None:
    assert list(calls([module("memory/clock.py", "from datetime import datetime\nnow = datetime.now()")])) == []


def test_drawers_long_modules_and_busy_packages_are_found() -> None:
    modules = [
        module("memory/facts/utils.py", ""),
        module("memory/facts/long.py", "x = 1\n" * MOST_LINES),
        module("memory/facts/__init__.py", "from memory.facts.fact import Fact"),
        _read(Path("memory/facts/bare.py"), "x = 1\n"),
    ]
    assert len(list(shapes(modules))) == 4
