"""docs/accuracy.md: our features beside what else a user could take."""

import re
from textwrap import fill

from benchmarks.accuracy import search_page
from benchmarks.accuracy.methods import MOST_IMAGES
from benchmarks.accuracy.network import SECONDS
from benchmarks.accuracy.ours import COPIES as OURS_COPIES
from benchmarks.accuracy.plot import draw
from benchmarks.accuracy.tasks import ELASTIC
from benchmarks.command import ROOT
from benchmarks.tables import markdown, read_csv

ELASTIC_CHARACTERS = "200 characters, elastic + affine"
ELASTIC_LOGOS = "200 logos, elastic + affine"

OTHERS = ("classic", "learned")  # families of methods that are not ours

# Tables on the page: a heading, the task and the number of training samples.
SHORT = {
    "digits": ("LinMNIST", "11"),
    "characters": (ELASTIC_CHARACTERS, "1"),
    "logos": (ELASTIC_LOGOS, "1"),
    "salt": ("wave, affine, salt", "5"),
    "stroke": ("one stroke", "1"),
}
METHODS = [
    "InvariantHOG",
    "InvariantHOG, copies",
    "InvariantHOG, aligned",
    "SpectralNRCDT",
    "MaxNRCDT",
    "small CNN",
    "RootSIFT",
    "EfficientNet-lite0",
    "whitened Zernike moments",
    "HOG",
    "PyTransKit invariance encoding",
]
UPRIGHT = [
    "InvariantHOG, slant",
    "InvariantHOG, slant, copies",
    "InvariantHOG, scale",
    "InvariantHOG, similarity",
    "InvariantHOG",
    "small CNN",
    "scattering",
    "RootSIFT",
    "HOG",
]
# What a method is called on the page and in its picture, if not as in the CSV.
NAMES = {
    "InvariantHOG, copies": "InvariantHOG, with copies",
    "InvariantHOG, slant, copies": "InvariantHOG, slant, with copies",
    "HOG": "HOG, with copies",
    "whitened Zernike moments": "Zernike, whitened",
    "Zernike moments": "Zernike",
    "EfficientNet-lite0": "EfficientNet",
    "PyTransKit RCDT-NS": "RCDT-NS",
    "PyTransKit invariance encoding": "RCDT-NS, turned",
}
# The same in a sentence.
IN_TEXT = NAMES | {"small CNN": "a small CNN"}

GROUPS = {
    "Handwritten digits": (
        """\
LinMNIST, the data of the paper's Table 6: 5,000 digits, scaled by 0.75 to 1 in x and y, turned by
any angle and shifted. Columns are samples of each digit; seconds for training and milliseconds per
image are those of 11 samples.""",
        {n: ("LinMNIST", n) for n in ("1", "5", "11", "25", "50")},
        METHODS,
    ),
    "Upright digits": (
        """\
The same digits, scaled and shifted but not turned, with 11 samples of each. Here
[a smaller invariance](guide.md#which-invariance-do-i-need) is enough.""",
        {"upright digits, 11 samples": ("upright digits", "11")},
        UPRIGHT,
    ),
    "One template of each of 200 or 1,000 shapes": (
        f"""\
Chinese characters and logos, 64 x 64 pixels on a canvas of 128 x 128. Affine: scaled by 0.5 to 1
in x and y, sheared by up to 25 degrees, turned by any angle. Elastic: before that, every pixel
moves by a smooth random displacement of {ELASTIC["rms"]} pixels (root mean square): white noise,
smoothed by a Gaussian of {ELASTIC["width"]} pixels.""",
        {
            f"{n} {kind}, {how}": (f"{n} {kind}, {full}", "1")
            for kind in ("characters", "logos")
            for n, how, full in (
                ("1,000", "affine", "affine"),
                ("200", "elastic", "elastic + affine"),
                ("1,000", "elastic", "elastic + affine"),
            )
        },
        METHODS,
    ),
    "Symbols, waves and salt": (
        """\
The paper's twelve symbols. *Affine* and *waves* are its hardest data sets of Tables 2 and 3, from
one template of each symbol; *salt* and *waves, salt* are rows 3 and 4 of Table 4, from 5 samples.
*Clean* means after `Despeckle`.""",
        {
            "affine": ("affine symbols", "1"),
            "waves": ("symbols with waves", "1"),
            "salt": ("affine, salt", "5"),
            "salt, clean": ("affine, salt, despeckled", "5"),
            "waves, salt": ("wave, affine, salt", "5"),
            "waves, salt, clean": ("wave, affine, salt, despeckled", "5"),
        },
        METHODS,
    ),
    "Disturbed symbols": (
        """\
The twelve symbols from one template of each, scaled by 0.75 to 1 and sheared by up to 15 degrees.
Then a tenth of the mass is covered, a stroke is added, a second symbol a tenth as bright stands
beside it, or the sheet is tilted so that its near end is 1.25 or 1.5 times as large as its far end.
[What this cannot do](guide.md#what-this-cannot-do) has pictures and more amounts.""",
        {
            "covered": ("10 % covered", "1"),
            "stroke": ("one stroke", "1"),
            "second": ("second object, 10 % as bright", "1"),
            "tilt 1.25": ("perspective 1.25", "1"),
            "tilt 1.5": ("perspective 1.5", "1"),
        },
        METHODS,
    ),
}

