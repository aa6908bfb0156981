"""The picture of the page: the paper's values against ours. Needs matplotlib."""

from matplotlib.figure import Figure

from benchmarks.paper.causes import cause

# Colours that those who see no red or green can tell apart; shapes say the same again.
LOOKS = {
    "other characters (Table 5)": {"color": "0.6", "marker": "s", "facecolors": "none"},
    "agree": {"color": "#0072b2", "marker": "o", "alpha": 0.5},
    "differ, explained": {"color": "#e69f00", "marker": "^"},
    "differ, not explained": {"color": "#a00000", "marker": "x"},
}


def draw(tables, by_trend, path):
    """Draw all values of the tables; those of `by_trend` are of other images."""
    points = {name: [] for name in LOOKS}
    for table, rows in tables.items():
        for row in rows:
            name = "agree"
            if table == by_trend:
                name = "other characters (Table 5)"
            elif row["agrees"] == "no":
                known = cause(table, row)[0]
                name = "differ, explained" if known else "differ, not explained"
            points[name].append((float(row["paper"]), float(row["value"])))
    figure = Figure(figsize=(6, 6), layout="constrained")
    ax = figure.subplots()
    ax.axline((0, 0), (1, 1), color="0.4", lw=1, zorder=0)
    for name, found in points.items():
        if found:
            x, y = zip(*found, strict=True)
            ax.scatter(x, y, s=36, lw=1.4, label=f"{len(found)} {name}", **LOOKS[name])
    ax.set(aspect="equal", xlim=(-0.02, 1.03), ylim=(-0.02, 1.03))
    ax.set_xlabel("accuracy in the paper", fontsize=15)
    ax.set_ylabel("accuracy in our run", fontsize=15)
    ax.tick_params(labelsize=13)
    ax.grid(alpha=0.3)
    ax.legend(loc="lower right", fontsize=12)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=140, metadata={"Software": None})
