"""Catalogues whose writers are killed, and whose disks are full: for real, in other processes."""

import os
import pickle
import resource
import signal
import subprocess
import sys
import threading
import warnings
from contextlib import closing

import numpy as np
import pytest
from drawings import put_on_paper
from processes import printed

from sklearn_nrcdt.catalogue import Catalogue
from sklearn_nrcdt.datasets import load_symbols

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks, signals and mounts")
SYMBOLS = load_symbols(size=48).images
N_KILLS = 6

# Builds and adds in a child, which writes down what has been accepted, and kills it at random.
KILLS = """
import os, random, signal, sys, time
from threadpoolctl import threadpool_limits
from sklearn_nrcdt.catalogue import Catalogue, _catalogue
from sklearn_nrcdt.datasets import load_symbols

_catalogue.BATCH = 4
drawings, path, n_kills = sys.argv[1], sys.argv[2], int(sys.argv[3])
images, accepted = load_symbols(size=48).images, set()
random.seed(0)
threadpool_limits(1, user_api="blas")


def work(pipe, attempt):
    catalogue = Catalogue.build(drawings, path)
    for k in range(100):
        [name] = catalogue.add([images[k % 12] ** (1 + attempt)], [f"{attempt}-{k}"])
        os.write(pipe, f"{name}\\n".encode())


for attempt in range(n_kills):
    receive, send = os.pipe()
    child = os.fork()
    if not child:
        os.close(receive)
        try:
            work(send, attempt)
        finally:
            os._exit(1)
    os.close(send)
    # Half of them while they build; the others, however slow they are, while they add.
    told = os.read(receive, 1000) if attempt % 2 else b""
    time.sleep(random.uniform(0.01, 0.12))
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), "it failed before it was killed"
    with os.fdopen(receive, "rb") as rest:
        told += rest.read()
    accepted |= set(told.decode().split("\\n")[:-1])
    if os.path.exists(os.path.join(path, "catalogue.sqlite")) and accepted:
        catalogue = Catalogue(path)
        assert accepted <= set(catalogue.names), accepted - set(catalogue.names)
        catalogue.identify(images[:1])
        catalogue.close()
catalogue = Catalogue.build(drawings, path)
assert catalogue.rebuilt is None or not accepted, catalogue.rebuilt
assert accepted <= set(catalogue.names) and len(catalogue.names) >= 12
print(len(accepted), "accepted")
"""


@pytest.fixture
def drawings(tmp_path):
    for k, image in enumerate(SYMBOLS):
        put_on_paper(tmp_path / "drawings" / f"{k}.png", image)
    return tmp_path / "drawings"


def test_nothing_accepted_is_lost_by_kills(drawings, tmp_path):
    n_accepted = printed(KILLS, str(drawings), str(tmp_path / "kept"), str(N_KILLS)).split()[0]
    assert int(n_accepted) >= N_KILLS // 2


def fill(catalogue, images):
    for k, image in enumerate(images):
        catalogue.add([image], [f"noise {k}"])


def test_a_full_disk_is_an_error(drawings, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2150k", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("only the superuser can mount a small disk")
    try:
        kept = Catalogue.build(drawings, disk / "kept")
        n, noise = len(kept.names), np.random.default_rng(0).random((200, 64, 64))
        with pytest.raises(OSError, match=r"No space left|no room left"):
            fill(kept, noise)
        assert len(kept.names) > n
        n = len(kept.names)
        # What was there answers still, in this process and in the next.
        for catalogue in (kept, Catalogue(disk / "kept")):
            found = catalogue.identify(SYMBOLS[:3], 1)
            assert found.labels.tolist() == ["0", "1", "2"]
            assert len(catalogue.names) >= n
            catalogue.close()
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def test_files_that_must_not_grow_are_an_error(drawings, tmp_path):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            Catalogue.build(drawings, tmp_path / "kept")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    kept = Catalogue.build(drawings, tmp_path / "kept")
    assert len(kept.names) == 12
    kept.close()


def test_a_forked_process_used_the_locks_and_the_connection_of_its_parent(drawings, tmp_path):
    with closing(Catalogue.build(drawings, tmp_path / "kept")) as kept:
        # A fork while another thread is reading: its lock stays locked for ever in the child.
        holding, done = threading.Event(), threading.Event()

        def hold():
            with kept._store._lock:
                holding.set()
                done.wait()

        thread = threading.Thread(target=hold)
        thread.start()
        holding.wait()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # newer Pythons warn of threads
            child = os.fork()
        if not child:
            signal.alarm(60)
            try:
                assert kept.search(SYMBOLS[:1], 1)[1].tolist() == [["0.png"]]
                kept.add([SYMBOLS[0]], ["of the child"])
                os._exit(0)
            finally:
                os._exit(1)
        done.set()
        thread.join()
        assert os.waitpid(child, 0)[1] == 0
        kept.update()
        assert "added/of the child.png" in kept.names


def test_catalogues_could_not_be_sent_to_other_processes(drawings, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with closing(Catalogue.build(drawings, "kept", n_jobs=2)) as kept:
        sent = pickle.dumps(kept)
        monkeypatch.chdir("/")
        with closing(pickle.loads(sent)) as opened:
            assert opened.n_jobs == 2
            np.testing.assert_array_equal(opened.search(SYMBOLS)[0], kept.search(SYMBOLS)[0])


def test_drawings_of_the_largest_numbers_were_added_and_lost(drawings, tmp_path):
    with closing(Catalogue.build(drawings, tmp_path / "kept")) as kept:
        largest = np.rot90(SYMBOLS[4]) * np.finfo(float).max
        [name] = kept.add([largest], ["largest"])
        assert set(kept.search(SYMBOLS[4:5], 2)[1][0]) == {"4.png", name}
        for image in ([[10**400, 1]], np.ma.array(SYMBOLS[0], mask=SYMBOLS[0] > 0), "scan.png"):
            with pytest.raises(ValueError, match=r"2-D array|masked|names of files"):
                kept.add([image], ["bad"])
        with pytest.raises(ValueError, match="2 images, 1 names and 1 labels"):
            kept.add(SYMBOLS[:2], ["one"])
        with pytest.raises(ValueError, match="no drawing 'nobody'"):
            kept.thumbnail("nobody")
