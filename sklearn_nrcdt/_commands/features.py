"""Write the features of a folder of pictures to a file."""

import csv
import json
from itertools import chain

import numpy as np
from sklearn.preprocessing import FunctionTransformer

from sklearn_nrcdt import transform_to_npy
from sklearn_nrcdt._commands.console import Problem, check_output, count, safe_cell, whole_file
from sklearn_nrcdt._commands.extractors import make_extractor
from sklearn_nrcdt._commands.folder import Folder

HELP = "write the features of pictures to a file for other programs"
EXAMPLE = "nrcdt features scans features.csv"
SUFFIXES = [".npy", ".csv", ".parquet"]


def add_arguments(parser):
    """Declare the arguments."""
    parser.add_argument("folder", metavar="FOLDER", help="folder of pictures")
    parser.add_argument(
        "output",
        metavar="OUTPUT",
        help=".csv or .parquet: one row for each picture, with its name; .npy: only the numbers, "
        "with the names in a .names.json file next to it",
    )


def main(args):
    """Run the command."""
    output = check_output("OUTPUT", args.output, SUFFIXES)
    if output.suffix.lower() == ".npy":
        check_output("OUTPUT", output.with_suffix(".names.json"), [".json"])
    write = {".npy": _write_npy, ".csv": _write_csv, ".parquet": _write_parquet}
    if output.suffix.lower() == ".parquet":
        _check_parquet()
    folder = Folder(args.folder, args)
    extractor = make_extractor(args.feature, args.n_jobs)
    with whole_file(output) as part:
        shape = write[output.suffix.lower()](part, output, folder, extractor)
    print(f"{folder.cleaning()}.")
    print(f"Wrote {output}: {shape[0]} rows of {count(shape[1], 'feature')}")


def _columns(extractor, has_classes):
    """Return the column names."""
    return ["file", *(["class"] if has_classes else []), *extractor.get_feature_names_out()]


def _write_csv(part, output, folder, extractor):
    n_rows = n_features = 0
    with open(part, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        for names, classes, features in folder.features(extractor):
            if n_rows == 0:
                writer.writerow(_columns(extractor, classes is not None))
            for k, row in enumerate(features):
                head = [names[k]] if classes is None else [names[k], classes[k]]
                numbers = [f"{number:.7g}" for number in row.tolist()]
                writer.writerow([*map(safe_cell, head), *numbers])
            n_rows, n_features = n_rows + len(features), features.shape[1]
    return n_rows, n_features


def _write_npy(part, output, folder, extractor):
    files: list[str] = []
    all_classes: list[str] = []

    def rows():
        for names, classes, features in folder.features(extractor):
            files.extend(names)
            all_classes.extend(classes or [])
            yield features

    shape = transform_to_npy(FunctionTransformer(), rows(), part).shape
    columns = extractor.get_feature_names_out().tolist()
    names = {"files": files, "classes": all_classes or None, "columns": columns}
    with whole_file(output.with_suffix(".names.json")) as names_part:
        names_part.write_text(json.dumps(names, ensure_ascii=False, indent=0), encoding="utf-8")
    return shape


def _write_parquet(part, output, folder, extractor):
    import pandas as pd

    names, classes, features = zip(*folder.features(extractor), strict=True)
    table = pd.DataFrame(np.concatenate(features), columns=extractor.get_feature_names_out())
    shape = table.shape
    if classes[0] is not None:
        table.insert(0, "class", [*chain(*classes)])
    table.insert(0, "file", [*chain(*names)])
    table.to_parquet(part, index=False)
    return shape


def _check_parquet():
    try:
        import pandas  # noqa: F401
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise Problem(
            f".parquet needs {error.name}: pip install 'sklearn-nrcdt[parquet]'."
        ) from None
