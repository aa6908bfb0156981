"""A catalogue of drawings in a folder of its own."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple, Self, cast

import numpy as np
from joblib import parallel_config
from sklearn.utils import Bunch

from sklearn_nrcdt import ShapeClassifier, __version__
from sklearn_nrcdt._estimators.shape_classifier import DESCRIPTION, describe, learn, restore
from sklearn_nrcdt._kernels.matching import BLOCK
from sklearn_nrcdt._kernels.points import points_of_small_maps
from sklearn_nrcdt._support.progress import Progress
from sklearn_nrcdt._support.types import (
    ArrayLike,
    FloatArray,
    Images,
    Invariance,
    NDArray,
    PathLike,
    Reflection,
)
from sklearn_nrcdt.catalogue._files import (
    Files,
    added_name,
    class_of,
    is_added,
    is_not_unicode,
    png_of,
    write_whole,
)
from sklearn_nrcdt.catalogue._store import (
    WRITER,
    CatalogueError,
    DamagedCatalogueError,
    OutdatedCatalogueError,
    Store,
    clear,
    writing,
)

# Drawings between two commits: what a killed process has to read again.
BATCH = 256
# Names of drawings that were removed though their files are still there.
LEFT_OUT = "left_out.json"
SETTINGS = ("invariance", "reflection", "invert")
# Share of the drawings that may change before the catalogue learns anew what strangers cost.
STALE = 0.1
# Rows of removed drawings that are tolerated, and as many as there are drawings.
WASTE = 1000


class _State(NamedTuple):
    """What is open: names, labels and rows of all drawings, and what answers about them."""

    names: list
    labels: list
    rows: np.ndarray
    model: ShapeClassifier | None


class _Points:
    """Points of drawings on the disk, checked and unpacked when they are needed."""

    def __init__(self, arrays, rows, check):
        self._arrays, self._rows, self._check = arrays, rows, check

    def __getitem__(self, places):
        self._check(places)
        rows = self._rows[places]
        directions, strength = (self._arrays[name][rows] for name in ("directions", "strength"))
        return points_of_small_maps(directions, strength)


class Catalogue:
    """Drawings that are kept, to recognize images by.

    `build` reads a folder of drawings once; later only new and changed files are read. A catalogue
    is a folder: arrays that are opened by memory map, and names in SQLite. Nothing in it is
    executed when it is opened, a killed process or a full disk does not damage it, and two
    processes cannot write to it at once. A pickled catalogue is its path, opened again when it is
    loaded.

    Parameters
    ----------
    path : str or path-like
        Folder of a catalogue that `build` has made.
    n_jobs : int, default=None
        Number of threads.

    Attributes
    ----------
    path : pathlib.Path
        Folder of the catalogue.
    settings : dict
        ``invariance``, ``reflection`` and ``invert`` as given to `build`, and ``drawings``, the
        folder of drawings.
    changes : Bunch
        Names of drawings that `build`, `update` or `add` found to be ``new``, ``changed`` or
        ``deleted``.
    rebuilt : str or None
        Why `build` had to read all drawings again, if it had to.
    skipped : dict
        Names and reasons of files that cannot be used.
    ignored : list of str
        Other files that `build` or `update` found: not images by their names.

    See Also
    --------
    sklearn_nrcdt.ShapeClassifier : Compares the drawings.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from sklearn_nrcdt.catalogue import Catalogue
    >>> from sklearn_nrcdt.datasets import load_symbols
    >>> symbols = load_symbols(size=64).images
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     catalogue = Catalogue.build(folder, Path(folder) / "catalogue")
    ...     added = catalogue.add(symbols[:5], ["a", "b", "c", "d", "e"])
    ...     costs, names = catalogue.search(np.rot90(symbols[[2, 4]], axes=(1, 2)), 1)
    ...     catalogue.close()
    >>> names.tolist()
    [['added/c.png'], ['added/e.png']]
    """

    def __init__(self, path: PathLike, *, n_jobs: int | None = None) -> None:
        self.path, self.n_jobs = Path(path), n_jobs
        self.rebuilt: str | None = None
        if not is_catalogue(self.path):
            raise FileNotFoundError(
                f"'{path}' is not a catalogue. Make one with Catalogue.build(folder, path)."
            )
        self._open()

    @classmethod
    def build(
        cls,
        drawings: PathLike,
        path: PathLike | None = None,
        *,
        invariance: Invariance = "affine",
        reflection: Reflection = "distinguish",
        invert: bool | Literal["auto"] = "auto",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> Self:
        """Build a catalogue from a folder of drawings, or bring it up to date.

        Parameters
        ----------
        drawings : str or path-like
            The folder. A drawing in a subfolder belongs to the class that the subfolder names,
            any other one is a class of its own.
        path : str or path-like, default=None
            Folder of the catalogue: a new name, or that of a catalogue. One that is of another
            version or damaged, or has other settings, is built again from its drawings. None
            takes the name of the folder with "-catalogue" at its end.
        invariance : {"affine", "similarity", "slant", "scale"}, default="affine"
            The maps that make no difference, see `ShapeClassifier`.
        reflection : {"distinguish", "ignore"}, default="distinguish"
            Whether mirror images are different shapes.
        invert : bool or "auto", default="auto"
            True for dark drawings on bright paper, False for bright ones; "auto" looks at the
            border of each.
        n_jobs : int, default=None
            Number of threads.
        verbose : int, default=0
            If positive, print the progress.

        Returns
        -------
        catalogue : Catalogue
            The catalogue, opened.
        """
        drawings = Path(drawings).resolve()
        if not drawings.is_dir():
            raise FileNotFoundError(f"'{drawings}' is not a folder of drawings.")
        path = drawings.with_name(f"{drawings.name}-catalogue") if path is None else Path(path)
        if path.exists() and not is_catalogue(path) and (path.is_file() or any(path.iterdir())):
            raise FileExistsError(
                f"'{path}' exists and is not a catalogue. Give the name of a new folder."
            )
        ShapeClassifier(invariance, reflection=reflection)._check_parameters()
        if invert not in (True, False, "auto"):
            raise ValueError(f"invert must be True, False or 'auto', got {invert!r}.")
        settings = {
            "invariance": invariance,
            "reflection": reflection,
            "invert": invert,
            "drawings": str(drawings),
        }
        path.mkdir(parents=True, exist_ok=True)
        self = cls.__new__(cls)
        self.path, self.n_jobs = path, n_jobs
        with writing(path):
            self.rebuilt = self._why_to_rebuild(settings)
            if self.rebuilt:
                clear(path)
                self._open(settings)
            try:
                self._store.put("drawings", str(drawings))
                self.settings = settings
                self._update(verbose)
            except BaseException:
                self.close()
                raise
        return self

    def __reduce__(self):
        # Another process opens the folder by itself.
        return partial(type(self), n_jobs=self.n_jobs), (self.path.absolute(),)

    @property
    def names(self) -> list[str]:
        """Names of the drawings: paths of their files, with slashes."""
        return self._state.names

    @property
    def labels(self) -> list[str]:
        """Classes of the drawings."""
        return self._state.labels

    @property
    def classifier(self) -> ShapeClassifier | None:
        """What answers; None if there are no drawings."""
        model = self._state.model
        self._check_complete(model)
        return model

    def update(self, verbose: int = 0) -> Bunch:
        """Read new and changed drawings, and forget deleted ones.

        Parameters
        ----------
        verbose : int, default=0
            If positive, print the progress.

        Returns
        -------
        changes : Bunch
            Names of the drawings that are ``new``, ``changed`` or ``deleted``.
        """
        with self._writing():
            return self._update(verbose)

    def add(
        self,
        images: Sequence[ArrayLike] | ArrayLike,
        names: Sequence[str],
        labels: Sequence[str | None] | None = None,
    ) -> list[str]:
        """Add drawings, as files in the catalogue's own folder.

        Parameters
        ----------
        images : sequence of array-like of shape (height, width)
            Bright figures on black.
        names : sequence of str
            A name for each that is not taken yet.
        labels : sequence of str, default=None
            Their classes. None makes each a class of its own.

        Returns
        -------
        names : list of str
            The names as in `names`.
        """
        self._check_open()
        labels = [None] * len(names) if labels is None else labels
        files = {}
        given = cast(list, images)
        if not len(given) == len(names) == len(labels):
            raise ValueError(
                f"Got {len(given)} images, {len(names)} names and {len(labels)} labels. Pass as "
                "many of each."
            )
        for image, name, label in zip(given, names, labels, strict=True):
            file = added_name(name, label)
            if file in files or (self.path / file).exists():
                raise ValueError(f"There is a drawing {name!r} already. Choose another name.")
            files[file] = png_of(image, name)
        with self._writing():
            for file, png in files.items():
                write_whole(self.path / file, png)
            self._update(0, only_added=True)
        return list(files)

    def remove(self, names: Sequence[str]) -> None:
        """Remove drawings.

        Files of drawings that were added are deleted. Those in the folder of drawings stay, but
        are left out from now on.

        Parameters
        ----------
        names : sequence of str
            Names, as in `names`.
        """
        self._check_names(names)
        with self._writing():
            others = {name for name in names if not is_added(name)}
            # Beside what is built again at times.
            left_out = json.dumps(sorted(self._left_out() | others))
            write_whole(self.path / LEFT_OUT, left_out.encode())
            for name in set(names) - others:
                self.file(name).unlink(missing_ok=True)
            self._store.remove(names)
            self._follow(len(set(names)))

    def search(
        self, images: Images, n_neighbors: int = 5
    ) -> tuple[FloatArray, NDArray[np.object_]]:
        """Find the drawings that match images best.

        Parameters
        ----------
        images : array-like of shape (n_images, height, width) or list of 2-D arrays
            Bright figures on black.
        n_neighbors : int, default=5
            Number of drawings for each image; all of them if there are fewer.

        Returns
        -------
        costs : ndarray of shape (n_images, n_neighbors)
            Costs of the matches in ascending order, see `ShapeClassifier.kneighbors`.
        names : ndarray of shape (n_images, n_neighbors)
            Names of the drawings.
        """
        answers = self.identify(images, n_neighbors)
        return answers.costs, answers.names

    def identify(self, images: Images, n_neighbors: int = 5) -> Bunch:
        """Find the class of each image and how sure that is.

        Parameters
        ----------
        images : array-like of shape (n_images, height, width) or list of 2-D arrays
            Bright figures on black.
        n_neighbors : int, default=5
            Number of drawings for each image; all of them if there are fewer.

        Returns
        -------
        answers : Bunch
            What `ShapeClassifier.identify` returns, and ``names`` of the drawings.
        """
        state = self._state
        if state.model is None:
            self._check_open()
            raise ValueError("The catalogue is empty. Add drawings first.")
        self._check_complete(state.model)
        with parallel_config(backend="threading"):  # drawings are on the disk, for this process
            answers = state.model.identify(images, n_neighbors)
        names = [state.names[place] for place in answers.indices.ravel()]
        answers.names = np.array(names, dtype=object).reshape(answers.indices.shape)
        return answers

    def file(self, name: str) -> Path:
        """Return the path of a drawing's file.

        Parameters
        ----------
        name : str
            Name, as in `names`.

        Returns
        -------
        path : pathlib.Path
            Where it was when the drawing was read.
        """
        return self._files.path(name)

    def thumbnail(self, name: str) -> bytes | None:
        """Return a small picture of a drawing, made when it is first asked for.

        Parameters
        ----------
        name : str
            Name, as in `names`.

        Returns
        -------
        png : bytes or None
            A PNG file, bright on black; None if the drawing can no longer be read.
        """
        state = self._state
        self._check_names([name])
        row = int(state.rows[state.names.index(name)])
        return self._store.thumbnail(row, lambda: self._files.thumbnail(name))

    def close(self) -> None:
        """Close the files."""
        self._state = _State([], [], np.empty(0, int), None)
        self._store.close()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with writing(self.path):
            self._store.check_current()
            yield

    def _check_complete(self, model):
        if model is not None and not hasattr(model, "twin_rate_"):
            raise CatalogueError(f"'{self.path}' is not complete: build it again to read the rest.")

    def _check_names(self, names):
        known = set(self.names)
        for name in names:
            if name not in known:
                self._check_open()
                raise ValueError(f"There is no drawing {name!r} in the catalogue.")

    def _check_open(self):
        self._store.get("layout")

    def _open(self, settings=None, whole=False):
        self._store = Store(self.path, DESCRIPTION, __version__, settings)
        self.ignored: list[str] = []
        self.settings = {key: self._store.get(key) for key in (*SETTINGS, "drawings")}
        try:
            self._load(whole)
        except BaseException:
            self._store.close()
            raise

    def _why_to_rebuild(self, settings):
        """Open the catalogue, or return why that cannot or should not be done."""
        try:
            self._open(settings, whole=True)
        except (DamagedCatalogueError, OutdatedCatalogueError) as error:
            return str(error)
        waste = self._store.get("rows") > 2 * len(self.names) + WASTE
        if not waste and all(self.settings[key] == settings[key] for key in SETTINGS):
            return None
        self.close()
        return f"'{self.path}' {'is mostly waste' if waste else 'had other settings'}."

    def _load(self, whole=False):
        """Take over what the store holds, by memory map; check the whole of it if asked to."""
        if whole:
            self._store.check_facts()
        drawings = self._store.drawings("row, name, label, checksum")
        self.skipped = {name: why for name, (why, *_) in self._store.get("skipped", {}).items()}
        if not drawings:
            self._state = _State([], [], np.empty(0, int), None)
            return
        numbers, names, labels, crcs = zip(*drawings, strict=True)
        rows, checksums, arrays = np.array(numbers), np.array(crcs), self._store.arrays()

        def check(places):
            self._store.check(arrays, rows[places], checksums[places])

        if whole:
            check(slice(None))
        templates = {
            "harmonics": arrays["harmonics"],
            "columns": rows,
            "squares": arrays["squares"][rows],
            "points": _Points(arrays, rows, check),
        }
        model = restore(self._classifier(), templates, labels, self._learned(rows, labels))
        self._state = _State(list(names), list(labels), rows, model)

    def _classifier(self):
        settings = {key: self.settings[key] for key in ("invariance", "reflection")}
        return ShapeClassifier(**settings, n_jobs=self.n_jobs)

    def _learned(self, rows, labels):
        """Return what was learned, for the drawings of today."""
        learned = self._store.get("learned")
        if learned is None:
            return None
        kept = np.isin(learned["probes"], rows)
        learned["probes"] = np.searchsorted(rows, learned["probes"][kept])
        learned["probe_costs"] = learned["probe_costs"][kept]
        known, classes = learned.pop("classes", None), np.unique(labels)
        if known is not None and np.isin(classes, known).all():
            columns = np.searchsorted(known, classes)
            learned["_slopes"] = learned["_slopes"][:, columns]
            learned["_intercepts"] = learned["_intercepts"][columns]
        elif known is not None:
            for name in ("_slopes", "_intercepts", "fusion_weights_"):
                del learned[name]
        return learned

    def _learn(self):
        """Learn what costs mean, if enough has changed."""
        names, _, rows, model = self._state
        harmonics = self._store.arrays()["harmonics"]
        harmonics = harmonics[rows // BLOCK, ..., rows % BLOCK]

        def images_of(places):
            probes = [names[place] for place in places]
            images, _ = self._files.read(probes)
            # Of a file that is gone meanwhile, nothing can be learned.
            return [images.get(name, np.zeros((1, 1), np.float32)) for name in probes]

        with parallel_config(backend="threading"):
            learned = learn(copy(model), harmonics, images_of)
        if "_slopes" in learned:
            learned["classes"] = cast(ShapeClassifier, model).classes_
        self._store.put("learned", learned | {"probes": rows[learned["probes"]]})
        self._load()

    def _update(self, verbose, only_added=False):
        known = {name: (size, changed) for _, name, _, size, changed, _ in self._store.drawings()}
        found, closed, ignored = self._files.find(known, self._left_out(), only_added)
        if not only_added:
            self.ignored = ignored
        # What was skipped before, with the same size and time of change, is not tried again.
        skipped = {
            name: why
            for name, why in self._store.get("skipped", {}).items()
            if (only_added and not is_added(name)) or (*why[1:],) == found.get(name)
        }
        skipped |= {name: [why] for name, why in closed.items()}
        skipped |= {
            name: ["its name is not valid Unicode: rename it", *facts]
            for name, facts in found.items()
            if is_not_unicode(name)
        }
        new = [name for name in found if name not in known and name not in skipped]
        changed = [name for name in known if found.get(name, known[name]) != known[name]]
        deleted = [name for name in known if name not in found]
        self._store.remove(deleted)
        self._read([*new, *changed], found, skipped, verbose)
        self._store.put("skipped", skipped)
        new = [name for name in new if name not in skipped]
        self.changes = Bunch(new=new, changed=changed, deleted=deleted)
        self._follow(sum(map(len, self.changes.values())))
        return self.changes

    def _follow(self, n_changes):
        """Load what is stored after changes, and learn anew if there were many."""
        self._load()
        since = self._store.get("since", 0) + n_changes
        learned, model = self._store.get("learned"), self._state.model
        if model is not None:
            # A class that discriminant analysis does not know.
            lost = learned is not None and "_slopes" in learned and model.fusion_weights_ is None
            if learned is None or lost or since > STALE * len(self.names):
                self._learn()
                since = 0
        self._store.put("since", since)

    @property
    def _files(self):
        return Files(self.path, Path(self.settings["drawings"]), self.settings["invert"])

    def _left_out(self):
        file = self.path / LEFT_OUT
        try:
            return set(json.loads(file.read_text("utf-8"))) if file.exists() else set()
        except (ValueError, TypeError) as error:
            raise CatalogueError(
                f"'{file}' is damaged. Delete it, which brings back the drawings that it names."
            ) from error

    def _read(self, names, found, skipped, verbose):
        """Read drawings and store what matching needs of them."""
        with Progress(len(names), verbose, "drawings") as progress:
            for start in range(0, len(names), BATCH):
                some = names[start : start + BATCH]
                images, reasons = self._files.read(some)
                skipped |= {name: [why, *found[name]] for name, why in reasons.items()}
                self._store.remove(reasons)
                if images:
                    drawings = [(name, class_of(name), *found[name]) for name in images]
                    described = describe(self._classifier(), list(images.values()))
                    self._store.append(drawings, described)
                progress.show(start + len(some))


def is_catalogue(path: PathLike) -> bool:
    """Tell whether a folder is a catalogue, of whatever version and state.

    Parameters
    ----------
    path : str or path-like
        The folder.

    Returns
    -------
    known : bool
        Whether `Catalogue` can open or `Catalogue.build` can rebuild it.

    Examples
    --------
    >>> from sklearn_nrcdt.catalogue import is_catalogue
    >>> is_catalogue("a folder that does not exist")
    False
    """
    return os.path.isfile(os.path.join(path, WRITER))
