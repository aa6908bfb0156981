"""The common form of all data sets."""

from sklearn.utils import Bunch


def image_bunch(images, target, target_names, descr, *, return_X_y=False, **more):
    """Return a Bunch of images like scikit-learn's, or ``(data, target)``.

    A list of images of different sizes cannot be flattened: `data` is None, and ``return_X_y``
    returns the list itself.
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
