"""Images in, classes out: contours matched point by point in the shape's own frame."""

from functools import partial
from numbers import Integral
from typing import Any, Self

import numpy as np
from scipy.special import softmax
from sklearn.base import ClassifierMixin
from sklearn.utils import Bunch
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from sklearn_nrcdt._estimators.base import ImageEstimator, pick
from sklearn_nrcdt._estimators.distance_classifier import check_labels, order_by_content
from sklearn_nrcdt._estimators.exact_neighbors import check_n_neighbors
from sklearn_nrcdt._estimators.hog import InvariantHOG, prepared_shapes
from sklearn_nrcdt._estimators.nearest_template import known_samples, unknown_label
from sklearn_nrcdt._kernels import certainty
from sklearn_nrcdt._kernels.circle import N_ORDERS, from_circle, to_circle
from sklearn_nrcdt._kernels.contours import whitened_chunks
from sklearn_nrcdt._kernels.discriminant import learn_discriminant, learn_weights
from sklearn_nrcdt._kernels.matching import N_CANDIDATES, Catalogue, find_matches, in_blocks
from sklearn_nrcdt._kernels.points import (
    MAPS,
    NOTHING,
    PACKED,
    contour_maps,
    contour_waves,
    packed_points,
    small_maps,
)
from sklearn_nrcdt._kernels.tangents import WINDOWS, gradients, tangent_harmonics
from sklearn_nrcdt._support.compat import fit_context, fit_progress, validate_data
from sklearn_nrcdt._support.images import n_images
from sklearn_nrcdt._support.samples import evenly_spaced, some_of_each
from sklearn_nrcdt._support.types import (
    ArrayLike,
    FloatArray,
    Images,
    IntArray,
    Invariance,
    NDArray,
    Reflection,
    Shape,
)

# The whitened image and its gradients are those of InvariantHOG.
N_CELLS = 64
WIDTH = 0.12
HARMONICS = (N_ORDERS, len(WINDOWS)), np.complex64
# What is kept of a template: names, shapes and types of arrays, one row for each template.
DESCRIPTION = {
    "harmonics": HARMONICS,
    "squares": ((), np.float64),
    "directions": MAPS[0],
    "strength": MAPS[1],
}
# What `fit` learns from templates besides, apart from what it learns of some of them.
LEARNED = (
    *("circle_weight_", "usual_cost_", "usual_gap_", "twin_rate_", "fusion_weights_"),
    *("_slopes", "_intercepts"),
)
BLANK = "They match other blank images only."
# Templates that `fit` leaves out in turn, to learn how strangers compare; more of them if classes
# have several samples, to learn how relatives compare as well.
N_PROBES = 64
N_PROBES_OF_CLASSES = 256
# Samples that discriminant analysis learns from at most.
N_SAMPLES = 2000
# More classes than this would make its tables larger than memory.
MOST_CLASSES = 2000
# Where strangers cost less than this, shapes are smooth and points tell little: distances on the
# circle join the costs.
SMOOTH = 0.15
MOST_CIRCLE = 3.0


def _shapes(images, image_shape, invariance):
    """Yield positions in the batch, `contour_waves` and harmonics of those with mass."""
    shapes = prepared_shapes(images, image_shape, invariance)
    for places, cells in whitened_chunks(shapes, invariance, N_CELLS):
        slopes = gradients(cells, WIDTH)
        yield places, contour_waves(*slopes), tangent_harmonics(*slopes)


def _describe(images, small=False, **frame):
    """Return harmonics, packed points or small maps of a batch, and which images are blank."""
    n = n_images(images)
    kinds = (HARMONICS, *MAPS) if small else (HARMONICS, PACKED)
    found = [np.zeros((n, *shape), dtype) for shape, dtype in kinds]
    blank = np.ones(n, bool)
    for places, waves, harmonics in _shapes(images, **frame):
        maps = contour_maps(waves)
        parts = small_maps(*maps) if small else [packed_points(*maps)]
        for part, new in zip(found, (harmonics, *parts), strict=True):
            part[places] = new
        blank[places] = False
    return *found, blank


