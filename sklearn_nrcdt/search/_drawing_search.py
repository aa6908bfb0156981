"""Drawings of a catalogue in photographs of paper."""

import os
import warnings
from functools import partial
from numbers import Integral, Real

import numpy as np
import scipy.sparse as sp
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Bunch, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.parallel import delayed
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from sklearn_nrcdt._estimators.base import one_by_one
from sklearn_nrcdt._kernels.line_elements import line_elements, pose_matrix
from sklearn_nrcdt._kernels.paper import STROKE
from sklearn_nrcdt._support.caller import stacklevel_of_caller
from sklearn_nrcdt._support.compat import (
    CallbackSupportMixin,
    Interval,
    StrOptions,
    fit_context,
    fit_progress,
)
from sklearn_nrcdt._support.doclink import DocLinkMixin
from sklearn_nrcdt._support.images import n_images, validate_images
from sklearn_nrcdt._support.progress import Progress
from sklearn_nrcdt.search._catalogue import catalogue
from sklearn_nrcdt.search._levels import all_elements, search

LEVELS = (8, 4, 2)
# Of the candidates of a level, one in so many goes on to the next.
SHARE = 4


class DrawingSearch(DocLinkMixin, CallbackSupportMixin, ClassifierMixin, BaseEstimator):
    """Find catalogued drawings in photographs: watermarks and other faint line drawings.

    Features of a whole image describe everything in it. If a figure is faint and lies among
    other lines, stains and handwriting, search for it instead. Each drawing is thinned to line
    elements, the photograph is filtered for ridges in six directions, and the two are correlated
    over all positions and the given poses. Whitening the ridges first suppresses repeated
    patterns such as laid lines. There is no training: one drawing of each figure is enough.

    Parameters
    ----------
    stroke_width : float, default=4.0
        Width of the strokes in the photographs, in pixels: about a millimetre of paper for
        watermarks, so 4 at 100 dpi and 12 at 300 dpi. Drawings have the same scale as the
        photographs, unless `scales` says otherwise; their own strokes may have any width.
    polarity : {"auto", "dark", "bright"}, default="auto"
        Whether strokes are darker or brighter than the paper in the photographs. "auto" looks
        for both, which takes up to twice as long.
    rotations : array-like of float, default=(0,)
        Angles in degrees, counterclockwise, by which the drawings may be rotated. Deviations of
        up to 3 degrees make little difference: ``range(0, 360, 6)`` covers all rotations.
    scales : array-like of float, default=(1,)
        Sizes of a drawing's pixel in pixels of the photograph. Deviations of up to 5 % make
        little difference.
    mirror : bool, default=False
        Whether to look for mirror images as well: paper seen from the other side.
    levels : tuple of int, default=(4, 2)
        Resolutions of the search, coarse to fine, as distances between grid points in pixels
        for strokes that are four pixels wide. All drawings are searched for on the first grid,
        and the best of them again on the others. (8, 4, 2) is faster and good enough for clear
        figures; (2,) is slower and leaves no drawing out.
    n_candidates : int, default=40
        How many drawings are searched for again on the second grid, for each photograph, in
        poses between those given. A quarter of them goes on to the third grid, if there is one.
    cache : str or path-like, default=None
        Existing folder for the spectra of the drawings if they take more than 1 GB of memory.
        Without it they are computed again for each photograph. You may delete the files after
        the search.
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
    image_shape_ : tuple (height, width) or None
        Shape of the drawings, None if they have different shapes.
    n_features_in_ : int or None
        Number of pixels of a drawing, None if they have different shapes.

    See Also
    --------
    sklearn_nrcdt.NearestTemplateClassifier : For drawings compared with drawings.
    sklearn_nrcdt.preprocessing.FlattenIllumination : The first step of this search.
    sklearn_nrcdt.preprocessing.OrientedRidges : The second one.

    Notes
    -----
    A score is the maximum of the correlation, in standard deviations of the correlation over the
    photograph. Compare scores within one photograph; to tell whether the best drawing is in the
    photograph at all, compare its score with those of photographs without a drawing.

    ``python -m benchmarks.accuracy search`` measures how often the right drawing is found,
    compared with OpenCV, and ``python -m benchmarks.performance search`` measures the time and
    what the coarse `levels` miss.

    Drawings may be larger than the photograph or extend beyond it: only their centre must be
    inside.

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
    >>> search.locate([photo]).centres
    array([[[ 70.5, 130.5]]])
    """

    _parameter_constraints: dict = {
        "stroke_width": [Interval(Real, 0, None, closed="neither")],
        "polarity": [StrOptions({"auto", "dark", "bright"})],
        "rotations": ["array-like"],
        "scales": ["array-like"],
        "mirror": ["boolean"],
        "levels": [tuple, list],
        "n_candidates": [Interval(Integral, 1, None, closed="left")],
        "cache": [None, str, os.PathLike],
        "image_shape": [None, tuple, list],
        "n_jobs": [None, Integral],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        stroke_width=4.0,
        *,
        polarity="auto",
        rotations=(0,),
        scales=(1,),
        mirror=False,
        levels=(4, 2),
        n_candidates=40,
        cache=None,
        image_shape=None,
        n_jobs=None,
        verbose=0,
    ):
        self.stroke_width = stroke_width
        self.polarity = polarity
        self.rotations = rotations
        self.scales = scales
        self.mirror = mirror
        self.levels = levels
        self.n_candidates = n_candidates
        self.cache = cache
        self.image_shape = image_shape
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Thin the drawings.

        Parameters
        ----------
        X : list of 2-D arrays, or array-like of shape (n_drawings, height, width) or \
                (n_drawings, height * width)
            Drawings, bright strokes on black, of any sizes.
        y : array-like of shape (n_drawings,), default=None
            Labels of the drawings, for `predict`; several may have the same.

        Returns
        -------
        self : object
            Fitted search.
        """
        drawings = validate_images(self, X, reset=True)
        self._poses()
        levels = tuple(self.levels)
        if not levels or levels != tuple(k for k in LEVELS if k in levels):
            raise ValueError(f"levels must be some of {LEVELS} in this order, got {self.levels!r}.")
        if self.cache is not None and not os.path.isdir(self.cache):
            raise ValueError(f"cache={self.cache!r} is no folder. Create it, or pass None.")
        zoom = STROKE / self.stroke_width
        self.n_drawings_ = n_images(drawings)
        for name in ("classes_", "drawing_labels_"):
            if hasattr(self, name):
                delattr(self, name)
        if y is not None:
            check_consistent_length(np.empty(self.n_drawings_), y)
            self.classes_, self.drawing_labels_ = _classes(y)
        run = partial(_thin, zoom=zoom, shape=self.image_shape_)
        parallel = one_by_one(n_jobs=self.n_jobs)
        tasks = (delayed(run)(_one(drawings, i)) for i in range(self.n_drawings_))
        with Progress(self.n_drawings_, self.verbose, "drawings") as progress:
            found = list(_counted(parallel(tasks), progress))
        elements, centres, bright = zip(*found, strict=True)
        empty = [i for i, points in enumerate(elements) if not len(points)]
        if empty:
            raise ValueError(f"{_named('drawing', empty)} without strokes. Remove what is empty.")
        if any(bright):
            _warn(
                f"{_named('drawing', np.flatnonzero(bright))} bright in more than half of all "
                "pixels. Strokes must be bright on black: sklearn_nrcdt.preprocessing.Invert "
                "makes them so."
            )
        self._catalogue = catalogue(elements, levels[0], self.cache)
        self._centres = np.array(centres)
        for _ in fit_progress(self, X, y, n_steps=0):
            pass
        return self

    def kneighbors(self, X, n_neighbors=5):
        """Find the drawings that fit best into photographs.

        Parameters
        ----------
        X : list of 2-D arrays, or array-like of shape (n_photos, height, width) or \
                (n_photos, height * width)
            Photographs in grey, of any sizes.
        n_neighbors : int, default=5
            Number of drawings for each photograph.

        Returns
        -------
        scores : ndarray of shape (n_photos, n_neighbors)
            How well they fit, the best first.
        indices : ndarray of shape (n_photos, n_neighbors)
            Their positions among the drawings given to `fit`.
        """
        best = self._best(X, n_neighbors)
        return best.scores, best.indices

    def locate(self, X, n_neighbors=1):
        """Find the best drawings in photographs, and where they are.

        Parameters
        ----------
        X : list of 2-D arrays, or array-like of shape (n_photos, height, width) or \
                (n_photos, height * width)
            Photographs in grey, of any sizes.
        n_neighbors : int, default=1
            Number of drawings for each photograph.

        Returns
        -------
        matches : :class:`~sklearn.utils.Bunch`
            With the fields

            indices : ndarray of shape (n_photos, n_neighbors)
                Positions among the drawings given to `fit`, the best first.
            scores : ndarray of shape (n_photos, n_neighbors)
                How well they fit.
            centres : ndarray of shape (n_photos, n_neighbors, 2)
                Row and column of the centre of the strokes in the photograph.
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
        best = self._best(X, n_neighbors)
        order, poses, centres = best.indices, best.poses, best.centres - 0.5
        matrices = np.array([[pose_matrix(*pose[1:]) for pose in photo] for photo in poses])
        own = self._centres[order] - 0.5
        shifts = centres - np.einsum("nkij,nkj->nki", matrices, own)
        maps = np.concatenate([matrices, shifts[..., None]], axis=-1)
        zoom = STROKE / self.stroke_width
        elements = all_elements(self._catalogue)
        strokes = [
            [
                elements[i][:, :2] / zoom @ matrix.T + centre
                for i, matrix, centre in zip(*photo, strict=True)
            ]
            for photo in zip(order, matrices, centres, strict=True)
        ]
        return Bunch(
            indices=order,
            scores=best.scores,
            centres=centres,
            rotations=(poses[..., 1] + 180) % 360 - 180,
            scales=poses[..., 2],
            mirrored=poses[..., 3].astype(bool),
            polarities=np.array(self._polarities())[poses[..., 0].astype(int)],
            maps=maps,
            strokes=strokes,
        )

    def predict(self, X):
        """Predict the labels of photographs.

        Parameters
        ----------
        X : list of 2-D arrays, or array-like of shape (n_photos, height, width) or \
                (n_photos, height * width)
            Photographs in grey, of any sizes.

        Returns
        -------
        y : ndarray of shape (n_photos,)
            Label of the drawing that fits best; of several, the one that comes first in
            `classes_`.
        """
        self._check_labels()
        scores = np.array(self._search(X, 1, self._class_scores))
        return self.classes_[scores.argmax(axis=1)]

    def decision_function(self, X):
        """Rank the labels of photographs: the greater, the better the best drawing fits.

        Parameters
        ----------
        X : list of 2-D arrays, or array-like of shape (n_photos, height, width) or \
                (n_photos, height * width)
            Photographs in grey, of any sizes.

        Returns
        -------
        scores : ndarray of shape (n_photos, n_classes) or (n_photos,)
            Score of the best drawing of each class. Drawings that are not among the candidates
            have the score of the coarse search, at most that of the last candidate. For two
            classes, by scikit-learn's convention, the score of the second minus that of the first.
        """
        self._check_labels()
        scores = np.array(self._search(X, 1, self._class_scores))
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def _class_scores(self, match):
        scores = np.full(len(self.classes_), -np.inf)
        np.maximum.at(scores, self.drawing_labels_, match.scores)
        return scores

    def _best(self, X, n_neighbors):
        """Return indices, scores, poses and centres of the best matches of all photographs."""

        def take(match):
            best = np.argsort(-match.scores, kind="stable")[:n_neighbors]
            return best, match.scores[best], match.poses[best], match.centres[best]

        found = map(np.array, zip(*self._search(X, n_neighbors, take), strict=True))
        return Bunch(**dict(zip(("indices", "scores", "poses", "centres"), found, strict=True)))

    def _search(self, X, n_neighbors, take):
        """Return what `take` makes of the matches of each photograph."""
        check_is_fitted(self)
        if (
            not isinstance(n_neighbors, int | np.integer)
            or not 1 <= n_neighbors <= self.n_drawings_
        ):
            raise ValueError(
                "n_neighbors must be an integer from 1 to the number of drawings, "
                f"{self.n_drawings_}, got {n_neighbors!r}."
            )
        photos = self._validate_photos(X)
        n = n_images(photos)
        # One photograph after the other if there are too few to share.
        share_photos = n >= effective_n_jobs(self.n_jobs)
        candidates = max(self.n_candidates, n_neighbors)
        run = partial(
            _search_photo,
            parts=self._catalogue,
            shape=self.image_shape_,
            stroke_width=self.stroke_width,
            polarities=self._polarities(),
            poses=self._poses(),
            levels=tuple(self.levels),
            n_kept=[max(candidates // SHARE**k, n_neighbors) for k in range(len(self.levels) - 1)],
            workers=1 if share_photos else self.n_jobs,
        )
        parallel = one_by_one(n_jobs=self.n_jobs if share_photos else 1)
        taken, blank = [], []
        with Progress(n, self.verbose, "photographs") as progress:
            results = parallel(delayed(run)(_one(photos, i)) for i in range(n))
            for i, match in enumerate(_counted(results, progress)):
                taken.append(take(match))
                if match.blank:
                    blank.append(i)
        if blank:
            _warn(
                f"{_named('photograph', blank)} of one colour and cannot contain a drawing: all "
                "scores are 0."
            )
        return taken

    def _validate_photos(self, X):
        try:
            return validate_images(self, X, reset=False)
        except ValueError as error:
            if "features, but" not in str(error):
                raise
            raise ValueError(
                f"{error} Photographs of any sizes are passed as a list of 2-D arrays, a single "
                "one as X[None]."
            ) from None

    def _check_labels(self):
        check_is_fitted(self)
        if not hasattr(self, "classes_"):
            raise ValueError(
                "DrawingSearch was fitted without labels. Pass y to fit, or ask kneighbors for "
                "positions in the catalogue."
            )

    def _polarities(self):
        return ("dark", "bright") if self.polarity == "auto" else (self.polarity,)

    def _poses(self):
        """Return all (rotation, scale, mirror), the first of each parameter first."""
        rotations = _numbers(self.rotations, "rotations", "degrees")
        scales = _numbers(self.scales, "scales", "positive factors", positive=True)
        mirrors = (False, True) if self.mirror else (False,)
        return [(r, s, m) for m in mirrors for s in scales for r in rotations]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.input_tags.three_d_array = True
        # What is found in noise is anything: photographs are no points of a table.
        tags.classifier_tags.poor_score = True
        return tags


def _numbers(values, name, what, positive=False):
    try:
        numbers = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    fine = numbers.ndim == 1 and len(numbers) and np.isfinite(numbers).all()
    if not fine or (positive and numbers.min() <= 0):
        raise ValueError(f"{name} must be a list of {what}, at least one, got {values!r}.")
    return numbers.tolist()


def _classes(y):
    y = column_or_1d(y, warn=True)
    with warnings.catch_warnings():
        # One drawing for each label is what we are made for, not a hint at regression.
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        check_classification_targets(y)
    return np.unique(y, return_inverse=True)


def _one(images, i):
    # SciPy has 1-D sparse arrays only since 1.13.
    return images[[i]] if sp.issparse(images) else images[i]


def _picture(image, shape):
    return image.toarray().reshape(shape) if sp.issparse(image) else image


def _thin(drawing, zoom, shape):
    drawing = _picture(drawing, shape)
    elements, centre = line_elements(drawing, reach=3 / zoom)
    elements[:, :2] *= zoom
    # Of tiny pictures nobody can say.
    is_bright = min(drawing.shape) >= 8 and np.mean(drawing > drawing.max() / 2) > 0.5
    return elements, centre, is_bright


def _search_photo(photo, parts, shape, **options):
    return search(_picture(photo, shape), parts, **options)


def _counted(results, progress):
    for n, result in enumerate(results, 1):
        progress.show(n)
        yield result


def _warn(message):
    warnings.warn(message, UserWarning, stacklevel=stacklevel_of_caller())


def _named(what, indices):
    shown = ", ".join(map(str, indices[:20])) + (", ..." if len(indices) > 20 else "")
    return f"{what} {shown} is" if len(indices) == 1 else f"{what}s {shown} are"
