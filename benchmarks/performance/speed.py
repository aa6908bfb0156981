"""Milliseconds per image, side by side with the peers.

The same images and the same angles for every library, in one run: n angles on the full
circle for us, the n / 2 lines that they are for the peers. Each library runs in a process of
its own on one core. Repetitions alternate between the libraries, the table shows the median,
and ratios are taken within the run. What is done once (`fit`) and the first call are not
part of it; set-up has a column of its own. A peer that cannot be used is reported.

Two more measurements: the time from one image to its features in a fresh process, set-up
included, and the time of a distance between images.
"""

import contextlib
import itertools
import platform
import statistics
import tempfile

import numpy as np
import scipy

from benchmarks.performance.cases import CASES, make
from benchmarks.performance.libraries import DISTANCES, OURS, SAME_FEATURE, TRANSFORMS
from benchmarks.performance.worker import Worker
from benchmarks.tables import processor, write_csv

COLUMNS = [
    "measure",
    "case",
    "filled",
    "window",
    "angles",
    "library",
    "version",
    "computes",
    "dtype",
    "images",
    "setup_s",
    "ms",
    "ms_min",
    "ms_max",
    "repetitions",
    "missing",
]
ANGLES = (16, 128, 256)
REPETITIONS = 5
# A peer gets three times the images until it takes this long (some gain from batches), and
# nobody is repeated beyond the latter.
CALL_SECONDS = 0.1
TOTAL_SECONDS = 0.8
FIRST_CASES = ("256 x 256 symbols", "256 x 256 dense grey")
DISTANCE_CASES = ("28 x 28 digits", "256 x 256 symbols", "256 x 256 dense grey")
DISTANCE_IMAGES = 2


def key(variant):
    return variant.name, variant.dtype


def row(measure, case, filled, angles, variant, **values):
    """One line of the table; what is not given stays empty."""
    known = {
        "measure": measure,
        "case": case,
        "filled": round(filled[0], 4),
        "window": round(filled[1], 4),
        "angles": angles,
        "library": variant.name,
        "computes": variant.computes,
        "dtype": variant.dtype,
    }
    return dict.fromkeys(COLUMNS, "") | known | values


def filling(images):
    """Share of pixels that are not black, and of the window around the centre that holds them."""
    share = np.mean(images > 0)
    reach = [
        max(
            np.max(abs(2 * places + 1 - n))
            for places, n in zip(np.nonzero(image), image.shape, strict=True)
        )
        for image in images
    ]
    return share, np.mean(np.add(reach, 1.0) ** 2) / images[0].size


def spread(seconds, n):
    """Median and range of repetitions, in milliseconds for each of n."""
    each = [1000 * s / n for s in seconds]
    values = {"ms": statistics.median(each), "ms_min": min(each), "ms_max": max(each)}
    return {name: f"{value:.4g}" for name, value in values.items()} | {"repetitions": len(each)}


class Crew:
    """The workers, one for each library and for each of our transformers."""

    def __init__(self, variants):
        self.workers, self.versions, self.missing = {}, {}, {}
        for variant in variants:
            if self._place(variant) not in self.workers:
                self.workers[self._place(variant)] = Worker()
        for variant in variants:
            try:
                self.versions[variant.name] = self.ask("version", variant)
            except RuntimeError as error:
                self.missing[variant.name] = str(error)

    def _place(self, variant):
        return variant.name if variant in OURS else variant.package

    def ask(self, task, variant, *args):
        return self.workers[self._place(variant)].ask(task, key(variant), *args)

    def close(self):
        for worker in self.workers.values():
            worker.close()


def alternate(crew, variants, path, n_all, n_lines, repetitions):
    """Return {key: (set-up, seconds of the repetitions, their images) or the reason why not}.

    After calls that do not count, the calls of all variants take turns. Set-up is what
    `prepare` and the first image take beyond a later image; peers tabulate nothing in
    their first call, and for them it is `prepare` alone.
    """
    found, active = {}, []
    for variant in variants:
        if variant.name in crew.missing:
            found[key(variant)] = crew.missing[variant.name]
            continue
        try:
            n = n_all if variant in DISTANCES else 1
            set_up = crew.ask("prepare", variant, path, n, n_lines)
            seconds = crew.ask("call", variant)
            if variant in OURS:
                set_up += max(0, seconds - crew.ask("call", variant))
            while n < n_all and (variant in OURS or seconds < CALL_SECONDS):
                n = n_all if variant in OURS else min(3 * n, n_all)
                crew.ask("prepare", variant, path, n, n_lines)
                seconds = crew.ask("call", variant)
            found[key(variant)] = set_up, [], n
            active.append(variant)
        except RuntimeError as error:
            found[key(variant)] = str(error)
    for _ in range(repetitions):
        for variant in active:
            _, seconds, _ = found[key(variant)]
            if sum(seconds) < TOTAL_SECONDS:
                seconds.append(crew.ask("call", variant))
    for variant in active:
        crew.ask("forget", variant)
    return found


def lines_of(measure, case, filled, angles, variants, crew, found):
    for variant in variants:
        result = found[key(variant)]
        common = (measure, case, filled, angles, variant)
        if isinstance(result, str):
            yield row(*common, missing=result)
            continue
        set_up, seconds, n = result
        version = crew.versions[variant.name]
        values = spread(seconds, 1 if measure == "distance" else n)
        yield row(*common, version=version, images=n, setup_s=f"{set_up:.3g}", **values)


