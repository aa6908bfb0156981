"""What happens when something dies, fills up or is interrupted: for real, in other processes."""

import os
import signal
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import psutil
import pytest
import scipy.sparse as sp
from processes import FRESH, run_script

import sklearn_nrcdt._estimators.base as base
import sklearn_nrcdt._estimators.streaming as stream
from sklearn_nrcdt import MaxNRCDT, MeanNRCDT, SpectralNRCDT, transform_to_npy

PATIENCE = 180  # seconds until something hangs for good
posix = pytest.mark.skipif(os.name != "posix", reason="signals and limits of POSIX")

# A transformer that tells when it is at work, and takes its time.
SLOW = """
import os, signal, sys, threading, time
from functools import partial
from pathlib import Path

import joblib
import numpy as np

import sklearn_nrcdt._estimators.base as base
from sklearn_nrcdt import MaxNRCDT


def slowly(images, inner):
    Path(f"at-work.{os.getpid()}").touch()
    time.sleep(0.05)
    return inner(images)


class Slow(MaxNRCDT):
    def _batch_function(self, dtype):
        return partial(slowly, inner=super()._batch_function(dtype))


base.BATCH_ELEMENTS = 1  # one task for each image
images = np.random.default_rng(0).random((40, 16, 16))
expected = MaxNRCDT(8).fit_transform(images)
"""


class Script:
    """A script in a process, session and folder of its own; loky's workers belong to both."""

    def __init__(self, code, folder):
        self.folder = folder
        self.process = FRESH.Process(target=run_script, args=(SLOW + textwrap.dedent(code), folder))
        self.process.start()

    def end(self, seconds=PATIENCE):
        """Wait for the end; return the status, what was printed, and the errors."""
        self.process.join(seconds)
        texts = [self.folder.with_suffix(end).read_text() for end in (".out", ".err")]
        return self.process.exitcode, *texts

    def interrupt(self):
        """Press Ctrl-C, as a terminal does, for all of the group, when somebody is at work."""
        for _ in range(10 * PATIENCE):
            if list(self.folder.glob("at-work.*")) or not self.process.is_alive():
                break
            time.sleep(0.1)
        else:
            raise TimeoutError("nobody is at work")
        n_running = len(self.running())
        os.killpg(self.process.pid, signal.SIGINT)
        return n_running

    def running(self):
        return [process for process in psutil.process_iter() if self._owns(process)]

    def _owns(self, process):
        try:
            ended = process.status() == psutil.STATUS_ZOMBIE
            return not ended and os.getsid(process.pid) == self.process.pid
        except (psutil.Error, OSError):
            return False


@pytest.fixture
def start(tmp_path):
    """Start a script; at the end nothing of it may be left."""
    (tmp_path / "work").mkdir()
    started = []

    def start(code):
        started.append(Script(code, tmp_path / "work"))
        return started[-1]

    yield start
    for script in started:
        script.process.kill()
        script.process.join()
        for _ in range(200):  # the others go away by themselves
            if not (left := script.running()):
                break
            time.sleep(0.1)
        for process in left:
            process.kill()
        assert not left


def finish(script):
    status, printed, errors = script.end()
    assert status == 0, errors[-3000:]
    return printed.split()


@posix
def test_a_killed_loky_worker_is_a_clear_error_and_no_harm(start):
    code = """
    from joblib.externals.loky.backend.context import set_start_method
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    set_start_method("fork")  # which costs no imports

    def kill_a_worker():
        while not (at_work := list(Path().glob("at-work.*"))):
            time.sleep(0.01)
        pid = int(at_work[0].suffix[1:])
        assert pid != os.getpid()
        os.kill(pid, signal.SIGKILL)

    transformer = Slow(8, n_jobs=2).fit(images)
    killer = threading.Thread(target=kill_a_worker)
    killer.start()
    with joblib.parallel_config(backend="loky"):
        try:
            transformer.transform(images)
        except TerminatedWorkerError as error:
            assert "SIGKILL" in str(error)
            print("killed")
    killer.join()
    np.testing.assert_array_equal(transformer.transform(images), expected)
    print("alive")
    """
    assert finish(start(code)) == ["killed", "alive"]


