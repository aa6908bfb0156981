"""Numbers of yesterday: a change of more than rounding must be meant, and be in the changelog."""

import json

import golden_features as golden
import numpy as np


def test_features_are_those_of_the_stored_file():
    wrong = golden.differences(golden.compute(golden.make_images()), golden.load(golden.STORED))
    assert not wrong, (
        f"{wrong}. If this change is meant, run `python {golden.__file__} --write` and "
        "enter the change in CHANGELOG.md."
    )


def test_a_silent_change_would_be_seen():
    stored = golden.load(golden.STORED)
    for name, change in [("grey/float64/MaxNRCDT", 2e-6), ("grey/float32/MaxNRCDT", 2e-4)]:
        changed = {**stored, name: stored[name].copy()}
        changed[name][-1, -1] += change
        assert list(golden.differences(changed, stored)) == [name]
        changed[name][-1, -1] = np.nan
        assert list(golden.differences(changed, stored)) == [name]
        changed[name] = stored[name].astype(np.float16)
        assert list(golden.differences(changed, stored)) == [name]
        del changed[name]
        assert list(golden.differences(changed, stored)) == [name]


def test_the_stored_file_says_where_it_comes_from():
    provenance = json.loads(golden.PROVENANCE.read_text())
    assert provenance.keys() == {"command", "date", "commit", "machine", "versions"}
    assert provenance["versions"].keys() == golden.versions().keys()
