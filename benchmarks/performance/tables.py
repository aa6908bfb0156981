"""Tables and pictures of docs/performance.md, from what is stored."""

import numpy as np

from benchmarks.performance.libraries import OURS
from benchmarks.performance.scaling import SWEEPS
from benchmarks.tables import markdown, pivot, save_figure, stored, write_tables

OUR_NAMES = {variant.name for variant in OURS}
COLUMNS = {
    "28 x 28 digits": "digits, 28 px",
    "128 x 128 digits on a canvas": "digits, 128 px",
    "256 x 256 symbols": "symbols, 256 px",
    "256 x 256 dense grey": "dense, 256 px",
    "1024 x 1024 scan": "scans, 1024 px",
}
HEADLINE = {
    "InvariantHOG": "`InvariantHOG`",
    "SpectralNRCDT": "`SpectralNRCDT`",
    "MaxNRCDT": "`MaxNRCDT`",
    "skimage.feature.hog": "skimage HOG",
    "torchcdt": "torchcdt",
    "PyTransKit": "PyTransKit",
}
RATIOS = {
    "InvariantHOG / Spectral": (("InvariantHOG",), "SpectralNRCDT"),
    "InvariantHOG / skimage": (("InvariantHOG",), "skimage.feature.hog"),
    "best peer / MaxNRCDT": (("torchcdt", "PyTransKit"), "MaxNRCDT"),
}
# The promises that people quote are those for dense uint8.
QUOTED = ("`MaxNRCDT`", "`MaxNRCDT(n_angles=16)`", "`InvariantHOG`", "`ShapeClassifier`")


def number(value, digits=3):
    """So many digits, without exponents."""
    value = float(f"{float(value):.{digits}g}")
    places = max(0, digits - 1 - int(np.floor(np.log10(abs(value))))) if value else 0
    return f"{value:,.{places}f}"


def short(value):
    """At most two digits, without zeros at the end."""
    return f"{float(f'{float(value):.2g}'):,.10g}"


# -- side by side ----------------------------------------------------------------------


def headline(rows):
    """A line for each library, one for the first image, then ratios; a column for each kind."""
    found = {(row["library"], row["case"]): float(row["ms"]) for row in rows if row["ms"]}
    versions = {r["library"]: r["version"] for r in rows if r["library"] not in OUR_NAMES}
    first = {r["case"]: r["setup_s"] for r in rows if r["library"] == "MaxNRCDT"}
    cases = [case for case in COLUMNS if any(key[1] == case for key in found)]
    lines = []
    for name, words in HEADLINE.items():
        cells = [number(found[name, c]) if (name, c) in found else "" for c in cases]
        words = f"{words} {versions.get(name, '')}".strip()
        lines += [[words, *cells]] if any(cells) else []
    cells = [number(1000 * float(first[c])) if first.get(c) else "" for c in cases]
    lines += [["first image of `MaxNRCDT`", *cells]] if any(cells) else []
    for words, (names, divisor) in RATIOS.items():
        cells = []
        for case in cases:
            times = [found[name, case] for name in names if (name, case) in found]
            both = times and (divisor, case) in found
            cells.append(f"**{short(min(times) / found[divisor, case])}**" if both else "")
        lines += [[words, *cells]] if any(cells) else []
    return markdown(["ms per image", *(COLUMNS[case] for case in cases)], lines)


def latency(rows):
    lines = [
        [f"`{r['transformer']}`", *(number(r[name]) for name in ("ms", "p99_ms", "batch_ms"))]
        for r in rows
    ]
    return markdown(["one image, ms", "median", "99th percentile", "in a batch of 256"], lines)


# -- growth, workers, memory -----------------------------------------------------------


