"""Work at a desk in the browser: drop pictures, look at the answers, decide.

The desk is a page that only this computer sees. It recognises drawings, or searches photographs for
drawings, and keeps pictures, decisions and notes beside the catalogue. Close it with Ctrl-C; next
time everything is there again.
"""

import sys
import webbrowser
from contextlib import closing, suppress
from pathlib import Path

from sklearn_nrcdt._commands.console import Problem, count, readable
from sklearn_nrcdt._commands.find import add_search_arguments, make_search
from sklearn_nrcdt._commands.folder import not_used
from sklearn_nrcdt.catalogue import (
    Catalogue,
    DamagedCatalogueError,
    OutdatedCatalogueError,
    is_catalogue,
)

HELP = "decide in the browser which drawing each picture shows"
EXAMPLE = "nrcdt desk drawings"
HOME = "nrcdt desk"


def add_arguments(parser):
    """Declare the arguments."""
    parser.add_argument(
        "place",
        metavar="CATALOGUE",
        nargs="?",
        help="a catalogue, or a folder of drawings, beside which a catalogue is made "
        f"(default: '{HOME}' in your own folder, empty at first)",
    )
    parser.add_argument("--port", type=int, default=0, metavar="N", help="default: any free one")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    add_search_arguments(parser.add_argument_group("how drawings may lie in photographs"))


def main(args):
    """Run the command."""
    try:
        from sklearn_nrcdt._desk.app import Server
        from sklearn_nrcdt._desk.desk import Desk
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn"):
            raise
        raise Problem(
            "The desk needs two more packages: pip install 'sklearn-nrcdt[desk]'."
        ) from None
    make_search(args)  # complain about options now
    if not 0 <= args.port < 2**16:
        raise Problem("--port must be from 1 to 65535, or 0 for any free one.")
    catalogue = _open(args)
    n_drawings = count(len(catalogue.names), "drawing")
    with closing(Desk(catalogue, args)) as desk:
        try:
            server = Server(desk, args.port)
        except OSError as error:
            raise Problem(f"--port {args.port} cannot be used: {error.strerror}.") from None
        if catalogue.rebuilt:
            print(f"{readable(catalogue.rebuilt)} All drawings were read again.")
        for line in not_used(catalogue.skipped, catalogue.ignored):
            print(line)
        print(f"{readable(catalogue.path)}: {n_drawings}\nThe desk is open: {server.address}")
        print("Close it with Ctrl-C.", flush=True)
        if not args.no_browser:
            webbrowser.open(server.address)
        with suppress(KeyboardInterrupt):
            server.run()
    print("\nThe desk is closed. Everything is kept.")


def _open(args):
    """Return the catalogue that is meant, up to date, or a new one."""
    if args.place is None:
        place, path = Path.home() / HOME / "drawings", Path.home() / HOME / "catalogue"
        place.mkdir(parents=True, exist_ok=True)
    else:
        place = Path(args.place).resolve()
        path = place if is_catalogue(place) else place.with_name(f"{place.name}-catalogue")
    with suppress(DamagedCatalogueError, OutdatedCatalogueError):
        if is_catalogue(path):  # with the settings that it was built with
            catalogue = Catalogue(path, n_jobs=args.n_jobs)
            catalogue.update()
            return catalogue
    if path == place:
        raise Problem(f"Build '{readable(path)}' again with nrcdt catalogue.")
    return Catalogue.build(place, path, n_jobs=args.n_jobs, verbose=int(sys.stdout.isatty()))