DESCRIPTIONS = {
    "MaxNRCDT": "the paper's maximum over the angles",
    "MeanNRCDT": "the paper's mean over the angles",
    "MeanNRCDT, precision": '`MeanNRCDT(weighting="precision")`',
    "SpectralNRCDT": "the whole circle of the NR-CDT",
    "SpectralNRCDT, aligned": '`keep="circle"`, distances at the best rotation',
    "InvariantHOG": "gradients in the shape's own frame",
    "InvariantHOG, copies": f"up to {OURS_COPIES} bent copies of each image, by `random_elastic`",
    "InvariantHOG, filters": '`keep="filters"`',
    "InvariantHOG, aligned": '`keep="circle"`, distances at the best rotation',
    "InvariantHOG, similarity": '`invariance="similarity"`',
    "InvariantHOG, slant": '`invariance="slant"`, upright digits only',
    "InvariantHOG, slant, copies": "both",
    "InvariantHOG, scale": '`invariance="scale"`, upright digits only',
    "raw pixels": "the square around the shape, 32 x 32; 11 copies of each image",
    "HOG": "`skimage.feature.hog` of the square around the shape, 64 x 64; 11 copies",
    "Hu moments": "`cv2.HuMoments`, logarithms, standardised",
    "affine moments": "seven affine invariants of Flusser and Suk, up to order 4, standardised",
    "Zernike moments": "magnitudes up to degree 12 about the centre, at the scale of the shape",
    "whitened Zernike moments": "magnitudes up to degree 12, in the frame of the covariance",
    "scattering": "kymatio's `Scattering2D(J=4, L=8)` of the square, 64 x 64; 6 copies",
    "RootSIFT": "`cv2.SIFT_create`, nearest class by the sum over all descriptors; 12 copies",
    "PyTransKit RCDT-NS": "PyTransKit's R-CDT and nearest subspace",
    "PyTransKit invariance encoding": "RCDT-NS with a search over rotations up to 40 degrees",
    "EfficientNet-lite0": "1,280 numbers of EfficientNet-lite0, trained on photographs, from the "
    "square at 112 x 112; 6 copies",
    "small CNN": "six convolutions on the square at 32 x 32, fresh affine and elastic copies in "
    f"every step, {SECONDS} CPU seconds of training, mean over four rotations",
}

