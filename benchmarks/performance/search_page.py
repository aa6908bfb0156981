"""The part of docs/performance.md on the search for drawings, from the table of `search`."""

import numpy as np

from benchmarks.performance import model
from benchmarks.tables import markdown, read_csv

TEXT = """
## How long does a search take?

{answer} [Watermarks and other faint drawings](watermarks.md) says what it finds.

{times}

*Seconds for a photograph of {photo} pixels, after the first. Two workers: time on the clock; one:
processor time.*

:::{{dropdown}} What the time depends on
`python -m benchmarks.performance search` measured this with dark marks; `polarity="auto"` looks for
dark and bright ones and takes up to twice as long.

{model}

| | |
| --- | --- |
{facts}
:::

:::{{dropdown}} What the coarse levels lose
The share of photographs (simulated, with all nuisances) whose drawing comes first among 100, by
`levels` and by signal-to-noise ratio. `(2,)` leaves nothing out.

{losses}
:::
"""


def load(folder):
    """Return the stored rows, none if there are none."""
    table = folder / "search.csv"
    return read_csv(table) if table.is_file() else []


def short(value, unit=""):
    """Two digits, without exponents."""
    return f"{float(f'{float(value):.2g}'):,.10g}{unit}"


def points(rows, **wanted):
    """Return the rows of searches with given values."""
    return [
        r
        for r in rows
        if r["measure"] == "search" and all(r[key] == str(value) for key, value in wanted.items())
    ]


def cost(rows):
    """Fit seconds = a + b * drawings * poses to what fits into memory; return a, b, worst error."""
    kept = [r for r in points(rows, levels="(4, 2)", workers=1) if r["photo"] == base(rows)]
    kept = [r for r in kept if int(r["drawings"]) <= 1000]
    return model.linear([pairs(r) for r in kept], [float(r["further_s"]) for r in kept])


def base(rows):
    return points(rows)[0]["photo"]


def pairs(row):
    return int(row["drawings"]) * int(row["poses"])


def answer(rows):
    """Return the first sentence: the largest search, and the ratio to OpenCV."""
    largest = max(points(rows, workers=2), key=lambda r: (pairs(r), r["levels"] == "(4, 2)"))
    words = (
        f"Looking for {int(largest['drawings']):,} drawings in {largest['poses']} poses takes "
        f"{short(largest['further_s'])} seconds per photograph on two cores with "
        f"`levels={largest['levels']}`."
    )
    _, b, _ = cost(rows)
    peers = {r["factor"]: float(r["ms"]) for r in rows if r["measure"] == "matchTemplate"}
    if "1" in peers:
        words += (
            f" A drawing and pose more costs {short(1e3 * b)} ms of one core with the default "
            f"levels; OpenCV's `matchTemplate` takes {short(peers['1'])} ms at full resolution, "
            f"{short(peers['1'] / (1e3 * b))} times as long, and {short(peers['4'])} ms at a "
            "quarter of it, which is the resolution of our coarse search."
        )
    return words


def times(rows):
    lines = []
    for r in points(rows, photo=base(rows)):
        if r["levels"] != "(2,)":
            seconds = short(r["further_s"])
            drawings = f"{int(r['drawings']):,}"
            lines.append([drawings, r["poses"], f"`{r['levels']}`", r["workers"], seconds])
    return markdown(["drawings", "poses", "levels", "workers", "seconds"], lines)


def cost_model(rows):
    """Return the formula of the time, and how good it is."""
    a, b, error = cost(rows)
    text = (
        f"    seconds = {short(a)} + {short(b)} * drawings * poses\n\n"
        f"for a photograph of {base(rows)} pixels with the default levels. The largest error is "
        f"{error:.0%} for up to 1,000 drawings."
    )
    larger = [r for r in points(rows, workers=1) if int(r["drawings"]) > 1000]
    if larger:
        ratio = [float(r["further_s"]) / (a + b * pairs(r)) for r in larger]
        text += (
            " The spectra of more drawings than 1 GB holds are computed again for each photograph: "
            f"{int(larger[0]['drawings']):,} drawings take "
            + " and ".join(
                f"{short(k)} times that in {r['poses']} pose{'s' if r['poses'] != '1' else ''}"
                for k, r in zip(ratio, larger, strict=True)
            )
            + ". `cache` keeps them on disk instead."
        )
    return text


def facts(rows):
    lines = []
    middle = points(rows, levels="(4, 2)", workers=1, photo=base(rows))
    for r in points(rows, workers=1):
        same = {"drawings": r["drawings"], "poses": r["poses"]}
        for other in (o for o in middle if all(o[k] == v for k, v in same.items())):
            ratio = short(float(r["further_s"]) / float(other["further_s"]))
            if r["photo"] != other["photo"]:
                lines.append([f"photograph of {r['photo']}", f"{ratio} times"])
            elif r["levels"] != other["levels"]:
                lines.append([f"`levels={r['levels']}`", f"{ratio} times"])
    largest = max(middle, key=lambda r: (int(r["drawings"]) <= 1000, pairs(r)))
    first = float(largest["first_s"]) / float(largest["further_s"])
    lines.append(["the first photograph of its size", f"{short(first)} times"])
    fits = [float(r["fit_s"]) / int(r["drawings"]) for r in middle]
    lines.append(["`fit`", f"{short(1e3 * np.median(fits))} ms for each drawing"])
    return "\n".join(f"| {what} | {how} |" for what, how in lines)


def losses(rows):
    found = [r for r in rows if r["measure"] == "losses"]
    ratios = list(dict.fromkeys(r["snr"] for r in found))
    cells = {(r["levels"], r["snr"]): f"{float(r['top1']):.2f}" for r in found}
    levels = dict.fromkeys(r["levels"] for r in found)
    lines = [[f"`{level}`", *(cells[level, ratio] for ratio in ratios)] for level in levels]
    return markdown(["levels", *(f"{float(ratio):g}" for ratio in ratios)], lines)


def section(rows):
    """Return the part of the page, nothing if nothing is stored."""
    if not rows:
        return ""
    return TEXT.format(
        answer=answer(rows),
        photo=base(rows),
        times=times(rows),
        model=cost_model(rows),
        facts=facts(rows),
        losses=losses(rows),
    )
