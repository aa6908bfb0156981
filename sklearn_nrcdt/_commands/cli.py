"""The arguments of ``nrcdt``."""

import argparse
import os
import signal
import sys
import threading
import warnings
from contextlib import contextmanager

from threadpoolctl import threadpool_limits

from sklearn_nrcdt import __version__
from sklearn_nrcdt._commands import catalogue, classify, demo, desk, features, find, match
from sklearn_nrcdt._commands.console import Problem, readable
from sklearn_nrcdt._commands.features import FEATURES
from sklearn_nrcdt._commands.folder import INVARIANCES, INVERT
from sklearn_nrcdt.catalogue import CatalogueError

MOST_JOBS = 1000
COMMANDS = {
    "demo": demo,
    "catalogue": catalogue,
    "match": match,
    "find": find,
    "classify": classify,
    "features": features,
    "desk": desk,
}
# What can be chosen by name, the default first.
DIFFERENCES = ("invariance", INVARIANCES, "what may differ between pictures of one class")
CHOICES = {
    **dict.fromkeys((catalogue, match, classify), DIFFERENCES),
    features: ("feature", {name: text for name, (_, text) in FEATURES.items()}, "what to write"),
}


class _Parser(argparse.ArgumentParser):
    """Complains in one line."""

    def error(self, message):
        self.exit(2, f"{self.prog}: {message} ({self.prog} --help explains)\n")


def _parser():
    parser = _Parser(
        prog="nrcdt",
        description="Recognise drawings in any pose: moved, turned, scaled, sheared.",
        epilog="nrcdt COMMAND --help explains a command. Without a command, demo runs.",
    )
    parser.add_argument("--version", action="version", version=f"nrcdt {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", dest="command", required=True)
    for name, module in COMMANDS.items():
        command = commands.add_parser(
            name,
            help=module.HELP,
            description=module.__doc__,
            epilog=_epilog(module),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(command)
        if module in CHOICES:
            option, names, meaning = CHOICES[module]
            default = next(iter(names))
            command.add_argument(
                f"--{option}",
                choices=names,
                default=default,
                metavar="NAME",
                help=f"{meaning}, see below (default {default})",
            )
        if module not in (demo, desk):
            command.add_argument(
                "--ink",
                choices=INVERT,
                default="auto",
                help="whether drawings are darker or brighter than the paper (default: find out)",
            )
            if module is not catalogue:
                command.add_argument(
                    "--nested",
                    action="store_true",
                    help="take pictures in subfolders, too, and pictures beside subfolders",
                )
                command.add_argument(
                    "--skip-broken", action="store_true", help="leave out files that cannot be used"
                )
            command.add_argument("--quiet", action="store_true", help="show no progress")
        command.add_argument(
            "--n-jobs",
            type=int,
            default=-1,
            metavar="N",
            help="processors to use (default -1: all)",
        )
    return parser


def _epilog(module):
    text = f"example:\n  {module.EXAMPLE}"
    if module not in CHOICES:
        return text
    option, names, _ = CHOICES[module]
    width = max(map(len, names))
    lines = "\n".join(f"  {name:{width}}  {meaning}" for name, meaning in names.items())
    return f"{option}:\n{lines}\n\n{text}"


@contextmanager
def _tidy_end():
    """End by way of all that is to be tidied up, if the system or a closed terminal asks us to."""

    def stop(number, frame):
        sys.exit(128 + number)

    names = ("SIGTERM", "SIGHUP") if threading.current_thread() is threading.main_thread() else ()
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def main(argv=None):
    """Run the command line and return the exit status."""
    argv = sys.argv[1:] if argv is None else list(argv)
    if not argv or (argv[0].startswith("-") and argv[0] not in ("-h", "--help", "--version")):
        argv = ["demo", *argv]
    args = _parser().parse_args(argv)
    for name, value in vars(args).items():
        if value == []:  # what Python 3.11 makes of "--top=--"
            _parser().error(f"no value of --{name.replace('_', '-')}")
    for stream in (sys.stdout, sys.stderr):
        # The terminal may lack characters that file names contain.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        if args.n_jobs == 0 or args.n_jobs > MOST_JOBS:
            raise Problem(f"--n-jobs must be from 1 to {MOST_JOBS}; -1 means all processors.")
        # For matrices as small as ours, threads of BLAS wait for each other more than they work;
        # pictures are shared out by --n-jobs.
        with threadpool_limits(1, user_api="blas"), warnings.catch_warnings(), _tidy_end():
            # They are for programmers: what matters to users is part of the output.
            warnings.simplefilter("ignore")
            COMMANDS[args.command].main(args)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print(f"\nnrcdt {args.command}: stopped.", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except (Problem, CatalogueError, OSError) as error:
        text = str(error)
        if isinstance(error, OSError) and error.strerror:
            where = f": '{error.filename}'" if error.filename else ""
            text = f"{error.strerror}{where}."
        if not isinstance(error, Problem):
            text = readable(text)
        print(f"nrcdt {args.command}: {text}", file=sys.stderr)
        return 2
    return 0
