"""Test how well the classes of a folder can be told apart."""

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline

from sklearn_nrcdt import NearestTemplateClassifier
from sklearn_nrcdt._commands.console import Problem, check_output, count, print_table, whole_file
from sklearn_nrcdt._commands.extractors import for_rows, in_words
from sklearn_nrcdt._commands.pictures import Folder
from sklearn_nrcdt._commands.report import write_report

HELP = "test how well the classes of a folder can be told apart"
EXAMPLE = "nrcdt classify letters --report result.html"
# With fewer pictures of a class, their variation cannot be estimated.
SEVERAL = 3
MAX_FOLDS = 5
MAX_COMPONENTS = 300
LOG_TEMPERATURES = (0, 5)
N_NEAREST = 5
MAX_PRINTED = 10
MARKS = {
    "right": "the answer is the class whose subfolder the picture is in",
    "wrong": "the answer is another class",
    "untested": "the only picture of its class, so it cannot be tested",
}


def add_arguments(parser):
    """Declare the arguments."""
    parser.add_argument("folder", metavar="FOLDER", help="folder with one subfolder for each class")
    parser.add_argument("--report", metavar="FILE", help="write a page for the browser (.html)")


def main(args):
    """Run the command."""
    page = args.report and check_output("--report", args.report, [".html", ".htm"])
    folder = Folder(args.folder, args, layout="classes")
    extractor = for_rows(args.feature, args.n_jobs)
    names, classes, features, pictures = folder.read(
        extractor, small=bool(page), check=_check_classes
    )
    labels, codes, counts = np.unique(classes, return_inverse=True, return_counts=True)
    _check_classes(labels)
    if counts.max() == 1:
        raise Problem(
            f"Every class in '{args.folder}' has one picture. Testing needs two of some class."
        )

    model, n_folds, method = _recommended(counts, features.shape)
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=0)
    odds = cross_val_predict(model, features, codes, cv=folds, method="predict_proba")
    tested = counts[codes] > 1
    answers, certainty = odds.argmax(axis=1), _certainty(odds, codes, tested)
    wrong = tested & (answers != codes)
    facts = _facts(folder, labels, counts, method, n_folds, args.feature, tested, wrong)
    for fact, text in facts.items():
        print(f"{fact}: {text}")
    worst = np.flatnonzero(wrong)
    worst = worst[np.argsort(-certainty[worst], kind="stable")]
    if len(worst):
        print(f"\nWorst mistakes ({min(len(worst), MAX_PRINTED)} of {len(worst)}):")
        print_table(
            ["picture", "class", "answer", "certainty"],
            [
                [names[k], labels[codes[k]], labels[answers[k]], f"{certainty[k]:.0%}"]
                for k in worst[:MAX_PRINTED]
            ],
            right=(3,),
        )
    if page:
        nearest = _nearest_others(features, codes)
        marks = np.where(tested, np.where(wrong, "wrong", "right"), "untested").tolist()
        rows = [
            (k, marks[k], labels[answers[k]], certainty[k], nearest[k], classes[k], None)
            for k in [*worst, *np.flatnonzero(~wrong)]
        ]
        matrix = confusion_matrix(codes[tested], answers[tested], labels=range(len(labels)))
        with whole_file(page) as part:
            write_report(
                part,
                title="How well the classes are told apart",
                facts=facts,
                pictures=list(zip(names, classes, pictures, strict=True)),
                rows=rows,
                marks=MARKS,
                score="Certainty",
                matrix=(labels, matrix),
            )
        print(f"\nWrote {page}")


def _check_classes(labels):
    if len(labels) == 1:
        raise Problem(
            f"There is only one class, '{labels[0]}'. Make a subfolder for each of several classes."
        )


def _recommended(counts, shape):
    """Return the classifier for these numbers of pictures, the number of folds, and its name."""
    typical = int(np.median(counts))
    if typical < SEVERAL:
        return NearestTemplateClassifier(), 2, "nearest template"
    n_folds = min(MAX_FOLDS, typical)
    n_components = min(MAX_COMPONENTS, shape[0] * (n_folds - 1) // n_folds - 1, shape[1])
    model = make_pipeline(
        PCA(n_components, random_state=0),
        LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.3),
    )
    return model, n_folds, f"PCA({n_components}) and linear discriminant analysis"


def _certainty(odds, codes, tested):
    """Return calibrated probabilities of the answers.

    Discriminant analysis is overconfident; temperature scaling corrects that.
    """
    logs = np.log(np.maximum(odds, np.finfo(np.float64).tiny))

    def loss(log_temperature):
        scores = log_softmax(logs[tested] / np.exp(log_temperature), axis=1)
        return -scores[np.arange(len(scores)), codes[tested]].mean()

    best = minimize_scalar(loss, bounds=LOG_TEMPERATURES, method="bounded").x
    return np.exp(log_softmax(logs / np.exp(best), axis=1).max(axis=1))


def _facts(folder, labels, counts, method, n_folds, feature, tested, wrong):
    n_tested, n_right = int(tested.sum()), int(tested.sum() - wrong.sum())
    facts = {
        "Pictures": f"{folder.cleaning()}; {count(len(labels), 'class', 'classes')}.",
        "Right": f"{n_right} of {n_tested} ({n_right / n_tested:.1%}); always answering the "
        f"largest class would give {counts.max() / counts.sum():.1%}.",
        "Compared by": in_words(feature),
        "Tested by": f"{method}, in {n_folds} rounds: no picture is tested by a classifier that "
        "has seen it.",
    }
    n_single = int((counts == 1).sum())
    if n_single:
        facts["Untested"] = (
            f"{count(n_single, 'class', 'classes')} with a single picture: possible answers only."
        )
    return facts


def _nearest_others(features, codes):
    """Return the nearest other pictures of each one, as (place, distance)."""
    model = NearestTemplateClassifier().fit(features, codes)
    distances, places = model.kneighbors(features, min(N_NEAREST + 1, len(features)))
    return [
        [(int(p), float(d)) for p, d in zip(*row, strict=True) if p != k][:N_NEAREST]
        for k, row in enumerate(zip(places, distances, strict=True))
    ]
