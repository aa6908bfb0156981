"""Keep what is known of a folder of drawings, so that they are read only once.

If the catalogue exists, only new and changed drawings are read, and deleted ones are forgotten.
`match`, `find` and `classify` take a catalogue wherever they take a folder of drawings.
"""

import sys

from sklearn_nrcdt._commands.console import Problem, count, readable
from sklearn_nrcdt._commands.folder import INVERT, not_used, open_catalogue
from sklearn_nrcdt.catalogue import Catalogue

HELP = "keep what is known of a folder of drawings, to be asked quickly"
EXAMPLE = "nrcdt catalogue drawings kept && nrcdt match kept scans"


def add_arguments(parser):
    """Declare the arguments."""
    parser.add_argument(
        "drawings",
        metavar="DRAWINGS",
        help="folder of drawings, and of subfolders, each of which is a class",
    )
    parser.add_argument(
        "catalogue", metavar="CATALOGUE", help="folder to keep it in, a new one or a catalogue"
    )
    parser.add_argument("--mirrored", action="store_true", help="pictures may be mirror images")


def main(args):
    """Run the command."""
    catalogue = Catalogue.build(
        args.drawings,
        args.catalogue,
        invariance=args.invariance,
        reflection="ignore" if args.mirrored else "distinguish",
        invert=INVERT[args.ink],
        n_jobs=args.n_jobs,
        verbose=int(not args.quiet and sys.stdout.isatty()),
    )
    if catalogue.rebuilt:
        print(f"{readable(catalogue.rebuilt)} All drawings were read again.")
    changes = [f"{len(names)} {what}" for what, names in catalogue.changes.items() if names]
    n_classes = count(len(set(catalogue.labels)), "class", "classes")
    print(
        f"{count(len(catalogue.names), 'drawing')}, {n_classes}: "
        f"{', '.join(changes) or 'nothing has changed'}."
    )
    for line in not_used(catalogue.skipped, catalogue.ignored):
        print(line)
    catalogue.close()


def open_to_match(path, args):
    """Open a catalogue to match with; options must be those that it was built with."""
    catalogue = open_catalogue(path, n_jobs=args.n_jobs)
    built = catalogue.settings
    if args.templates_ink:
        raise Problem(f"Build '{readable(path)}' with --ink, or leave --templates-ink out here.")
    if args.mirrored and built["reflection"] != "ignore":
        raise Problem(f"Build '{readable(path)}' with --mirrored, or leave that out here.")
    if args.invariance not in ("affine", built["invariance"]):
        raise Problem(
            f"'{readable(path)}' was built with --invariance {built['invariance']}. Build it with "
            f"--invariance {args.invariance}, or leave that out here."
        )
    args.invariance, args.mirrored = built["invariance"], built["reflection"] == "ignore"
    return catalogue
