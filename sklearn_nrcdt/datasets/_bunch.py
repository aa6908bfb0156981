"""The common form of all data sets."""

from sklearn.utils import Bunch


def image_bunch(images, target, target_names, descr, *, return_X_y=False, **more):
    """Bunch of images in scikit-learn's manner, or ``(data, target)``.

    A list of images of different sizes has no rows of data, and stands in for them.
    """
    data = None if isinstance(images, list) else images.reshape(len(images), -1)
    if return_X_y:
        return images if data is None else data, target
    return Bunch(
        images=images,
        data=data,
        target=target,
        target_names=target_names,
        DESCR=descr,
        **more,
    )
