"""Write the features of a folder of pictures to a file."""

import csv
import json
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
from sklearn.preprocessing import FunctionTransformer

from sklearn_nrcdt import InvariantHOG, MaxNRCDT, MeanNRCDT, SpectralNRCDT, transform_to_npy
from sklearn_nrcdt._commands.console import (
    Problem,
    check_output,
    count,
    readable,
    safe_cell,
    whole_file,
)
from sklearn_nrcdt._commands.folder import INVARIANCES, Folder

HELP = "write the features of pictures to a file for other programs"
EXAMPLE = "nrcdt features scans features.csv"
# What makes them, and what they are; they suit any classifier.
MIRRORED = "mass; as hog, and mirror images count as the same"
FEATURES: dict[str, tuple[Any, str]] = {
    "hog" if name == "affine" else f"hog-{name}": (partial(InvariantHOG, name), f"contours; {text}")
    for name, text in INVARIANCES.items()
} | {
    "spectral": (SpectralNRCDT, f"mass; {INVARIANCES['affine']}"),
    "max": (MaxNRCDT, MIRRORED),
    "mean": (partial(MeanNRCDT, weighting="precision"), MIRRORED),
}


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
    writers = {".npy": _write_npy, ".csv": _write_csv, ".parquet": _write_parquet}
    output = check_output("OUTPUT", args.output, list(writers))
    write = writers[output.suffix.lower()]
    if write is _write_npy:
        check_output("OUTPUT", output.with_suffix(".names.json"), [".json"])
    if write is _write_parquet:
        _check_parquet()
    folder = Folder(args.folder, args)
    extractor = FEATURES[args.feature][0](n_jobs=args.n_jobs)
    with whole_file(output) as part:
        write(part, output, _features(folder, extractor), extractor)
    print(f"{folder.cleaning()}.{folder.left_out()}")
    n_features = count(len(extractor.get_feature_names_out()), "feature")
    print(f"Wrote {readable(output)}: {len(folder.inverted)} rows of {n_features}")


def _features(folder, extractor):
    """Yield names, class names and features, batch by batch."""
    for k, (names, classes, images) in enumerate(folder.images()):
        features = extractor.fit_transform(images) if k == 0 else extractor.transform(images)
        yield names, classes, features


def _write_csv(part, output, batches, extractor):
    with open(part, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        for k, (names, classes, features) in enumerate(batches):
            heads = [names] if classes is None else [names, classes]
            if k == 0:
                columns = ["file", "class"][: len(heads)]
                writer.writerow([*columns, *extractor.get_feature_names_out()])
            for *head, row in zip(*heads, features.tolist(), strict=True):
                writer.writerow([*map(safe_cell, head), *(f"{number:.7g}" for number in row)])


def _write_npy(part, output, batches, extractor):
    files: list[str] = []
    all_classes: list[str] = []

    def rows():
        for names, classes, features in batches:
            files.extend(names)
            all_classes.extend(classes or [])
            yield features

    transform_to_npy(FunctionTransformer(), rows(), part)
    columns = extractor.get_feature_names_out().tolist()
    names = {"files": files, "classes": all_classes or None, "columns": columns}
    with whole_file(output.with_suffix(".names.json")) as names_part:
        names_part.write_text(json.dumps(names, ensure_ascii=False, indent=0), encoding="utf-8")


def _write_parquet(part, output, batches, extractor):
    import pandas as pd

    names, classes, features = zip(*batches, strict=True)
    table = pd.DataFrame(np.concatenate(features), columns=extractor.get_feature_names_out())
    if classes[0] is not None:
        table.insert(0, "class", [*chain(*classes)])
    table.insert(0, "file", [*chain(*names)])
    table.to_parquet(part, index=False)


def _check_parquet():
    try:
        import pandas  # noqa: F401
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise Problem(
            f".parquet needs {error.name}: pip install 'sklearn-nrcdt[parquet]'."
        ) from None
