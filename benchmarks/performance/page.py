"""docs/performance.md and its pictures: every number on the page comes from the stored tables."""

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
    value = float(value)
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
    ("MaxNRCDT", "float32"),
    ("InvariantHOG", "float32"),
    ("torchcdt", "float32"),
    ("PyTransKit", "float64"),
)


def at_128(rows, key):
    """Milliseconds of a library and precision at 128 angles, for each case."""
    return {
        r["case"]: r["ms"]
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


def headline(rows):
    """A line for each kind of images, a column for each library."""
    found = {key: at_128(rows, key) for key in HEADLINE}
    shown = [key for key in HEADLINE if found[key]]
    lines = [
        [case, *(number(found[k][case]) if case in found[k] else "-" for k in shown), times(gain)]
        for case, gain in faster(rows).items()
    ]
    names = [f"`{name}`" if name in OUR_NAMES else name for name, _ in shown]
    return markdown(["images", *names, "times faster"], lines)


def summary(rows):
    ours, gains = at_128(rows, ("MaxNRCDT", "float32")), [g for g in faster(rows).values() if g]
    words = []
    for case, what in (
        ("256 x 256 symbols", "a line drawing of 256 x 256 pixels"),
        ("256 x 256 dense grey", "a dense image of that size"),
    ):
        if case in ours:
            words.append(f"{number(ours[case])} ms for {what}")
    text = f"**`MaxNRCDT` takes {' and '.join(words)}**, on one core. "
    if gains:
        text += (
            f"That is {times(min(gains))} to {times(max(gains))} times faster than the faster of "
            "torchcdt and PyTransKit, depending on the images. "
        )
    return text + (
        "Time and memory grow as you would expect, images need not fit into memory, and a "
        "cluster needs no change of code."
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
    first = next(r for r in rows if r["way"] == "transform_to_npy")
    return (
        f"`transform_to_npy` turned {int(first['images']):,} images, a file of "
        f"{first['file_mb']} MB, into features with {first['peak_mb']} MB of memory at its peak."
    )


def side_by_side(rows, angles):
    """All libraries and cases for one number of angles."""
    here = [r for r in rows if r["measure"] == "transform" and r["angles"] == angles]
    cases = list(dict.fromkeys(r["case"] for r in here))
    lines = []
    for key in dict.fromkeys((r["library"], r["dtype"], r["computes"]) for r in here):
        found = {r["case"]: r for r in here if (r["library"], r["dtype"], r["computes"]) == key}
        cells = [number(found[c]["ms"]) if found[c]["ms"] else "missing" for c in cases]
        name = f"**{key[0]}**" if key[0] in OUR_NAMES else key[0]
        lines.append([name, key[2], key[1], *cells])
    return markdown(["library", "computes", "precision", *cases], lines)


def ratios(rows):
    """How many times faster MaxNRCDT is, for each case, precision and number of angles."""
    here = [r for r in rows if r["measure"] == "transform" and r["library"] == "MaxNRCDT"]
    angles = list(dict.fromkeys(r["angles"] for r in here))
    lines = []
    for case, dtype in dict.fromkeys((r["case"], r["dtype"]) for r in here):
        found = {r["angles"]: r for r in here if (r["case"], r["dtype"]) == (case, dtype)}
        filled = f"{float(next(iter(found.values()))['filled']):.0%}"
        cells = []
        for n in angles:
            whole, every = ratio(rows, found[n]) if found[n]["ms"] else (None, None)
            cells.append(f"{times(whole)} ({times(every)})")
        lines.append([case, filled, dtype, *cells])
    return markdown(["images", "not black", "precision", *(f"{n} angles" for n in angles)], lines)


def set_up(rows):
    here = [
        r
        for r in rows
        if r["measure"] == "transform" and r["library"] == "MaxNRCDT" and r["setup_s"]
    ]
    angles = list(dict.fromkeys(r["angles"] for r in here))
    lines = []
    for case, dtype in dict.fromkeys((r["case"], r["dtype"]) for r in here):
        found = {r["angles"]: r for r in here if (r["case"], r["dtype"]) == (case, dtype)}
        cells = [number(1000 * float(found[n]["setup_s"])) for n in angles]
        lines.append([case, dtype, *cells])
    return markdown(["images", "precision", *(f"{n} angles" for n in angles)], lines)


def first_results(rows):
    lines = []
    here = [r for r in rows if r["measure"] == "first result"]
    for r in here:
        again = next(
            o
            for o in rows
            if o["measure"] == "one image, warm"
            and all(o[k] == r[k] for k in ("case", "library", "dtype"))
        )
        cells = [number(x["ms"]) if x["ms"] else f"missing: {x['missing']}" for x in (r, again)]
        name = f"**{r['library']}**" if r["library"] in OUR_NAMES else r["library"]
        lines.append([r["case"], name, r["dtype"], *cells])
    return markdown(["image", "library", "precision", "first time, ms", "later, ms"], lines)


def distances(rows):
    here = [r for r in rows if r["measure"] == "distance"]
    lines = []
    for case in dict.fromkeys(r["case"] for r in here):
        found = {r["library"]: r["ms"] for r in here if r["case"] == case}
        ours, pot = found["RadonCDT and pdist"], found["POT"]
        quotient = times(float(pot) / float(ours)) if pot and ours else "-"
        lines.append([case, number(ours), number(pot) if pot else "missing", quotient])
    return markdown(["two images", "ours, ms", "POT, ms", "times faster"], lines)


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
            *_, worst = model.linear(np.square(x) if name == "side" else x, ms)
            memory = [float(r["peak_mb"]) for r in here]
            lines.append(
                [
                    sweep,
                    kind,
                    f"{here[0][name]} - {here[-1][name]}",
                    f"{number(ms[0])} - {number(ms[-1])}",
                    f"{slope:.2f} ± {error:.2f}",
                    model.EXPECTED[sweep][kind],
                    f"{worst:.0%}",
                    f"{memory[0]:.0f} - {memory[-1]:.0f}",
                ]
            )
    head = ["varied", "images", "from - to", "ms per image", "exponent", "expected"]
    return markdown([*head, "error of a + b x", "memory, MB"], lines)


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
    return markdown(
        ["images", "workers", "n_jobs", "ms per image", "speed-up", "range"],
        [
            [
                *(r["kind"], r["workers"], r["n_jobs"], number(r["ms"]), r["speed_up"]),
                f"{r['least']} - {r['most']}",
            ]
            for r in rows
        ],
    )


def stream(rows):
    return markdown(
        [
            "way",
            "images",
            "file, MB",
            "peak resident, MB",
            "without pages of the file, MB",
            "equal",
        ],
        [
            [
                f"`{r['way']}`",
                f"{int(r['images']):,}",
                *(r["file_mb"], r["peak_mb"], r["peak_without_pages_mb"]),
                "yes" if r["equal"] == "True" else "NO",
            ]
            for r in rows
        ],
    )


def promises(rows):
    return markdown(
        ["what", "with", "promised, MB", "measured, MB"],
        [[r["what"], r["given"], f"{int(r['promise_mb']):,}", r["measured_mb"]] for r in rows],
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
    """For each parameter: the smallest value whose accuracy is that of the best, within errors."""
    lines = []
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
            for r in (default, best, enough)
        ]
        lines.append([key[0], key[1], f"`{key[2]}`", *shown])
    head = ["task", "feature", "parameter", "default", "best", "quickest within two errors"]
    return markdown(head, lines)


def estimate(speed_rows, scaling_rows, job_rows):
    """Core hours and disk for a million and a billion images, from the model."""
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
        for n, name in ((1e6, "million"), (1e9, "billion")):
            hours = n * ms / 3.6e6 / efficiency
            disk = n * side**2 / 1e12, n * 64 * 4 / 1e12
            lines.append(
                [
                    f"one {name}, {case}",
                    f"{number(ms)} ({number(measured['ms'])})",
                    f"{efficiency:.2f}",
                    number(hours),
                    number(hours / 1000),
                    *(number(x) for x in disk),
                    number(side**2 / 1e3 / ms),
                ]
            )
    return lines


ESTIMATE = ["images", "ms by the model (measured)", "efficiency", "core hours"]
ESTIMATE += ["hours on 1,000 cores", "in, TB", "out, TB", "read by each core, MB/s"]


def large(lines):
    """The range of the estimate in a sentence."""
    billion = [line for line in lines if "billion" in line[0]]
    if not billion:
        return "The estimate needs all three kinds of images; run `speed` for all of them."
    first, last = billion[0], billion[-1]
    return (
        f"A billion images take an estimated {first[3]} to {last[3]} core hours; on a thousand "
        f"cores {first[4]} to {last[4]} hours, if the storage keeps up."
    )


def page(data):
    speed = data["speed"]
    angles = list(dict.fromkeys(r["angles"] for r in speed if r["measure"] == "transform"))
    tables = [
        f":::{{dropdown}} Milliseconds per image, all libraries, {n} angles\n"
        f"{side_by_side(speed, n)}\n:::"
        for n in angles
    ]
    estimated = estimate(speed, data["scaling"], data["jobs"])
    text = TEXT.format(
        machine=machine(speed),
        versions=versions(speed),
        summary=summary(speed),
        headline=headline(speed),
        ratios=ratios(speed),
        tables="\n\n".join(tables),
        set_up=set_up(speed),
        first_results=first_results(speed),
        distances=distances(speed),
        costs=costs(data["scaling"]),
        growth=growth(data["scaling"]),
        most_memory=f"{max(float(r['peak_mb']) for r in data['scaling']):.0f}",
        doubling=doubling(data["scaling"]),
        enough=f"{enough(data['tradeoff'])} angles",
        workers=workers(data["jobs"]),
        streaming=streaming(data["stream"]),
        large=large(estimated),
        speed_up=speed_up(data["jobs"]),
        stream=stream(data["stream"]),
        promises=promises(data["memory"]),
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
