"""Features of a few small images, stored to notice when numbers change.

``python tests/versions/golden_features.py --write`` computes the stored file anew;
``python tests/versions/golden_features.py FILE.npz`` writes what this environment computes
elsewhere, to be compared.
"""

import argparse
import json
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import joblib
import numpy as np
import scipy
import skimage
import sklearn

import sklearn_nrcdt
from sklearn_nrcdt import (
    NRCDT,
    InvariantHOG,
    MaxNRCDT,
    MeanNRCDT,
    NearestSubspaceClassifier,
    NearestTemplateClassifier,
    RadonCDT,
    SpectralNRCDT,
    aligned_pairwise_distances,
)
from sklearn_nrcdt.datasets import load_symbols
from sklearn_nrcdt.preprocessing import Despeckle, Invert, RemoveBackground

STORED = Path(__file__).parent / "golden" / "features.npz"
PROVENANCE = STORED.with_name("provenance.json")

# What may differ between versions and machines. float32 holds 7 digits, and a quantile where
# a projection is thin is uncertain by more than that.
TOLERANCE = {"float64": 1e-6, "float32": 1e-4}

# Few angles and levels keep the file small; an odd number of angles takes another way.
EVEN = {"n_angles": 8, "n_quantiles": 9}
ODD = {"n_angles": 5, "n_quantiles": 9}

TRANSFORMERS = {
    "RadonCDT": RadonCDT(**EVEN),
    "RadonCDT, odd": RadonCDT(**ODD),
    "RadonCDT, 40 radii": RadonCDT(**EVEN, n_radii=40),
    "RadonCDT, wasserstein": RadonCDT(**EVEN, scaling="wasserstein"),
    "NRCDT": NRCDT(**EVEN),
    "NRCDT, odd": NRCDT(**ODD),
    "MaxNRCDT": MaxNRCDT(**EVEN),
    "MaxNRCDT, odd": MaxNRCDT(**ODD),
    "MaxNRCDT, defaults": MaxNRCDT(),
    "MaxNRCDT, points": MaxNRCDT(**EVEN, quantiles="points"),
    "MeanNRCDT": MeanNRCDT(**EVEN),
    "MeanNRCDT, odd": MeanNRCDT(**ODD),
    "MeanNRCDT, precision": MeanNRCDT(**EVEN, weighting="precision"),
    "SpectralNRCDT": SpectralNRCDT(**EVEN),
    "SpectralNRCDT, reflection ignored": SpectralNRCDT(**EVEN, reflection="ignore"),
    "SpectralNRCDT, circle": SpectralNRCDT(**EVEN, keep="circle"),
    "InvariantHOG": InvariantHOG(n_cells=24, n_harmonics=2, reflection="ignore"),
    "InvariantHOG, similarity": InvariantHOG("similarity", n_cells=24, n_harmonics=1),
    "InvariantHOG, circle": InvariantHOG(keep="circle"),
    "InvariantHOG, slant": InvariantHOG("slant", n_cells=24),
    "InvariantHOG, scale": InvariantHOG("scale", n_cells=24, reflection="ignore"),
    "Despeckle": Despeckle(4),
    "Invert": Invert(),
    "RemoveBackground, otsu": RemoveBackground("otsu"),
    "RemoveBackground, median": RemoveBackground("median", subtract=True),
}


def make_images():
    """Return stacks of images: thin symbols, dense grey values, and a shape that is not square."""
    rows, columns = np.mgrid[:16, :16]
    gradient = rows + 3.0 * columns
    blob = np.exp(-(((rows - 5) / 3.0) ** 2) - ((columns - 9) / 4.0) ** 2)
    wide = np.zeros((2, 9, 14))
    wide[0, 2:7, 3:5] = wide[0, 5:7, 3:12] = 2
    wide[1] = np.add.outer(np.arange(9.0), np.arange(14.0) ** 2)
    return {
        "symbols": load_symbols(size=20).images[[0, 4, 11]],
        "grey": np.stack([gradient, blob, (rows * columns % 7).astype(float)]),
        "wide": wide,
    }


def compute(images):
    """Return everything that is compared, by names such as ``grey/float64/MaxNRCDT``."""
    results = {}
    for kind, stack in images.items():
        for dtype in TOLERANCE:
            for name, transformer in TRANSFORMERS.items():
                features = transformer.fit_transform(stack.astype(dtype))
                results[f"{kind}/{dtype}/{name}"] = features
        results |= {f"{kind}/float64/{name}": value for name, value in _derived(stack).items()}
    return results


def _derived(stack):
    """What is computed from features: images, distances, scores."""
    radon = RadonCDT(**EVEN).fit(stack)
    features = radon.transform(stack)
    circle = SpectralNRCDT(**EVEN, keep="circle").fit_transform(stack)
    labels = np.arange(len(stack))
    others = features[:, ::-1]
    subspaces = NearestSubspaceClassifier(enrichment=radon.translation_vectors())
    return {
        "inverse_transform": radon.inverse_transform(features),
        "aligned_pairwise_distances": aligned_pairwise_distances(circle),
        "NearestTemplateClassifier": NearestTemplateClassifier()
        .fit(features, labels)
        .decision_function(others),
        "NearestSubspaceClassifier": subspaces.fit(features, labels).decision_function(others),
    }


def load(path):
    """Return the arrays of a file."""
    with np.load(path, allow_pickle=False) as archive:
        return dict(archive)


def differences(results, reference):
    """Return the names of results that differ from the reference, with what is wrong."""
    wrong = {name: "is in one of them only" for name in results.keys() ^ reference.keys()}
    for name in results.keys() & reference.keys():
        new, old = results[name], reference[name]
        if new.shape != old.shape or new.dtype != old.dtype:
            wrong[name] = f"{old.dtype}{old.shape} became {new.dtype}{new.shape}"
        elif not (error := np.abs(new - old).max()) <= (allowed := TOLERANCE[new.dtype.name]):
            wrong[name] = f"differs by {error:.2g}, more than {allowed:g}"
    return wrong


def versions():
    """Return the versions that numbers may depend on."""
    modules = (np, scipy, sklearn, skimage, joblib, sklearn_nrcdt)
    return {"python": platform.python_version()} | {m.__name__: m.__version__ for m in modules}


def write_stored():
    """Compute the stored file anew, and say what changed and what made it."""
    results = compute(make_images())
    if STORED.exists():
        for name, what in sorted(differences(results, load(STORED)).items()):
            print(f"{name} {what}")
    describe = ["git", "-C", STORED.parent, "describe", "--always", "--dirty", "--abbrev=40"]
    commit = subprocess.run(describe, capture_output=True, text=True, check=True).stdout.strip()
    np.savez_compressed(STORED, **results)
    provenance = {
        "command": "python tests/versions/golden_features.py --write",
        "date": datetime.now(UTC).date().isoformat(),
        "commit": commit,
        "machine": platform.machine(),
        "versions": versions(),
    }
    PROVENANCE.write_text(json.dumps(provenance, indent=2) + "\n")
    print("Say in CHANGELOG.md which numbers have changed, by how much and why.")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, help="where to write features and versions")
    parser.add_argument("--write", action="store_true", help="replace the stored file")
    arguments = parser.parse_args()
    if arguments.write:
        write_stored()
    elif arguments.file:
        np.savez_compressed(arguments.file, **compute(make_images()))
        arguments.file.with_suffix(".json").write_text(json.dumps(versions()))
    else:
        sys.exit(parser.format_usage())
