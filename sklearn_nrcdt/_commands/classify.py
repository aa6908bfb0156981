"""Test how well the classes of a folder can be told apart."""

import numpy as np
from scipy.stats import binomtest
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import StratifiedKFold

from sklearn_nrcdt import ShapeClassifier
from sklearn_nrcdt._commands import match
from sklearn_nrcdt._commands.console import Problem, check_output, count, print_table, readable
from sklearn_nrcdt._commands.folder import INVARIANCES, Folder
from sklearn_nrcdt._commands.report import write_report

HELP = "test how well the classes of a folder can be told apart"
EXAMPLE = "nrcdt classify letters --report result.html"
MAX_FOLDS = 5
N_NEAREST = 5
MAX_PRINTED = 10
# Other invariances are tried on so many pictures, and named if they are better with so little
# doubt.
MAX_TRIED = 300
SURE = 0.01
MARKS = {
    "right": "the answer is the class whose subfolder the picture is in",
    "wrong": "the answer is another class",
    "untested": "the only picture of its class, so it cannot be tested",
}


def add_arguments(parser):
    """Declare the arguments."""
    parser.add_argument(
        "folder", metavar="FOLDER", help="folder with one subfolder for each class, or a catalogue"
    )
    parser.add_argument("--report", metavar="FILE", help="write a page for the browser (.html)")


def main(args):
    """Run the command."""
    page = check_output("--report", args.report, [".html", ".htm"])
    folder = Folder(args.folder, args, layout="classes")
    names, classes, figures, pictures = folder.all_figures(small=bool(page), check=_check_classes)
    labels, codes, counts = np.unique(classes, return_inverse=True, return_counts=True)
    _check_classes(labels)
    if counts.max() == 1:
        raise Problem(
            f"Every class in '{readable(args.folder)}' has one picture. Testing needs two of some "
            "class."
        )

    model = ShapeClassifier(args.invariance, n_jobs=args.n_jobs)
    answers, certainty, sure, n_folds = _test(model, figures, codes)
    tested = counts[codes] > 1
    wrong = tested & (answers != codes)
    facts = _facts(folder, labels, counts, n_folds, args.invariance, tested, wrong)
    facts["Marks"] = _right_by_mark(sure[tested], wrong[tested])
    if wrong.any():
        facts |= _better_invariance(args, figures, codes, answers)
    for fact, text in facts.items():
        print(f"{fact}: {text}")
    worst = np.flatnonzero(wrong)
    worst = worst[np.argsort(-certainty[worst], kind="stable")]
    if len(worst):
        print(f"\nWorst mistakes ({min(len(worst), MAX_PRINTED)} of {len(worst)}):")
        heads = ["picture", "class", "answer", "certainty"]
        cells = [
            [names[k], labels[codes[k]], labels[answers[k]], f"{certainty[k]:.0%}"]
            for k in worst[:MAX_PRINTED]
        ]
        print_table(heads, cells, right=(3,), names=[[0]])
    if page:
        nearest = _nearest_others(model, figures, codes)
        marks = np.where(tested, np.where(wrong, "wrong", "right"), "untested").tolist()
        rows = [
            (k, marks[k], labels[answers[k]], certainty[k], nearest[k], classes[k], None)
            for k in [*worst, *np.flatnonzero(~wrong)]
        ]
        matrix = confusion_matrix(codes[tested], answers[tested], labels=range(len(labels)))
        print()
        write_report(
            page,
            title="How well the classes are told apart",
            facts=facts,
            pictures=list(zip(names, classes, pictures, strict=True)),
            rows=rows,
            marks=MARKS,
            score="Certainty",
            matrix=(labels, matrix),
        )


def _check_classes(labels):
    if len(labels) == 1:
        raise Problem(
            f"There is only one class, '{readable(labels[0])}'. Make a subfolder for each of "
            "several classes."
        )


def _test(model, figures, codes):
    """Return answers of classifiers that have not seen the picture, and how many there were.

    Answers are classes, the probabilities that they are right, and their marks.
    """
    n_folds = int(np.clip(np.median(np.bincount(codes)), 2, MAX_FOLDS))
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=0)
    answers, certainty = np.empty_like(codes), np.empty(len(codes))
    marks = np.empty(len(codes), object)
    for train, test in folds.split(codes, codes):
        known, asked = ([figures[k] for k in part] for part in (train, test))
        found = model.fit(known, codes[train]).identify(asked, 1)
        answers[test], marks[test] = found.labels, found.marks
        # Every picture shows one of the classes.
        certainty[test] = found.right / np.maximum(1 - found.none, 1e-9)
    return answers, certainty, marks, n_folds


def _better_invariance(args, figures, codes, found):
    """Test what else may differ between pictures of a class; return what is clearly better."""
    step = -(-len(codes) // MAX_TRIED)
    right = {args.invariance: found == codes} if step == 1 else {}
    figures, codes = figures[::step], np.unique(codes[::step], return_inverse=True)[1]
    for name in INVARIANCES:
        if name not in right:
            model = ShapeClassifier(name, n_jobs=args.n_jobs)
            right[name] = _test(model, figures, codes)[0] == codes
    usual, best, text = right.pop(args.invariance), SURE, {}
    for name, answers in right.items():
        n_better, n_worse = (answers & ~usual).sum(), (usual & ~answers).sum()
        if n_better + n_worse == 0:
            continue
        # The sign test: by chance, each of the two would be right where the other is wrong.
        chance = binomtest(n_better, n_better + n_worse, alternative="greater").pvalue
        if chance < best:
            best = chance
            text["Better"] = (
                f"--invariance {name} ({INVARIANCES[name]}): right {answers.mean():.1%} of the "
                f"time instead of {usual.mean():.1%}."
            )
    return text


def _facts(folder, labels, counts, n_folds, invariance, tested, wrong):
    n_tested, n_right = int(tested.sum()), int(tested.sum() - wrong.sum())
    facts = {
        "Pictures": f"{folder.cleaning()}; {count(len(labels), 'class', 'classes')}."
        + folder.left_out(),
        "Right": f"{n_right} of {n_tested} ({n_right / n_tested:.1%}); always answering the "
        f"largest class would give {counts.max() / counts.sum():.1%}.",
        "Compared by": f"contours; {INVARIANCES[invariance]}",
        "Tested": f"in {n_folds} rounds: no picture is tested by a classifier that has seen it.",
    }
    if (counts == 1).any():
        single = count(int((counts == 1).sum()), "class", "classes")
        facts["Untested"] = f"{single} with a single picture: possible answers only."
    return facts


def _right_by_mark(marks, wrong):
    """Say how many answers with each mark of ``nrcdt match`` are right."""
    counts = [
        f"{np.sum(~wrong & (marks == mark))} of {np.sum(marks == mark)} {mark}"
        for mark in match.MARKS
        if mark in marks
    ]
    return f"right are {', '.join(counts)} answers."


def _nearest_others(model, figures, codes):
    """Return the nearest other pictures of each one, as (place, distance)."""
    model.fit(figures, codes)
    distances, places = model.kneighbors(figures, min(N_NEAREST + 1, len(figures)))
    return [
        [(int(p), float(d)) for p, d in zip(*row, strict=True) if p != k][:N_NEAREST]
        for k, row in enumerate(zip(places, distances, strict=True))
    ]
