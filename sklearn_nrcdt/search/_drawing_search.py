"""The estimator that finds the drawings of a catalogue in photographs of paper."""

import math
from functools import partial
from numbers import Integral, Real
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import Bunch
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from sklearn_nrcdt._estimators.distance_classifier import validate_labels
from sklearn_nrcdt._estimators.exact_neighbors import check_n_neighbors
from sklearn_nrcdt._support.compat import Interval, StrOptions, fit_context
from sklearn_nrcdt._support.estimator import Estimator
from sklearn_nrcdt._support.images import validate_images
from sklearn_nrcdt._support.messages import warn
from sklearn_nrcdt._support.progress import Progress
from sklearn_nrcdt._support.samples import first_few
from sklearn_nrcdt._support.types import (
    ArrayLike,
    FloatArray,
    Images,
    IntArray,
    NDArray,
    Polarity,
    Shape,
)
from sklearn_nrcdt._support.workers import n_workers, run_batches
from sklearn_nrcdt.search._coarse_to_fine import find_drawings, scale_class
from sklearn_nrcdt.search._filters import refuse_sparse
from sklearn_nrcdt.search._kernels.line_elements import line_elements, pose_matrix
from sklearn_nrcdt.search._kernels.pages import shared_elements
from sklearn_nrcdt.search._kernels.ridges import block_mean
from sklearn_nrcdt.search._kernels.segments import SPACING, WORTH_COMPILING, cover, parts_of
from sklearn_nrcdt.search._resolutions import check_enlargement, zooms_of

# An unknown scale is searched in these zooms of the photograph, to each side by these scales: all
# within a factor of three, in steps of a tenth.
ANY_ZOOMS = 3.0 ** (np.array([-5, -3, -1, 1, 3, 5]) / 6)
ANY_SCALES = 3.0 ** (np.array([-3, -1, 1, 3]) / 24)
# Of an unknown scale, paper of more working pixels, half a square meter, is not tried.
MAX_PAPER = 8e6