PAGE = """\
# Accuracy

{answer}

![Accuracy on digits by the number of samples](images/accuracy.png)

{short}

*Accuracy, each with the best of three classifiers; bold is the best of a column. Digits: any affine
pose, 11 samples of each. Characters, logos: one template of each of 200, elastic and affine maps.
Salt: twelve symbols with waves and specks, 5 samples of each. Stroke: one template of each symbol,
a stray stroke added. Time: on one core. An empty cell was not measured.
[The methods](#the-methods) explains the names.*

{losses}
## Which feature, which classifier?

With one template per class, use `InvariantHOG(keep="circle")` and
`NearestTemplateClassifier("aligned")`, which compares two shapes at their best rotation. With a few
samples, use the *recommended pipeline*. If shapes bend, tilt or vary from hand to hand, train it on
[bent copies](guide.md#bent-copies-of-few-samples), too; then it also takes one template of each.

```python
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.pipeline import make_pipeline
from sklearn_nrcdt import InvariantHOG

model = make_pipeline(
    InvariantHOG(),
    PCA(0.99),
    LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.3),
)
```

`PCA(0.99)` always keeps fewer components than there are samples. On digits that no test uses, any
shrinkage between 0.1 and 0.5 works as well; `shrinkage="auto"` fails with two samples per class.

:::{{dropdown}} Classifiers on digits, by the number of samples of each
{classifiers}
:::

## All tasks

Each table has the best of three classifiers: the nearest neighbour, `SVC(C=10)` after
`StandardScaler`, and the recommended pipeline.
[comparison.csv](../benchmarks/accuracy/results/comparison.csv) has all methods, classifiers and
numbers of samples, with spreads and times.

{groups}
{bending}
## Salt is a matter of levels

Under salt, features of the mass depend on how far out their outermost quantile level lies: specks
sit in the tails, and few levels leave the tails out. {salt_answer}
Use `n_quantiles=16` or less, or `Despeckle`. `InvariantHOG` has no levels, and specks hardly move
its frame.

:::{{dropdown}} Accuracy by the number of levels
Nearest neighbour, row 3 of Table 4, 10 samples, not despeckled. The whole output of
`python -m benchmarks.accuracy salt` is in [salt.txt](../benchmarks/accuracy/results/salt.txt).

{salt}
:::

## How we measured

- `python -m benchmarks.accuracy --mnist FILE --characters FILE --logos FILE` runs everything and
  continues where it was stopped. {wall}
- Training samples are drawn at random, the same for all methods, and everything else is tested.
  {draws}
- *Copies* of the training images help methods that are not invariant. They are scaled by 0.6 to 1,
  sheared by up to 20 degrees and turned by any angle (upright digits: by up to 15 degrees). Where
  shapes vary (digits, elastic maps), they are bent first, by `datasets.random_elastic`, except for
  HOG and raw pixels, which are better without. Copies for `InvariantHOG` are only bent:
  {ours_copies} of a single image, fewer of several, until there are {most_images} images of each
  class.
- Elastic tests use maps of another kind than the copies.
- Classifiers, copies and radii were chosen on digits 500 to 599 of each class of MNIST, bent copies
  also on other characters in another font and on `make_drawings`. The test digits are the first
  500. The best of the three classifiers is picked afterwards, for all methods
  alike.
- Some slow combinations are left out: the CNN, scattering and RCDT-NS with 1,000 classes, `SVC`
  with more than 200, and slow methods on despeckled images.
{missing}
## The methods

:::{{dropdown}} What each name means
In brackets: the name in the CSV, if it differs.

{methods}

Only in the CSV:

{others}
:::
"""


def best(rows, task, train, method):
    """Return the row of the best classifier, or None."""
    found = [
        row for row in rows if (row["task"], row["train"], row["method"]) == (task, train, method)
    ]
    return max(found, key=lambda row: float(row["accuracy"]), default=None)


def accuracy_table(rows, columns, methods):
    """Head and lines of a table of the best classifiers: a line for each method."""
    measured = {(row["task"], row["train"]) for row in rows if row["method"] in methods}
    columns = {head: cell for head, cell in columns.items() if cell in measured}
    found = {method: [best(rows, *cell, method) for cell in columns.values()] for method in methods}
    found = {method: cells for method, cells in found.items() if any(cells)}
    highest = [
        max(float(row["accuracy"]) for row in column if row)
        for column in zip(*found.values(), strict=True)
    ]
    lines = []
    for method, cells in found.items():
        line = [NAMES.get(method, method)]
        for row, top in zip(cells, highest, strict=True):
            text = f"{float(row['accuracy']):.3f}" if row else ""
            line.append(f"**{text}**" if row and float(row["accuracy"]) == top else text)
        lines.append(line)
    return ["method", *columns], lines


def with_times(rows, head, lines, times):
    """The same table with columns of times, for digits with 11 samples."""
    names = {NAMES.get(method, method): method for method in METHODS}
    for line in lines:
        row = best(rows, "LinMNIST", "11", names[line[0]])
        line += [show(row) if row else "" for show in times.values()]
    return markdown([*head, *times], lines)


def short_table(rows):
    """The small table of at most ten methods, with the time of an image."""
    head, lines = accuracy_table(rows, SHORT, METHODS[:10])
    return with_times(rows, head, lines, {"ms per digit": ms})


