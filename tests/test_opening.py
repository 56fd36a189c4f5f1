"""The data directory (O16)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from app.opening import make_data_dir
from app.settings import SettingsProblem


def test_any_number_make_the_same_directory_at_once(tmp_path: Path) -> None:
    """Workers, and commands beside a gateway: none is in another's way, and nothing is left of their looking."""
    with ThreadPoolExecutor(8) as pool:
        for number in range(100):
            data_dir = tmp_path / str(number) / "data"
            list(pool.map(make_data_dir, [data_dir] * 8))
            assert list(data_dir.iterdir()) == []


def test_one_that_cannot_be_written_to_is_told_in_a_line(tmp_path: Path) -> None:
    """O14: a file in its way, here."""
    (tmp_path / "file").touch()
    with pytest.raises(SettingsProblem, match=r"Cannot write to .*AGW_DATA_DIR"):
        make_data_dir(tmp_path / "file" / "data")