def _match(images, left_out, frame, catalogue, discriminant, pool, options):
    """Return templates, costs, distances, scores of classes, and which images are blank."""
    n, n_wanted = n_images(images), options["n_wanted"]
    # What a blank image matches: blank templates, then the others.
    first = np.argsort(catalogue.squares > 0, kind="stable")[:n_wanted]
    places = np.repeat(first[None], n, axis=0)
    costs = np.where(catalogue.squares[places] > 0, NOTHING, 0.0)
    distances = np.zeros_like(costs)
    scores = np.zeros((n, discriminant[0].shape[1] if discriminant else 0))
    blank = np.ones(n, bool)
    for rows, waves, harmonics in _shapes(images, **frame):
        circles = to_circle(harmonics)
        for row, wave, circle in zip(rows, waves, circles, strict=True):
            places[row], costs[row], distances[row] = find_matches(
                wave, circle, catalogue, left_out=int(left_out[row]), **options
            )
        if discriminant:
            scores[rows] = pool(harmonics) @ discriminant[0] + discriminant[1]
        blank[rows] = False
    return places, costs, distances, scores, blank


def _ranked(places, costs, distances, weight):
    """Return templates and costs with distances, in ascending order; ties by position."""
    costs = np.round(costs + weight * distances, 6)
    order = np.lexsort((places, costs), axis=1)
    return np.take_along_axis(places, order, axis=1), np.take_along_axis(costs, order, axis=1)


def _joined(n, batches):
    """Return arrays for all images from positions and arrays for batches of them."""
    joined: list[np.ndarray] = []
    for rows, *parts in batches:
        if not joined:
            joined = [np.empty((n, *part.shape[1:]), part.dtype) for part in parts]
        for whole, part in zip(joined, parts, strict=True):
            whole[rows] = part
    return joined


