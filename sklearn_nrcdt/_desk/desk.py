"""What the desk does: keeps pictures, recognizes or searches them, writes down decisions."""

import csv
import io
import math
import threading
import time
import uuid
import zlib
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
from PIL import Image

from sklearn_nrcdt._commands import find, match
from sklearn_nrcdt._commands.answers import Answer, on_page
from sklearn_nrcdt._commands.console import Problem, count, listed, readable, safe_cell
from sklearn_nrcdt._commands.folder import blank
from sklearn_nrcdt._commands.pictures import figure_of, photo_picture, small_picture
from sklearn_nrcdt._commands.report import make_report
from sklearn_nrcdt._desk.journal import Journal
from sklearn_nrcdt.datasets import UnreadableImagesError, iter_image_folder

# What pictures are for, and how it is said what an answer is worth: in words and as a number.
COMMANDS = {"recognise": match, "search": find}
MARKS = {kind: command.MARKS for kind, command in COMMANDS.items()}
SCORES = {kind: (c.VOCABULARY.score, c.VOCABULARY.digits) for kind, c in COMMANDS.items()}
KINDS = (*MARKS, "drawing")
N_CANDIDATES = 5
# Longer sides of pictures on the page, in pixels.
SMALL, LARGE, DRAWING = 160, 1000, 400
# Seconds until an answer is tried again that could not be kept.
PATIENCE = 5
MAX_THUMBNAILS = 1000  # in memory
ADDED = "added/"  # so begin the names of drawings that a catalogue was given one by one
# The smallest part of a picture that can be a reference, in pixels.
MIN_SIDE = 8
SEPARATORS = {",": ".", ";": ",", "\t": "."}  # and the decimal points that go with them


