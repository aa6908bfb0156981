"""The arguments of ``nrcdt``."""

import argparse
import os
import sys
import warnings

from threadpoolctl import threadpool_limits

from sklearn_nrcdt import __version__
from sklearn_nrcdt._commands import classify, demo, features, find, match
from sklearn_nrcdt._commands.console import Problem
from sklearn_nrcdt._commands.extractors import DEFAULT, FEATURES

COMMANDS = {
    "demo": demo,
    "match": match,
    "find": find,
    "classify": classify,
    "features": features,
}
# The commands that compare pictures by features.
COMPARING = (match, classify, features)


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
        if module in COMPARING:
            _add_feature_option(command)
        if module is not demo:
            _add_picture_options(command)
        command.add_argument(
            "--n-jobs",
            type=int,
            default=-1,
            metavar="N",
            help="processors to use (default -1: all)",
        )
    return parser


def _add_feature_option(command):
    command.add_argument(
        "--feature",
        choices=FEATURES,
        default=DEFAULT,
        metavar="NAME",
        help=f"what to compare, see below (default {DEFAULT})",
    )


def _add_picture_options(command):
    command.add_argument(
        "--ink",
        choices=("auto", "dark", "bright"),
        default="auto",
        help="whether drawings are darker or brighter than the paper (default: find out)",
    )
    command.add_argument(
        "--skip-broken", action="store_true", help="leave out files that cannot be used"
    )
    command.add_argument("--quiet", action="store_true", help="show no progress")


def _epilog(module):
    text = f"example:\n  {module.EXAMPLE}"
    if module not in COMPARING:
        return text
    width = max(map(len, FEATURES))
    names = "\n".join(f"  {name:{width}}  {meaning}" for name, meaning in FEATURES.items())
    return f"features:\n{names}\n\n{text}"


def main(argv=None):
    """Run the command line and return the exit status."""
    argv = sys.argv[1:] if argv is None else list(argv)
    if not argv or (argv[0].startswith("-") and argv[0] not in ("-h", "--help", "--version")):
        argv = ["demo", *argv]
    args = _parser().parse_args(argv)
    for stream in (sys.stdout, sys.stderr):
        # Names of files may have letters that the terminal has not.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        if args.n_jobs == 0:
            raise Problem("--n-jobs must not be 0; -1 means all processors.")
        # For matrices as small as ours, threads of BLAS wait for each other more than they work;
        # pictures are shared out by --n-jobs. threadpoolctl comes with scikit-learn.
        with threadpool_limits(1, user_api="blas"), warnings.catch_warnings():
            # They are for programmers: what matters to users is part of the output.
            warnings.simplefilter("ignore")
            COMMANDS[args.command].main(args)
        sys.stdout.flush()
    except Problem as problem:
        print(f"nrcdt {args.command}: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"\nnrcdt {args.command}: stopped.", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    return 0
