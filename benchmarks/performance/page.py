"""docs/performance.md and its pictures: every number on the page comes from the stored tables."""

from textwrap import fill

import numpy as np

from benchmarks.performance import model, search_page
from benchmarks.performance.libraries import OURS
from benchmarks.performance.points import SPARSE, SWEEPS
from benchmarks.performance.speed import ratio
from benchmarks.performance.text import CLUSTER, TEXT
from benchmarks.tables import markdown, read_csv
from sklearn_nrcdt import MaxNRCDT

TABLES = ("speed", "scaling", "jobs", "stream", "memory", "tradeoff")
OUR_NAMES = {variant.name for variant in OURS}


def number(value):
    """Three digits, without exponents."""
    value = float(f"{float(value):.3g}")
    digits = max(0, 2 - int(np.floor(np.log10(abs(value))))) if value else 0
    return f"{value:,.{digits}f}"


def times(value):
    """A ratio, to two digits."""
    return f"{float(f'{value:.2g}'):,.3g}" if value is not None else "-"


# -- side by side ----------------------------------------------------------------------


def machine(rows):
    return ", ".join(
        f"{r['library']} {r['version']}"
        for r in rows
        if r["measure"] == "machine" and r["library"] != "digits"
    ).replace("processor ", "")


def versions(rows):
    found = {}
    for r in rows:
        if r["version"] and r["measure"] in ("transform", "distance"):
            found["sklearn-nrcdt" if r["library"] in OUR_NAMES else r["library"].split(",")[0]] = r[
                "version"
            ]
    found.pop("RadonCDT and pdist", None)
    missing = {r["library"]: r["missing"] for r in rows if r["missing"]}
    text = ", ".join(f"{name} {version}" for name, version in found.items())
    reasons = "; ".join(f"{name}: {why}" for name, why in missing.items())
    return text + (f". Missing: {reasons}" if reasons else "")


# -- the first screen ------------------------------------------------------------------

HEADLINE = (
    ("InvariantHOG", "float32"),
    ("SpectralNRCDT", "float32"),
    ("MaxNRCDT", "float32"),
    ("skimage.feature.hog", "float32"),
    ("torchcdt", "float32"),
    ("PyTransKit", "float64"),
)
COLUMNS = {
    "28 x 28 digits": "digits, 28 px",
    "128 x 128 digits on a canvas": "digits, 128 px",
    "256 x 256 symbols": "symbols, 256 px",
    "256 x 256 dense grey": "dense, 256 px",
    "1024 x 1024 scan": "scans, 1024 px",
}


def at_128(rows, key):
    """Milliseconds of a library and precision at 128 angles, for each case."""
    return {
        r["case"]: float(r["ms"])
        for r in rows
        if r["measure"] == "transform" and r["angles"] == "128" and r["ms"]
        if (r["library"], r["dtype"]) == key
    }


def faster(rows):
    """How many times faster MaxNRCDT is at 128 angles in float32, for each case."""
    return {
        r["case"]: ratio(rows, r)[0]
        for r in rows
        if r["measure"] == "transform" and r["angles"] == "128" and r["ms"]
        if (r["library"], r["dtype"]) == ("MaxNRCDT", "float32")
    }


def quotients(first, second):
    """One time divided by another, for each case that has both."""
    return {case: first[case] / second[case] for case in first if case in second}


def headline(rows):
    """A line for each library, then ratios; a column for each kind of images."""
    found = {key[0]: at_128(rows, key) for key in HEADLINE}
    shown = {name: times_ for name, times_ in found.items() if times_}
    cases = [case for case in COLUMNS if any(case in times_ for times_ in shown.values())]
    lines = [
        [
            f"`{name}`"
            if name in OUR_NAMES
            else name.replace("skimage.feature.hog", "skimage HOG"),
            *(number(times_[case]) if case in times_ else "" for case in cases),
        ]
        for name, times_ in shown.items()
    ]
    hog, spectral, plain = (
        found[name] for name in ("InvariantHOG", "SpectralNRCDT", "skimage.feature.hog")
    )
    for words, values in (
        ("InvariantHOG / Spectral", quotients(hog, spectral)),
        ("InvariantHOG / skimage", quotients(hog, plain)),
        ("best peer / MaxNRCDT", {c: g for c, g in faster(rows).items() if g}),
    ):
        if values:
            cells = (f"**{times(values[case])}**" if case in values else "" for case in cases)
            lines.append([words, *cells])
    return markdown(["ms per image", *(COLUMNS[case] for case in cases)], lines)


