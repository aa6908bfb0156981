"""Rows of numbers with names, kept in a folder: safe against kills, full disks and two writers.

Each array is a plain file that only grows, and SQLite says which rows count. New rows are on the
disk before the transaction that makes them count, so whoever is killed in between leaves bytes that
nobody reads. Files are written by ordinary calls, without holes, and only read by memory map: a
full disk is an error, never a signal. Nothing that is stored is ever executed.
"""

import errno
import io
import json
import math
import os
import sqlite3
import threading
import zipfile
import zlib
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import numpy as np

from sklearn_nrcdt._kernels.matching import BLOCK

# Changes when the files are to be read in another way; an older catalogue is then built again.
LAYOUT = 1
# Seconds to wait for another process that is about to finish its transaction.
PATIENCE = 10
FACTS = "catalogue.sqlite"
# A writer locks this file, which is never removed; so a folder that has it is a catalogue.
WRITER = "writer.sqlite"
# Connections of the parent of a forked process.
INHERITED: list[sqlite3.Connection] = []
SYSTEM_ERRORS = dict.fromkeys((sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR), errno.ENOSPC)
SYSTEM_ERRORS |= dict.fromkeys(
    (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM), errno.EACCES
)
TABLES = """
CREATE TABLE settings (key TEXT PRIMARY KEY, value BLOB NOT NULL);
CREATE TABLE drawings (
    row INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, label TEXT NOT NULL,
    size INTEGER NOT NULL, changed INTEGER NOT NULL, checksum INTEGER NOT NULL
);
CREATE TABLE thumbnails (row INTEGER PRIMARY KEY, png BLOB NOT NULL);
"""


class CatalogueError(ValueError):
    """Raised if a catalogue cannot be used as it is.

    Examples
    --------
    >>> from sklearn_nrcdt.catalogue import BusyCatalogueError, CatalogueError
    >>> issubclass(BusyCatalogueError, CatalogueError)
    True
    """


class DamagedCatalogueError(CatalogueError):
    """Raised if a file of a catalogue is missing, too short, or not what was written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn_nrcdt.catalogue import Catalogue, DamagedCatalogueError
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("writer.sqlite", "catalogue.sqlite"):
    ...         n_letters = (Path(folder) / name).write_text("this is no catalogue" * 100)
    ...     try:
    ...         catalogue = Catalogue(folder)
    ...     except DamagedCatalogueError:
    ...         print("Build it again.")
    Build it again.
    """


class OutdatedCatalogueError(CatalogueError):
    """Raised if a catalogue was made by another version of the package.

    Examples
    --------
    >>> from sklearn_nrcdt.catalogue import CatalogueError, OutdatedCatalogueError
    >>> issubclass(OutdatedCatalogueError, CatalogueError)
    True
    """


class BusyCatalogueError(CatalogueError):
    """Raised if another process is writing to the catalogue.

    Examples
    --------
    >>> from sklearn_nrcdt.catalogue import BusyCatalogueError, CatalogueError
    >>> issubclass(BusyCatalogueError, CatalogueError)
    True
    """


@contextmanager
def _sqlite_errors(path):
    """Turn SQLite's errors into ours, or into those of the operating system."""
    try:
        yield
    except sqlite3.Error as error:
        if isinstance(error, sqlite3.ProgrammingError):
            raise CatalogueError(f"'{path.parent}' was closed. Open it again.") from error
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the lowest byte is the kind
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise BusyCatalogueError(
                f"Another process is writing to '{path.parent}'. Try again when it has finished."
            ) from error
        if code in SYSTEM_ERRORS:
            number = SYSTEM_ERRORS[code]
            raise OSError(number, os.strerror(number), str(path)) from error
        raise damaged(path) from error


def damaged(path):
    """Return the error that names a damaged file."""
    return DamagedCatalogueError(
        f"'{path}' is missing or damaged: the catalogue must be built again."
    )


@contextmanager
def writing(folder):
    """Keep other writers out of a folder; the lock goes with the process that holds it."""
    path = Path(folder) / WRITER
    with _sqlite_errors(path), closing(sqlite3.connect(path, timeout=0)) as lock:
        lock.isolation_level = None
        lock.execute("BEGIN EXCLUSIVE")
        yield


