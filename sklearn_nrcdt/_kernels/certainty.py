"""How sure an answer is, from the costs of its class and of the next ones.

If none of the classes is right, the best costs are those of strangers, and the gap between the
logarithms of the first two is exponential with the scale of the gaps that follow (extreme values).
A gap that is too wide for that, and a cost that is small for a stranger of this catalogue, tell
that the class is right.
"""

import numpy as np
from scipy.special import softmax

from sklearn_nrcdt._kernels.points import NOTHING

# Classes whose gaps are looked at.
N_RANKS = 10
# Costs below this count as this: there is no smaller one between different images.
LEAST_COST = 1e-6
# Gap of strangers, and the cost of the nearest one, where a catalogue cannot tell; and how many
# observations they are worth.
USUAL_GAP = 0.15
USUAL_COST = 0.45
GAP_TRUST = 5
GAP_TRUST_OF_QUERY = 4
# Odds of another class and of none, against the answer: fitted on development data.
WRONG, WRONG_POWER = 1.45, 1.6
NONE, NONE_POWER, COST_POWER = 10.0, 0.72, 3
# So few classes are too small a sample of strangers: what the nearest one of a template costs tells
# less, and none of the classes is likelier where discriminant analysis joins in.
FEW_CLASSES = 3
# With a single class there is no gap: that of a typical right answer.
GAP_OF_ONE_CLASS = 0.05
# Odds of another class in a catalogue with near-twins: so many times the share of its own
# templates that would clearly be taken for another class, beyond a share that is usual. A twin
# costs about half of what other strangers do; a copy of the shape itself costs less, and its odds
# fall with the square. Few templates cannot tell: the usual share counts like so many of them.
TWINS, TWIN_COST, FEW_TWINS = 12.0, 0.5, 0.03
TWIN_TRUST = 40
# Where the usual nearest stranger costs less than this share of the usual next one, most templates
# have a near-twin, and strangers are what comes after it.
PAIRED = 0.37
# Marks by the probability that the answer is right, and that none is.
CLEAR, LIKELY, UNKNOWN = 0.9, 0.5, 0.74
MARKS = np.array(["clear", "likely", "doubtful", "unknown"])


def without_twins(costs):
    """Costs of strangers in a catalogue, without the nearest if most templates have a near-twin.

    Costs are those of other classes of templates in ascending order, (n_templates, n_ranks); nan
    where there are fewer.
    """
    paired = _usual(costs[:, 0], 1) < PAIRED * _usual(costs[:, 1], 1)
    return costs[:, 1:] if paired else costs


def stranger_statistics(costs):
    """Usual cost and gap of strangers in a catalogue, from what `without_twins` returns."""
    costs = np.where(costs < NOTHING, np.maximum(costs, LEAST_COST), np.nan)
    gaps = np.log(costs[:, 1] / costs[:, 0])
    n = np.isfinite(gaps).sum()
    # The median: twins under two names have gaps of any size.
    seen = _usual(gaps, 0) / np.log(2)
    gap = (GAP_TRUST * USUAL_GAP + n * seen) / (GAP_TRUST + n)
    return _usual(costs[:, 0], USUAL_COST), float(gap)


def _usual(values, otherwise):
    """Median of values, apart from those of blank or missing shapes."""
    values = values[values < NOTHING]
    return float(np.median(values)) if len(values) else otherwise


def gap_levels(costs, usual_gap):
    """Probabilities that strangers have gaps as wide as those between the answer and each class.

    Costs, of shape (n, n_ranks), are that of the answer, whose level is 1, then those of the other
    classes in ascending order; nan where there are fewer.
    """
    logs = np.log(np.maximum(costs, LEAST_COST))
    told = costs[:, 2:] < NOTHING  # blank templates are no sample
    gaps = np.where(told, np.arange(2, logs.shape[1]) * np.diff(logs[:, 1:], axis=1), 0)
    n = GAP_TRUST_OF_QUERY + told.sum(axis=1)
    scale = (GAP_TRUST_OF_QUERY * usual_gap + gaps.sum(axis=1)) / n
    scale = np.maximum(scale, LEAST_COST)[:, None]
    return (1 + np.maximum(logs - logs[:, :1], 0) / (n[:, None] * scale)) ** -n[:, None]


def odds_of_others(levels):
    """Odds of the other classes against the answer, of shape (n, n_ranks - 1).

    All together they are those of a wrong answer, but no class is likelier than the answer.
    """
    single = levels[:, 1:] ** WRONG_POWER
    total = np.maximum(np.nansum(single, axis=1, keepdims=True), 1e-300)
    return single * np.minimum(WRONG * single[:, :1] / total, 1)


def odds_of_none(levels, costs, usual_costs):
    """Odds that no class is right, against the answer."""
    gap = np.where(np.isnan(levels[:, 1]), GAP_OF_ONE_CLASS, levels[:, 1])
    return NONE * gap**NONE_POWER * (costs / usual_costs) ** COST_POWER


