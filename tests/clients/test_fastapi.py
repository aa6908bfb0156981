"""fastapi: the service of the documentation, with pictures and with what is none."""

import io
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sklearn_nrcdt.datasets import make_symbols

pytest.importorskip("fastapi", reason="fastapi is in the group 'clients'")
pytest.importorskip("skops.io", reason="skops is in the group 'clients'")
testclient = pytest.importorskip("fastapi.testclient", reason="its client needs httpx")
PAGE = Path(__file__).parents[2] / "docs" / "serving.md"


@pytest.fixture
def service(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "service"}
    for block in re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S):
        exec(compile(block, "<page>", "exec"), namespace)
    return testclient.TestClient(namespace["app"])


def test_the_service_of_the_page(service):
    symbols = make_symbols(1, random_state=0)
    for image, label in zip(symbols.images, symbols.target, strict=True):
        file = io.BytesIO()
        Image.fromarray(np.uint8(255 * image)).save(file, "PNG")
        answer = service.post("/shapes", content=file.getvalue())
        assert answer.status_code == 200
        assert answer.json()["class"] == label
        assert answer.json()["mark"] in ("clear", "likely")


@pytest.mark.parametrize(
    ("content", "status"), [(b"", 422), (b"text", 422), (bytes(10**7 + 1), 413)]
)
def test_what_is_no_picture_is_refused(service, content, status):
    assert service.post("/shapes", content=content).status_code == status
