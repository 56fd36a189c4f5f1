"""`agw`: the commands and their options. What they do is in the modules beside this one, loaded only when asked for."""

from __future__ import annotations

import io
import os
import sys
from typing import Annotated

import typer

from app.cli.options import AsOf, DataDir, Host, Json, Port
from app.cli.rho_commands import rho
from app.cli.stop import Stop, one_line

app = typer.Typer(
    name="agw",
    help="Agent Graph Gateway: every moment of every fleet of coding agents, from a graph database.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

keys = typer.Typer(name="keys", help="Make, list and revoke keys.", no_args_is_help=True)
app.add_typer(keys)
app.add_typer(rho)

MOST_KEPT = 2**31 - 1
"""What GraphQL's `Int` holds; 0 keeps all."""


def _version(wanted: bool) -> None:
    if wanted:
        from app.version import VERSION

        sys.stdout.write(f"agent-graph-gateway {VERSION}\n")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Agent Graph Gateway: every moment of every fleet of coding agents, from a graph database."""


@app.command()
def serve(
    host: Host = None,
    port: Port = None,
    data_dir: DataDir = None,
    workers: Annotated[int | None, typer.Option(min=1, max=8, help="Processes that answer (AGW_WORKERS).")] = None,
) -> None:
    """Start the gateway, and its embedded store unless NEO4J_URI is set."""
    from app.cli.serving import serve as run

    run(host=host, port=port, data_dir=data_dir, workers=workers)


@app.command()
def demo(
    host: Host = None,
    port: Port = None,
    data_dir: DataDir = None,
    events: Annotated[int, typer.Option(min=100, max=1_000_000, help="Events of the fleet's past.")] = 2_000,
    seed: Annotated[int, typer.Option(help="Another seed gives another fleet.")] = 7,
) -> None:
    """Start a gateway on data of its own, with a demo fleet in it that goes on working."""
    from app.cli.demo import demo as run

    run(host=host, port=port, data_dir=data_dir, events=events, seed=seed)


@app.command("import")
def import_(
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="PATH…", help="Event files (.jsonl), folders of them, or - for standard input.")
    ] = None,
    graph: Annotated[str | None, typer.Option(help="The graph to import into; a new one without.")] = None,
    title: Annotated[str | None, typer.Option(help="Title of the new graph.")] = None,
    keep: Annotated[int | None, typer.Option(min=0, max=MOST_KEPT, help="How many events the new graph keeps; all without.")] = None,
    all_: Annotated[str | None, typer.Option("--all", metavar="DIR", help="Every graph of a folder that agw export --all wrote.")] = None,
    json: Json = False,
    data_dir: DataDir = None,
) -> None:
    """Read event files into one graph, or every graph of an export into the store."""
    if all_ is not None:
        if paths or graph is not None or title is not None or keep is not None:
            raise Stop("agw import --all takes a folder alone: its graphs have their ids, titles and what they keep.", 2)
        from app.cli.restoring import import_all

        import_all(all_, as_json=json, data_dir=data_dir)
        return
    if not paths:
        raise Stop("agw import: name event files or folders, or --all with the folder of an export. Try agw import --help.", 2)
    from app.cli.importing import import_files as run

    run(paths, graph=graph, title=title, keep=keep or 0, as_json=json, data_dir=data_dir)


@app.command()
def follow(
    paths: Annotated[list[str], typer.Argument(metavar="PATH…", help="Event files (.jsonl) or folders of them, with what comes later.")],
    graph: Annotated[str | None, typer.Option(help="The graph that they go into; that of the last time, or a new one, without.")] = None,
    title: Annotated[str | None, typer.Option(help="Title of the new graph.")] = None,
    keep: Annotated[int | None, typer.Option(min=0, max=MOST_KEPT, help="How many events the new graph keeps; all without.")] = None,
    json: Json = False,
    data_dir: DataDir = None,
) -> None:
    """Read event files into one graph, and then everything that is appended, until stopped."""
    from app.cli.following import follow as run

    run(paths, graph=graph, title=title, keep=keep or 0, as_json=json, data_dir=data_dir)


@app.command()
def export(
    graph: Annotated[str | None, typer.Argument(metavar="GRAPH", help="A graph's id.")] = None,
    all_: Annotated[str | None, typer.Option("--all", metavar="DIR", help="Every graph, into a new or empty folder.")] = None,
    json: Json = False,
    data_dir: DataDir = None,
) -> None:
    """Print a graph's events as JSON Lines, or write every graph to a folder."""
    if (graph is None) == (all_ is None):
        raise Stop("agw export: name a graph, or --all with a folder. Try agw export --help.", 2)
    from app.cli.exporting import export_all, export_graph

    if graph is not None:
        export_graph(graph, data_dir=data_dir)
    elif all_ is not None:
        export_all(all_, as_json=json, data_dir=data_dir)


@app.command()
def create(
    title: Annotated[str | None, typer.Option(help="Its title.")] = None,
    keep: Annotated[int | None, typer.Option(min=0, max=MOST_KEPT, help="How many events it keeps; 0 keeps all.")] = None,
    json: Json = False,
    data_dir: DataDir = None,
) -> None:
    """Make an empty graph."""
    from app.cli.graphs import create as run

    run(title=title, keep=keep, as_json=json, data_dir=data_dir)


@app.command()
def delete(
    graphs: Annotated[list[str], typer.Argument(metavar="GRAPH…", help="Graphs' ids.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    json: Json = False,
    data_dir: DataDir = None,
) -> None:
    """Delete graphs, for good."""
    from app.cli.graphs import delete as run

    run(graphs, sure=yes, as_json=json, data_dir=data_dir)


@app.command()
def graphs(json: Json = False, data_dir: DataDir = None) -> None:
    """List the graphs, latest activity first."""
    from app.cli.graphs import list_graphs as run

    run(as_json=json, data_dir=data_dir)


@app.command()
def tree(
    graph: Annotated[str, typer.Argument(metavar="GRAPH", help="A graph's id.")],
    as_of: AsOf = None,
    watch: Annotated[bool, typer.Option("--watch", help="Show it again whenever it changes, until stopped.")] = False,
    json: Json = False,
    data_dir: DataDir = None,
) -> None:
    """Show a graph as a tree: who started whom, in which state, waiting for whom."""
    from app.cli.tree import tree as run

    run(graph, as_of_text=as_of, watch=watch, as_json=json, data_dir=data_dir)


@app.command()
def attention(
    graphs: Annotated[list[str] | None, typer.Argument(metavar="[GRAPH…]", help="Graphs' ids; all graphs without.")] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Go on with whatever comes up, until stopped.")] = False,
    json: Json = False,
    data_dir: DataDir = None,
) -> int:
    """Tell what needs a person: who asks, is silent, waits in a loop, or failed in the last hour; exit 3 if there is any."""
    from app.cli.attention import attention as run

    return run(graphs or [], watch=watch, as_json=json, data_dir=data_dir)


@app.command()
def query(
    document: Annotated[str, typer.Argument(metavar="FILE or TEXT", help="A GraphQL operation, a file with one, or - for standard input.")],
    var: Annotated[list[str] | None, typer.Option("--var", metavar="K=V", help="A variable; JSON, else text.")] = None,
    as_of: AsOf = None,
    data_dir: DataDir = None,
) -> None:
    """Run a GraphQL operation and print the answer."""
    from app.cli.query import query as run

    run(document, variables=var or [], as_of_text=as_of, data_dir=data_dir)


@app.command("open")
def open_(
    graph: Annotated[str | None, typer.Argument(metavar="GRAPH", help="A graph's id.")] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open it, or only print the link.")] = True,
    json: Json = False,
    data_dir: DataDir = None,
) -> None:
    """Print a one-time link that signs you in, and open it."""
    from app.cli.graphs import open_link as run

    run(graph, browser=browser, as_json=json, data_dir=data_dir)


@keys.command("create")
def keys_create(
    name: Annotated[str, typer.Option(help="What people call it.")],
    scope: Annotated[list[str], typer.Option(help="read, write or admin; several, one after the other.")],
    graph: Annotated[list[str] | None, typer.Option(metavar="ID", help="A graph that it is restricted to; all graphs without.")] = None,
    expires: Annotated[str | None, typer.Option(metavar="AGE", help="When it ends by itself, such as 30d; never without.")] = None,
    account: Annotated[str | None, typer.Option(help="Whose it is; a new name makes the account (the operator's key only).")] = None,
    json: Json = False,
    data_dir: DataDir = None,
) -> None:
    """Make a key, and show it this once."""
    from app.cli.keys import create as run

    run(name=name, scopes=scope, graphs=graph or [], expires=expires, account=account, as_json=json, data_dir=data_dir)


@keys.command("list")
def keys_list(json: Json = False, data_dir: DataDir = None) -> None:
    """List the account's keys, newest first."""
    from app.cli.keys import list_keys as run

    run(as_json=json, data_dir=data_dir)


@keys.command("revoke")
def keys_revoke(
    key_id: Annotated[str, typer.Argument(metavar="ID", help="The key's id, as agw keys list shows it.")],
    json: Json = False,
    data_dir: DataDir = None,
) -> None:
    """End a key at once, and the logins that came from it."""
    from app.cli.keys import revoke as run

    run(key_id, as_json=json, data_dir=data_dir)


@app.command()
def schema() -> None:
    """Print schema.graphql."""
    from app.graphql import print_schema

    sys.stdout.write(print_schema().rstrip("\n") + "\n")


@app.command()
def openapi() -> None:
    """Print openapi.json."""
    from app.rest import print_openapi

    sys.stdout.write(print_openapi() + "\n")


@app.command()
def migrate(
    check: Annotated[bool, typer.Option("--check", help="Only tell; exit 1 if the store needs it.")] = False,
    json: Json = False,
    data_dir: DataDir = None,
) -> None:
    """Bring the store up to this version."""
    from app.cli.upkeep import migrate as run

    run(check=check, as_json=json, data_dir=data_dir)


@app.command()
def doctor(json: Json = False, data_dir: DataDir = None) -> None:
    """Tell what works and what does not, and what to do about it."""
    from app.cli.doctor import doctor as run

    run(as_json=json, data_dir=data_dir)


def main() -> None:
    """The command `agw`: runs what was asked for, and ends with O14's exit codes and one line for each error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that has no such character still gets the rest
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """The exit code of a command line."""
    try:
        code = app(arguments, prog_name="agw", standalone_mode=False)
    except Stop as stop:
        return _said(str(stop), stop.code)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # whoever read us has gone: nothing more to say, at the interpreter's end neither
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:  # noqa: BLE001 - never a traceback (O14)
        wrong = getattr(error, "format_message", None)  # wrong usage, as Typer tells it
        if wrong is not None:
            if not str(wrong()):  # nothing was asked for, and help is printed
                return 2
            where = getattr(getattr(error, "ctx", None), "command_path", "agw")
            return _said(f"{where}: {str(wrong()).rstrip('.')}. Try {where} --help.", 2)
        from app.cli.failures import exit_code, explained

        return _said(explained(error), exit_code(error))
    return code if isinstance(code, int) else 0


def _said(message: str, code: int) -> int:
    sys.stderr.write(f"{one_line(message)}\n")
    return code


if __name__ == "__main__":
    main()
