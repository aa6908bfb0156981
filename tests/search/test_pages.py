"""Pages as archives publish them: the photograph on its page, and what all drawings share."""

import numpy as np
import pytest
from PIL import Image, ImageDraw
from sheets import random_drawings, sheet

import sklearn_nrcdt.search._kernels.pages as pages_kernel
from sklearn_nrcdt.search import DrawingSearch, make_drawings
from sklearn_nrcdt.search._kernels.line_elements import line_elements
from sklearn_nrcdt.search._kernels.pages import photograph_box, shared_elements


@pytest.fixture(autouse=True)
def _few_points(monkeypatch):
    """Fewer points tell parts of these simple pages apart as well."""
    monkeypatch.setattr(pages_kernel, "N_POINTS", 80)


def page(drawing, number, shape=(420, 380)):
    """A drawing with a ruler, an arrow, a caption, and two lines; and the drawing alone."""
    picture = Image.new("L", shape[::-1])
    pen = ImageDraw.Draw(picture)
    for y in range(60, 360, 4):
        pen.line([(360, y), (372 if y % 20 == 0 else 366, y)], fill=255)
    pen.line([(60, 20), (200, 20)], fill=255, width=2)
    pen.line([(190, 12), (200, 20), (190, 28)], fill=255, width=2)
    pen.text((60, 395), f"Archive, mark {number}", fill=255, font_size=20)
    for x in (50, 320):
        pen.line([(x, 50), (x, 370)], fill=255)
    image = np.asarray(picture) > 127
    figure = np.zeros(shape, bool)
    figure[100 : 100 + drawing.shape[0], 110 : 110 + drawing.shape[1]] = drawing
    return image | figure, figure


@pytest.fixture(scope="module")
def pages():
    rng = np.random.default_rng(4)
    drawings = random_drawings(14, rng, shape=(170, 150))
    return drawings, [page(drawing, 100 + k) for k, drawing in enumerate(drawings)]


def test_what_all_pages_share_is_left_out_and_figures_stay(pages):
    elements, in_figure = [], []
    for image, figure in pages[1]:
        found, center = line_elements(image)
        elements.append(found)
        places = np.floor(found[:, :2] + center).astype(int)
        near = np.pad(figure, 2)
        in_figure.append(np.any([near[tuple((places + k).T)] for k in np.ndindex(5, 5)], axis=0))
    shared, n_parts = shared_elements(elements)
    figures, rest = np.concatenate(in_figure), ~np.concatenate(in_figure)
    assert np.concatenate(shared)[rest].mean() > 0.9
    assert np.concatenate(shared)[figures].mean() < 0.15
    assert (n_parts >= 3).all()
    # Too few to say what is usual.
    assert not any(s.any() for s in shared_elements(elements[:10])[0])
    # Drawings of one class are alike anyway.
    assert not any(s.any() for s in shared_elements(elements, np.zeros(14))[0])


def test_a_clean_catalogue_keeps_everything():
    images = make_drawings(14, size=160, random_state=1).images
    shared, n_parts = shared_elements([line_elements(image)[0] for image in images])
    assert not any(s.any() for s in shared)
    assert not n_parts.any()


def test_figures_are_found_and_not_captions(pages):
    drawings, given = pages
    rng = np.random.default_rng(0)
    photos = []
    for k in range(2):
        photo = np.full((520, 480), 255.0)
        photo[60:420, 40:400] = sheet(drawings[k], (360, 360), (80, 90), rng)
        photo[440:470, 50:52] = 0
        photos.append(photo)
    search = DrawingSearch(polarity="dark").fit([image for image, _ in given])
    assert (search.n_left_out_ >= 3).all()
    assert (search.share_kept_ < 0.7).all()
    found = search.locate(photos)
    np.testing.assert_array_equal(found.indices[:, 0], range(2))
    # The drawing's first pixel is at (100, 110) of its page and at (140, 130) of the photograph's.
    corner = found.maps[:, 0, :, :2] @ np.array([100, 110]) + found.maps[:, 0, :, 2]
    np.testing.assert_allclose(corner, [[140, 130]] * 2, atol=2)
    everything = DrawingSearch(polarity="dark", pages=False).fit([image for image, _ in given[:2]])
    assert not everything.n_left_out_.any()
    assert everything.kneighbors(photos[:1], 1)[0] < found.scores[0]


@pytest.mark.parametrize("light", [(1, 1), (0.6, 1), (1, 0.7)])
@pytest.mark.parametrize("zoom", [1.0, 0.5, 0.2])
def test_the_box_of_a_photograph(rng, zoom, light):
    white = rng.uniform(248, 252, (400, 300))
    white[:30, 40:43] = 0  # a ruler, thinner than a photograph
    white[100:350, 50:220] = rng.uniform(50, 200, (250, 170))
    # A page seen by a phone gets its light from one side.
    white *= np.linspace(*light, 400)[:, None] * np.linspace(*light[::-1], 300)
    inset = round(6 / zoom)
    rows, columns = photograph_box(white, zoom)
    ends = (rows.start, rows.stop, columns.start, columns.stop)
    expected = (100 + inset, 350 - inset, 50 + inset, 220 - inset)
    # Of more than twice the working resolution, some pixels are looked at.
    assert ends == expected if zoom >= 0.5 else ends == pytest.approx(expected, abs=4)


def test_what_is_no_photograph_on_a_page_stays_whole(rng):
    whole = slice(0, 200), slice(0, 150)
    dark = rng.uniform(0, 1, (200, 150))
    assert photograph_box(dark) == whole
    dark[50:150, 40:110] = 0  # a stain on paper that is no page
    assert photograph_box(dark) == whole
    drawing = np.full((200, 150), 255)
    drawing[50, 20:130] = 0  # a drawing on white paper
    assert photograph_box(drawing) == whole
    drawing[60:80, 20:40] = 0  # a stamp
    assert photograph_box(drawing) == whole
    assert photograph_box(np.full((200, 150), 255)) == whole
