"""The pictures that the desk was given and what was decided about them, in a SQLite file.

A line of the journal says all that is decided about a picture. The latest line counts, and an undo
strikes it out. A line is on the disk before the page hears of it.
"""

import json
import sqlite3
import threading
from contextlib import contextmanager
from datetime import UTC, datetime

from sklearn_nrcdt._commands.console import Problem, readable

TABLES = """
CREATE TABLE IF NOT EXISTS pictures (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, kind TEXT NOT NULL,
    file TEXT NOT NULL, dpi REAL, small BLOB NOT NULL, large BLOB NOT NULL,
    waiting INTEGER NOT NULL DEFAULT 1, version INTEGER NOT NULL DEFAULT 0, answer TEXT
);
CREATE TABLE IF NOT EXISTS overlays (
    picture INTEGER NOT NULL, place INTEGER NOT NULL, detail BLOB NOT NULL, strokes BLOB NOT NULL,
    PRIMARY KEY (picture, place)
);
CREATE TABLE IF NOT EXISTS journal (
    id INTEGER PRIMARY KEY AUTOINCREMENT, picture INTEGER NOT NULL, decision TEXT NOT NULL,
    drawing TEXT NOT NULL, note TEXT NOT NULL, added TEXT NOT NULL, what TEXT NOT NULL,
    time TEXT NOT NULL, undone INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS asked (kind TEXT PRIMARY KEY, stamp INTEGER NOT NULL);
"""
COLUMNS = "id, name, kind, file, dpi, waiting, version, answer"
NOTHING = {"decision": "", "drawing": "", "note": ""}