class Desk:
    """A catalogue, which gets new references, with pictures, answers and decisions in its folder.

    `args` say how photographs are searched, see `find.add_search_arguments`.
    """

    def __init__(self, catalogue, args):
        self.catalogue, self.args = catalogue, args
        self.folder = Path(catalogue.path) / "desk"
        self.journal = Journal(self.folder / "desk.sqlite")
        self._lock = threading.RLock()  # of the catalogue and all that is made from it
        self._changed = threading.Condition()
        self._revision, self._busy, self._open = 0, "", True
        for picture in self.journal.pictures():
            if picture["decision"] == "removed":  # too long ago for an undo
                self._forget(picture)
        self._drawn = [*_times_of_change(catalogue)]
        self._follow_catalogue()
        self._worker = threading.Thread(target=self._work, daemon=True)
        self._worker.start()

    def close(self):
        """Stop working and close the files; a search that takes long ends with the process."""
        self._open = False
        self._tell()
        self._worker.join(timeout=2)
        if not self._worker.is_alive():
            self.journal.close()
            self.catalogue.close()

    def _follow_catalogue(self):
        """Forget what was made from another catalogue, and ask for its answers again."""
        self._search = None
        self._thumbnail = lru_cache(MAX_THUMBNAILS)(self._make_thumbnail)
        self._generation = object()  # an answer that is on its way comes from the other one
        drawings = self.catalogue.names, self._drawn
        options = str(find.make_search(self.args)), self.args.dpi, self.args.drawings_dpi
        made_from = {"recognise": (drawings, ()), "search": (drawings, options)}
        self.journal.ask_again({k: zlib.crc32(repr(v).encode()) for k, v in made_from.items()})

    def _tell(self):
        """Let the page and the worker know that something has changed."""
        with self._changed:
            self._revision += 1
            self._changed.notify_all()

    # -- what the page sees -----------------------------------------------------------------------
    def state(self, since=None):
        """Return everything that the page shows, None if it is the same as in a revision."""
        revision = self._revision
        if since == str(revision):
            return None
        latest = self.journal.latest()
        dpi = f" At {self.args.dpi:g} dpi." if self.args.dpi else ""
        return {
            "revision": revision,
            "name": readable(self.catalogue.path.name),
            "n_drawings": len(self.catalogue.names),
            "busy": self._busy,
            "undo": latest and latest["what"],
            "marks": MARKS,
            "scores": SCORES,
            "search": f"Searched for {find.describe(self.args)}{dpi}",
            "pictures": [
                {key: value for key, value in picture.items() if key not in ("file", "dpi")}
                for picture in self._pictures("kind != 'drawing' OR NOT waiting")
            ],
        }

    def _pictures(self, where):
        found = self.journal.pictures(where)
        return [picture for picture in found if picture["decision"] != "removed"]

    def image(self, what, picture, place):
        """Return a picture, or what belongs to a drawing of its answer, as a file."""
        if what in ("small", "large"):
            return self.journal.image(picture, what)
        if what in ("detail", "strokes"):
            return self.journal.overlay(picture, place)[what]
        candidates = self.journal.picture(picture)["answer"].get("candidates", [])
        if what != "drawing" or not 0 <= place < len(candidates):
            raise LookupError(what)
        return self._thumbnail(candidates[place]["name"])

    def _make_thumbnail(self, name):
        try:
            return small_picture(read_picture(self.catalogue.file(name))[0], DRAWING)
        except Problem:  # its file has gone
            return b""

    # -- what the user does -----------------------------------------------------------------------
    def add(self, name, data, kind):
        """Keep a picture; it is answered, or goes into the catalogue, when its turn comes."""
        if kind not in KINDS:
            raise Problem("The kind of picture is unknown.")
        name = readable(name.replace("\\", "/").rpartition("/")[2])[:200] or "picture"
        file = self.folder / f"{uuid.uuid4().hex}.picture"
        try:
            file.write_bytes(data)
            photo, dpi = read_picture(file, photo=True)
            if photo.min() == photo.max():
                raise Problem("There is nothing in this picture.")
            small, large = (photo_picture(photo, side) for side in (SMALL, LARGE))
            dpi = None if math.isnan(dpi) else dpi
            self.journal.add(name, kind, file.name, dpi, small, large)
        except BaseException:
            file.unlink(missing_ok=True)
            raise
        self._tell()

    def decide(self, picture, decision, drawing):
        """Accept a drawing for a picture, or reject all."""
        found = self.journal.picture(picture)
        candidates = [c["name"] for c in found["answer"].get("candidates", [])]
        if decision not in ("accepted", "rejected"):
            raise Problem("A decision is 'accepted' or 'rejected'.")
        if not candidates or (decision == "accepted" and drawing not in candidates):
            raise Problem("This drawing is not among the answers any more. Look again.")
        drawing = drawing if decision == "accepted" else ""
        self.journal.write(found, f"{decision} {found['name']}", decision=decision, drawing=drawing)
        self._tell()

    def note(self, picture, note):
        """Write a note about a picture."""
        found = self.journal.picture(picture)
        self.journal.write(found, f"note on {found['name']}", note=_plain(note)[:2000])
        self._tell()

    def undo(self):
        """Take the latest decision, note or reference back."""
        with self._lock:  # two at once take back two steps
            latest = self.journal.latest()
            if latest is None:
                raise Problem("There is nothing to undo.")
            if latest["added"] in self.catalogue.names:
                self.catalogue.remove([latest["added"]])
            self.journal.strike_out(latest)
            if latest["added"]:
                self._follow_catalogue()
        self._tell()

    def add_reference(self, picture, box, name):
        """Make a part of a picture a drawing of the catalogue."""
        found = self.journal.picture(picture)
        name = _plain(name).strip()[:100]
        if not name:
            raise Problem("Give the new reference a name.")
        if len(box) != 4 or not all(type(edge) in (int, float) and 0 <= edge <= 1 for edge in box):
            raise Problem("A part of a picture has four edges, from 0 to 100 percent.")
        photo, _ = read_picture(self.folder / found["file"], photo=True)
        height, width = photo.shape
        left, right = (round(share * width) for share in box[::2])
        top, bottom = (round(share * height) for share in box[1::2])
        part = photo[top:bottom, left:right]
        if min(bottom - top, right - left) < MIN_SIDE or part.min() == part.max():
            raise Problem("There is nothing in this part of the picture. Choose a larger one.")
        file = self.folder / f"{uuid.uuid4().hex}.png"
        try:
            # As a file, because what is ink and what is paper is found out when it is read.
            Image.fromarray(np.uint8(255 * part)).save(file)
            drawing, _ = read_picture(file)
        finally:
            file.unlink(missing_ok=True)
        with self._lock:
            try:
                [reference] = self.catalogue.add([drawing], [name])
            except ValueError as error:
                raise Problem(error) from None
            changes = {"decision": "new reference", "drawing": reference}
            try:
                self.journal.write(found, f"new reference {name}", reference, **changes)
            except BaseException:  # nobody could undo it
                self.catalogue.remove([reference])
                raise
            finally:
                self._follow_catalogue()
        self._tell()

    def forget(self, picture):
        """Take a picture off the desk that nothing was decided about; until the end, undo works."""
        found = self.journal.picture(picture)
        if found["decision"]:
            raise Problem("You have decided about this picture. Undo that first.")
        self.journal.write(found, f"removed {found['name']}", decision="removed")
        self._tell()

    def _forget(self, picture):
        self.journal.forget(picture["id"])
        (self.folder / picture["file"]).unlink(missing_ok=True)

    # -- exports ----------------------------------------------------------------------------------
    def csv(self, separator):
        """Return all decisions as a table for a spreadsheet."""
        if separator not in SEPARATORS:
            raise Problem("The separator must be a comma, a semicolon or a tab.")
        file = io.StringIO()
        writer = csv.writer(file, delimiter=separator)
        heads = ["picture", "kind", "mark", "best answer", "score", "decision", "drawing", "note"]
        writer.writerow(heads)
        for picture in self._pictures("kind != 'drawing'"):
            answer = picture["answer"]
            [best, *_] = answer.get("candidates") or [{}]
            cells = [picture["name"], picture["kind"], answer.get("mark", "")]
            cells += [answer.get("label", ""), best.get("score", ""), picture["decision"]]
            cells += [readable(_name_given(picture["drawing"])), picture["note"]]
            writer.writerow([safe_cell(cell, SEPARATORS[separator]) for cell in cells])
        # The mark at the beginning tells spreadsheets that this is UTF-8.
        return file.getvalue().encode("utf-8-sig")

    def html(self):
        """Return all answers and decisions as a page."""
        answers, decisions = [], []
        answered = self._pictures("kind != 'drawing' AND answer LIKE '%candidates%'")
        for picture in answered:
            key, data = picture["id"], picture["answer"]
            answer = Answer(picture["name"], data["mark"], data["label"], None, [])
            answer.nearest = [(c["name"], c["score"]) for c in data["candidates"]]
            answer.found = [
                (*self.journal.overlay(key, place), c["box"], c["pose"])
                for place, c in enumerate(data["candidates"][: 1 + (answer.mark == "doubtful")])
                if "box" in c
            ] or None
            answer.picture = self.journal.image(key, "small")
            answers.append(answer)
            decided = {key: picture[key] for key in ("decision", "note")}
            decisions.append({**decided, "drawing": readable(_name_given(picture["drawing"]))})
        kinds = dict.fromkeys(picture["kind"] for picture in answered)
        size = count(len(self.catalogue.names), "drawing")
        facts = {
            "Catalogue": f"{readable(self.catalogue.path.name)}, {size}.",
            "Decisions": "A copy: what you change here stays here, and the desk keeps its own.",
        }
        shown = {picture["id"] for picture in answered}
        others = [p for p in self._pictures("kind != 'drawing'") if p["id"] not in shown]
        if others:
            names = listed(p["name"] + f" ({p['decision']})" * bool(p["decision"]) for p in others)
            facts["Without an answer"] = f"{count(len(others), 'picture')}: {names}."
        return make_report(
            title="Decisions",
            facts=facts,
            marks={mark: text for kind in kinds for mark, text in MARKS[kind].items()},
            score="Score",
            decisions=decisions,
            **on_page(answers, self._shown),
        ).encode()

    def _shown(self, name):
        return readable(_name_given(name)), None, self._thumbnail(name)

    # -- work -------------------------------------------------------------------------------------
    def _work(self):
        """Answer one picture after the other, as long as the desk is open."""
        while self._open:
            revision = self._revision
            waiting = self.journal.pictures("waiting")
            # Drawings first: the others are answered by them.
            waiting.sort(key=lambda picture: picture["kind"] != "drawing")
            if waiting:
                more = f", {len(waiting) - 1} more" if len(waiting) > 1 else ""
                self._busy = f"Looking at {waiting[0]['name']}{more}"
                self._tell()
                try:
                    self._answer(waiting[0])
                    self._busy = ""
                except OSError as error:  # no room for the answer: try again, but not at once
                    self._busy = f"Answers cannot be kept: {error.strerror or error}"
                    time.sleep(PATIENCE)
                self._tell()
            else:
                with self._changed:
                    while self._revision == revision:
                        self._changed.wait()

    def _answer(self, picture):
        generation = self._generation
        try:
            if picture["kind"] == "drawing":
                return self._take_drawing(picture)
            if not self.catalogue.names:
                raise Problem("The catalogue is empty: add drawings, or make this a new reference.")
            run = self._recognize if picture["kind"] == "recognise" else self._find
            answer, overlays = run(picture)
        except Exception as error:  # whatever it is, the next picture may do better
            answer, overlays = {"problem": str(error)[:500] or type(error).__name__}, []
        with self._lock:
            if generation is self._generation:
                self.journal.answer(picture["id"], answer, overlays)

    def _recognize(self, picture):
        image, _ = read_picture(self.folder / picture["file"])
        with self._lock:
            names, labels = self.catalogue.names, self.catalogue.labels
            [answer] = match.find_templates(
                self.catalogue, [picture["name"]], [figure_of(image)], labels, N_CANDIDATES
            )
            return _as_data(answer, names, labels), []

    def _find(self, picture):
        photo, dpi = read_picture(self.folder / picture["file"], photo=True)
        dpi, _ = find.resolutions({picture["name"]: dpi}, self.args.dpi, "", find.USUAL_DPI)
        find.check_paper({picture["name"]: photo.shape}, dpi)
        with self._lock:
            search, names, labels = self._fitted_search()
        [(answer, found)] = find.find_drawings(
            search, [picture["name"]], [photo], [*dpi.values()], labels, N_CANDIDATES
        )
        data, overlays = _as_data(answer, names, labels), []
        for place, candidate in enumerate(data["candidates"]):
            *files, candidate["box"], candidate["pose"] = find.overlay(photo, found, place)
            overlays.append(files)
        return data, overlays

    def _fitted_search(self):
        """Return a search for the drawings of the catalogue, their names and classes."""
        if self._search is None:
            names, labels, images, stated = [], [], [], {}
            for name, label in zip(self.catalogue.names, self.catalogue.labels, strict=True):
                with suppress(Problem):  # a file that has gone
                    image, stated[name] = read_picture(self.catalogue.file(name))
                    images.append(find.cut(image > image.max() / 2))
                    names.append(name)
                    labels.append(label)
            photos = self.journal.pictures("dpi IS NOT NULL AND kind = 'search'")
            usual = np.median([p["dpi"] for p in photos]) if photos else find.USUAL_DPI
            usual = self.args.dpi or float(usual)
            dpi, _ = find.resolutions(stated, self.args.drawings_dpi, "", usual)
            search = find.make_search(self.args).fit(images, labels, dpi=[*dpi.values()])
            self._search = search, names, labels
        return self._search

    def _take_drawing(self, picture):
        """Put a picture into the catalogue; if it cannot be used, it stays on the desk."""
        drawing, _ = read_picture(self.folder / picture["file"])
        name = Path(picture["name"]).stem
        with self._lock:
            if any(name == Path(known).stem for known in self.catalogue.names):
                raise Problem(f"There is a drawing '{name}' in the catalogue already.")
            [added] = self.catalogue.add([drawing], [name])
            self._forget(picture)
            self.journal.write(picture, f"{name} added to the catalogue", added)
            self._follow_catalogue()


