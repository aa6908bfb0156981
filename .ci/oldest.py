"""Print the oldest versions that pyproject.toml admits, as requirements for pip.

The run-time dependencies, and of the extra `test` the packages that are named on the command
line, or ``--all`` of it. Where the lower bound has no wheel for the Python that runs this, the
oldest newer release with one is taken, and said so on stderr.
"""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]


def bounds(requirements):
    """Return name -> lower bound of requirements such as ``dask[array]>=2024.8``."""
    return dict(requirement.split(">=") for requirement in requirements)


def wheels(name):
    """Return the releases of a package with a wheel for this Python, oldest first."""
    # pip lists them when none of them will do.
    pip = [sys.executable, "-m", "pip", "install", "--dry-run", "--no-deps"]
    command = [*pip, "--only-binary", ":all:", f"{name.partition('[')[0]}==0"]
    message = subprocess.run(command, capture_output=True, text=True).stderr
    found = re.search(r"from versions: (.*?)\)", message)
    if not found:
        sys.exit(f"pip knows no wheels of {name}: {message}")
    return [version for version in found[1].split(", ") if re.fullmatch(r"[\d.]+", version)]


def as_numbers(version):
    """Return what versions are compared by: 2.1 is 2.1.0."""
    return [int(part) for part in re.sub(r"(\.0)+$", "", version).split(".")]


def oldest(name, bound):
    """Return the oldest release with a wheel that is not below the bound."""
    best = next(v for v in wheels(name) if as_numbers(v) >= as_numbers(bound))
    if as_numbers(best) != as_numbers(bound):
        python = ".".join(map(str, sys.version_info[:2]))
        print(f"{name} {best}: {bound} has no wheel for Python {python}", file=sys.stderr)
    return best


if __name__ == "__main__":
    wanted = bounds(PROJECT["dependencies"])
    tools = bounds(PROJECT["optional-dependencies"]["test"])
    wanted |= tools if sys.argv[1:] == ["--all"] else {name: tools[name] for name in sys.argv[1:]}
    for name, bound in wanted.items():
        print(f"{name}=={oldest(name, bound)}")