def transforms(paths, filled, quick):
    """Milliseconds per image of every variant, for every case and number of angles."""
    repetitions = 1 if quick else REPETITIONS
    with contextlib.closing(Crew(TRANSFORMS)) as crew:
        for case, angles in itertools.product(paths, [128] if quick else ANGLES):
            n_all = max(1, CASES[case][1] // (8 if quick else 1))
            found = alternate(crew, TRANSFORMS, paths[case], n_all, angles // 2, repetitions)
            yield from lines_of("transform", case, filled[case], angles, TRANSFORMS, crew, found)


def distances(paths, filled, quick):
    """Milliseconds for the distance of two images."""
    with contextlib.closing(Crew(DISTANCES)) as crew:
        for case in DISTANCE_CASES:
            found = alternate(crew, DISTANCES, paths[case], DISTANCE_IMAGES, 64, 1 if quick else 3)
            yield from lines_of("distance", case, filled[case], 128, DISTANCES, crew, found)


def first_results(paths, filled, quick):
    """Milliseconds from one image to its features, each in a fresh process."""
    variants = [v for v in OURS if v.name == "MaxNRCDT"] + SAME_FEATURE
    for case in FIRST_CASES:
        found = {key(v): ([], [], "") for v in variants}
        for _, variant in itertools.product(range(1 if quick else 3), variants):
            first, again, _ = found[key(variant)]
            with contextlib.closing(Worker()) as worker:
                try:
                    version = worker.ask("version", key(variant))
                    seconds = worker.ask("first_result", key(variant), paths[case], 64)
                except RuntimeError as error:
                    found[key(variant)] = [], [], str(error)
                    continue
            first.append(seconds[0])
            again.append(seconds[1])
            found[key(variant)] = first, again, version
        for variant in variants:
            first, again, note = found[key(variant)]
            for measure, seconds in (("first result", first), ("one image, warm", again)):
                common = (measure, case, filled[case], 128, variant)
                if seconds:
                    yield row(*common, version=note, images=1, **spread(seconds, 1))
                else:
                    yield row(*common, missing=note)


def machine(mnist):
    """What the numbers were measured on and with, as rows of the table."""
    about = {
        "processor": processor(),
        "Python": platform.python_version(),
        "digits": "MNIST" if mnist else "scikit-learn's, enlarged",
        "numpy": np.__version__,
        "scipy": scipy.__version__,
    }
    for name, value in about.items():
        known = {"measure": "machine", "library": name, "version": value}
        yield dict.fromkeys(COLUMNS, "") | known


def show(line, seen):
    """Print a line of the table, under a heading when the case changes."""
    heading = (line["measure"], line["case"], line["angles"])
    if heading not in seen:
        seen.append(heading)
        filled = f" ({line['filled']:.1%} of the pixels not black)" if line["case"] else ""
        print(f"\n{line['measure']}: {line['case']}{filled}, {line['angles']} angles")
    name = f"{line['library']} {line['version']} {line['dtype']}"
    if line["missing"] or not line["ms"]:
        print(f"  {name:45s} {'missing: ' * bool(line['missing'])}{line['missing']}", flush=True)
        return
    set_up = f"set-up {line['setup_s']} s" if line["setup_s"] else ""
    print(
        f"  {name:45s} {float(line['ms']):10.3f} ms  [{line['ms_min']}, {line['ms_max']}]  "
        f"{line['images']} images  {set_up}",
        flush=True,
    )


def ratio(lines, ours):
    """How many times faster we are than the fastest peer in the same precision.

    PyTransKit knows float64 only and takes part in both. Returns two numbers: with whole
    images, and with the peer's option to cut off corners; None without peers.
    """
    peers = [
        line
        for line in lines
        if line["library"] in {v.name for v in SAME_FEATURE}
        and line["ms"]
        and (line["dtype"] == ours["dtype"] or line["library"] == "PyTransKit")
        and all(line[k] == ours[k] for k in ("measure", "case", "angles"))
    ]
    whole = [float(p["ms"]) for p in peers if "cut" not in p["library"]]
    every = [float(p["ms"]) for p in peers]
    return tuple(min(times) / float(ours["ms"]) if times else None for times in (whole, every))


def print_ratios(lines):
    print("\nTimes faster than the fastest of PyTransKit and torchcdt (if corners may be cut)")
    for line in lines:
        ours = line["library"] in {v.name for v in OURS}
        if line["measure"] not in ("transform", "first result") or not ours or not line["ms"]:
            continue
        whole, every = ratio(lines, line)
        if whole:
            name = f"{line['case']}, {line['angles']} angles, {line['library']} {line['dtype']}"
            print(f"  {line['measure']}: {name:70s} {whole:7.1f} ({every:.1f})")


def run(args):
    lines, seen = list(machine(args.mnist)), []
    with tempfile.TemporaryDirectory() as folder:
        paths, filled = {}, {}
        for i, case in enumerate(list(CASES)[: -1 if args.quick else None]):
            images = make(case, args.mnist)
            paths[case], filled[case] = f"{folder}/{i}.npy", filling(images)
            np.save(paths[case], images)
        for measure in (transforms, first_results, distances):
            for line in measure(paths, filled, args.quick):
                show(line, seen)
                lines.append(line)
    print_ratios(lines)
    write_csv(args.results / "speed.csv", lines)