def seconds(row):
    value = float(row["train_seconds"])
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}"


def is_level(first, second):
    """Whether two accuracies differ by no more than twice their combined spread."""
    spread = sum(float(row["spread"]) ** 2 for row in (first, second)) ** 0.5
    return abs(float(first["accuracy"]) - float(second["accuracy"])) <= 2 * spread


def beside(ours, rival):
    """How the best alternative compares, in accuracy and in time."""
    name = NAMES.get(rival["method"], rival["method"])
    ratio = float(rival["ms_per_image"]) / float(ours["ms_per_image"])
    if not is_level(ours, rival):
        return (
            f"{ms(ours)} ms per character; the best alternative there, {name}, finds "
            f"{percent(rival)} in {ms(rival)} ms"
        )
    time = f"{ratio:.2g} times faster" if ratio >= 1 else f"{1 / ratio:.2g} times slower"
    return (
        f"{ms(ours)} ms per character: as accurate, within the spread, as the best alternative "
        f"there, {name} ({percent(rival)}), and {time}"
    )


def paper_words(rows, row):
    """The accuracy of the paper's features, also with the paper's classifier."""
    nearest = [
        other
        for other in rows
        if all(other[key] == row[key] for key in ("task", "train", "method"))
        and other["classifier"] == "1-NN"
    ]
    if not nearest or nearest[0] is row:
        return percent(row)
    return (
        f"{percent(row)} with their best classifier ({percent(nearest[0])} with the paper's "
        "nearest neighbour)"
    )


def first(rows, task, train, methods):
    """Return the row of the best of some methods, or None."""
    found = filter(None, (best(rows, task, train, method) for method in methods))
    return max(found, key=lambda row: float(row["accuracy"]), default=None)


def methods_of(rows, *families):
    return dict.fromkeys(row["method"] for row in rows if row["family"] in families)


def losses(rows):
    """Where an alternative is ahead of all our features by more than the spread."""
    lines = []
    for _, columns, _ in GROUPS.values():
        for head, cell in columns.items():
            ours = first(rows, *cell, methods_of(rows, "ours", "paper"))
            rival = first(rows, *cell, methods_of(rows, *OTHERS))
            if not ours or not rival:
                continue
            spread = sum(float(row["spread"]) ** 2 for row in (ours, rival)) ** 0.5
            if float(rival["accuracy"]) - float(ours["accuracy"]) > spread:
                named = [
                    f"{NAMES.get(row['method'], row['method'])} {percent(row)}"
                    for row in (rival, ours)
                ]
                lines.append(f"- {head}: {', '.join(named)}")
    if not lines:
        return ""
    return (
        "**Where an alternative is ahead** by more than the spread:\n\n" + "\n".join(lines) + "\n"
    )


def answer(rows):
    """The first paragraph, from the numbers."""
    others = methods_of(rows, *OTHERS)
    digits = first(rows, "LinMNIST", "11", ["InvariantHOG"])
    helped = first(rows, "LinMNIST", "11", ["InvariantHOG, copies"])
    paper = first(rows, "LinMNIST", "11", ["MaxNRCDT", "MeanNRCDT"])
    rival = first(rows, "LinMNIST", "11", others)
    aligned = first(rows, ELASTIC_CHARACTERS, "1", ["InvariantHOG, aligned"])
    bent = first(rows, ELASTIC_CHARACTERS, "1", ["InvariantHOG, copies"])
    bent_rival = first(rows, ELASTIC_CHARACTERS, "1", others)
    if not all((digits, helped, paper, rival, aligned, bent, bent_rival)):
        return "Not everything was measured: see the tables."
    text = f"""\
**`InvariantHOG` is our most accurate feature.** From 11 samples of each handwritten digit, in any
affine pose, it recognises {percent(digits)} of the others, and {percent(helped)} if bent copies of
the samples join them; the paper's features reach {paper_words(rows, paper)}. The best alternative
that we tried, {IN_TEXT.get(rival["method"], rival["method"])}, reaches {percent(rival)} and takes
{seconds(rival)} seconds to train instead of {seconds(digits)} ({seconds(helped)} with copies). From
one template of each of 200 characters, bent and in any affine pose, it finds {percent(aligned)} at
the best rotation. With bent copies it finds {percent(bent)}, in {beside(bent, bent_rival)}."""
    exact = [best(rows, "affine symbols", "1", name) for name in ("InvariantHOG", "MaxNRCDT")]
    if all(exact) and is_level(*exact):
        text += """ For exact affine copies of clean shapes, the paper's features are as good and
much shorter."""
    return fill(text, 100)