def summary(rows):
    """The first paragraph."""
    case, words = "256 x 256 symbols", []
    for name in ("InvariantHOG", "MaxNRCDT"):
        found = at_128(rows, (name, "float32"))
        if case in found:
            words.append(f"`{name}` takes {number(found[case])} ms")
    text = f"**For a line drawing of 256 x 256 pixels, {' and '.join(words)}**, on one core. "
    gains = [gain for gain in faster(rows).values() if gain]
    if gains:
        text += (
            f"`MaxNRCDT` is {times(min(gains))} to {times(max(gains))} times faster than the "
            "faster of torchcdt and PyTransKit, depending on the images. "
        )
    return fill(
        text + "Memory does not grow with the number of images, images need not fit into memory, "
        "and a cluster needs no change of code.",
        100,
    )


def workers(rows):
    most = max(int(r["n_jobs"]) for r in rows)
    gains = {}
    for r in rows:
        if int(r["n_jobs"]) == most:
            gains.setdefault(r["workers"], []).append(float(r["speed_up"]))
    ranges = [f"{name} {times(min(g))} to {times(max(g))} times" for name, g in gains.items()]
    return f"With `n_jobs={most}`, compared with one worker: {'; '.join(ranges)}."


def streaming(rows):
    """Both ways through a file that need not fit into memory."""
    way = {r["way"]: r for r in rows}
    first, plain = way["transform_to_npy"], way["transform"]
    same = "the same features bit for bit" if first["equal"] == "True" else "OTHER FEATURES"
    return fill(
        f"`transform_to_npy` turned {int(first['images']):,} images, a file of "
        f"{number(first['file_mb'])} MB, into features with {number(first['peak_mb'])} MB of "
        f"memory at its peak. `transform` on the same memory map gives {same} and peaks at "
        f"{number(plain['peak_mb'])} MB, of which all but "
        f"{number(plain['peak_without_pages_mb'])} MB are pages of the file, which the system "
        "takes back when it needs them.",
        100,
    )


def all_libraries(rows):
    """Every library at 128 angles, in float32 where it has it."""
    here = [r for r in rows if r["measure"] == "transform" and r["angles"] == "128"]
    lines = []
    for name in dict.fromkeys(r["library"] for r in here):
        dtype = min(r["dtype"] for r in here if r["library"] == name)
        found = at_128(rows, (name, dtype))
        cells = [number(found[case]) if case in found else "missing" for case in COLUMNS]
        lines.append([f"**{name}**" if name in OUR_NAMES else name, *cells])
    return markdown(["library", *COLUMNS.values()], lines)


def first_image(rows):
    """What the first image costs, in a sentence."""
    wanted = ("transform", "MaxNRCDT", "float32", "128")
    keys = ("measure", "library", "dtype", "angles")
    cost = {
        r["case"]: 1000 * float(r["setup_s"])
        for r in rows
        if tuple(r[key] for key in keys) == wanted and r["setup_s"]
    }
    parts = [
        f"{number(cost[case])} ms {words}"
        for case, words in (
            ("256 x 256 symbols", "for symbols of 256 x 256 pixels"),
            ("256 x 256 dense grey", "for dense images of that size"),
            ("1024 x 1024 scan", "at 1024 x 1024"),
        )
        if case in cost
    ]
    return (
        "The first image takes longer, because a table of footprints is built as far as the images "
        f"reach: with `MaxNRCDT` {', '.join(parts)}. Equal transformers share the table."
    )


def distances(rows):
    """Distances beside POT, in a sentence."""
    here = [r for r in rows if r["measure"] == "distance"]
    gains = {}
    for case in dict.fromkeys(r["case"] for r in here):
        found = {r["library"]: r["ms"] for r in here if r["case"] == case}
        if found["POT"] and found["RadonCDT and pdist"]:
            gains[case] = float(found["POT"]) / float(found["RadonCDT and pdist"])
    if not gains:
        return ""
    ours = '`RadonCDT(scaling="wasserstein")`'
    start = (
        f"Sliced Wasserstein-2 distances from {ours} are faster than those of POT (Python Optimal "
        "Transport). For two images, POT takes "
        if min(gains.values()) > 1
        else "For the sliced Wasserstein-2 distance of two images, POT (Python Optimal Transport), "
        f"compared with {ours}, takes "
    )
    return (
        start
        + ", ".join(f"{times(gain)} times as long on {case}" for case, gain in gains.items())
        + ". With more images we gain more, since we transform each image once."
    )


# -- growth ----------------------------------------------------------------------------


def kinds(rows):
    return {kind: [r for r in rows if r["kind"] == kind] for kind in ("sparse", "dense")}


