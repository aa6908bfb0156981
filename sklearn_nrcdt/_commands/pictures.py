"""Small pictures for a page, as bytes of PNG and JPEG files."""

import io

import numpy as np
from PIL import Image, ImageDraw
from skimage.measure import block_reduce

# Longer side of a drawing in pixels, and its number of grey values.
DRAWING = 112
GREYS = 16
# Longer side of a figure that is kept to be compared: far more than its contours need.
LARGEST = 256
# Longer sides in pixels: whole photograph, detail around the drawing, overlay of strokes.
PHOTO, DETAIL, STROKES = 320, 400, 480
STROKE_COLOR = (255, 62, 28)


def cut(image):
    """Return a copy of the part of an image where something is; a blank image stays whole."""
    box = Image.fromarray(image > 0).getbbox()
    left, top, right, bottom = box or (0, 0, *image.shape[::-1])
    return image[top:bottom, left:right].copy()


def figure_of(image):
    """Return the part of an image where something is, smaller if it is large."""
    figure = cut(image)
    block = -(-max(figure.shape) // LARGEST)
    if block == 1:
        return figure
    return block_reduce(figure, block, np.mean, func_kwargs={"dtype": np.float32})


def small_picture(image, longest=DRAWING):
    """Return the figure in an image as a PNG file."""
    figure = figure_of(image)
    grey = Image.fromarray(np.uint8(np.minimum(figure / figure.max(), 1) * 255))
    grey.thumbnail((longest, longest), Image.Resampling.BOX, reducing_gap=2)
    step = 255 / (GREYS - 1)
    indexed = Image.fromarray(np.uint8(np.asarray(grey) / step + 0.5))
    indexed.putpalette([round(step * (k // 3)) for k in range(3 * GREYS)])
    return _file(indexed, "PNG", bits=4)


def photo_picture(image, longest=PHOTO):
    """Return a photograph, with its contrast stretched, as a JPEG file."""
    step = max(1, min(image.shape) // 500)
    low, high = np.percentile(image[::step, ::step], [0.5, 99.5])
    grey = (image - low) * (255 / max(high - low, 1e-6))
    picture = Image.fromarray(np.uint8(np.clip(grey, 0, 255)))
    picture.thumbnail((longest, longest), Image.Resampling.BOX, reducing_gap=2)
    return _file(picture, "JPEG", quality=75)


def found_pictures(image, strokes):
    """Return the part of a photograph where a drawing is, and the strokes to lay over it.

    The strokes are a transparent PNG file of the same proportions. Where the part is comes last:
    left, top, right and bottom edge as shares of the width and height of the photograph.
    """
    box = np.array([strokes.min(axis=0), strokes.max(axis=0)])
    margin = 0.2 * (box[1] - box[0]).max() + 8
    first = np.floor(np.maximum(box[0] - margin, 0)).astype(int)
    last = np.ceil(np.minimum(box[1] + margin, image.shape)).astype(int)
    part = image[first[0] : last[0], first[1] : last[1]]
    zoom = STROKES / max(part.shape)
    lines = Image.new("P", [max(1, round(side * zoom)) for side in part.shape[::-1]])
    lines.putpalette([0, 0, 0, *STROKE_COLOR])
    pen, half = ImageDraw.Draw(lines), max(1.0, 0.6 * zoom)
    for y, x in (strokes + 0.5 - first) * zoom:
        pen.ellipse([x - half, y - half, x + half, y + half], fill=1)
    edges = np.concatenate([first[::-1] / image.shape[::-1], last[::-1] / image.shape[::-1]])
    file = _file(lines, "PNG", bits=1, transparency=0)
    return photo_picture(part, DETAIL), file, [round(float(edge), 4) for edge in edges]


def _file(picture, form, **options):
    file = io.BytesIO()
    picture.save(file, form, optimize=True, **options)
    return file.getvalue()