@posix
def test_ctrl_c_while_streaming_leaves_no_file(start):
    code = """
    from sklearn_nrcdt import transform_to_npy

    images = np.concatenate([images] * 100)
    transform_to_npy(Slow(8, n_jobs=2).fit(images), images, "features.npy", batch_size=2)
    """
    script = start(code)
    script.interrupt()
    assert "KeyboardInterrupt" in script.end(PATIENCE / 3)[2]
    assert [file.stem for file in script.folder.iterdir()] == ["at-work"]


@posix
def test_workers_inside_the_workers_of_a_grid_search_then_ctrl_c(start):
    # Two processes of two threads each is what is asked for: no deadlock, not more of them. The
    # same two, which take seconds to start, are then at work when the run is interrupted.
    code = """
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn_nrcdt import NearestTemplateClassifier
    from threadpoolctl import threadpool_info

    at_work = []

    def watched(images, inner):
        at_work.append(threading.get_ident())
        most = max([info["num_threads"] for info in threadpool_info()], default=1)
        with open("record", "a") as file:
            file.write(f"{os.getpid()} {len(at_work)} {most}\\n")
        time.sleep(0.002)
        at_work.pop()
        return inner(images)

    class Watched(MaxNRCDT):
        def _batch_function(self, dtype):
            return partial(watched, inner=super()._batch_function(dtype))

    def search(kind, n_jobs, inner):
        model = make_pipeline(kind(n_jobs=inner), NearestTemplateClassifier())
        grid = {f"{kind.__name__.lower()}__n_angles": [1, 8]}
        return GridSearchCV(model, grid, cv=2, n_jobs=n_jobs, error_score="raise").fit(images, y)

    many, images = np.concatenate([images] * 100), images[:16]  # minutes of work, and little
    y = np.arange(len(images)) % 4
    plain = search(MaxNRCDT, 1, 1)
    nested = search(Watched, 2, 2)
    for key in ("mean_test_score", "rank_test_score"):
        np.testing.assert_array_equal(nested.cv_results_[key], plain.cv_results_[key])
    record = [line.split() for line in open("record").read().splitlines()]
    cores = joblib.cpu_count()
    workers = {pid for pid, _, _ in record} - {str(os.getpid())}
    assert len(workers) <= 2, workers
    threads = max(int(n) for _, n, _ in record)
    assert threads <= 2, threads
    blas = max(int(most) for pid, _, most in record if pid in workers)
    assert blas <= max(1, cores // 2), blas
    print("right", flush=True)

    with joblib.parallel_config(backend="loky"):
        features = MaxNRCDT(8, n_jobs=2).fit_transform(images)
        np.testing.assert_array_equal(features, expected[: len(images)])
        print("the same", flush=True)
        Slow(8, n_jobs=2).fit(many).transform(many)
    """
    script = start(code)
    assert script.interrupt() >= 3
    status, printed, errors = script.end(PATIENCE / 3)
    assert printed == "right\nthe same\n", errors[-3000:]
    assert status not in (0, None)
    assert "KeyboardInterrupt" in errors


def test_an_error_in_a_thread_ends_the_others(monkeypatch, shapes):
    monkeypatch.setattr(base, "BATCH_ELEMENTS", 1)
    transformer = MaxNRCDT(8, n_jobs=2).fit(shapes)
    expected = transformer.transform(shapes)
    before = threading.active_count()

    def fail(*args, **kwargs):
        raise RuntimeError("out of luck")

    with monkeypatch.context() as patch:
        patch.setattr("sklearn_nrcdt._estimators.radon_base.quantiles", fail)
        with pytest.raises(RuntimeError, match="out of luck"):
            transformer.transform(np.concatenate([shapes] * 20))
    for _ in range(100):
        if threading.active_count() <= before:
            break
        time.sleep(0.1)
    assert threading.active_count() <= before
    np.testing.assert_array_equal(transformer.transform(shapes), expected)


# --- disks ------------------------------------------------------------------------------