def costs(rows):
    """Nanoseconds of each term of the model, and how good it is."""
    fitted = {kind: model.fit(chosen) for kind, chosen in kinds(rows).items()}
    lines = [
        [meaning, *(number(fitted[kind][term]) for kind in fitted)]
        for term, meaning in model.TERMS.items()
    ]
    for name, statistic in (("mean error of the model", np.mean), ("largest error", np.max)):
        cells = [
            f"{statistic(abs(model.errors(fitted[k], c))):.0%}" for k, c in kinds(rows).items()
        ]
        lines.append([name, *cells])
    return markdown(["nanoseconds for each of", "sparse images", "dense images"], lines)


def growth(rows):
    lines = []
    for sweep, (name, _) in SWEEPS.items():
        for kind, chosen in kinds(rows).items():
            here = [r for r in chosen if r["sweep"] == sweep]
            if len(here) < 3:
                continue
            x, ms = [float(r[name]) for r in here], [float(r["ms"]) for r in here]
            slope, error = model.exponent(x, ms)
            lines.append(
                [
                    f"{sweep}, {kind}",
                    f"{here[0][name]}\N{EN DASH}{here[-1][name]}",
                    f"{number(ms[0])}\N{EN DASH}{number(ms[-1])}",
                    f"{slope:.2f}±{error:.2f}",
                ]
            )
    return markdown(["varied", "from, to", "ms per image", "exponent"], lines)


def doubling(rows):
    """How much longer an image takes when a quantity doubles, in a sentence."""
    names = {"image side": "the side of the image", "angles": "`n_angles`"}
    names |= {"radii": "`n_radii`", "levels": "`n_quantiles`"}
    found = []
    for sweep, words in names.items():
        factors = []
        for chosen in kinds(rows).values():
            here = [r for r in chosen if r["sweep"] == sweep]
            if len(here) >= 3:
                x = [float(r[SWEEPS[sweep][0]]) for r in here]
                factors.append(2 ** model.exponent(x, [float(r["ms"]) for r in here])[0])
        if factors:
            found.append(f"{words} by {min(factors):.1f} to {max(factors):.1f}")
    return f"Doubling these multiplies the time per image: {', '.join(found)}."


def speed_up(rows):
    most = max(int(r["n_jobs"]) for r in rows)
    return markdown(
        ["images", "workers", "ms per image", "speed-up", "range"],
        [
            [
                r["kind"],
                r["workers"],
                number(r["ms"]),
                r["speed_up"],
                f"{r['least']}\N{EN DASH}{r['most']}",
            ]
            for r in rows
            if int(r["n_jobs"]) == most
        ],
    )


# Our largest: with so few angles the table of footprints is just small enough to be kept.
LARGEST = "`MaxNRCDT(n_angles=16)`", "1 x 4096 x 4096, dense uint8"
# The rows of the promises that people quote.
QUOTED = {
    (f"`{name}`", f"{images}, dense uint8")
    for name in ("MaxNRCDT", "InvariantHOG")
    for images in ("1,000 x 28 x 28", "16 x 256 x 256", "2 x 1024 x 1024", "1 x 4096 x 4096")
} | {LARGEST, ("`transform_to_npy`", "a file of 4,000 x 128 x 128")}


def most_memory(scaling_rows, rows):
    """How much memory was used, in sentences: up to a size, and at most."""
    most = max(float(r["peak_mb"]) for r in scaling_rows)
    side = max(int(r["side"]) for r in scaling_rows)
    text = (
        f"Memory above input and output is at most {most:.0f} MB up to {side} x {side} pixels in "
        "float32, whatever the number of images."
    )
    largest = [r for r in rows if (r["what"], r["given"]) == LARGEST]
    if largest:
        text += (
            f" At 4096 x 4096 pixels in float64, {LARGEST[0]} takes {largest[0]['measured_mb']} "
            "MB, because with so few angles the table of footprints is just small enough to be "
            "kept ([Memory as a promise](#memory-as-a-promise))."
        )
    return text


def promises(rows):
    return markdown(
        ["what", "with", "promised, MB", "measured, MB"],
        [
            [r["what"], r["given"], f"{int(r['promise_mb']):,}", r["measured_mb"]]
            for r in rows
            if (r["what"], r["given"]) in QUOTED
        ],
    )


# -- choice and estimate -----------------------------------------------------------------


def enough(rows, parameter="n_angles"):
    """The value of a parameter that is as good as any for all tasks and features."""
    least = []
    for key in dict.fromkeys((r["task"], r["feature"]) for r in rows):
        here = [r for r in rows if (r["task"], r["feature"], r["parameter"]) == (*key, parameter)]
        best = max(here, key=lambda r: float(r["accuracy"]))
        floor = float(best["accuracy"]) - 2 * float(best["error"])
        least.append(min(int(r["value"]) for r in here if float(r["accuracy"]) >= floor))
    return max(least)


