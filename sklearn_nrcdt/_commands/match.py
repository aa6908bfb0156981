"""Find the template of each picture."""

import numpy as np

from sklearn_nrcdt import NearestTemplateClassifier
from sklearn_nrcdt._commands import answers as shared
from sklearn_nrcdt._commands.console import Problem, count
from sklearn_nrcdt._commands.extractors import for_templates, in_words
from sklearn_nrcdt._commands.pictures import Folder, class_of_file

HELP = "find the template of each picture"
EXAMPLE = "nrcdt match catalogue scans --report result.html"
# The next class is at least half as likely as the best one.
DOUBTFUL_ODDS = 0.5
MARKS = {
    "clear": "the best class is at least twice as likely as the next",
    "doubtful": "the best class is less than twice as likely as the next: compare them yourself",
    "unknown": "far from all templates: probably none of them shows this",
}
WORDS = shared.Words("picture", "query", "queries", "template", "distance", 3)


def add_arguments(parser):
    """Declare the arguments."""
    parser.add_argument(
        "templates",
        metavar="TEMPLATES",
        help="folder of known pictures; with subfolders, each of them is a class",
    )
    parser.add_argument("queries", metavar="QUERIES", help="folder of pictures to be found")
    parser.add_argument("--mirrored", action="store_true", help="pictures may be mirror images")
    shared.add_arguments(parser, "templates")


def main(args):
    """Run the command."""
    table, page = shared.check_arguments(args)
    extractor, metric = for_templates(args.feature, args.n_jobs)
    if args.mirrored and metric != "aligned":
        raise Problem("--mirrored goes with --feature hog, hog-similarity or spectral.")
    template_folder, query_folder = Folder(args.templates, args), Folder(args.queries, args)

    names, classes, features, pictures = template_folder.read(extractor, small=bool(page))
    classes = classes or [class_of_file(name) for name in names]
    reflection = {"reflection": "ignore"} if args.mirrored else None
    model = NearestTemplateClassifier(metric, metric_params=reflection, n_jobs=args.n_jobs)
    model.fit(features, classes)
    facts = {"Templates": f"{template_folder.cleaning()}; {_number_of(model.classes_)}."}
    print(f"Templates: {facts['Templates']}")

    answers, query_pictures = [], []
    for batch in query_folder.batches(extractor, small=bool(page)):
        answers += _find(model, classes, args.top, *batch[:3])
        query_pictures += batch[3]
    facts["Queries"] = f"{query_folder.cleaning()}."
    print(f"Queries: {facts['Queries']}\n")

    far = f"farther than {model.reject_distance_:.3f} from all templates"
    meanings = {"clear": "", "doubtful": "another class is almost as near", "unknown": far}
    shared.print_answers(answers, names, WORDS, meanings)
    if table:
        shared.write_csv(table, answers, names, classes, WORDS)
    if page:
        facts["Compared by"] = in_words(args.feature)
        facts["Compared by"] += ", and the picture may be mirrored" if args.mirrored else ""
        facts["Unknown"] = f"means {far}."
        known = names, classes, pictures
        texts = dict(title="Nearest templates", facts=facts, marks=MARKS)
        shared.write_page(page, answers, known, query_pictures, WORDS, **texts)


def _number_of(classes):
    return count(len(classes), "class", "classes")


def _find(model, classes, top, names, own_classes, features):
    """Return the answer to each query."""
    distances, places = model.kneighbors(features, min(top, len(classes)))
    odds = -np.sort(-model.predict_proba(features), axis=1)
    answers = []
    for k, name in enumerate(names):
        mark = "clear"
        if distances[k, 0] > model.reject_distance_:
            mark = "unknown"
        elif odds.shape[1] > 1 and odds[k, 1] > DOUBTFUL_ODDS * odds[k, 0]:
            mark = "doubtful"
        nearest = [(int(t), float(d)) for t, d in zip(places[k], distances[k], strict=True)]
        truth = shared.truth_of(own_classes, k, model.classes_)
        answers.append(shared.Answer(name, mark, classes[nearest[0][0]], truth, nearest))
    return answers