@posix
def test_a_limit_on_files_while_streaming_is_an_error_and_leaves_no_file(start, tmp_path):
    code = """
    import resource
    from sklearn_nrcdt import transform_to_npy

    Path("features.npy").write_text("of before")
    resource.setrlimit(resource.RLIMIT_FSIZE, (8000, 8000))  # 40 rows of 64 need 20 kB
    try:
        transform_to_npy(MaxNRCDT(8).fit(images), images, "features.npy", batch_size=3)
    except OSError as error:
        print(type(error).__name__, *(file.name for file in Path.cwd().iterdir()))
    """
    assert finish(start(code)) == ["OSError", "features.npy"]
    assert (tmp_path / "work" / "features.npy").read_text() == "of before"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
def test_a_full_disk_is_an_error_and_leaves_no_file(monkeypatch, shapes, tmp_path):
    def full(*_):
        return open("/dev/full", "wb")

    monkeypatch.setattr(stream, "open", full, raising=False)
    with pytest.raises(OSError, match="No space left"):
        transform_to_npy(MaxNRCDT(8).fit(shapes), shapes, tmp_path / "features.npy")
    assert not list(tmp_path.iterdir())


def test_two_streams_to_one_name_do_not_mix(shapes, tmp_path):
    transformer = MaxNRCDT(8).fit(shapes)
    both, results = threading.Barrier(2, timeout=PATIENCE), {}

    def batches(images):
        for image in images:
            both.wait()  # by turns
            yield image[None]

    def run(name, images):
        results[name] = transformer.transform(images)
        transform_to_npy(transformer, batches(images), tmp_path / "features.npy")

    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(run, "a", shapes), pool.submit(run, "b", shapes[::-1])]
        for done in runs:
            done.result(timeout=PATIENCE)
    written = np.load(tmp_path / "features.npy")
    assert any(np.array_equal(written, rows) for rows in results.values())
    assert [file.name for file in tmp_path.iterdir()] == ["features.npy"]


def test_streams_of_what_is_no_row_of_numbers_are_refused(shapes, tmp_path):
    class Odd:
        def __init__(self, output):
            self.transform = lambda X: output

    outputs = [np.ones((6, 2, 2)), np.array([["a"]]), np.array([[None]]), sp.csr_array(np.eye(3))]
    for output in outputs:
        with pytest.raises(ValueError, match="dense rows of real numbers"):
            transform_to_npy(Odd(output), shapes, tmp_path / "features.npy")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        transform_to_npy(MaxNRCDT(8).fit(shapes), shapes, tmp_path)
    assert not list(tmp_path.iterdir())


def test_streams_of_sparse_images(shapes, tmp_path):
    rows = sp.csr_array(shapes.reshape(6, -1))
    transformer = MaxNRCDT(8).fit(rows)
    features = transform_to_npy(transformer, rows, tmp_path / "features.npy", batch_size=4)
    np.testing.assert_array_equal(features, transformer.transform(rows))


# --- threads ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [MaxNRCDT, MeanNRCDT, SpectralNRCDT])
def test_threads_share_a_fitted_transformer(shapes, kind, rng):
    transformer = kind(16, n_jobs=2).fit(shapes)
    inputs = [rng.random((n, 48, 48)).astype(dtype) for n in (1, 5) for dtype in ("f4", "f8")] * 4
    expected = [transformer.transform(images) for images in inputs]
    with ThreadPoolExecutor(8) as pool:
        for result, right in zip(pool.map(transformer.transform, inputs), expected, strict=True):
            np.testing.assert_array_equal(result, right)


def test_images_that_another_thread_changes(monkeypatch, rng):
    # Rows of images that nobody touches are right; the others are of some pixels, old or new.
    monkeypatch.setattr(base, "BATCH_ELEMENTS", 2**18)
    images = rng.random((60, 32, 32))
    others = [rng.random((32, 32)) for _ in range(2)] + [np.eye(32)]
    transformer = MaxNRCDT(16, n_jobs=2).fit(images)
    expected = transformer.transform(images)
    stop = threading.Event()

    def scribble():
        while not stop.is_set():
            for other in others:
                images[::2] = other

    writer = threading.Thread(target=scribble)
    writer.start()
    try:
        results = [transformer.transform(images) for _ in range(5)]
    finally:
        stop.set()
        writer.join()
    for result in results:
        assert np.isfinite(result).all()
        np.testing.assert_array_equal(result[1::2], expected[1::2])
