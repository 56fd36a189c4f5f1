"""Finding the embedded store, and what is said where there is none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from app.embedded import installation
from app.embedded.installation import find_installation, installation_in
from app.embedded.problems import NotInstalled

JARS = ("arcadedb-server-1.jar", "arcadedb-engine-1.jar", "arcadedb-bolt-1.jar", "arcadedb-mcp-1.jar", "gson-1.jar")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package folder with all that is needed, empty."""
    java = tmp_path / "jre" / "bin" / ("java.exe" if sys.platform == "win32" else "java")
    java.parent.mkdir(parents=True)
    java.touch()
    (tmp_path / "jars").mkdir()
    for jar in JARS:
        (tmp_path / "jars" / jar).touch()
    return tmp_path


def test_the_installed_wheel_is_found_with_its_version() -> None:
    """O22: `agw doctor` shows its version."""
    found = find_installation()
    assert found.java.is_file()
    assert found.version.startswith("26.")


def test_the_wheel_is_not_imported() -> None:
    """Importing it would load its bridge to Java into the gateway."""
    code = "import sys; from app.embedded.installation import find_installation as f; f(); print('arcadedb_embedded' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "False"


def test_doors_that_are_not_ours_stay_off_the_class_path(package: Path) -> None:
    """Design, section 4: Bolt alone."""
    assert [jar.name for jar in installation_in(package).jars] == [
        "arcadedb-bolt-1.jar",
        "arcadedb-engine-1.jar",
        "arcadedb-server-1.jar",
        "gson-1.jar",
    ]
    assert not [jar.name for jar in find_installation().jars if "mcp" in jar.name or "postgres" in jar.name]


@pytest.mark.parametrize(
    "missing", ["jre/bin/java", "jars/arcadedb-server-1.jar", "jars/arcadedb-engine-1.jar", "jars/arcadedb-bolt-1.jar"]
)
def test_a_broken_installation_names_what_is_missing(package: Path, missing: str) -> None:
    """Bad input: a broken embedded install gives one line that says what to do."""
    (package / missing).unlink(missing_ok=True)
    (package / f"{missing}.exe").unlink(missing_ok=True)
    with pytest.raises(NotInstalled) as told:
        installation_in(package)
    assert missing.split("-1")[0] in str(told.value).replace("\\", "/")
    assert "--force-reinstall" in str(told.value)
    assert "NEO4J_URI" in str(told.value)
    assert "\n" not in str(told.value)


def test_a_platform_without_a_wheel_is_told_to_set_neo4j_uri(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bad input: a platform without an embedded engine (musl, Intel Macs): the message says to set NEO4J_URI."""
    monkeypatch.setattr(installation, "PACKAGE", "arcadedb_embedded_not_there")
    with pytest.raises(NotInstalled, match=r"set NEO4J_URI"):
        find_installation()
