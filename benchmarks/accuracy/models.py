"""Models of their own: ours, RootSIFT, PyTransKit's classifier with rotations, a small network."""

import contextlib
import io
import os
import tempfile
import time
from multiprocessing.pool import ThreadPool
from types import SimpleNamespace

import numpy as np

from benchmarks.accuracy.features import crop
from benchmarks.accuracy.methods import Model
from sklearn_nrcdt import ShapeClassifier

SECONDS = 100  # of training of the network, on one core
SIZE = 32  # of what it sees, in pixels
BATCH = 128


def methods():
    """Return the methods; the slow ones leave out some tasks."""
    ours = [
        Model(
            f"ShapeClassifier, {invariance}" if invariance != "affine" else "ShapeClassifier",
            "ours",
            lambda *_, invariance=invariance: ShapeClassifier(invariance),
            splits=2,
            most_tested=1000,
            skip=lambda task, invariance=invariance: invariance != "affine" and not task.upright,
        )
        for invariance in ("affine", "slant", "scale")
    ]
    return [
        *ours,
        Model(
            "RootSIFT",
            "classic",
            lambda *_: NearestDescriptors(),
            splits=2,
            most_tested=500,
            copies=12,
            needs=("cv2",),
        ),
        Model(
            "PyTransKit invariance encoding",
            "classic",
            lambda n_classes, *_: TransportSubspaces(n_classes),
            splits=1,
            most_tested=100,
            needs=("pytranskit.classification.inv_enc",),
            skip=lambda task: task.many_classes,
        ),
        Model(
            "small CNN",
            "learned",
            lambda n_classes, upright, quick, seed: Network(
                n_classes, 15 if upright else 180, 1 if quick else SECONDS, seed
            ),
            splits=2,
            needs=("torch", "cv2"),
            skip=lambda task: task.many_classes,
        ),
    ]


def descriptors(images):
    """Return the descriptors of each image: arrays of shape (n_keypoints, 128), of norm 1."""
    import cv2

    cv2.setNumThreads(1)
    detector = cv2.SIFT_create(contrastThreshold=0.02)
    found = []
    for image in np.pad(crop(images, 128), ((0, 0), (16, 16), (16, 16))):
        _, rows = detector.detectAndCompute(np.uint8(255 * image), None)
        rows = np.zeros((0, 128), np.float32) if rows is None else rows
        found.append(np.sqrt(rows / np.maximum(rows.sum(axis=1, keepdims=True), 1e-9)))
    return found


class NearestDescriptors:
    """The class with the smallest sum of distances from the image's descriptors to its own.

    The naive Bayes nearest neighbour of Boiman, Shechtman and Irani (2008).
    """

    def fit(self, images, codes):
        found = descriptors(images)
        owner = np.repeat(codes, [len(rows) for rows in found])
        order = np.argsort(owner, kind="stable")
        self.rows = np.concatenate(found)[order].T.copy()
        self.present, self.starts = np.unique(owner[order], return_index=True)

    def predict(self, images):
        predicted = np.zeros(len(images), int)
        for i, rows in enumerate(descriptors(images)):
            if len(rows):
                # Of vectors of norm 1 the squared distance is 2 - 2 * product.
                nearest = np.maximum.reduceat(rows @ self.rows, self.starts, axis=1)
                predicted[i] = self.present[nearest.sum(axis=0).argmax()]
        return predicted


class TransportSubspaces:
    """PyTransKit's, in an empty directory and silently: it keeps files there and prints."""

    def __init__(self, n_classes):
        from pytranskit.classification import inv_enc

        # One core, as for all others, and no processes of processes.
        inv_enc.mp = SimpleNamespace(cpu_count=lambda: 1, Pool=ThreadPool)
        self.model = inv_enc.INV_ENC(n_classes)

    def fit(self, images, codes):
        self.folder = tempfile.TemporaryDirectory()
        os.mkdir(os.path.join(self.folder.name, "metadata"))
        self._run(self.model.fit, images, codes)

    def predict(self, images):
        return np.asarray(self._run(self.model.predict, images, use_gpu=False))

    def _run(self, step, images, *args, **options):
        with contextlib.chdir(self.folder.name), contextlib.redirect_stdout(io.StringIO()):
            return step(images.astype(np.float64), *args, **options)


