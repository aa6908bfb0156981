"""Images in, classes out: contours matched point by point in the shape's own frame."""

from functools import partial
from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import Bunch
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from sklearn_nrcdt._estimators.base import ImageEstimator, joined, pick
from sklearn_nrcdt._estimators.distance_classifier import validate_labels
from sklearn_nrcdt._estimators.exact_neighbors import check_n_neighbors
from sklearn_nrcdt._estimators.hog import InvariantHOG, prepared_shapes
from sklearn_nrcdt._estimators.nearest_template import known_samples, unknown_label
from sklearn_nrcdt._kernels import calibration, certainty, matching, points
from sklearn_nrcdt._kernels.circle import N_ORDERS, to_circle
from sklearn_nrcdt._kernels.contours import contour_gradients, upright
from sklearn_nrcdt._kernels.discriminant import learn_discriminant, learn_weights
from sklearn_nrcdt._kernels.tangents import WINDOWS, tangent_harmonics
from sklearn_nrcdt._support.compat import fit_context, without_callbacks
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
    "directions": points.MAPS[0],
    "strength": points.MAPS[1],
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
          forgiven, as smooth bends are for "slant" and "scale".
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
        Median cost of a template and its best match of another class; of the next one, if most
        templates have a near-twin.
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
        labels = validate_labels(self, y)
        images = self._validate_and_set_up(X)
        check_consistent_length(range(n_images(images)), labels)
        known = known_samples(labels, self.unknown_label)
        self.n_samples_fit_ = len(labels)
        self.classes_, codes = np.unique(labels[known], return_inverse=True)
        self._unknown_label()
        order = np.argsort(codes, kind="stable")
        self.template_indices_ = known[order]
        self.template_labels_ = labels[self.template_indices_]
        described = self._run(images, without_callbacks(self)._describe, of_fit=(X, y), blank=BLANK)
        found = joined(n_images(images), described)
        harmonics, packed = (part[self.template_indices_] for part in found)
        scaled, squares = matching.scaled_for_matching(harmonics)
        self._catalogue = matching.Catalogue(
            matching.in_blocks(scaled), squares, packed, codes[order], np.arange(len(order))
        )
        self._learn(harmonics, lambda places: pick(images, self.template_indices_[places]))
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
        return self._answer(X, ["labels"])[0]

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
        return self._answer(X, ["probabilities"])[0]

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
        return self._answer(X, ["scores"])[0]

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
        check_n_neighbors(n_neighbors)
        n_neighbors = check_n_neighbors(n_neighbors, len(self.template_indices_))
        costs, indices = self._answer(X, ["costs", "indices"], n_neighbors)
        return costs, indices

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
        n_neighbors = check_n_neighbors(n_neighbors)
        names = ["labels", "marks", "right", "none", "costs", "indices"]
        return Bunch(**dict(zip(names, self._answer(X, names, n_neighbors), strict=True)))

    def _answer(self, X, names, n_neighbors=0):
        """Return the parts of the answers with these names, for all images."""
        check_is_fitted(self)
        self._check_parameters_again()
        unknown = self._unknown_label()
        images = self._validate(X, reset=False)
        n = n_images(images)
        n_wanted = min(max(n_neighbors, matching.N_CANDIDATES), len(self.template_indices_))
        match, nobody = partial(without_callbacks(self)._match, n_wanted=n_wanted), np.full(n, -1)
        matched = self._run(images, match, along=(nobody,), blank=BLANK)
        answered = ((rows, self._judge(found, n_neighbors, unknown)) for rows, *found in matched)
        return joined(n, ((rows, *(answers[name] for name in names)) for rows, answers in answered))

    def _judge(self, matched, n_neighbors, unknown):
        """Return everything about the answers to a batch, from what `_match` returns."""
        places, costs, distances, scores = matched
        weight, few = self.circle_weight_, np.s_[:, : matching.N_CANDIDATES]
        nearest, nearest_costs = matching.ranked(places, costs, distances, weight)
        # However many are asked for, these decide.
        places, costs = matching.ranked(places[few], costs[few], distances[few], weight)
        codes, usual = self._catalogue.codes[places], self._usual_costs[places]
        weights = self.fusion_weights_
        lowest = matching.lowest_costs(codes, costs, len(self.classes_))
        scores = -lowest if weights is None else weights[0] * scores - weights[1] * lowest
        best, probabilities, right, none = certainty.chances(
            codes, costs, scores, usual, self.usual_gap_, self.twin_rate_, fused=weights is not None
        )
        labels, marks = self.classes_[best], certainty.marks(right, none)
        if unknown is not None:
            labels = np.where(marks == "unknown", unknown, labels)
        return {
            "scores": scores,
            "probabilities": probabilities,
            "labels": labels,
            "marks": marks,
            "right": right,
            "none": none,
            "costs": nearest_costs[:, :n_neighbors],
            "indices": self.template_indices_[nearest[:, :n_neighbors]],
        }

    def _unknown_label(self):
        if self.unknown_label is None:
            return None
        return unknown_label(self.unknown_label, self.classes_, "unknown_label=None")

    def _numbers_per_image(self):
        return 16 * N_CELLS**2

    def _gradients(self, images):
        """Yield positions of images with mass, a few at a time, and gradients in their frames."""
        shapes = prepared_shapes(images, self.image_shape_, self.invariance)
        return contour_gradients(shapes, self.invariance, N_CELLS, WIDTH)

    def _describe(self, images, small=False):
        """Return harmonics, packed points or small maps of a batch, and which images are blank."""
        n = n_images(images)
        kinds = (HARMONICS, *points.MAPS) if small else (HARMONICS, points.PACKED)
        found = [np.zeros((n, *shape), dtype) for shape, dtype in kinds]
        blank = np.ones(n, bool)
        for places, slopes in self._gradients(images):
            maps = points.contour_maps(points.contour_waves(*slopes))
            parts = points.small_maps(*maps) if small else [points.packed_points(*maps)]
            for part, new in zip(found, (tangent_harmonics(*slopes), *parts), strict=True):
                part[places] = new
            blank[places] = False
        return *found, blank

    def _pool(self, harmonics):
        return InvariantHOG(self.invariance, reflection=self.reflection)._pool(harmonics)

    def _match(self, images, left_out, n_wanted):
        """Return templates, costs, distances, scores of classes, and which images are blank."""
        n, squares = n_images(images), self._catalogue.squares
        # What a blank image matches: blank templates, then the others.
        first = np.argsort(squares > 0, kind="stable")[:n_wanted]
        places = np.repeat(first[None], n, axis=0)
        costs = np.where(squares[places] > 0, points.NOTHING, 0.0)
        distances = np.zeros_like(costs)
        scores = np.zeros((n, 0 if self._slopes is None else self._slopes.shape[1]))
        blank = np.ones(n, bool)
        for rows, slopes in self._gradients(images):
            harmonics = tangent_harmonics(*slopes)
            shapes = zip(rows, points.contour_waves(*slopes), to_circle(harmonics), strict=True)
            for row, waves, circle in shapes:
                places[row], costs[row], distances[row] = matching.find_matches(
                    waves,
                    circle,
                    self._catalogue,
                    upright=upright(self.invariance),
                    mirror=self.reflection == "ignore",
                    n_wanted=n_wanted,
                    left_out=int(left_out[row]),
                )
            if self._slopes is not None:
                scores[rows] = self._pool(harmonics) @ self._slopes + self._intercepts
            blank[rows] = False
        return places, costs, distances, scores, blank

    def _learn(self, harmonics, images_of):
        """Learn what costs mean, by leaving templates out.

        Takes the harmonics of all templates, and a function that returns the images of some.
        Returns the templates left out, and what the nearest stranger of each costs.
        """
        codes, n_classes = self._catalogue.codes, len(self.classes_)
        # In an order that does not depend on that of the samples.
        order, _ = calibration.order_by_content(to_circle(harmonics), codes)
        several = len(codes) > n_classes > 1
        self._slopes = self._intercepts = self.fusion_weights_ = left_out = None
        if several and n_classes <= MOST_CLASSES:
            order = some_of_each(order, codes, N_SAMPLES)
            self._slopes, self._intercepts, left_out = learn_discriminant(
                self._pool(harmonics[order]), codes[order], n_classes
            )
        chosen = evenly_spaced(len(order), N_PROBES_OF_CLASSES if several else N_PROBES)
        probes = order[chosen]
        matched, paid, distances = self._match_probes(images_of, probes)
        own = codes[probes]

        def strangers(weight):
            places, costs = matching.ranked(matched, paid, distances, weight)
            return certainty.class_ranks(codes[places], costs, strangers_to=own)[1]

        self.circle_weight_ = matching.circle_weight(certainty.without_twins(strangers(0))[:, 0])
        self.usual_cost_, self.usual_gap_, probe_costs, self.twin_rate_ = certainty.learn_strangers(
            strangers(self.circle_weight_), n_classes
        )
        self._set_usual_costs(probes, probe_costs)
        if left_out is not None:
            places, costs = matching.ranked(matched, paid, distances, self.circle_weight_)
            lowest = matching.lowest_costs(codes[places], costs, n_classes)
            self.fusion_weights_ = learn_weights(left_out[chosen], lowest, own)
        return probes, probe_costs

    def _match_probes(self, images_of, probes):
        """Return what templates match apart from themselves: templates, costs, distances."""
        n_wanted = min(matching.N_CANDIDATES, len(self.template_indices_) - 1)
        if not n_wanted:
            shape = (len(probes), 0)
            return np.zeros(shape, int), np.zeros(shape), np.zeros(shape)
        match = partial(without_callbacks(self)._match, n_wanted=n_wanted)
        matched = self._run(images_of(probes), match, along=(probes,), blank=None)
        return joined(len(probes), matched)[:3]

    def _set_usual_costs(self, probes, costs):
        """Set what the nearest stranger of each template costs, given that of some."""
        self._usual_costs = np.full(len(self.template_indices_), self.usual_cost_)
        self._usual_costs[probes] = costs

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # scikit-learn's checks pass points, not shapes
        return tags


def describe(model, images):
    """Return the arrays of DESCRIPTION for a list of images, by name.

    The model need not be fitted. Images are drawings of their own, whatever they look like.
    """
    _set_up_for_any_shape(model)
    described = model._run(images, partial(model._describe, small=True), blank=None)
    harmonics, *maps = joined(len(images), described)
    return dict(zip(DESCRIPTION, (*matching.scaled_for_matching(harmonics), *maps), strict=True))


def restore(model, templates, labels, learned):
    """Make a model ready to answer without its images, and return it.

    `templates` are the arrays of `Catalogue` by name, without codes; `learned` is what `learn`
    returned, if anything.
    """
    _set_up_for_any_shape(model)
    model.n_samples_fit_ = len(labels)
    model.template_indices_ = np.arange(len(labels))
    model.template_labels_ = np.asarray(labels)
    model.classes_, codes = np.unique(model.template_labels_, return_inverse=True)
    model._catalogue = matching.Catalogue(**templates, codes=codes)
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
    probes, probe_costs = model._learn(harmonics.conj() / scale, images_of)
    found = {name: getattr(model, name) for name in LEARNED}
    found |= {"probes": probes, "probe_costs": probe_costs}
    return {name: np.asarray(value) for name, value in found.items() if value is not None}
