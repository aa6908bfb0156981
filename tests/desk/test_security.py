"""Who may talk to the desk, and about what."""

import errno
import json
import os
import warnings
from contextlib import closing

import pytest
from desks import answered, make_desk, served, write_drawings

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_nrcdt.BrightBorderWarning")


@pytest.fixture(scope="module")
def client(figures, turned, tmp_path_factory):
    """A client of a desk with one answered picture."""
    folder = write_drawings(tmp_path_factory.mktemp("desk") / "drawings", figures)
    with closing(make_desk(folder)) as desk, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as the command line does
        desk.add("a.png", turned(0, 30), "recognise")
        answered(desk, 1)
        with served(desk) as client:
            client.desk = desk
            yield client


def test_only_its_own_page_is_answered(client):
    assert client.host.startswith("127.0.0.1:")
    assert client("")[0] == client("state")[0] == 200
    foreign = [
        {"Host": "evil.example"},
        {"Host": client.host.replace("127.0.0.1", "localhost")},
        {"Host": f"{client.host}.evil.example"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": f"http://{client.host}0"},
    ]
    for headers in foreign:
        for path, body in {"": None, "state": None, "undo": {}, "small/1/0": None}.items():
            status, _, content = client(path, body, headers)
            assert status == 403
            assert b"own page" in content
    assert client("undo", {}, {"Origin": f"http://{client.host}"})[0] == 400  # nothing to undo


def test_without_the_token_nothing_is_answered(client):
    token = client.root.strip("/")
    assert len(token) >= 32
    for root in (
        "/",
        "",
        "*",
        "/wrong/",
        f"/{token[:-1]}/",
        f"/{token}x/",
        f"//{token}/",
        "/é/".encode(),
    ):
        root = root if isinstance(root, str) else "/%C3%A9/"
        status, _, content = client("" if root == "*" else "state", root=root or "/")
        assert status in (403, 404)
        assert b"pictures" not in content


def test_everything_from_elsewhere_is_forbidden(client):
    for path in ("", "page.js", "state", "small/1/0", "nowhere", "decisions.html"):
        headers = {key.lower(): value for key, value in client(path)[1].items()}
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'")
        assert "unsafe" not in policy
        assert "http" not in policy.replace("'self'", "")
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "access-control-allow-origin" not in headers
    for name in ("page.html", "page.css", "page.js"):
        assert b"://" not in client(name)[2]


@pytest.mark.parametrize(
    "path",
    [
        "../desk.sqlite",
        "%2e%2e/desk.sqlite",
        "..%2f..%2fdesk.sqlite",
        "desk.py",
        "__init__.py",
        "small/1/../../../etc/passwd",
        "small/99/0",
        "small/-1/0",
        "small/1e3/0",
        "file/1/0",
        "drawing/1/5",
        "drawing/1/99999999999999999999",
        "detail/1/0",
        "page.html/../desk.py",
    ],
)
def test_there_is_nothing_but_the_page_and_its_pictures(path, client):
    assert client(path)[0] in (403, 404)


def test_only_pictures_of_bounded_size_are_taken(client, turned, monkeypatch):
    before = len(client.desk.state()["pictures"])
    assert client.send("b.png", turned(1, 0))[0] == 200
    for data in (b"", b"MZ\x90\x00", b"<html>", b"%PDF-1.7", b"\x89PNG\r\n\x1a\n" + b"\0" * 99):
        status, _, content = client.send("x.png", data)
        assert status == 400
        assert "cannot be read" in json.loads(content)["problem"]
    monkeypatch.setattr("sklearn_nrcdt._desk.app.MAX_UPLOAD", 1000)
    status, _, content = client.send("large.png", b"\0" * 100_000)
    assert status == 400
    assert "larger than" in json.loads(content)["problem"]
    assert client("note", {"picture": 1, "note": "x" * 2**17})[0] == 400
    assert client.send("c.png", turned(1, 0)[:900], kind="nonsense")[0] == 400
    assert len(client.desk.state()["pictures"]) == before + 1


def test_names_are_names_only(client, turned):
    evil = "../../../<img src=x onerror=alert(1)>\u202e.png"
    assert client.send(evil, turned(2, 0))[0] == 200
    [picture] = [p for p in client.desk.state()["pictures"] if "img" in p["name"]]
    assert picture["name"] == "<img src=x onerror=alert(1)>\\u202e.png"
    files = {file.suffix for file in client.desk.folder.iterdir()}
    assert files <= {".picture", ".sqlite", ".sqlite-journal"}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("decide", b"not json"),
        ("decide", b"[]"),
        ("decide", {"picture": 1, "decision": "accepted"}),
        ("decide", {"picture": True, "decision": "rejected", "drawing": ""}),
        ("decide", {"picture": 1, "decision": "accepted", "drawing": "elsewhere.png"}),
        ("note", {"picture": "1", "note": "text"}),
        ("reference", {"picture": 1, "box": "all", "name": "x"}),
        ("reference", {"picture": 1, "box": [0, 0, 1e999, 1], "name": "x"}),
        ("reference", {"picture": 1, "box": [float("nan"), 0, 1, 1], "name": "x"}),
        ("note", b"[" * 60_000),
    ],
)
def test_what_makes_no_sense_is_refused(path, body, client):
    before = client.desk.state()["undo"]
    status, _, content = client(path, body)
    assert status == 400
    assert json.loads(content)["problem"]
    assert client.desk.state()["undo"] == before


def test_a_number_that_no_picture_can_have_is_no_picture(client):
    assert (
        client(f"small/{10**30}/0")[0] == client("note", {"picture": 10**30, "note": ""})[0] == 404
    )


def test_a_full_disk_is_an_answer_and_leaves_no_file(client, turned, monkeypatch):
    def full(*args):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    before = set(client.desk.folder.iterdir())
    monkeypatch.setattr(client.desk.journal, "add", full)
    status, _, content = client.send("b.png", turned(1, 0))
    assert status == 507
    assert os.strerror(errno.ENOSPC) in json.loads(content)["problem"]
    assert set(client.desk.folder.iterdir()) == before