class ShapeClassifier(ClassifierMixin, ImageEstimator):
    """Classify images by their shapes, from one sample of each class or from many.

    Each shape is resampled in a frame of its own, where the maps of `invariance` change nothing
    but a rotation. There its contours are some 150 points, each with a small histogram of the
    gradients around it. Templates that are near on the circle of `InvariantHOG` are matched
    point by point: every point of either shape pays for its cheapest partner in the other. This
    forgives bends, as between two hands. Where classes have several samples, scores of a linear
    discriminant analysis of `InvariantHOG` features join in, with a weight that `fit` learns by
    leaving samples out.

    Parameters
    ----------
    invariance : {"affine", "similarity", "slant", "scale"}, default="affine"
        The maps of the image that make no difference. All include shifts.

        - "affine": rotation, scale, shear, different scales along two axes.
        - "similarity": rotation and one scale. Keeps the aspect ratio, which a flat scan never
          changes.
        - "slant": width, height and slant of upright shapes, such as handwriting; no rotation.
        - "scale": one scale of upright shapes; no rotation. Small affine differences are
          forgiven.
    reflection : {"distinguish", "ignore"}, default="distinguish"
        Whether mirror images are different shapes. For "slant" and "scale", "ignore" ignores
        left-right flips.
    unknown_label : int or str, default=None
        Label that `predict` gives to images that probably show none of the classes: those that
        `identify` marks "unknown". None always answers with a class. Training images may carry
        the label: they belong to no class and do not become templates, and `score` counts them
        as right when they are not recognized.
    image_shape : tuple (height, width), default=None
        Shape of flattened images. Not needed for stacks of shape
        (n_images, height, width) and for flattened square images.
    n_jobs : int, default=None
        Number of parallel workers; -1 means all processors. They are threads unless
        `joblib.parallel_config` chooses another backend. The result does not depend on them.
    verbose : int, default=0
        Verbosity of joblib: 1 or more prints the progress. In `fit`, callbacks of scikit-learn
        1.9, such as `sklearn.callback.ProgressBar`, see every batch.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted, without `unknown_label`.
    template_indices_ : ndarray of shape (n_templates,)
        Position of each template among the images given to `fit`, ordered by class.
    template_labels_ : ndarray of shape (n_templates,)
        Class of each template.
    n_samples_fit_ : int
        Number of images given to `fit`.
    circle_weight_ : float
        Weight of the squared distance on the circle in the costs: near 0 where points tell
        shapes apart, up to 3 for smooth silhouettes.
    usual_cost_ : float
        Median cost of a template and its best match of another class.
    usual_gap_ : float
        Scale of the logarithm of the ratio between the best two costs of strangers.
    twin_rate_ : float
        Share of the templates that would clearly be taken for another class if their own were
        missing, 0.03 where too few could tell. Above that, the catalogue has near-twins, and
        answers are less sure.
    fusion_weights_ : ndarray of shape (2,) or None
        Weights of discriminant analysis and of costs; None with one sample per class.
    image_shape_ : tuple (height, width) or None
        Shape of the images; None if `fit` saw images of different shapes.
    n_features_in_ : int or None
        Number of pixels; None if `fit` saw images of different shapes.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the pixels, if `fit` was given a data frame with string column names.

    See Also
    --------
    InvariantHOG : Features of the same contours, for other classifiers.
    NearestTemplateClassifier : The nearest template in any space of features.

    Notes
    -----
    A template takes 17 kB of memory. Costs and marks do not depend on the order of the images,
    nor on batches or workers. Computations are in float32.

    References
    ----------
    S. Belongie, J. Malik, J. Puzicha: Shape matching and object recognition using shape
    contexts. IEEE PAMI 24 (2002).

    Examples
    --------
    >>> from sklearn_nrcdt import ShapeClassifier
    >>> from sklearn_nrcdt.datasets import make_symbols
    >>> symbols = make_symbols(2, random_state=0)
    >>> model = ShapeClassifier().fit(symbols.templates, symbols.template_target)
    >>> model.score(symbols.images, symbols.target)
    1.0
    """

    _fixed_by_fit = ("invariance", "reflection")  # templates are described by these
    _parameter_constraints: dict = {
        "invariance": InvariantHOG._parameter_constraints["invariance"],
        "reflection": InvariantHOG._parameter_constraints["reflection"],
        "unknown_label": [Integral, str, None],
        **ImageEstimator._parameter_constraints,
    }

    def __init__(
        self,
        invariance: Invariance = "affine",
        *,
        reflection: Reflection = "distinguish",
        unknown_label: int | str | None = None,
        image_shape: Shape | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.invariance = invariance
        self.reflection = reflection
        self.unknown_label = unknown_label
        self.image_shape = image_shape
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Images, y: ArrayLike) -> Self:
        """Store the templates and learn how sure a match is.

        Parameters
        ----------
        X : array-like of shape (n_images, height, width) or (n_images, height * width)
            Grey images, bright on dark. Rows may be sparse. Pass images of different
            shapes as a list of 2-D arrays.
        y : array-like of shape (n_images,)
            Their classes.

        Returns
        -------
        self : object
            Fitted classifier.
        """
        labels = validate_data(self, y=y)
        check_labels(labels)
        images = self._validate_and_set_up(X)
        check_consistent_length(range(n_images(images)), labels)
        known = known_samples(labels, self.unknown_label)
        self.n_samples_fit_ = len(labels)
        self.classes_, codes = np.unique(labels[known], return_inverse=True)
        self._unknown_label()
        order = np.argsort(codes, kind="stable")
        self.template_indices_ = known[order]
        self.template_labels_ = labels[self.template_indices_]
        self._codes = codes[order]
        batches = self._batches(images)
        progress = fit_progress(self, X, y, n_steps=len(batches))
        described = partial(_describe, **self._frame())
        described = self._run(images, batches, described, progress=progress, blank=BLANK)
        harmonics, self._points = (
            part[self.template_indices_] for part in _joined(n_images(images), described)
        )
        scaled, self._squares = _scaled(harmonics)
        self._harmonics, self._columns = in_blocks(scaled), np.arange(len(scaled))
        self._learn_certainty(
            harmonics, lambda places: pick(images, self.template_indices_[places])
        )
        return self

    def predict(self, X: Images) -> NDArray[Any]:
        """Predict the classes of images.

        Parameters
        ----------
        X : array-like of shape (n_images, height, width) or (n_images, height * width)
            Grey images, in any form that `fit` takes.

        Returns
        -------
        y : ndarray of shape (n_images,)
            The classes that match best, or `unknown_label`. Ties go to the class that comes
            first in `classes_`.
        """
        return self.identify(X, 1).labels

    def predict_proba(self, X: Images) -> FloatArray:
        """Estimate the probabilities of the classes.

        Parameters
        ----------
        X : array-like of shape (n_images, height, width) or (n_images, height * width)
            Grey images, in any form that `fit` takes.

        Returns
        -------
        probabilities : ndarray of shape (n_images, n_classes)
            Probabilities in the order of `classes_`, given that an image shows one of them.
        """
        return self._collect(X, lambda found: [found.probabilities])[0]

    def decision_function(self, X: Images) -> FloatArray:
        """Score the classes for each image: the greater, the better they match.

        Parameters
        ----------
        X : array-like of shape (n_images, height, width) or (n_images, height * width)
            Grey images, in any form that `fit` takes.

        Returns
        -------
        scores : ndarray of shape (n_images, n_classes) or (n_images,)
            Minus the cost of the best match or, if classes have several samples, a weighted sum
            with the scores of discriminant analysis. For two classes, by scikit-learn's
            convention, one number: the probability of the second minus that of the first.
        """
        check_is_fitted(self)
        if len(self.classes_) == 2:
            chances = self.predict_proba(X)
            return chances[:, 1] - chances[:, 0]
        return self._collect(X, lambda found: [found.scores])[0]

    def kneighbors(self, X: Images, n_neighbors: int = 5) -> tuple[FloatArray, IntArray]:
        """Find the templates that match images best.

        Parameters
        ----------
        X : array-like of shape (n_images, height, width) or (n_images, height * width)
            Grey images, in any form that `fit` takes.
        n_neighbors : int, default=5
            Number of templates to find.

        Returns
        -------
        costs : ndarray of shape (n_images, n_neighbors)
            Costs of the matches, in ascending order: 0 for equal shapes, mostly 0.3 to 1 for
            different ones, 10,000 if only one of the two is blank.
        indices : ndarray of shape (n_images, n_neighbors)
            Positions of the templates among the images given to `fit`.
        """
        check_is_fitted(self)
        found = self.identify(X, check_n_neighbors(n_neighbors, len(self._codes)))
        return found.costs, found.indices

    def identify(self, X: Images, n_neighbors: int = 5) -> Bunch:
        """Find the class of each image, how sure that is, and the templates that match best.

        Parameters
        ----------
        X : array-like of shape (n_images, height, width) or (n_images, height * width)
            Grey images, in any form that `fit` takes.
        n_neighbors : int, default=5
            Number of templates to find; all of them if there are fewer.

        Returns
        -------
        answers : `sklearn.utils.Bunch`
            Arrays with one row for each image:

            labels : ndarray of shape (n_images,)
                What `predict` returns.
            marks : ndarray of shape (n_images,)
                "clear", "likely" or "doubtful": the label is right with a probability of at
                least 90 %, at least 50 %, or less; "unknown": probably none of the classes.
            right, none : ndarray of shape (n_images,)
                Probabilities that the label is right and that no class is, if half of all
                images showed none of the classes.
            costs, indices : ndarray of shape (n_images, n_neighbors)
                What `kneighbors` returns.

        Examples
        --------
        >>> from sklearn_nrcdt import ShapeClassifier
        >>> from sklearn_nrcdt.datasets import make_symbols
        >>> symbols = make_symbols(1, random_state=0)
        >>> model = ShapeClassifier().fit(symbols.templates[:8], symbols.template_target[:8])
        >>> model.identify(symbols.images[[6, 10]]).marks  # the last one is in no template
        array(['clear', 'unknown'], dtype='<U8')
        """
        check_is_fitted(self)
        n_neighbors = min(check_n_neighbors(n_neighbors, np.inf), len(self._codes))
        names = ("labels", "marks", "right", "none", "costs", "indices")

        def parts_of(found):
            found.costs = found.costs[:, :n_neighbors]
            found.indices = self.template_indices_[found.places[:, :n_neighbors]]
            return [found[name] for name in names]

        parts = self._collect(X, parts_of, n_neighbors)
        return Bunch(**dict(zip(names, parts, strict=True)))

    def _collect(self, X, parts_of, n_wanted=0):
        """Return parts of the answers to all images."""
        check_is_fitted(self)
        self._check_parameters_again()
        self._unknown_label()
        images = self._validate(X, reset=False)
        n, batches = n_images(images), self._batches(images)
        match, nobody = self._matcher(max(n_wanted, N_CANDIDATES)), np.full(n, -1)
        matched = self._run(images, batches, match, along=(nobody,), blank=BLANK)
        return _joined(n, ((rows, *parts_of(self._answers(*found))) for rows, *found in matched))

    def _answers(self, places, costs, distances, scores):
        """Return everything about the answers to a batch, from what `_match` returns."""
        places, costs = _ranked(places, costs, distances, self.circle_weight_)
        codes = self._codes[places]
        scores = self._scores(codes, costs, scores)
        best = scores.argmax(axis=1)
        ranked_codes, ranked_costs = certainty.class_ranks(codes, costs, best)
        levels = certainty.gap_levels(ranked_costs, self.usual_gap_)
        if self.fusion_weights_ is None:
            probabilities = certainty.class_probabilities(ranked_codes, levels, len(self.classes_))
        else:
            probabilities = softmax(scores, axis=1)
        template = places[np.arange(len(places)), (codes == best[:, None]).argmax(axis=1)]
        chance = probabilities[np.arange(len(best)), best]
        wrong = (1 - chance) / chance
        relative = ranked_costs[:, 0], self._usual_costs[template]
        wrong += certainty.odds_of_twins(self.twin_rate_, *relative)
        none = certainty.odds_of_none(levels, *relative)
        right = 1 / (1 + wrong + none)
        marks = certainty.marks(right, none * right)
        labels = self.classes_[best]
        unknown = self._unknown_label()
        if unknown is not None:
            labels = np.where(marks == "unknown", unknown, labels)
        return Bunch(
            scores=scores,
            probabilities=probabilities,
            labels=labels,
            marks=marks,
            right=right,
            none=none * right,
            costs=costs,
            places=places,
        )

    def _unknown_label(self):
        if self.unknown_label is None:
            return None
        return unknown_label(self.unknown_label, self.classes_, "unknown_label=None")

    def _scores(self, codes, costs, scores):
        """Return the scores of all classes."""
        # Classes that are not among the candidates cost as much as the worst of these.
        lowest = np.repeat(costs.max(axis=1, keepdims=True), len(self.classes_), axis=1)
        np.minimum.at(lowest, (np.arange(len(codes))[:, None], codes), costs)
        if self.fusion_weights_ is None:
            return -lowest
        return self.fusion_weights_[0] * scores - self.fusion_weights_[1] * lowest

    def _frame(self):
        return {"image_shape": self.image_shape_, "invariance": self.invariance}

    def _pool(self):
        return InvariantHOG(self.invariance, reflection=self.reflection)._pool()

    def _matcher(self, n_wanted):
        """Return the function (batch of images, templates to leave out) -> what they match."""
        upright = self.invariance in ("slant", "scale")
        return partial(
            _match,
            frame=self._frame(),
            catalogue=Catalogue(
                self._harmonics, self._squares, self._points, self._codes, self._columns
            ),
            discriminant=None if self._slopes is None else (self._slopes, self._intercepts),
            pool=self._pool(),
            options={
                "upright": upright,
                "mirror": self.reflection == "ignore",
                "step": self.invariance == "scale",
                "n_wanted": min(n_wanted, len(self._codes)),
            },
        )

    def _numbers_per_image(self):
        return 16 * N_CELLS**2

    def _learn_certainty(self, harmonics, images_of):
        """Learn what costs mean, by leaving templates out.

        Takes the harmonics of all templates, and a function that returns the images of some.
        """
        n, n_classes = len(self._codes), len(self.classes_)
        # In an order that does not depend on that of the samples.
        order, _ = order_by_content(to_circle(harmonics), self._codes)
        several = n > n_classes > 1
        left_out = None
        self._slopes = self._intercepts = self.fusion_weights_ = None
        if several and n_classes <= MOST_CLASSES:
            order = some_of_each(order, self._codes, N_SAMPLES)
            features = self._pool()(harmonics[order])
            self._slopes, self._intercepts, left_out = learn_discriminant(
                features, self._codes[order], n_classes
            )
        probes = evenly_spaced(len(order), N_PROBES_OF_CLASSES if several else N_PROBES)
        left_out = None if left_out is None else left_out[probes]
        probes = order[probes]
        places, costs, distances = self._match_probes(images_of, probes)
        own = self._codes[probes]
        strange = np.where(self._codes[places] == own[:, None], np.inf, costs).min(
            axis=1, initial=np.inf
        )
        strange = strange[np.isfinite(strange)]
        strange = np.median(strange) if len(strange) else np.inf
        self.circle_weight_ = float(min((SMOOTH / max(strange, 1e-9)) ** 3, MOST_CIRCLE))
        places, costs = _ranked(places, costs, distances, self.circle_weight_)
        codes = self._codes[places]
        _, ranked = certainty.class_ranks(codes, costs, strangers_to=own)
        self.usual_cost_, self.usual_gap_ = certainty.stranger_statistics(ranked[:, :2])
        self._set_usual_costs(probes, np.fmax(ranked[:, 0], self.usual_cost_))
        levels = certainty.gap_levels(ranked, self.usual_gap_)
        odds = np.nansum(certainty.odds_of_others(levels), axis=1)
        none = certainty.odds_of_none(levels, ranked[:, 0], self._usual_costs[probes])
        self.twin_rate_ = certainty.twin_rate(1 / (1 + odds + none) >= certainty.CLEAR)
        if self._slopes is not None:
            self.fusion_weights_ = np.ones(2)
            lowest = -self._scores(codes, costs, np.zeros((len(codes), n_classes)))
            self.fusion_weights_ = learn_weights(left_out, lowest, own)

    def _set_usual_costs(self, probes, costs):
        """Set what the nearest stranger of each template costs, given that of some."""
        self._probes, self._probe_costs = probes, costs
        self._usual_costs = np.full(len(self._codes), self.usual_cost_)
        self._usual_costs[probes] = costs

    def _match_probes(self, images_of, probes):
        """Return what templates match apart from themselves: templates, costs, distances."""
        n_wanted = min(N_CANDIDATES, len(self._codes) - 1)
        shape = (len(probes), n_wanted)
        if not n_wanted:
            return np.zeros(shape, int), np.zeros(shape), np.zeros(shape)
        images = images_of(probes)
        batches, match = self._batches(images), self._matcher(n_wanted)
        matched = self._run(images, batches, match, along=(probes,), blank=None)
        return _joined(len(probes), matched)[:3]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # scikit-learn's checks pass points, not shapes
        return tags