class DrawingSearch(ClassifierMixin, Estimator):
    """Find catalogued drawings in photographs: watermarks and other faint line drawings.

    For figures that are faint and lie among other lines, stains and handwriting, where features of
    the whole image fail. Each drawing is thinned to line elements, the photograph is filtered for
    ridges in six directions, and the two are correlated over all positions and the given poses.
    Whitening suppresses repeated patterns such as laid lines. One drawing of each figure is enough.

    Parameters
    ----------
    stroke_width : float, default=4.0
        Width of the strokes in the photographs, in pixels: about a millimetre of paper for
        watermarks, so 4 at 100 dpi and 12 at 300 dpi; 0.1 to 1000. Strokes of drawings may have
        any width.
    polarity : {"auto", "dark", "bright"}, default="auto"
        Whether strokes are darker or brighter than the paper in the photographs. "auto" looks
        for both, which takes up to twice as long.
    rotations : array-like of float, default=(0,)
        Angles in degrees, counterclockwise, by which the drawings may be rotated. Deviations of
        up to 3 degrees make little difference: ``range(0, 360, 6)`` covers all rotations.
    scales : array-like of float or "any", default=(1,)
        Sizes of a drawing's pixel in pixels of the photograph, or relative to what `dpi` says in
        `fit` and `locate`. Deviations of up to 5 % make little difference. "any" is for photographs
        of unknown scale, up to three times as large or as small, and takes some 20 times as long.
    mirror : bool, default=False
        Whether to look for mirror images as well: paper seen from the other side.
    n_candidates : int, default=40
        How many of the drawings that fit best by their segments, in each photograph, are compared
        by all of their lines, in poses between those given.
    pages : bool, default=True
        Whether drawings and photographs may be pages as archives publish them, with a ruler, an
        arrow or a caption. What most drawings share, and long straight lines among it, is then
        left out (`n_left_out_`), if the catalogue has at least 13 classes and almost all of its
        drawings have such parts. A photograph is cut out of a white page.
    fragments : bool, default=False
        Whether a quarter of a drawing may be all that is in the photograph. Takes twice as long,
        and more drawings fit by chance. False requires the center to be inside.
    image_shape : tuple (height, width), default=None
        Shape of flattened images. Not needed for lists of images and for stacks.
    n_jobs : int, default=None
        Number of workers that share the photographs, or the drawings if there are fewer
        photographs than workers; -1 means all processors.
    verbose : int, default=0
        Verbosity of the progress report.

    Attributes
    ----------
    n_drawings_ : int
        Number of drawings.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted, if `fit` was given any.
    drawing_labels_ : ndarray of shape (n_drawings,)
        Label of each drawing, as a position in `classes_`, if `fit` was given any.
    n_left_out_ : ndarray of shape (n_drawings,)
        How many parts of each drawing were left out because most drawings have them.
    share_kept_ : ndarray of shape (n_drawings,)
        Share of each drawing's lines that was kept.
    image_shape_ : tuple (height, width) or None
        Shape of the drawings, None if they have different shapes.
    n_features_in_ : int or None
        Number of pixels of a drawing, None if they have different shapes.

    See Also
    --------
    sklearn_nrcdt.NearestTemplateClassifier : For drawings compared with drawings.
    FlattenIllumination : The first step of this search.
    OrientedRidges : The second one.

    Notes
    -----
    A score is the maximum of the correlation, in standard deviations of the correlation over the
    photograph. Compare scores within one photograph; to tell whether the best drawing is in the
    photograph at all, compare its score with its `chance`, which `locate` returns, and with the
    scores of the other drawings.

    Drawings may be larger than the photograph or extend beyond it: only their center must be
    inside, or a quarter of their lines with `fragments`.

    With numba (``pip install "sklearn-nrcdt[search]"``) large catalogues are searched several times
    as fast, with the same results. ``python -m benchmarks.accuracy search`` measures how often the
    right drawing is found, ``python -m benchmarks.performance search`` the time.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_nrcdt.search import DrawingSearch
    >>> square, cross = np.zeros((60, 60)), np.zeros((60, 60))
    >>> square[[10, 49], 10:50] = square[10:50, [10, 49]] = 1
    >>> cross[30, 5:55] = cross[5:55, 30] = 1
    >>> search = DrawingSearch(polarity="dark").fit([square, cross], ["square", "cross"])
    >>> photo = np.random.default_rng(0).normal(200, 4, (150, 200))
    >>> for shift in range(4):
    ...     photo[40 + shift : 100 + shift, 100 + shift : 160 + shift] -= 8 * cross
    >>> search.predict([photo])
    array(['cross'], dtype='<U6')
    >>> search.locate([photo]).centers
    array([[[ 70.5, 130.5]]])
    """

    _fixed_by_fit = ("stroke_width", "pages", "image_shape")
    _parameter_constraints: dict = {
        "stroke_width": [Interval(Real, 0.1, 1000, closed="both")],
        "polarity": [StrOptions({"auto", "dark", "bright"})],
        "rotations": ["array-like"],
        "scales": ["array-like", StrOptions({"any"})],
        "mirror": ["boolean"],
        "n_candidates": [Interval(Integral, 1, None, closed="left")],
        "pages": ["boolean"],
        "fragments": ["boolean"],
        "image_shape": [None, tuple, list],
        "n_jobs": [None, Integral],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        stroke_width: float = 4.0,
        *,
        polarity: Polarity | Literal["auto"] = "auto",
        rotations: ArrayLike = (0,),
        scales: ArrayLike | Literal["any"] = (1,),
        mirror: bool = False,
        n_candidates: int = 40,
        pages: bool = True,
        fragments: bool = False,
        image_shape: Shape | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.stroke_width = stroke_width
        self.polarity = polarity
        self.rotations = rotations
        self.scales = scales
        self.mirror = mirror
        self.n_candidates = n_candidates
        self.pages = pages
        self.fragments = fragments
        self.image_shape = image_shape
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Images, y: ArrayLike | None = None, *, dpi: ArrayLike | None = None) -> Self:
        """Thin the drawings.

        Parameters
        ----------
        X : list of 2-D arrays, or array-like of shape (n_drawings, height, width)
            Drawings, bright strokes on black, of any sizes; also as rows of pixels.
        y : array-like of shape (n_drawings,), default=None
            Labels of the drawings, for `predict`; several may have the same.
        dpi : float or array-like of shape (n_drawings,), default=None
            Dots per inch of the drawings, from 1 to 100,000. None means `stroke_width` pixels for
            a millimeter.

        Returns
        -------
        self : object
            Fitted search.
        """
        refuse_sparse(self, X)
        labels = None if y is None else validate_labels(self, y)
        drawings = validate_images(self, X, reset=True)
        self._poses()
        self.n_drawings_ = len(drawings)
        self._zooms = self._zooms_of(dpi, self.n_drawings_, "drawings")
        check_enlargement(drawings, self._zooms, "drawings")
        self._remember_parameters()
        for name in ("classes_", "drawing_labels_"):
            self.__dict__.pop(name, None)
        if labels is not None:
            check_consistent_length(drawings, labels)
            self.classes_, self.drawing_labels_ = np.unique(labels, return_inverse=True)
        given = zip(drawings, self._zooms, strict=True)
        found = []
        with Progress(self.n_drawings_, self.verbose, "drawings") as progress:
            for drawing in run_batches(_thin, given, self.n_jobs):
                found.append(drawing)
                progress.show(len(found))
        elements, centers, bright = zip(*found, strict=True)
        empty = [i for i, points in enumerate(elements) if not len(points)]
        if empty:
            raise ValueError(f"{_subject('drawing', empty)} without strokes. Remove what is empty.")
        if any(bright):
            warn(
                f"{_subject('drawing', np.flatnonzero(bright))} bright in more than half of all "
                "pixels. Strokes must be bright on black: sklearn_nrcdt.preprocessing.Invert "
                "makes them so."
            )
        self.n_left_out_, self.share_kept_ = np.zeros(len(elements), int), np.ones(len(elements))
        if self.pages:
            labels = getattr(self, "drawing_labels_", None)
            shared, self.n_left_out_ = shared_elements(elements, labels)
            self.share_kept_ = np.array([1 - s.mean() for s in shared])
            elements = tuple(e[~s] for e, s in zip(elements, shared, strict=True))
        self._elements, self._centers = elements, np.array(centers)
        self._segments: dict = {}
        self._cover()
        return self

    def kneighbors(
        self, X: Images, n_neighbors: int = 5, *, dpi: ArrayLike | None = None
    ) -> tuple[FloatArray, IntArray]:
        """Find the drawings that fit best into photographs.

        Parameters
        ----------
        X : list of 2-D arrays, or array-like of shape (n_photos, height, width)
            Photographs in grey, of any sizes; also as rows of pixels.
        n_neighbors : int, default=5
            Number of drawings for each photograph.
        dpi : float or array-like of shape (n_photos,), default=None
            Dots per inch of the photographs. None means `stroke_width` pixels for a millimeter.

        Returns
        -------
        scores : ndarray of shape (n_photos, n_neighbors)
            How well they fit, the best first.
        indices : ndarray of shape (n_photos, n_neighbors)
            Their positions among the drawings given to `fit`.
        """
        indices, scores, *_ = self._best(X, n_neighbors, dpi)
        return scores, indices

    def locate(self, X: Images, n_neighbors: int = 1, *, dpi: ArrayLike | None = None) -> Bunch:
        """Find the best drawings in photographs, and where they are.

        Parameters
        ----------
        X : list of 2-D arrays, or array-like of shape (n_photos, height, width)
            Photographs in grey, of any sizes; also as rows of pixels.
        n_neighbors : int, default=1
            Number of drawings for each photograph.
        dpi : float or array-like of shape (n_photos,), default=None
            Dots per inch of the photographs. None means `stroke_width` pixels for a millimeter.

        Returns
        -------
        matches : :class:`~sklearn.utils.Bunch`
            With the fields

            indices : ndarray of shape (n_photos, n_neighbors)
                Positions among the drawings given to `fit`, the best first.
            scores : ndarray of shape (n_photos, n_neighbors)
                How well they fit.
            chance : ndarray of shape (n_photos,)
                Score that the best one reaches by chance: that of its mirror images, which have
                such lines in other places, less what they share with it. NaN if it is symmetric.
            centers : ndarray of shape (n_photos, n_neighbors, 2)
                Row and column of the center of the strokes in the photograph.
            rotations, scales, mirrored : ndarray of shape (n_photos, n_neighbors)
                Pose: degrees counterclockwise, pixels of the photograph for a pixel of the
                drawing, and whether it is the mirror image.
            polarities : ndarray of shape (n_photos, n_neighbors)
                "dark" or "bright".
            maps : ndarray of shape (n_photos, n_neighbors, 2, 3)
                Pixel (row, column) of the drawing is ``map[:, :2] @ (row, column) + map[:, 2]``
                in the photograph.
            strokes : list of lists of ndarray of shape (n_points, 2)
                Rows and columns of the thinned drawing in the photograph, for drawing over it.
        """
        order, scores, poses, centers, chance = self._best(X, n_neighbors, dpi, with_chance=True)
        centers -= 0.5
        zooms = self._zooms_of(dpi, len(order), "photographs")
        poses[..., 2] *= self._zooms[order] / zooms[:, None]
        matrices = np.array([[pose_matrix(*pose[1:]) for pose in photo] for photo in poses])
        own = self._centers[order] - 0.5
        shifts = centers - np.einsum("nkij,nkj->nki", matrices, own)
        maps = np.concatenate([matrices, shifts[..., None]], axis=-1)
        strokes = [
            [
                self._elements[i][:, :2] / self._zooms[i] @ matrix.T + center
                for i, matrix, center in zip(*photo, strict=True)
            ]
            for photo in zip(order, matrices, centers, strict=True)
        ]
        return Bunch(
            indices=order,
            scores=scores,
            chance=chance,
            centers=centers,
            rotations=(poses[..., 1] + 180) % 360 - 180,
            scales=poses[..., 2],
            mirrored=poses[..., 3].astype(bool),
            polarities=np.array(self._polarities())[poses[..., 0].astype(int)],
            maps=maps,
            strokes=strokes,
        )

    def predict(self, X: Images) -> NDArray[Any]:
        """Predict the labels of photographs.

        Parameters
        ----------
        X : list of 2-D arrays, or array-like of shape (n_photos, height, width)
            Photographs in grey, of any sizes; also as rows of pixels.

        Returns
        -------
        y : ndarray of shape (n_photos,)
            Label of the drawing that fits best; of several, the one that comes first in
            `classes_`.
        """
        scores = self._class_scores(X)
        return self.classes_[scores.argmax(axis=1)]

    def decision_function(self, X: Images) -> FloatArray:
        """Rank the labels of photographs: the greater, the better the best drawing fits.

        Parameters
        ----------
        X : list of 2-D arrays, or array-like of shape (n_photos, height, width)
            Photographs in grey, of any sizes; also as rows of pixels.

        Returns
        -------
        scores : ndarray of shape (n_photos, n_classes) or (n_photos,)
            Score of the best drawing of each class. Drawings that are not among the candidates
            have the score of the coarse search, at most that of the last candidate. For two
            classes, by scikit-learn's convention, the score of the second minus that of the first.
        """
        scores = self._class_scores(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def _class_scores(self, X):
        """Return the score of the best drawing of each class in each photograph."""
        check_is_fitted(self)
        if not hasattr(self, "classes_"):
            raise ValueError(
                "DrawingSearch was fitted without labels. Pass y to fit, or ask kneighbors for "
                "positions in the catalogue."
            )

        def take(match):
            scores = np.full(len(self.classes_), -np.inf)
            np.maximum.at(scores, self.drawing_labels_, match.scores)
            return scores

        return np.array(self._search(X, 1, take))

    def _best(self, X, n_neighbors, dpi, with_chance=False):
        """Return indices, scores, poses, centers and chance of the best matches of photographs."""

        def take(match):
            best = np.argsort(-match.scores, kind="stable")[:n_neighbors]
            return best, match.scores[best], match.poses[best], match.centers[best], match.chance

        found = self._search(X, n_neighbors, take, dpi, with_chance)
        return map(np.array, zip(*found, strict=True))

    def _search(self, X, n_neighbors, take, dpi=None, with_chance=False):
        """Return what `take` makes of the matches of each photograph."""
        check_is_fitted(self)
        self._check_parameters_again()
        check_n_neighbors(n_neighbors, self.n_drawings_, "drawings")
        photos = self._validate_photos(X)
        n = len(photos)
        zooms = self._zooms_of(dpi, n, "photographs")
        check_enlargement(photos, zooms, "photographs")
        # One photograph after the other if there are too few to share.
        share_photos = n >= n_workers(self.n_jobs)
        factors = ANY_ZOOMS if isinstance(self.scales, str) else [1.0]
        poses = self._cover()
        run = partial(
            _search_photo,
            factors=factors,
            elements=self._elements,
            segments=self._segments,
            polarities=self._polarities(),
            poses=poses,
            compiled=n * self.n_drawings_ * len(poses) * len(factors) >= WORTH_COMPILING,
            pages=self.pages,
            fragments=self.fragments,
            with_chance=with_chance,
            n_kept=max(self.n_candidates, n_neighbors),
            workers=1 if share_photos else self.n_jobs,
        )
        taken, blank = [], []
        with Progress(n, self.verbose, "photographs") as progress:
            given = zip(photos, zooms, strict=True)
            results = run_batches(run, given, self.n_jobs if share_photos else 1)
            for i, match in enumerate(results):
                taken.append(take(match))
                progress.show(len(taken))
                if match.blank:
                    blank.append(i)
        if blank:
            warn(
                f"{_subject('photograph', blank)} uniform, so there is nothing to find in "
                f"{'it' if len(blank) == 1 else 'them'}: all scores are 0."
            )
        return taken

    def _cover(self):
        """Cover the drawings by segments for the scales of all poses, and return the poses."""
        poses = self._poses()
        for k in {scale_class(scale) for _, scale, _ in poses} - self._segments.keys():
            covers = [cover(drawing, SPACING / 2 ** (k / 2)) for drawing in self._elements]
            self._segments[k] = covers, parts_of(covers, range(len(covers)))
        return poses

    def _validate_photos(self, X):
        refuse_sparse(self, X)
        width = X.shape[1] if getattr(X, "ndim", 0) == 2 else self.n_features_in_
        if self.n_features_in_ not in (None, width):
            raise ValueError(
                f"X has {width} features, but DrawingSearch is expecting {self.n_features_in_} "
                "features as input. Pass photographs of any sizes as a list of 2-D arrays, a "
                "single one as X[None]."
            )
        return validate_images(self, X, reset=False)

    def _zooms_of(self, dpi, n, what):
        return zooms_of(25 * self.stroke_width if dpi is None else dpi, n, what)

    def _polarities(self):
        return ("dark", "bright") if self.polarity == "auto" else (self.polarity,)

    def _poses(self):
        """Return all (rotation, scale, mirror), the first of each parameter first."""
        rotations = _numbers(self.rotations, "rotations", "degrees")
        scales = ANY_SCALES if isinstance(self.scales, str) else self.scales
        scales = _numbers(scales, "scales", "positive factors from 0.001 to 1000", (1e-3, 1e3))
        mirrors = (False, True) if self.mirror else (False,)
        return [(r, s, m) for m in mirrors for s in scales for r in rotations]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        tags.input_tags.positive_only = True
        tags.input_tags.three_d_array = True
        # scikit-learn's checks pass noise, in which any drawing may win.
        tags.classifier_tags.poor_score = True
        return tags


def _numbers(values, name, what, limits=(-math.inf, math.inf)):
    try:
        numbers = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    fine = numbers.ndim == 1 and len(numbers) and np.isfinite(numbers).all()
    if not fine or numbers.min() < limits[0] or numbers.max() > limits[1]:
        raise ValueError(f"{name} must be a list of {what}, at least one, got {values!r}.")
    return numbers.tolist()


def _thin(drawing, zoom):
    # Twice the working resolution is enough, and fine lines stay.
    shrink = max(1, math.floor(0.5 / zoom))
    bright = drawing > drawing.max() / 2
    small = block_mean(bright[None], shrink)[0] > 0
    zoom = zoom * shrink
    elements, center = line_elements(small, smoothing=3 / zoom)
    elements[:, :2] *= zoom
    center = center * shrink
    if zoom < 1:  # one element for each working pixel, whatever the resolution
        _, first = np.unique(np.floor(elements[:, :2]), axis=0, return_index=True)
        elements = elements[np.sort(first)]
    # Smaller pictures are too small to tell.
    is_bright = min(drawing.shape) >= 8 and bright.mean() > 0.5
    return elements, center, is_bright


def _search_photo(photo, zoom, factors, **options):
    """Search a photograph at its zoom times each factor, and return the best of each drawing."""
    size = photo.size * zoom**2
    best = None
    for factor in [factors[0], *(f for f in factors[1:] if size * f**2 <= MAX_PAPER)]:
        found = find_drawings(photo, zoom=zoom * factor, **options)
        found.poses[:, 2] /= factor
        if best is None:
            best = found
            continue
        if found.scores.max() > best.scores.max():
            best.chance = found.chance
        better = found.scores > best.scores
        for name in ("scores", "poses", "centers"):
            getattr(best, name)[better] = getattr(found, name)[better]
    return best


def _subject(what, indices):
    """Return "drawing 3 is" or "drawings 3, 5 are"."""
    s, are = ("", "is") if len(indices) == 1 else ("s", "are")
    return f"{what}{s} {first_few(indices)} {are}"
