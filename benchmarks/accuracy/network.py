"""A small convolutional network, trained on deformed copies of the training images."""

import time

import numpy as np

from benchmarks.accuracy.classics import crop
from benchmarks.accuracy.methods import Model, too_slow

SECONDS = 100  # of training, on one core
SIZE = 32
BATCH = 128


def methods():
    """Return the method; it cannot learn hundreds of classes in its time."""
    return [
        Model(
            "small CNN",
            "learned",
            splits=2,
            needs=("torch", "cv2"),
            make=lambda n_classes, upright, quick: Network(
                n_classes, 15 if upright else 180, 1 if quick else SECONDS
            ),
            skip=too_slow,
        )
    ]


class Network:
    """Six convolutions of 16 to 96 channels on a crop of 32 x 32 pixels."""

    def __init__(self, n_classes, rotation, seconds):
        self.n_classes, self.rotation, self.seconds = n_classes, rotation, seconds

    def fit(self, images, codes, seed):
        import torch
        from torch import nn

        torch.set_num_threads(1)
        torch.manual_seed(seed)
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
        generator = torch.Generator().manual_seed(seed)
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