def describe(model, images):
    """Return the arrays of DESCRIPTION for a list of images, by name.

    The model need not be fitted. Images are drawings of their own, whatever they look like.
    """
    _set_up_for_any_shape(model)
    function = partial(_describe, small=True, **model._frame())
    described = model._run(images, model._batches(images), function, blank=None)
    harmonics, *maps = _joined(n_images(images), described)
    return dict(zip(DESCRIPTION, (*_scaled(harmonics), *maps), strict=True))


def restore(model, templates, labels, learned):
    """Make a model ready to answer without its images, and return it.

    `templates` are the arrays of `Catalogue` by name, without codes; `learned` is what `learn`
    returned, if anything.
    """
    _set_up_for_any_shape(model)
    model.n_samples_fit_ = len(labels)
    model.template_indices_ = np.arange(len(labels))
    model.template_labels_ = np.asarray(labels)
    model.classes_, model._codes = np.unique(model.template_labels_, return_inverse=True)
    for name, part in templates.items():
        setattr(model, f"_{name}", part)
    if learned is not None:
        for name in LEARNED:
            setattr(model, name, learned[name][()] if name in learned else None)
        model._set_usual_costs(learned["probes"], learned["probe_costs"])
    return model


def _set_up_for_any_shape(model):
    model._validate_and_set_up([np.zeros((1, 1)), np.zeros((1, 2))])


def learn(model, harmonics, images_of):
    """Learn what `fit` learns, given the harmonics of all templates and images of some.

    Returns arrays by name; those that are None are left out.
    """
    scale = np.where(np.arange(N_ORDERS), np.sqrt(2), 1).astype(np.float32)[:, None]
    model._learn_certainty(harmonics.conj() / scale, images_of)
    found = {name: getattr(model, name) for name in LEARNED}
    found |= {"probes": model._probes, "probe_costs": model._probe_costs}
    return {name: np.asarray(value) for name, value in found.items() if value is not None}


def _scaled(harmonics):
    """Return harmonics as `Catalogue` has them, and their squared norms."""
    scaled = from_circle(to_circle(harmonics)).conj().astype(np.complex64)
    return scaled, np.square(scaled.view(np.float32), dtype=np.float64).sum(axis=(1, 2))