def odds_of_twins(rate, costs, usual_costs):
    """Odds of a near-twin, which is no likelier than the answer, given the rate of twins."""
    relative = np.minimum(costs / (TWIN_COST * usual_costs), 1)
    return np.clip(TWINS * (rate - FEW_TWINS), 0, 1) * relative**2


def learn_strangers(costs, n_classes):
    """Learn what strangers cost, from the costs of other classes of templates.

    Costs are those that `without_twins` takes. Returns the usual cost and gap, what the nearest
    stranger of each costs, and the share that is clearly taken for another class, the rate of
    twins.
    """
    usual_cost, usual_gap = stranger_statistics(without_twins(costs)[:, :2])
    isolated = np.fmax(costs[:, 0] / usual_cost, 1)
    nearest = usual_cost * isolated ** (n_classes / (n_classes + FEW_CLASSES))
    levels = gap_levels(costs, usual_gap)
    wrong = np.nansum(odds_of_others(levels), axis=1)
    taken = 1 / (1 + wrong + odds_of_none(levels, costs[:, 0], nearest)) >= CLEAR
    rate = float((np.sum(taken) + TWIN_TRUST * FEW_TWINS) / (len(taken) + TWIN_TRUST))
    return usual_cost, usual_gap, nearest, rate


def chances(codes, costs, scores, usual_costs, usual_gap, rate, fused):
    """Return the best classes, probabilities of all, that the best is right, and that none is.

    Takes codes and costs of matched templates, as `class_ranks` does, scores of all classes, what
    the nearest strangers of the templates cost, and the usual gap and rate of twins. Scores are
    minus costs or, if `fused`, joined with those of discriminant analysis: logarithms of chances.
    """
    rows, best = np.arange(len(scores)), scores.argmax(axis=1)
    ranked_codes, ranked_costs = class_ranks(codes, costs, best)
    levels = gap_levels(ranked_costs, usual_gap)
    if fused:
        probabilities = softmax(scores, axis=1)
    else:
        probabilities = class_probabilities(ranked_codes, levels, scores.shape[1])
    chance = probabilities[rows, best]
    relative = ranked_costs[:, 0], usual_costs[rows, (codes == best[:, None]).argmax(axis=1)]
    wrong = (1 - chance) / chance + odds_of_twins(rate, *relative)
    none = odds_of_none(levels, *relative)
    if fused:
        none *= 1 + FEW_CLASSES / scores.shape[1]
    right = 1 / (1 + wrong + none)
    return best, probabilities, right, none * right


def class_ranks(codes, costs, answers=None, strangers_to=None):
    """Best `N_RANKS` classes and their costs, from those of templates in ascending order.

    Codes and costs of templates are of shape (n, n_templates). The classes in `answers` come
    first, those in `strangers_to` do not count; both are of shape (n,). Where there are fewer
    classes, the result has -1 and nan.
    """
    again = np.tril(codes[:, :, None] == codes[:, None, :], -1).any(axis=2)
    order = np.where(again, np.inf, np.arange(codes.shape[1]))
    if strangers_to is not None:
        order[codes == strangers_to[:, None]] = np.inf
    if answers is not None:
        order[(codes == answers[:, None]) & ~again] = -1
    places = np.argsort(order, axis=1, kind="stable")[:, :N_RANKS]
    missing = np.isinf(np.take_along_axis(order, places, axis=1))
    ranked_codes = np.where(missing, -1, np.take_along_axis(codes, places, axis=1))
    ranked_costs = np.where(missing, np.nan, np.take_along_axis(costs, places, axis=1))
    short = ((0, 0), (0, N_RANKS - places.shape[1]))
    return (
        np.pad(ranked_codes, short, constant_values=-1),
        np.pad(ranked_costs, short, constant_values=np.nan),
    )


def class_probabilities(codes, levels, n_classes):
    """Return probabilities of all classes from the gaps between the best of them."""
    odds = odds_of_others(levels)
    odds = np.concatenate([np.ones((len(odds), 1)), odds], axis=1)
    # All classes that are not among the best are together as likely as the last of those.
    n_ranked = (codes >= 0).sum(axis=1)
    last = odds[np.arange(len(odds)), n_ranked - 1]
    n_others = np.maximum(n_classes - n_ranked, 1)
    probabilities = np.repeat((last / n_others)[:, None], n_classes, axis=1)
    row, rank = np.nonzero(codes >= 0)
    probabilities[row, codes[row, rank]] = odds[row, rank]
    return probabilities / probabilities.sum(axis=1, keepdims=True)


def marks(right, none):
    """Marks of answers by the probabilities that they are right and that no class is."""
    rank = np.where(none >= UNKNOWN, 3, 2)
    return MARKS[np.where(right >= CLEAR, 0, np.where(right >= LIKELY, 1, rank))]