def tradeoffs(rows):
    """For each parameter: the quickest value whose accuracy is that of the best, within errors."""
    rows, lines = [r for r in rows if r["feature"] == "max NR-CDT"], []
    for key in dict.fromkeys((r["task"], r["feature"], r["parameter"]) for r in rows):
        here = [r for r in rows if (r["task"], r["feature"], r["parameter"]) == key]
        best = max(here, key=lambda r: float(r["accuracy"]))
        floor = float(best["accuracy"]) - 2 * float(best["error"])
        enough = min(
            (r for r in here if float(r["accuracy"]) >= floor), key=lambda r: float(r["ms"])
        )
        default = next(r for r in here if r["is_default"] == "True")
        shown = [
            f"{r['value']}: {float(r['accuracy']):.3f}, {number(r['ms'])} ms"
            for r in (default, enough)
        ]
        lines.append([key[0], f"`{key[2]}`", *shown])
    return markdown(["task", "setting", "default", "quickest as good"], lines)


def estimate(speed_rows, scaling_rows, job_rows):
    """Core hours and disk for a billion images, from the model."""
    cost = {kind: model.fit(chosen) for kind, chosen in kinds(scaling_rows).items()}
    most = max(int(r["n_jobs"]) for r in job_rows)
    lines = []
    for case in ("128 x 128 digits on a canvas", "256 x 256 symbols", "256 x 256 dense grey"):
        key = (case, "MaxNRCDT", "float32", "128")
        found = [r for r in speed_rows if (r["case"], r["library"], r["dtype"], r["angles"]) == key]
        if not found:
            continue  # a partial run
        measured = found[0]
        side = int(case.split()[0])
        filled, window = float(measured["filled"]), float(measured["window"])
        kind = "sparse" if filled <= SPARSE * window else "dense"
        radii = len(MaxNRCDT().fit(np.ones((1, side, side), np.float32)).radii_)
        job = {"side": side, "angles": 128, "radii": radii, "levels": 64, "images": 1024}
        job |= {"kind": kind, "filled": filled, "window": window}
        ms = model.predict(cost[kind], job)
        gain = next(
            float(r["speed_up"])
            for r in job_rows
            if (r["kind"], r["workers"], r["n_jobs"]) == (kind, "processes, memory map", str(most))
        )
        efficiency = min(1.0, gain / most)
        hours = 1e9 * ms / 3.6e6 / efficiency
        lines.append(
            [
                case,
                f"{number(ms)} ({number(measured['ms'])})",
                number(hours),
                number(60 * hours / 1000),
                number(side**2 / 1e3),
            ]
        )
    return lines


ESTIMATE = ["images", "ms (measured)", "core hours", "minutes on 1,000 cores", "TB to read"]


def large(lines):
    """The range of the estimate in a sentence."""
    if not lines:
        return "The estimate needs all three kinds of images; run `speed` for all of them."
    lines = sorted(lines, key=lambda line: float(line[2].replace(",", "")))
    first, last = lines[0], lines[-1]
    return (
        f"A billion images take an estimated {first[2]} to {last[2]} core hours; on a thousand "
        f"cores, {first[3]} to {last[3]} minutes, if the storage keeps up."
    )


def page(data):
    speed = data["speed"]
    estimated = estimate(speed, data["scaling"], data["jobs"])
    text = TEXT.format(
        machine=machine(speed),
        versions=versions(speed),
        summary=summary(speed),
        headline=headline(speed),
        all_libraries=all_libraries(speed),
        first_image=fill(first_image(speed), 100),
        distances=fill(distances(speed), 100),
        costs=costs(data["scaling"]),
        growth=growth(data["scaling"]),
        doubling=fill(doubling(data["scaling"]), 100),
        most_memory=fill(most_memory(data["scaling"], data["memory"]), 100),
        enough=f"{enough(data['tradeoff'])} angles",
        workers=workers(data["jobs"]),
        streaming=streaming(data["stream"]),
        large=large(estimated),
        speed_up=speed_up(data["jobs"]),
        promises=promises(data["memory"]),
        n_promises=len(data["memory"]),
        tradeoffs=tradeoffs(data["tradeoff"]),
        estimate=markdown(ESTIMATE, estimated),
    )
    return text + search_page.section(data.get("search")) + CLUSTER


def run(args):
    # Imported here: the words and tables of the page need no matplotlib.
    from benchmarks.performance import plots

    data = {name: read_csv(args.results / f"{name}.csv") for name in TABLES}
    data["search"] = search_page.load(args.results)
    (args.docs / "performance.md").write_text(page(data))
    for draw in (plots.speed, plots.scaling, plots.tradeoff):
        draw(data[draw.__name__], args.docs / "images" / f"performance_{draw.__name__}.png")
