"""The generated models are those of the server's description."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1]


def test_generated_models_are_current() -> None:
    pytest.importorskip("datamodel_code_generator", reason="the generator is not installed; see tests/requirements.txt")
    done = subprocess.run([sys.executable, "generate.py", "--check"], cwd=PACKAGE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
