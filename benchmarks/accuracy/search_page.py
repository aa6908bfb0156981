"""What docs/watermarks.md says in numbers: its marked parts, from the table of `search`.

The words of the page are its own. Between `<!-- measured: NAME -->` and `<!-- end -->` it has what
a function of this module makes of the stored rows, and nothing before they are stored.
"""

import re

from benchmarks.accuracy.search import MAIN, OURS, RATIOS, TASKS
from benchmarks.command import ROOT
from benchmarks.tables import markdown, read_csv

TEMPLATE = "OpenCV template matching"
PEAK = f"{TEMPLATE}, our score"
REAL = {
    "real, upright, own": "same sheet, upright",
    "real, quarters, own": "same sheet, quarter turns and up to 3° more",
    "real, any rotation, own": "same sheet, any rotation",
    "real, another sheet": "another sheet with the same motif, upright",
}
CAPTION = """\
*Share of photographs in which the right one of 100 drawings comes first, by signal-to-noise ratio,
on simulated paper with all nuisances; seconds of one core per photograph.*"""
SCORES = """\
*Simulated paper with all nuisances, 100 drawings; at a ratio of 0 there is no mark. Best score: the
median of all photographs. Limit: the best wrong drawing stays below it in 95 % of the photographs.
Above: share of photographs whose right drawing comes first with a score above the limit.*"""
PART = re.compile(r"(?<=<!-- measured: )(\w+)( -->\n).*?(?=<!-- end -->)", re.DOTALL)


def share(row, key="top1"):
    return f"{float(row[key]):.2f}" if row else "-"


def percent(row):
    return f"{100 * float(row['top1']):.0f} %"


def by_search(rows, task, snr=""):
    """Return the row of each search."""
    return {r["search"]: r for r in rows if (r["task"], r["snr"]) == (task, str(snr))}


def ratios_of(rows, task, least=0.1):
    """Return the signal-to-noise ratios that a task was measured at; a quick run has few."""
    return [ratio for ratio in RATIOS[task] if ratio >= least and by_search(rows, task, ratio)]


def answer(rows):
    """Return the first paragraph and the small table."""
    at_one = by_search(rows, "all", 1.0)
    words = (
        f"In {percent(at_one[OURS])} of our simulated photographs with faint marks (a "
        "signal-to-noise ratio of 1, with laid lines, folds, stains and handwriting) the right one "
        "of 100 drawings comes first"
    )
    if TEMPLATE in at_one:
        words += f", against {percent(at_one[TEMPLATE])} with OpenCV's template matching"
    real = by_search(rows, "real, upright, own").get(OURS)
    if real:
        words += (
            f". Of {real['tested']} real photographs, with the drawing of the same sheet in the "
            f"catalogue, it gets {percent(real)} right"
        )
    ratios = ratios_of(rows, "all")
    found = {ratio: by_search(rows, "all", ratio) for ratio in ratios}
    lines = [
        [
            f"**{name}**" if name == OURS else name,
            *(share(found[ratio].get(name)) for ratio in ratios),
            f"{float(at_one[name]['seconds']):.2g}",
        ]
        for name in at_one
    ]
    head = ["search", *(f"{ratio:g}" for ratio in ratios), "seconds"]
    return f"{words}.\n\n{markdown(head, lines)}\n\n{CAPTION}"


def curves(rows):
    """Return the picture, and what each nuisance costs in a folded table."""
    lines = []
    ratios = [ratio for ratio in ratios_of(rows, "all") if ratio <= 1]
    for task in TASKS:
        if not ratios_of(rows, task):
            continue
        found = [by_search(rows, task, ratio) for ratio in ratios]
        cells = [share(at.get(name)) for name in (OURS, TEMPLATE) for at in found]
        lines.append([task, *cells])
    head = ["paper", *(f"{name}, {r:g}" for name in ("ours", "template") for r in ratios)]
    return (
        "![Share of photographs whose drawing comes first, over the signal-to-noise ratio]"
        "(images/search.png)\n\n"
        f":::{{dropdown}} What each nuisance costs\n{markdown(head, lines)}\n:::"
    )


def scores(rows):
    """Return the table of scores."""
    lines = []
    for ratio in ratios_of(rows, "all", least=0):
        row = by_search(rows, "all", ratio)[OURS]
        numbers = [f"{float(row[key]):.1f}" for key in ("score", "wrong95")]
        lines.append([f"{ratio:g}", *numbers, share(row, "sure") if ratio else "-"])
    return f"{markdown(['ratio', 'best score', 'limit', 'above'], lines)}\n\n{SCORES}"


def real(rows):
    """Return the table of real photographs."""
    lines = []
    for task, words in REAL.items():
        found = by_search(rows, task)
        if OURS in found:
            cells = [share(found.get(name)) for name in (OURS, TEMPLATE, PEAK)]
            lines.append([words, found[OURS]["tested"], *cells])
    if not lines:
        return "This run had no real photographs."
    return markdown(["drawing", "photographs", OURS, TEMPLATE, "the same, our score"], lines)


def fill(text, rows):
    """Return the page with its marked parts made from rows; nothing without rows."""

    def part(match):
        found = f"\n{globals()[match[1]](rows)}\n\n" if rows else ""
        return f"{match[1]}{match[2]}{found}"

    return PART.sub(part, text)


def draw(rows, file):
    """Save the curves: all searches on the hardest paper, and ours for each nuisance."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.6), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    simulated = [r for r in rows if r["snr"] not in ("", "0.0")]
    for axes, key, title in (
        (left, "search", "all nuisances"),
        (right, "task", f"{OURS}, by nuisance"),
    ):
        chosen = [
            r for r in simulated if (r["task"] == "all" if axes is left else r["search"] == OURS)
        ]
        for k, name in enumerate(dict.fromkeys(r[key] for r in chosen)):
            points = [(float(r["snr"]), float(r["top1"])) for r in chosen if r[key] == name]
            main = name in (OURS, *MAIN)
            style = {"linewidth": 2 if main else 1.2, "markersize": 4}
            axes.plot(*zip(*points, strict=True), "o-" if main else "o--", color=f"C{k}", **style,
                      label=name.removeprefix("OpenCV "))  # fmt: skip
        ticks = sorted({float(r["snr"]) for r in chosen})
        axes.set(xscale="log", ylim=(-0.02, 1.02), title=title, xlabel="signal-to-noise ratio")
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.minorticks_off()
        axes.grid(alpha=0.3)
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2, frameon=False,
                    fontsize="small")  # fmt: skip
    left.set_ylabel("right drawing first")
    figure.savefig(file, dpi=110)


def write(args):
    """Fill docs/watermarks.md and draw its curves, from what is stored."""
    table = args.results / "search.csv"
    rows = read_csv(table) if table.is_file() else []
    page = (ROOT / "docs" / "watermarks.md").read_text(encoding="utf-8")
    (args.docs / "watermarks.md").write_text(fill(page, rows), encoding="utf-8")
    if rows:
        draw(rows, args.docs / "images" / "search.png")
