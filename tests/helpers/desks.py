"""Desks with made-up drawings, requests to them, and waiting for their answers."""

import http.client
import io
import json
import threading
import time
from argparse import ArgumentParser, Namespace
from contextlib import contextmanager
from urllib.parse import quote, urlsplit

import numpy as np
from drawings import put_on_paper
from PIL import Image

from sklearn_nrcdt._commands.find import add_search_arguments
from sklearn_nrcdt.catalogue import Catalogue

NAMES = [f"figure {k}" for k in range(6)]


def png(image, **options):
    """Return a PNG file of grey values from 0 to 1."""
    file = io.BytesIO()
    Image.fromarray(np.uint8(255 * image)).save(file, "PNG", **options)
    return file.getvalue()


def write_drawings(folder, figures):
    """Write a file of each figure that has a name, dark on white, and return the folder."""
    for name, figure in zip(NAMES, figures, strict=False):
        put_on_paper(folder / f"{name}.png", np.pad(figure, 8))
    return folder


def make_desk(drawings, *words):
    """Return a desk on a catalogue beside the drawings, with options of the search."""
    from sklearn_nrcdt._desk.desk import Desk

    parser = ArgumentParser()
    add_search_arguments(parser)
    args = parser.parse_args(words, Namespace(n_jobs=1))
    return Desk(Catalogue.build(drawings, n_jobs=1), args)


@contextmanager
def served(desk):
    """A client of the desk, which a thread serves."""
    from sklearn_nrcdt._desk.app import Server

    server = Server(desk)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield Client(server.address)
    finally:
        server.stop()
        thread.join()


def answered(desk, n, seconds=60):
    """Wait until so many pictures of a desk (or its client) are answered; return them by name."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pictures = desk.state()["pictures"]
        if len(pictures) == n and not any(picture["waiting"] for picture in pictures):
            return {picture["name"]: picture for picture in pictures}
        time.sleep(0.05)
    raise AssertionError(pictures)


class Client:
    """Sends requests to the address of a desk."""

    def __init__(self, address):
        parts = urlsplit(address)
        self.host, self.root = parts.netloc, parts.path

    def __call__(self, path, body=None, headers=None, root=None):
        """Return status, headers and content."""
        connection = http.client.HTTPConnection(self.host, timeout=60)
        try:
            method = "GET" if body is None else "POST"
            body = json.dumps(body) if isinstance(body, dict) else body
            path = (self.root if root is None else root) + path
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def state(self):
        """Return what the page shows."""
        return json.loads(self("state")[2])

    def send(self, name, data, kind="recognise"):
        """Send a picture."""
        return self(f"pictures?kind={kind}", data, {"X-Name": quote(name)})