class Network:
    """Six convolutions of 16 to 96 channels on a crop of 32 x 32 pixels."""

    def __init__(self, n_classes, rotation, seconds, seed):
        self.n_classes, self.rotation = n_classes, rotation
        self.seconds, self.seed = seconds, seed

    def fit(self, images, codes):
        import torch
        from torch import nn

        torch.set_num_threads(1)
        torch.manual_seed(self.seed)
        layers, before = [], 1
        for channels, pool in ((16, 0), (32, 1), (48, 0), (64, 1), (80, 0), (96, 1)):
            layers += [
                nn.Conv2d(before, channels, 3, padding=1, bias=False),
                nn.BatchNorm2d(channels),
                nn.ReLU(),
            ]
            if pool:
                layers.append(nn.MaxPool2d(2))
            before = channels
        layers += [nn.Flatten(), nn.Dropout(0.3), nn.Linear(before * 16, self.n_classes)]
        self.net = nn.Sequential(*layers)
        optimizer = torch.optim.AdamW(self.net.parameters(), lr=3e-3, weight_decay=0.01)
        loss = nn.CrossEntropyLoss(label_smoothing=0.05)
        # The crop touches the shape: a border keeps it inside when it is turned.
        x, y = self._see(images), torch.as_tensor(codes)
        generator = torch.Generator().manual_seed(self.seed)
        start = time.process_time()
        while (share := (time.process_time() - start) / self.seconds) < 1:
            for group in optimizer.param_groups:  # up for a tenth of the time, then down
                group["lr"] = 3e-3 * (share / 0.1 if share < 0.1 else (1 - share) / 0.9)
            chosen = torch.randint(len(x), (BATCH,), generator=generator)
            optimizer.zero_grad()
            loss(self.net(self._deform(x[chosen], generator)), y[chosen]).backward()
            optimizer.step()
        self.net.eval()

    def predict(self, images):
        """Add up what the network says about the image and its three quarter turns."""
        import torch

        turns = range(4) if self.rotation == 180 else range(1)
        x = self._see(images)
        with torch.no_grad():
            votes = sum(
                torch.cat(
                    [self.net(torch.rot90(part, k, (2, 3))) for part in x.split(500)]
                ).softmax(dim=1)
                for k in turns
            )
        return votes.argmax(dim=1).numpy()

    def _see(self, images):
        import torch

        border = 2
        seen = np.pad(crop(images, SIZE - 2 * border), ((0, 0), (border, border), (border, border)))
        return torch.as_tensor(seen)[:, None]

    def _deform(self, x, generator):
        """Turn, stretch, shear, shift and bend each image at random."""
        import torch
        from torch.nn.functional import affine_grid, grid_sample, interpolate

        def uniform(low, high):
            return low + (high - low) * torch.rand(len(x), generator=generator)

        angle = uniform(-self.rotation, self.rotation) * np.pi / 180
        a, b, shear = uniform(0.85, 1.4), uniform(0.85, 1.4), uniform(-0.3, 0.3)
        cos, sin = torch.cos(angle), torch.sin(angle)
        rows = torch.stack(
            [
                torch.stack([a * cos, shear * a - b * sin, uniform(-0.1, 0.1)], dim=1),
                torch.stack([a * sin, b * cos, uniform(-0.1, 0.1)], dim=1),
            ],
            dim=1,
        )
        grid = affine_grid(rows, list(x.shape), align_corners=False)
        coarse = torch.randn(len(x), 2, 6, 6, generator=generator)
        bend = interpolate(coarse, size=(SIZE, SIZE), mode="bicubic", align_corners=True)
        return grid_sample(x, grid + 0.06 * bend.permute(0, 2, 3, 1), align_corners=False)