def clear(folder):
    """Remove what can be made again: everything but added drawings and other files."""
    for file in Path(folder).iterdir():
        if file.name.startswith(FACTS) or file.suffix == ".rows":
            file.unlink()


class Store:
    """Named rows of several arrays in a folder.

    `fields` has the shape and dtype of a row of each array, by name; those of the first array are
    kept side by side, see `matching.in_blocks`. A store of another `version` is outdated.
    `settings` are stored if it is new; None opens an existing one only.
    """

    def __init__(self, folder, fields, version, settings=None):
        self.folder = Path(folder)
        self._fields = {name: (shape, np.dtype(dtype)) for name, (shape, dtype) in fields.items()}
        self._first = next(iter(fields))
        self._path = self.folder / FACTS
        if settings is None and not self._path.exists():
            raise damaged(self._path)
        self._connect()
        try:
            if settings is not None:
                self._create({"layout": LAYOUT, "version": version, "rows": 0, **settings})
            found = self.get("layout"), self.get("version")
            if found != (LAYOUT, version):
                raise OutdatedCatalogueError(
                    f"'{self.folder}' was made by version {found[1]}, this is {version}: the "
                    "catalogue must be built again."
                )
            self._check_sizes()
            self._identity = os.stat(self._path)
        except BaseException:
            self.close()
            raise

    def check_current(self):
        """Raise an error if another process has built the store again since it was opened."""
        with suppress(FileNotFoundError):
            if os.path.samestat(self._identity, os.stat(self._path)):
                return
        raise CatalogueError(f"'{self.folder}' was built again meanwhile. Open it again.")

    def _connect(self):
        self._pid, self._lock = os.getpid(), threading.RLock()
        with _sqlite_errors(self._path):
            # Its contents are not trusted.
            self._facts = sqlite3.connect(
                self._path, timeout=PATIENCE, isolation_level=None, check_same_thread=False
            )
            self._facts.execute("PRAGMA trusted_schema = OFF")
            self._facts.execute("PRAGMA synchronous = FULL")

    @contextmanager
    def _alone(self):
        """Keep other threads out; a forked process gets a connection and a lock of its own."""
        if self._pid != os.getpid():
            INHERITED.append(self._facts)  # to close it might undo what the parent is writing
            self._connect()
        with self._lock, _sqlite_errors(self._path):
            yield

    def _create(self, settings):
        with self._transaction():
            if self._read("SELECT 1 FROM sqlite_master"):
                return
            for statement in TABLES.split(";")[:-1]:
                self._facts.execute(statement)
            for key, value in settings.items():
                self._put(key, value)

    def close(self):
        """Close the file of facts."""
        self._facts.close()

    def _file(self, field):
        return self.folder / f"{field}.rows"

    def _n_bytes(self, field, n_rows):
        shape, dtype = self._fields[field]
        n_rows = -(-n_rows // BLOCK) * BLOCK if field == self._first else n_rows
        return n_rows * math.prod(shape) * dtype.itemsize

    def _check_sizes(self):
        n = self.get("rows")
        for field in self._fields if n else ():
            file = self._file(field)
            if not file.exists() or file.stat().st_size < self._n_bytes(field, n):
                raise damaged(file)

    # -- reading ----------------------------------------------------------------------------------
    def _read(self, query, *values):
        with self._alone():
            return self._facts.execute(query, values).fetchall()

    def drawings(self, columns="*"):
        """Return row, name, label, size, time of change and checksum of all drawings, by row."""
        return self._read(f"SELECT {columns} FROM drawings ORDER BY row")

    def arrays(self):
        """Return all arrays by memory map; the first one in blocks of columns."""
        n, found = self.get("rows"), {}
        for field, (shape, dtype) in self._fields.items():
            shape = (-(-n // BLOCK), *shape, BLOCK) if field == self._first else (n, *shape)
            found[field] = np.memmap(self._file(field), dtype, "r", shape=shape)
        return found

    def check(self, arrays, rows, checksums):
        """Raise an error if rows are not what was written."""
        first, *others = arrays.values()
        for row, checksum in zip(np.atleast_1d(rows).tolist(), checksums, strict=True):
            block, place = divmod(row, BLOCK)
            if _checksum([first[block, ..., place], *(part[row] for part in others)]) != checksum:
                raise damaged(self.folder / "*.rows")

    def check_facts(self):
        """Raise an error if the file of facts is not what SQLite has written."""
        if self._read("PRAGMA integrity_check") != [("ok",)]:
            raise damaged(self._path)

    def get(self, key, default=None):
        """Return a stored value."""
        found = self._read("SELECT value FROM settings WHERE key = ?", key)
        if not found:
            return default
        [[value]] = found
        try:
            if isinstance(value, str):
                return json.loads(value)
            with np.load(io.BytesIO(value), allow_pickle=False) as arrays:
                return dict(arrays)
        except (ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
            raise damaged(self._path) from error

    # -- writing ----------------------------------------------------------------------------------
    @contextmanager
    def _transaction(self):
        with self._alone():
            self._facts.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._facts.execute("COMMIT")
            except BaseException:
                if self._facts.in_transaction:
                    self._facts.execute("ROLLBACK")
                raise

    def _put(self, key, value):
        if isinstance(value, dict) and any(isinstance(v, np.ndarray) for v in value.values()):
            file = io.BytesIO()
            np.savez(file, **value)
            value = file.getvalue()
        else:
            value = json.dumps(value)
        self._facts.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (key, value))

    def put(self, key, value):
        """Store what JSON can hold, or a dictionary of arrays."""
        with self._transaction():
            self._put(key, value)

    def append(self, drawings, arrays):
        """Add drawings (name, label, size, changed) with their rows; known names are replaced."""
        with self._transaction():
            n = self.get("rows")
            for field, rows in arrays.items():
                self._write(field, n, rows)
            for k, (drawing, *parts) in enumerate(zip(drawings, *arrays.values(), strict=True)):
                self._forget(drawing[0])
                values = (n + k, *drawing, _checksum(parts))
                self._facts.execute("INSERT INTO drawings VALUES (?, ?, ?, ?, ?, ?)", values)
            self._put("rows", n + len(drawings))

    def _write(self, field, n, rows):
        """Write rows to the disk, from position n on."""
        file, dtype = self._file(field), self._fields[field][1]
        rows = np.ascontiguousarray(rows, dtype)
        with open(file, "r+b" if file.exists() else "x+b") as stream:
            if field != self._first:
                stream.seek(self._n_bytes(field, n))
                stream.write(rows.data)
            else:
                # Zeros first: reading a hole of a file on a full disk may end in a signal.
                stream.seek(0, os.SEEK_END)
                stream.write(bytes(max(0, self._n_bytes(field, n + len(rows)) - stream.tell())))
                for start in range(n - n % BLOCK, n + len(rows), BLOCK):
                    first, last = max(start, n), min(start + BLOCK, n + len(rows))
                    columns = rows[first - n : last - n].reshape(last - first, -1).T
                    for k, column in enumerate(columns):
                        place = k * BLOCK + first - start
                        stream.seek(self._n_bytes(field, start) + place * dtype.itemsize)
                        stream.write(column.tobytes())
            stream.flush()
            os.fsync(stream.fileno())

    def _forget(self, name):
        row = "SELECT row FROM drawings WHERE name = ?"
        self._facts.execute(f"DELETE FROM thumbnails WHERE row IN ({row})", (name,))
        self._facts.execute("DELETE FROM drawings WHERE name = ?", (name,))

    def remove(self, names):
        """Remove drawings; their rows stay in the files and count no more."""
        with self._transaction():
            for name in names:
                self._forget(name)

    def thumbnail(self, row, make):
        """Return a small picture, made by `make` when it is asked for the first time, or None."""
        found = self._read("SELECT png FROM thumbnails WHERE row = ?", row)
        if found:
            return found[0][0]
        png = make()
        if png is None:
            return None
        # Where it cannot be kept, it is made again.
        with suppress(OSError, BusyCatalogueError), self._transaction():
            self._facts.execute("INSERT OR REPLACE INTO thumbnails VALUES (?, ?)", (row, png))
        return png


def _checksum(parts):
    """Return a number that tells whether the parts of a row are what they were."""
    checksum = 0
    for part in parts:
        checksum = zlib.crc32(np.ascontiguousarray(part).data, checksum)
    return checksum
