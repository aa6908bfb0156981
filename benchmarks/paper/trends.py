"""Table 5 by its trends: the paper's characters are handwritten, ours are printed.

Values cannot agree then, but what the table shows can. Two values of the paper that differ in
one setting are compared, and the same two values of ours: does the accuracy rise, fall, or
stay level?
"""

# Smaller differences count as level.
LEVEL = 0.01
SIGNS = {1: "rises", 0: "level", -1: "falls"}
KINDS = {
    "angles": "twice as many angles, NT",
    "feature": "max instead of mean, either instead of R-CDT or pixels",
    "classes": "1,000 instead of 100 classes",
    "training": "NN with 5 samples instead of NT, 10 instead of 5",
}
FEATURES = ("euclidean-image", "R-CDT", "mean", "max")


def sign(difference):
    """1, 0 or -1."""
    return 0 if abs(difference) < LEVEL else 1 if difference > 0 else -1


def comparisons(rows):
    """Yield (kind, first row, second row) for all pairs that differ in one setting."""
    cells = {_key(row): row for row in rows if row["paper"]}
    for key, row in cells.items():
        for kind, other in _partners(*key):
            if other in cells:
                yield kind, row, cells[other]


def outcome(first, second, column="value"):
    """Signs of the paper's difference and of ours."""
    return tuple(sign(float(second[name]) - float(first[name])) for name in ("paper", column))


def by_cell(rows):
    """For each row, how many of its comparisons have the same sign, and how many it has."""
    found = {_key(row): [0, 0] for row in rows}
    for _, first, second in comparisons(rows):
        paper, ours = outcome(first, second)
        for row in (first, second):
            found[_key(row)][0] += paper == ours
            found[_key(row)][1] += 1
    return [tuple(found[_key(row)]) for row in rows]


def _key(row):
    # Pixels have no angles, whatever the classifier.
    angles = "" if row["feature"] == "euclidean-image" else row["angles"]
    return row["classes"], row["feature"], row["classifier"], angles, row["train_per_class"]


def _partners(classes, feature, classifier, angles, size):
    if classifier == "NT" and angles:
        yield "angles", (classes, feature, "NT", str(2 * int(angles)), "")
    for better in FEATURES[FEATURES.index(feature) + 1 :]:
        # Between pixels and R-CDT there is nothing to see: both guess.
        if better in ("mean", "max"):
            full = angles or "128"
            yield "feature", (classes, better, classifier, full, size)
    if classes == "100":
        yield "classes", ("1000", feature, classifier, angles, size)
    if classifier == "NT" and angles in ("", "128"):
        yield "training", (classes, feature, "NN", angles, "5")
    if classifier == "NN" and size == "5":
        yield "training", (classes, feature, "NN", angles, "10")
