"""Find the template of each picture."""

from sklearn_nrcdt import ShapeClassifier
from sklearn_nrcdt._commands import answers as shared
from sklearn_nrcdt._commands.catalogue import open_to_match
from sklearn_nrcdt._commands.console import count, readable
from sklearn_nrcdt._commands.folder import INVARIANCES, Folder
from sklearn_nrcdt._commands.report import write_report
from sklearn_nrcdt.catalogue import is_catalogue

HELP = "find the template of each picture"
EXAMPLE = "nrcdt match drawings scans --report result.html"
# The classes of so many templates are looked at, at least.
N_NEAREST = 20
# Rate of twins where too few templates could tell.
FEW_TWINS = 0.03
MARKS = {
    "clear": "at least 9 of 10 such answers are right, nearly all if the figure is a known one",
    "likely": "at least half of such answers are right",
    "doubtful": "fewer than half of such answers are right: compare the drawings yourself",
    "unknown": "probably none of the known drawings shows this figure",
}
VOCABULARY = shared.Vocabulary(
    picture="picture",
    query="query",
    queries="queries",
    known="template",
    score="distance",
    digits=3,
)


def add_arguments(parser):
    """Declare the arguments."""
    parser.add_argument(
        "templates",
        metavar="TEMPLATES",
        help="folder of known pictures; with subfolders, each of them is a class; or a catalogue",
    )
    parser.add_argument(
        "queries", metavar="QUERIES", nargs="+", help="folder of pictures to be found, or files"
    )
    parser.add_argument(
        "--templates-ink",
        choices=("auto", "dark", "bright"),
        help="the same as --ink for the templates only, if they differ from the queries",
    )
    parser.add_argument("--mirrored", action="store_true", help="pictures may be mirror images")
    shared.add_arguments(parser, "templates")


def main(args):
    """Run the command."""
    table, page = shared.check_arguments(args)
    catalogue, left_out = None, ""
    if is_catalogue(args.templates):
        catalogue = open_to_match(args.templates, args)
        query_folder = Folder(args.queries, args)
        names, classes = [*map(readable, catalogue.names)], catalogue.labels
        model, pictures = catalogue.classifier, []
        read = f"{count(len(names), 'drawing')} of a catalogue"
    else:
        template_folder = Folder(args.templates, args, ink=args.templates_ink)
        query_folder = Folder(args.queries, args)
        names, classes, figures, pictures = template_folder.all_figures(small=bool(page))
        model = ShapeClassifier(
            args.invariance,
            reflection="ignore" if args.mirrored else "distinguish",
            n_jobs=args.n_jobs,
        ).fit(figures, classes)
        read = template_folder.cleaning()
        left_out = template_folder.left_out()
    n_classes = count(len(model.classes_), "class", "classes")
    facts = {"Templates": f"{read}; {n_classes}."}
    if model.twin_rate_ > FEW_TWINS:
        facts["Templates"] += " Some have a near-twin in another class, so fewer answers are clear."
    facts["Templates"] += left_out
    print(f"Templates: {facts['Templates']}")

    answers: list[shared.Answer] = []
    for batch in query_folder.figures(small=bool(page)):
        found = find_templates(model, batch[0], batch[2], classes, args.top)
        for k, answer in enumerate(found):
            answer.truth = shared.truth_of(batch[1], k, model.classes_)
            answer.picture = batch[3][k]
        answers += found
    facts["Queries"] = f"{query_folder.cleaning()}.{query_folder.left_out()}"
    print(f"Queries: {facts['Queries']}\n")

    shared.print_answers(answers, names, VOCABULARY, {mark: "" for mark in MARKS})
    if table:
        shared.write_csv(table, answers, names, classes, VOCABULARY, args.semicolons)
    if page:
        facts["Compared by"] = f"contours; {INVARIANCES[args.invariance]}"
        facts["Compared by"] += ", and the picture may be mirrored" if args.mirrored else ""

        def known(place):
            # Pictures are empty where files are gone.
            small = catalogue.thumbnail(catalogue.names[place]) if catalogue else pictures[place]
            return names[place], classes[place], small or b""

        texts = dict(title="Nearest templates", facts=facts, marks=MARKS, score="Distance")
        write_report(page, **shared.on_page(answers, known), **texts)


def find_templates(model, names, figures, classes, top):
    """Return the answer to each query; `model` has the method `identify` of `ShapeClassifier`."""
    found = model.identify(figures, max(top, N_NEAREST))
    answers = []
    for k, name in enumerate(names):
        nearest = list(zip(found.indices[k].tolist(), found.costs[k].tolist(), strict=True))
        label = found.labels[k]
        # With several samples, more than the nearest template decides.
        best = next((near for near in nearest if classes[near[0]] == label), nearest[0])
        nearest = [best, *(near for near in nearest if near is not best)][:top]
        mark = str(found.marks[k])
        label = shared.NOBODY if mark == "unknown" else str(label)
        answers.append(shared.Answer(name, mark, label, None, nearest))
    return answers
