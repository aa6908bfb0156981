"""The page about the command line: its commands run, and print what it says."""

import re
import shutil
from pathlib import Path

import pytest
from drawings import font

PAGE = Path(__file__).parents[2] / "docs" / "commands.md"
NUMBER = re.compile(r"\d+\.\d+")


def test_commands_print_what_the_page_says(nrcdt, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(font(), tmp_path)
    text = PAGE.read_text("utf-8")
    programs = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(programs) == 2
    for program in programs:
        exec(program, {})
    runs = re.findall(r"```bash\nnrcdt (.*?)\n```\n\n```text\n(.*?)```", text, re.DOTALL)
    assert len(runs) == 4
    for command, claimed in runs:
        status, printed, errors = nrcdt(*command.split())
        assert (status, errors) == (0, "")
        # Distances and scores depend on the versions of others, a little.
        assert NUMBER.sub("#", printed) == NUMBER.sub("#", claimed)
        numbers = [[float(number) for number in NUMBER.findall(t)] for t in (printed, claimed)]
        assert numbers[0] == pytest.approx(numbers[1], rel=0.02, abs=0.01)
