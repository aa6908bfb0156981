"""Find the template of each picture."""

import csv

import numpy as np

from sklearn_nrcdt import NearestTemplateClassifier
from sklearn_nrcdt._commands.console import Problem, check_output, count, print_table, whole_file
from sklearn_nrcdt._commands.extractors import for_templates, in_words
from sklearn_nrcdt._commands.pictures import Folder, class_of_file
from sklearn_nrcdt._commands.report import write_report

HELP = "find the template of each picture"
EXAMPLE = "nrcdt match catalogue scans --report result.html"
# The next class is at least half as likely as the best one.
DOUBTFUL_ODDS = 0.5
MAX_PRINTED = 40
MARKS = {
    "clear": "the nearest template is much nearer than those of all other classes",
    "doubtful": "a template of another class is almost as near: compare them yourself",
    "unknown": "far from all templates: probably none of them shows this",
}


def add_arguments(parser):
    """Declare the arguments."""
    parser.add_argument(
        "templates",
        metavar="TEMPLATES",
        help="folder of known pictures; with subfolders, each of them is a class",
    )
    parser.add_argument("queries", metavar="QUERIES", help="folder of pictures to be found")
    parser.add_argument(
        "--top", type=int, default=5, metavar="N", help="templates to list for each (default 5)"
    )
    parser.add_argument("--mirrored", action="store_true", help="pictures may be mirror images")
    parser.add_argument("--csv", metavar="FILE", help="write a table for a spreadsheet")
    parser.add_argument("--report", metavar="FILE", help="write a page for the browser (.html)")


def main(args):
    """Run the command."""
    if args.top < 1:
        raise Problem("--top must be at least 1.")
    table = args.csv and check_output("--csv", args.csv, [".csv"])
    page = args.report and check_output("--report", args.report, [".html", ".htm"])
    extractor, metric = for_templates(args.feature, args.n_jobs)
    if args.mirrored and metric != "aligned":
        raise Problem("--mirrored goes with --feature hog, hog-similarity or spectral.")
    template_folder, query_folder = Folder(args.templates, args), Folder(args.queries, args)

    names, classes, features, pictures = template_folder.read(extractor, small=bool(page))
    classes = classes or [class_of_file(name) for name in names]
    reflection = {"reflection": "ignore"} if args.mirrored else None
    model = NearestTemplateClassifier(metric, metric_params=reflection, n_jobs=args.n_jobs)
    model.fit(features, classes)
    n_classes = len(model.classes_)
    print(f"Templates: {template_folder.cleaning()}; {count(n_classes, 'class', 'classes')}.")

    rows, query_pictures = [], []
    for batch in query_folder.batches(extractor, small=bool(page)):
        rows += _find(model, classes, args.top, *batch[:3])
        query_pictures += batch[3]
    print(f"Queries: {query_folder.cleaning()}.\n")

    _print_answers(rows, names, model.reject_distance_)
    if table:
        with whole_file(table) as part:
            _write_csv(part, rows, names, classes)
        print(f"Wrote {table}")
    if page:
        facts = {
            "Templates": f"{template_folder.cleaning()}; {count(n_classes, 'class', 'classes')}.",
            "Queries": f"{query_folder.cleaning()}.",
            "Compared by": in_words(args.feature)
            + (", and the picture may be mirrored" if args.mirrored else ""),
            "Unknown": f"means farther than {model.reject_distance_:.3f} from all templates.",
        }
        with whole_file(page) as part:
            write_report(
                part,
                title="Nearest templates",
                facts=facts,
                pictures=_all_pictures(names, classes, pictures, rows, query_pictures),
                rows=[_report_row(row, len(names) + place) for place, row in enumerate(rows)],
                marks=MARKS,
                score="Distance",
            )
        print(f"Wrote {page}")


def _find(model, classes, top, names, own_classes, features):
    """Return the answer to each query: a dict of name, mark, answer, truth, nearest templates."""
    distances, places = model.kneighbors(features, min(top, len(classes)))
    odds = -np.sort(-model.predict_proba(features), axis=1)
    rows = []
    for k, name in enumerate(names):
        mark = "clear"
        if distances[k, 0] > model.reject_distance_:
            mark = "unknown"
        elif odds.shape[1] > 1 and odds[k, 1] > DOUBTFUL_ODDS * odds[k, 0]:
            mark = "doubtful"
        nearest = [(int(t), float(d)) for t, d in zip(places[k], distances[k], strict=True)]
        # Subfolders of queries are answers only if they are classes of the templates.
        truth = own_classes[k] if own_classes and own_classes[k] in model.classes_ else None
        answer = classes[nearest[0][0]]
        rows.append(dict(name=name, mark=mark, answer=answer, truth=truth, nearest=nearest))
    return rows


def _print_answers(rows, names, limit):
    shown = rows
    if len(rows) > MAX_PRINTED:
        shown = [row for row in rows if row["mark"] != "clear"]
    if len(shown) > MAX_PRINTED:
        shown = shown[:MAX_PRINTED]
    heads = ["picture", "answer", "distance", "next", "distance", "mark"]
    cells = []
    for row in shown:
        (_, distance), *others = row["nearest"]
        following = [names[others[0][0]], f"{others[0][1]:.3f}"] if others else ["", ""]
        cells.append(
            [row["name"], names[row["nearest"][0][0]], f"{distance:.3f}", *following, row["mark"]]
        )
    if cells:
        print_table(heads, cells, right=(2, 4))
    if len(shown) < len(rows):
        n_hidden = len(rows) - len(shown)
        print(f"{count(n_hidden, 'answer')} not listed here; --csv and --report have all of them.")
    counts = {mark: sum(row["mark"] == mark for row in rows) for mark in MARKS}
    print(
        f"\n{count(len(rows), 'query', 'queries')}: {counts['clear']} clear, "
        f"{counts['doubtful']} doubtful (another class is almost as near), "
        f"{counts['unknown']} unknown (farther than {limit:.3f} from all templates)."
    )
    tested = [row for row in rows if row["truth"] is not None]
    if tested:
        n_right = sum(row["answer"] == row["truth"] for row in tested)
        print(
            f"{n_right} of {len(tested)} answers ({n_right / len(tested):.1%}) are the class that "
            "the query's subfolder names."
        )


def _write_csv(path, rows, names, classes):
    n_nearest = len(rows[0]["nearest"])
    heads = ["picture", "mark", "class"]
    for place in range(1, n_nearest + 1):
        heads += [f"template_{place}", f"class_{place}", f"distance_{place}"]
    # With a byte order mark, without which spreadsheets misread names that are not English.
    with open(path, "w", newline="", encoding="utf-8-sig") as file:
        writer = csv.writer(file)
        writer.writerow(heads)
        for row in rows:
            cells = [row["name"], row["mark"], row["answer"]]
            for template, distance in row["nearest"]:
                cells += [names[template], classes[template], f"{distance:.6g}"]
            writer.writerow(cells)


def _all_pictures(names, classes, pictures, rows, query_pictures):
    templates = zip(names, classes, pictures, strict=True)
    queries = zip(rows, query_pictures, strict=True)
    return [*templates, *((row["name"], row["truth"], picture) for row, picture in queries)]


def _report_row(row, picture):
    score = row["nearest"][0][1]
    return (picture, row["mark"], row["answer"], score, row["nearest"], row["truth"])