def exponent(x, y):
    """Slope of log y over log x on the upper half of the points."""
    keep = slice(len(x) // 2 - 1, None) if len(x) > 3 else slice(None)
    x, y = np.log(np.asarray(x, float)[keep]), np.log(np.maximum(np.asarray(y, float)[keep], 1e-9))
    return np.polyfit(x, y, 1)[0]


def growth(rows):
    """How many times as long it takes if a quantity doubles, and the most memory."""
    lines = []
    for sweep, (name, _) in SWEEPS.items():
        cells, most = [], []
        for kind in ("sparse", "dense"):
            here = [row for row in rows if (row["sweep"], row["kind"]) == (sweep, kind)]
            if len(here) >= 3:
                x, ms, peak = ([float(row[key]) for row in here] for key in (name, "ms", "peak_mb"))
                cells.append(f"{2 ** exponent(x, ms):.1f}")
                most += peak
        lines += [[sweep, *cells, f"{max(most):.0f}"]] if len(cells) == 2 else []
    return markdown(["doubled", "sparse: times", "dense: times", "most MB"], lines)


def speed_up(rows):
    """A line for each kind of images, a column for each kind of workers."""
    most = max(int(row["n_jobs"]) for row in rows)
    rows = [row for row in rows if int(row["n_jobs"]) == most]
    return pivot("speed-up", rows, "kind", "workers", "speed_up")


def promises(rows):
    """Megabytes, promised and measured; a line for each estimator, a column for each size."""
    rows = [
        row | {"size": size, "cell": f"{int(row['promise_mb']):,} ({row['measured_mb']})"}
        for row in rows
        for size, _, kind in [row["given"].partition(", ")]
        if row["what"] in QUOTED and kind == "dense uint8"
    ]
    return pivot("promised (measured), MB", rows, "what", "size", "cell")


# -- classifiers, catalogues, indexes --------------------------------------------------


def as_stored(heads):
    """Return the function that writes a table with these heads over the columns of a CSV."""

    def cell(text):
        return f"{int(text):,}" if text.isdigit() else text

    return lambda rows: markdown(heads, [[cell(v) for v in row.values()] for row in rows])


CLASSIFIERS = [
    *("one core", "templates", "`fit`, ms a template", "a query, ms", "saved, kB a template"),
]
CATALOGUES = [
    *("drawings", "on the disk, MB", "first question, with imports, s", "each further one, ms"),
    "largest size of the process, MB",
]
INDEXES = ["index", "vectors", "build, s", "one query, ms", "of the ten nearest"]


# -- the search ------------------------------------------------------------------------


def search_tables(rows):
    """Times of whole searches, and what they do not depend on."""
    usual = [row for row in rows if int(row["drawings"]) > 10]
    found = {}
    for row in usual:
        key = row["drawings"], row["poses"], row["photo"], row["workers"]
        found.setdefault(key, {})[row["compiled"]] = short(row["photo_s"])
    times = [
        [f"{int(n):,}", poses, photo, workers, at.get("yes", "-"), at.get("no", "-")]
        for (n, poses, photo, workers), at in found.items()
    ]
    facts = [
        [f"{row['drawings']} drawings, {row['catalogue']}", f"{short(row['photo_s'])} s"]
        for row in rows
        if int(row["drawings"]) <= 10
    ]
    fits = [float(row["fit_s"]) for row in usual]
    facts += [
        ["`fit` of 100 drawings", f"{short(np.median(fits))} s"],
        ["segments", f"{short(max(float(row['bytes']) for row in usual) / 1e3)} kB a drawing"],
    ]
    head = ["drawings", "poses", "photograph", "workers", "seconds with numba", "without"]
    return {
        "performance_search": markdown(head, times),
        "performance_search_facts": markdown(["", ""], facts),
    }


def tables(results):
    """Return the tables of the page by the names of their files."""
    makers = {
        "performance": ("speed", headline),
        "performance_latency": ("latency", latency),
        "performance_growth": ("scaling", growth),
        "performance_workers": ("jobs", speed_up),
        "performance_memory": ("memory", promises),
        "performance_classifiers": ("classifiers", as_stored(CLASSIFIERS)),
        "performance_catalogue": ("catalogue", as_stored(CATALOGUES)),
        "performance_indexes": ("indexes", as_stored(INDEXES)),
    }
    found = {name: stored(results, table)[0] for name, (table, _) in makers.items()}
    (search,) = stored(results, "search")
    made = {name: makers[name][1](rows) for name, rows in found.items() if rows}
    return made | (search_tables(search) if search else {})


def run(args):
    from benchmarks.performance import plots

    write_tables(args.docs, tables(args.results))
    (rows,) = stored(args.results, "speed")
    if rows:
        save_figure(args, plots.speed(rows), "performance_speed")
