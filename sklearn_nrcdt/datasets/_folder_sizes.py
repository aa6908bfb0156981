"""How much memory the images of a folder take, and which files make the canvas too large."""

# Up to this many files, but no more than a tenth, may be left out to make the canvas smaller.
MAX_MISFITS = 10


def is_own(shape):
    """Return whether images keep their own sizes."""
    return isinstance(shape, str) and shape == "own"


def _canvas(sizes, shape):
    return tuple(max(sides) for sides in zip(*sizes, strict=True)) if shape is None else shape


def memory(sizes, shape, dtype):
    """Return the bytes that images of these sizes take, on a canvas or in their own sizes."""
    if not sizes:
        return 0
    if is_own(shape):
        return sum(height * width for height, width in sizes) * dtype.itemsize
    height, width = _canvas(sizes, shape)
    return len(sizes) * height * width * dtype.itemsize


def memory_in_words(sizes, shape, dtype):
    """Return `memory` as part of a sentence."""
    amount, unit = float(memory(sizes, shape, dtype)), "bytes"
    for larger in ("kB", "MB", "GB", "TB", "PB"):
        if amount < 1000:
            break
        amount, unit = amount / 1000, larger
    where = ""
    if sizes and not is_own(shape):
        height, width = _canvas(sizes, shape)
        where = f" on a canvas of {height} x {width} pixels"
    return f"{len(sizes)} images{where} take {amount:.3g} {unit}"


def fits(size, shape):
    """Return whether an image fits into a canvas."""
    return size[0] <= shape[0] and size[1] <= shape[1]


def misfit(size, shape):
    """Say why an image does not fit into a canvas."""
    return f"{size[0]} x {size[1]} pixels, which does not fit into shape={shape}"


def misfits(shapes, shape, dtype, max_bytes):
    """Return path and reason of files that do not fit; raise an error if the rest is too large."""
    if is_own(shape):
        found = {}
    elif shape is None:
        found = _outsized(shapes, dtype, max_bytes)
    else:
        found = {file: misfit(s, shape) for file, s in shapes.items() if not fits(s, shape)}
    sizes = [size for file, size in shapes.items() if file not in found]
    if memory(sizes, shape, dtype) > max_bytes:
        own = "" if is_own(shape) else "in their own sizes with shape='own', "
        raise ValueError(
            f"{memory_in_words(sizes, shape, dtype)}, more than max_bytes={max_bytes:.0f}. Read "
            f"them {own}batch by batch with iter_image_folder, or raise max_bytes if you have that "
            "much memory."
        )
    return found


def _outsized(shapes, dtype, max_bytes):
    """Return path and reason of a few files without which the canvas is at most half as large."""
    kept, found = dict(shapes), {}
    whole = memory([*shapes.values()], None, dtype)
    for _ in range(max(1, min(MAX_MISFITS, len(shapes) // 10))):
        if memory([*kept.values()], None, dtype) <= max_bytes:
            break
        without = {}
        for axis in (0, 1):  # the highest one, the widest one
            file = max(kept, key=lambda file: kept[file][axis])
            without[file] = {other: size for other, size in kept.items() if other != file}
        file = min(without, key=lambda file: memory([*without[file].values()], None, dtype))
        found[file] = (
            f"{kept[file][0]} x {kept[file][1]} pixels make the canvas too large: "
            f"{memory_in_words([*shapes.values()], None, dtype)}, more than "
            f"max_bytes={max_bytes:.0f}. Pass shape='own' to read images in their own sizes"
        )
        kept = without[file]
    n_bytes = memory([*kept.values()], None, dtype)
    return found if 0 < n_bytes <= min(max_bytes, whole / 2) else {}
