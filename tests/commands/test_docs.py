"""The page about the command line: its commands run, and print what it says."""

import re
import shutil
from pathlib import Path

import pytest
from drawings import font

PAGE = Path(__file__).parents[2] / "docs" / "commands.md"
NUMBER = re.compile(r"\d+\.\d{3}")


def test_commands_print_what_the_page_says(nrcdt, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(font(), tmp_path)
    text = PAGE.read_text("utf-8")
    [program] = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    exec(program, {})
    runs = re.findall(r"```bash\nnrcdt (.*?)\n```\n\n```text\n(.*?)```", text, re.DOTALL)
    assert len(runs) == 3
    for command, claimed in runs:
        status, printed, errors = nrcdt(*command.split())
        assert (status, errors) == (0, "")
        # Distances depend on the versions of others, a little.
        assert NUMBER.sub("#", printed) == NUMBER.sub("#", claimed)
        numbers = [[float(number) for number in NUMBER.findall(t)] for t in (printed, claimed)]
        assert numbers[0] == pytest.approx(numbers[1], abs=0.01)