def read_picture(path, photo=False):
    """Return a cleaned drawing, or a photograph as it is, and the dots per inch its file states."""
    options: Any = {} if photo else {"invert": "auto", "background": "otsu"}
    try:
        [batch] = iter_image_folder([path], errors="skip", **options)
    except UnreadableImagesError as error:
        reason = next(iter(error.skipped.values()))
        raise Problem(f"It cannot be read: {reason}. Save it as PNG, JPEG or TIFF.") from None
    [image], [dpi] = batch.images, batch.dpi
    if not photo and blank(image):
        raise Problem("Nothing is drawn on it.")
    return image, float(dpi)


def _times_of_change(catalogue):
    """Yield when the files were changed that only the user changes."""
    for name in catalogue.names:
        with suppress(OSError):  # a file that has gone
            if not name.startswith(ADDED):
                yield catalogue.file(name).stat().st_mtime_ns


def _name_given(drawing):
    """Return the name that a drawing was given when it was added, as `plain` on the page does."""
    name = drawing.removeprefix(ADDED)
    return drawing if name == drawing else unquote(name.removesuffix(".png"))


def _plain(text):
    """Return a text without characters that a terminal or a spreadsheet might act on."""
    return "".join(c if c.isprintable() else " " for c in text)


def _as_data(answer, names, labels):
    return {
        "mark": answer.mark,
        "label": answer.label,
        "candidates": [
            {"name": names[known], "label": labels[known], "score": score}
            for known, score in answer.nearest
        ],
    }