class Journal:
    """Pictures, answers and decisions; one process at a time may have it open."""

    def __init__(self, path):
        self._lock = threading.RLock()
        try:
            path.parent.mkdir(exist_ok=True)
            self._file = sqlite3.connect(
                path, timeout=1, isolation_level=None, check_same_thread=False
            )
        except (OSError, sqlite3.Error) as error:
            raise Problem(f"'{readable(path)}' cannot be opened: {error}.") from None
        self._file.row_factory = sqlite3.Row
        try:
            self._file.execute("PRAGMA trusted_schema = OFF")
            self._file.execute("PRAGMA synchronous = FULL")
            self._file.execute("PRAGMA locking_mode = EXCLUSIVE")
            with self._writing():
                for statement in TABLES.split(";")[:-1]:
                    self._file.execute(statement)
        except (OSError, sqlite3.DatabaseError) as error:
            self._file.close()
            code = getattr(error.__cause__ or error, "sqlite_errorcode", 0) & 0xFF
            locked = code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
            advice = "Close the other desk" if locked else "Move it away for an empty desk"
            raise Problem(f"'{readable(path)}' cannot be opened: {error}. {advice}.") from None

    def close(self):
        """Close the file."""
        self._file.close()

    @contextmanager
    def _writing(self):
        """One transaction: all of it is kept, or nothing."""
        with self._lock:
            try:
                self._file.execute("BEGIN IMMEDIATE")
                yield
                self._file.execute("COMMIT")
            except BaseException as error:
                if self._file.in_transaction:
                    self._file.execute("ROLLBACK")
                if isinstance(error, sqlite3.OperationalError):  # no room, no permission, locked
                    raise OSError(None, str(error)) from error
                raise

    def _read(self, query, *values):
        with self._lock:
            return self._file.execute(query, values).fetchall()

    # -- pictures ---------------------------------------------------------------------------------
    def add(self, name, kind, file, dpi, small, large):
        """Keep a picture: its name, what to do with it, and files to look at."""
        query = "INSERT INTO pictures (name, kind, file, dpi, small, large) VALUES (?,?,?,?,?,?)"
        with self._writing():
            self._file.execute(query, (name, kind, file, dpi, small, large))

    def forget(self, key):
        """Drop a picture, and what was written about it: an undo could not show it."""
        with self._writing():
            self._file.execute("DELETE FROM pictures WHERE id = ?", (key,))
            self._file.execute("DELETE FROM overlays WHERE picture = ?", (key,))
            self._file.execute("DELETE FROM journal WHERE picture = ?", (key,))

    def pictures(self, where="1", *values):
        """Return pictures with their answers and decisions."""
        with self._lock:
            rows = self._read(f"SELECT {COLUMNS} FROM pictures WHERE {where} ORDER BY id", *values)
            lines = self._read("SELECT * FROM journal WHERE NOT undone ORDER BY id")
        decided = {line["picture"]: {key: line[key] for key in NOTHING} for line in lines}
        return [
            {**row, "answer": json.loads(row["answer"] or "{}"), **decided.get(row["id"], NOTHING)}
            for row in map(dict, rows)
        ]

    def picture(self, key):
        """Return a picture; LookupError if there is none of this number."""
        return self.pictures("id = ?", key)[0]

    def image(self, key, size):
        """Return the "small" or "large" picture as a JPEG file."""
        return self._read("SELECT small, large FROM pictures WHERE id = ?", key)[0][size]

    # -- answers ----------------------------------------------------------------------------------
    def answer(self, key, answer, overlays):
        """Keep what was found for a picture, unless it was decided meanwhile."""
        with self._writing():
            if not self._read("SELECT 1 FROM pictures WHERE id = ? AND waiting", key):
                return
            self._file.execute(
                "UPDATE pictures SET answer = ?, waiting = 0, version = version + 1 WHERE id = ?",
                (json.dumps(answer), key),
            )
            self._file.execute("DELETE FROM overlays WHERE picture = ?", (key,))
            rows = [(key, place, *files) for place, files in enumerate(overlays)]
            self._file.executemany("INSERT INTO overlays VALUES (?, ?, ?, ?)", rows)

    def overlay(self, key, place):
        """Return the detail of a photograph and the strokes of a drawing."""
        query = "SELECT detail, strokes FROM overlays WHERE picture = ? AND place = ?"
        return self._read(query, key, place)[0]

    def ask_again(self, stamps):
        """Let open pictures be answered anew whose kind has another stamp than last time."""
        last = {row["kind"]: row["stamp"] for row in self._read("SELECT * FROM asked")}
        open_ones = [
            (p["id"],)
            for p in self.pictures()
            if not p["decision"] and last.get(p["kind"]) != stamps.get(p["kind"])
        ]
        with self._writing():
            self._file.executemany("UPDATE pictures SET waiting = 1 WHERE id = ?", open_ones)
            self._file.executemany("INSERT OR REPLACE INTO asked VALUES (?, ?)", stamps.items())

    # -- decisions --------------------------------------------------------------------------------
    def write(self, picture, what, added="", **changes):
        """Write a line: what is now decided about a picture, and what was done in words."""
        time = datetime.now(UTC).isoformat(timespec="seconds")
        query = "SELECT * FROM journal WHERE picture = ? AND NOT undone ORDER BY id DESC LIMIT 1"
        with self._writing():
            # What stands now: a note may have been written since the picture was read.
            [latest] = self._read(query, picture["id"]) or [NOTHING]
            line = {key: latest[key] for key in NOTHING} | changes
            self._file.execute(
                "INSERT INTO journal (picture, decision, drawing, note, added, what, time) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (picture["id"], *line.values(), added, what, time),
            )
            if line["decision"]:  # what was decided upon stays as it is
                query = "UPDATE pictures SET waiting = 0 WHERE id = ?"
                self._file.execute(query, (picture["id"],))

    def latest(self):
        """Return the line that an undo would strike out, or None."""
        query = "SELECT * FROM journal WHERE NOT undone ORDER BY id DESC LIMIT 1"
        return next(iter(self._read(query)), None)

    def strike_out(self, line):
        """Undo a line; if its picture is open again, it is also asked again."""
        with self._writing():
            self._file.execute("UPDATE journal SET undone = 1 WHERE id = ?", (line["id"],))
            # A picture that became a drawing is not on the desk any more.
            if any(not picture["decision"] for picture in self.pictures("id = ?", line["picture"])):
                query = "UPDATE pictures SET waiting = 1 WHERE id = ?"
                self._file.execute(query, (line["picture"],))
