"""`agw rho`: its commands and their options. What they do is in `rho` and `rho_graphs`, loaded only when asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.options import DataDir
from app.domain.rho.profiles import Profile

rho = typer.Typer(name="rho", help="Rho graphs (rho.graph/v1): in files, kept, made of sessions, uploaded.", no_args_is_help=True)

RhoFile = Annotated[str, typer.Argument(metavar="FILE", help="A JSON file, or - for standard input.")]
RhoProfile = Annotated[Profile, typer.Option(help="Rules for local files, or for what is uploaded.")]
RhoSession = Annotated[str | None, typer.Argument(metavar="SESSION", help="A session's id, such as claude-code.5f1c; the latest without.")]
RhoRepository = Annotated[str | None, typer.Option("--repository", help="Scope, instead of the name of the session's directory.")]
RhoMission = Annotated[Path | None, typer.Option("--mission-dir", help="A mission's folder, instead of a session.")]


@rho.command("validate")
def rho_validate(
    file: RhoFile,
    profile: RhoProfile = Profile.PORTABLE,
    project: Annotated[str | None, typer.Option(help="The project that it is uploaded to; cloud profile only.")] = None,
) -> None:
    """Tell whether an envelope is valid, and if not, where it first fails."""
    from app.cli.rho import validate as run

    run(file, profile, project)


@rho.command("canonicalize")
def rho_canonicalize(file: RhoFile, profile: RhoProfile = Profile.PORTABLE) -> None:
    """Print an envelope's canonical text, to the byte."""
    from app.cli.rho import canonicalize as run

    run(file, profile)


@rho.command("digest")
def rho_digest(file: RhoFile, profile: RhoProfile = Profile.PORTABLE) -> None:
    """Print the digests of an envelope's canonical form."""
    from app.cli.rho import digest as run

    run(file, profile)


@rho.command("prepare")
def rho_prepare(file: RhoFile) -> None:
    """Make an envelope ready for upload: private attributes hashed, its sync id derived."""
    from app.cli.rho import prepare as run

    run(file)


@rho.command("schedule")
def rho_schedule(file: RhoFile) -> None:
    """Print the waves of a list of tasks, or of an envelope's tasks, and which can run now."""
    from app.cli.rho import schedule as run

    run(file)


@rho.command("import")
def rho_import(
    file: RhoFile,
    project: Annotated[str | None, typer.Option(help="The project to keep it in.")] = None,
    data_dir: DataDir = None,
) -> None:
    """Keep an envelope as a snapshot; the same again changes nothing."""
    from app.cli.rho_graphs import import_ as run

    run(file, project=project, data_dir=data_dir)


@rho.command("export")
def rho_export(
    session: RhoSession = None, repository: RhoRepository = None, mission_dir: RhoMission = None, data_dir: DataDir = None
) -> None:
    """Print a session, or a mission, as an envelope."""
    from app.cli.rho_graphs import export as run

    run(session, repository=repository, mission_dir=mission_dir, data_dir=data_dir)


@rho.command("sync")
def rho_sync(
    session: RhoSession = None,
    repository: RhoRepository = None,
    mission_dir: RhoMission = None,
    url: Annotated[str | None, typer.Option(help="The service to upload to.")] = None,
    project: Annotated[str | None, typer.Option(help="The project there.")] = None,
    key: Annotated[str | None, typer.Option(help="The key to use there (AGW_KEY without).")] = None,
    data_dir: DataDir = None,
) -> None:
    """Upload a session, or a mission, with its private attributes hashed."""
    from app.cli.rho_graphs import sync as run

    run(session, repository=repository, mission_dir=mission_dir, url=url, project=project, key=key, data_dir=data_dir)