def ms(row):
    return f"{float(row['ms_per_image']):.1f}"


def percent(row):
    return f"{100 * float(row['accuracy']):.1f} %"


def groups(rows):
    """The tables of all tasks, each folded away."""
    parts = []
    for title, (text, columns, methods) in GROUPS.items():
        wanted = {cell[0] for cell in columns.values()}
        if any(row["task"] in wanted for row in rows):
            head, lines = accuracy_table(rows, columns, methods)
            times = {"s": seconds, "ms": ms} if "LinMNIST" in wanted else {}
            table = with_times(rows, head, lines, times) if times else markdown(head, lines)
            parts.append(f":::{{dropdown}} {title}\n{text}\n\n{table}\n:::")
    return "\n\n".join(parts)


def classifier_table(rows):
    """Our two most accurate features with each classifier."""
    wanted = ("InvariantHOG", "InvariantHOG, aligned", "SpectralNRCDT")
    rows = [row for row in rows if row["task"] == "LinMNIST" and row["method"] in wanted]
    sizes = list(dict.fromkeys(row["train"] for row in rows))
    keys = sorted(
        dict.fromkeys((row["method"], row["classifier"]) for row in rows),
        key=lambda found: wanted.index(found[0]),
    )
    cells = {(row["method"], row["classifier"], row["train"]): row for row in rows}
    lines = []
    for key in keys:
        found = [cells.get((*key, size)) for size in sizes]
        values = [f"{float(row['accuracy']):.3f}" if row else "" for row in found]
        lines.append([key[0].split(",")[0], key[1], *values])
    return markdown(["feature", "classifier", *sizes], lines)


def text_table(text):
    """A table that was printed with columns at least two spaces apart, as Markdown."""
    head, *lines = [re.split(r"\s{2,}", line.strip()) for line in text.strip().splitlines()]
    return markdown(head, [[NAMES.get(line[0], line[0]), *line[1:]] for line in lines])


def salt_levels(text):
    """The first table of what `salt` printed, and what it says about the paper's features."""
    table = text.split("\n\n")[0].rstrip()
    head, *lines = [line.split() for line in table.splitlines()] or [[]]
    found = {
        " ".join(line[:-5]): dict(zip(head[-5:], map(float, line[-5:]), strict=True))
        for line in lines
    }
    if "max NR-CDT" not in found:
        return "", ""
    low, high = found["max NR-CDT"]["64"], found["max NR-CDT"]["16"]
    return (
        f"With the paper's 64 levels the max NR-CDT reaches {low:.3f}, with 16 levels {high:.3f}.",
        text_table(table),
    )


def bending_text(path):
    """What `bending` printed, folded away."""
    if not path.is_file():
        return ""
    tables = "\n\n".join(map(text_table, path.read_text().strip().split("\n\n")))
    return f"""
:::{{dropdown}} How smooth an elastic map must be
Accuracy on the elastic tasks above for other widths of the Gaussian that smooths the displacement;
narrow bends are harder. From `python -m benchmarks.accuracy bending`.

{tables}
:::
"""


def draws_text(rows):
    """How many draws and test images the numbers rest on."""
    if not rows:
        return ""
    fewest = min(rows, key=lambda row: int(row["splits"]) * int(row["tested"]))
    most = max(int(row["splits"]) for row in rows)
    return (
        f"Our features get up to {most} draws, slow methods fewer; the fewest test images, "
        f"{fewest['tested']}, are those of {fewest['method'].split()[0]}. See the columns "
        "`splits`, `tested` and `spread` (the standard deviation over the draws) of the CSV."
    )


def wall_text(path):
    """How long it took; a column "note" of the table may say what else the machine did."""
    rows = read_csv(path) if path.is_file() else []
    if not rows:
        return "These numbers come from partial runs."
    minutes = sum(int(row["seconds"]) for row in rows) / 60
    runs = "one run" if len(rows) == 1 else f"{len(rows)} runs, each continuing the last"
    return (
        f"It took {minutes:.0f} minutes in {runs}, with {rows[-1]['n_jobs']} processes on "
        f"{rows[-1]['machine']}. {rows[-1].get('note', '')}".rstrip()
    )


