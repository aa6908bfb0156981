"""docs/performance.md and its pictures: every number on the page comes from the stored tables."""

import numpy as np

from benchmarks.performance import model
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
        f"{r['library']} {r['version']}" for r in rows if r["measure"] == "machine"
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
    return text + (f". Missing: {reasons}" if reasons else ". No peer is missing")


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
    head = ["images", "ms by the model (measured)", "efficiency", "core hours"]
    head += ["hours on 1,000 cores", "in, TB", "out, TB", "read by each core, MB/s"]
    return markdown(head, lines)


def page(data):
    speed = data["speed"]
    angles = list(dict.fromkeys(r["angles"] for r in speed if r["measure"] == "transform"))
    tables = [f"### {n} angles\n\n{side_by_side(speed, n)}\n" for n in angles]
    text = TEXT.format(
        machine=machine(speed),
        versions=versions(speed),
        ratios=ratios(speed),
        tables="\n".join(tables),
        set_up=set_up(speed),
        first_results=first_results(speed),
        distances=distances(speed),
        costs=costs(data["scaling"]),
        growth=growth(data["scaling"]),
        speed_up=speed_up(data["jobs"]),
        stream=stream(data["stream"]),
        promises=promises(data["memory"]),
        tradeoffs=tradeoffs(data["tradeoff"]),
        estimate=estimate(speed, data["scaling"], data["jobs"]),
    )
    return text + CLUSTER


def run(args):
    # Imported here: the words and tables of the page need no matplotlib.
    from benchmarks.performance import plots

    data = {name: read_csv(args.results / f"{name}.csv") for name in TABLES}
    (args.docs / "performance.md").write_text(page(data))
    for draw in (plots.speed, plots.scaling, plots.tradeoff):
        draw(data[draw.__name__], args.docs / "images" / f"performance_{draw.__name__}.png")