def missing_text(path):
    rows = [row for row in read_csv(path) if row["method"]] if path.is_file() else []
    return "".join(f"- {row['method']} could not be had: {row['reason']}.\n" for row in rows)


def is_shown(rows, method):
    """Whether a method is in a table of the page."""
    cells = {
        cell
        for _, columns, methods in GROUPS.values()
        if method in methods
        for cell in columns.values()
    }
    return any((r["task"], r["train"]) in cells for r in rows if r["method"] == method)


def describe(method):
    """A line of the list of methods."""
    note = f" ({method})" if method in NAMES else ""
    return f"- **{NAMES.get(method, method)}**{note}: {DESCRIPTIONS.get(method, '')}"


def page(folder):
    """Return the text of the page from the results in a folder."""
    rows = read_csv(folder / "comparison.csv")
    methods = list(dict.fromkeys([*DESCRIPTIONS, *(row["method"] for row in rows)]))
    methods = [name for name in methods if any(row["method"] == name for row in rows)]
    salt_answer, salt = salt_levels((folder / "salt.txt").read_text())
    text = PAGE.format(
        answer=answer(rows),
        short=short_table(rows),
        losses=losses(rows),
        classifiers=classifier_table(rows),
        groups=groups(rows),
        bending=bending_text(folder / "bending.txt"),
        salt_answer=salt_answer,
        salt=salt,
        wall=wall_text(folder / "wall.csv"),
        draws=draws_text(rows),
        ours_copies=OURS_COPIES,
        most_images=MOST_IMAGES,
        missing=missing_text(folder / "missing.csv"),
        methods="\n".join(describe(name) for name in methods if is_shown(rows, name)),
        others="\n".join(describe(name) for name in methods if not is_shown(rows, name)),
    )
    return text.rstrip() + "\n"


# -- the table of README.md ------------------------------------------------------------

MARKERS = "<!-- accuracy -->", "<!-- /accuracy -->"
README = {
    "InvariantHOG": (
        "**`InvariantHOG`**",
        "affine maps, or fewer",
        "your samples",
    ),
    "InvariantHOG, copies": (
        "**`InvariantHOG`**, with copies",
        "affine maps, or fewer",
        "bent copies",
    ),
    "MaxNRCDT": ("**`MaxNRCDT`** (the paper's)", "affine maps", "your samples"),
    "HOG": ("HOG, with copies", "nothing", "copies in many poses"),
    "Zernike moments": ("Zernike moments", "similarities", "your samples"),
    "whitened Zernike moments": (
        "Zernike moments of the whitened image",
        "affine maps",
        "your samples",
    ),
    "RootSIFT": (
        "RootSIFT, nearest-neighbour votes",
        "similarities, roughly",
        "copies in many poses",
    ),
    "small CNN": ("small CNN", "nothing", "copies in many poses"),
    "EfficientNet-lite0": (
        "pretrained embedding (EfficientNet-lite0)",
        "nothing",
        "ImageNet, copies",
    ),
}
README_HEAD = [
    "",
    "invariant under",
    "learns from",
    "digits, 11 samples each",
    "symbols, 1 template each",
]


def readme(rows, text):
    """Return the text of README.md with its table from the results."""
    lines = []
    for method, words in README.items():
        found = [
            best(rows, *cell, method) for cell in (("LinMNIST", "11"), ("affine symbols", "1"))
        ]
        if any(found):
            cells = [f"{float(row['accuracy']):.3f}" if row else "not measured" for row in found]
            lines.append([*words, *cells])
    before, rest = text.split(MARKERS[0])
    _, after = rest.split(MARKERS[1])
    table = markdown(README_HEAD, lines)
    return f"{before}{MARKERS[0]}\n\n{table}\n\n{MARKERS[1]}{after}"


def run(args):
    """Write the page, its picture and, unless results go elsewhere, the table of README.md."""
    if args.docs == ROOT / "docs":
        rows, file = read_csv(args.results / "comparison.csv"), ROOT / "README.md"
        file.write_text(readme(rows, file.read_text(encoding="utf-8")), encoding="utf-8")
    (args.docs / "accuracy.md").write_text(page(args.results))
    draw(read_csv(args.results / "comparison.csv"), args.docs / "images" / "accuracy.png", NAMES)
    search_page.write(args)
