"""Settings (O15)."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.settings import Settings, SettingsProblem, WrongValue, load_settings, variable_of

KEY = "ag_sk_live_" + "a" * 32


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder without `.env`, and no variable set."""
    monkeypatch.chdir(tmp_path)
    for field in Settings.model_fields:
        monkeypatch.delenv(variable_of(field), raising=False)


def test_defaults_are_the_documented_ones() -> None:
    """O15, Q33, section 7 of graphql.md."""
    settings = load_settings()
    assert (settings.host, settings.port, settings.workers) == ("127.0.0.1", 8080, 1)
    assert (settings.retention_events, settings.expire_after, settings.stale_after) == (1000, None, 1800)
    assert (settings.rate_limit, settings.rate_burst) == (25, 100)
    assert (settings.introspection, settings.graphiql, settings.metrics, settings.cors_origins) == (True, True, True, [])
    assert (settings.tokens, settings.depth, settings.aliases, settings.root_fields, settings.directives) == (4000, 30, 100, 20, 50)
    assert (settings.node_budget, settings.body_bytes, settings.write_body_bytes) == (100_000, 2**20, 2**23)
    assert (settings.page_size, settings.descendants_page_size, settings.deadline, settings.write_deadline) == (1000, 25_000, 10, 25)
    assert settings.store_address is None


def test_variables_are_named_as_the_contract_names_them() -> None:
    """O15: names are contracts."""
    names = {variable_of(field) for field in Settings.model_fields}
    told = (
        "HOST PORT DATA_DIR PUBLIC_URL WORKERS RETENTION_EVENTS EXPIRE_AFTER STALE_AFTER ADMIN_KEY RATE_LIMIT "
        "INTROSPECTION GRAPHIQL CORS_ORIGINS LOG_FORMAT LOG_LEVEL METRICS"
    )
    assert {f"AGW_{name}" for name in told.split()} <= names
    assert {"NEO4J_URI", "NEO4J_USERNAME", "NEO4J_PASSWORD", "NEO4J_DATABASE"} <= names


def test_every_setting_says_what_it_is() -> None:
    """O15: each is documented; the page is made from these."""
    assert not [name for name, field in Settings.model_fields.items() if not (field.description or "").endswith(".")]


@pytest.mark.parametrize(
    ("variable", "value", "field", "expected"),
    [
        ("AGW_PORT", "0", "port", 0),
        ("AGW_EXPIRE_AFTER", "30d", "expire_after", 30 * 86_400),
        ("AGW_EXPIRE_AFTER", "off", "expire_after", None),
        ("AGW_STALE_AFTER", "10m", "stale_after", 600),
        ("AGW_RATE_LIMIT", "5/s", "rate_limit", 5),
        ("AGW_RATE_LIMIT", "0", "rate_limit", 0),
        ("AGW_CORS_ORIGINS", "https://a.example, http://localhost:3000/", "cors_origins", ["https://a.example", "http://localhost:3000"]),
        ("AGW_PUBLIC_URL", "https://graphs.example.org/", "public_url", "https://graphs.example.org"),
        ("AGW_GRAPHIQL", "off", "graphiql", False),
        ("AGW_LOG_LEVEL", "WARNING", "log_level", "warning"),
        ("AGW_PORT", "", "port", 8080),
    ],
)
def test_values_are_read(monkeypatch: pytest.MonkeyPatch, variable: str, value: str, field: str, expected: object) -> None:
    """O15: as people write them; an empty variable is none."""
    monkeypatch.setenv(variable, value)
    assert getattr(load_settings(), field) == expected


TIMES = "give seconds above 0, or a time like 90s, 10m, 2h or 30d"


@pytest.mark.parametrize(
    ("variable", "value", "form"),
    [
        ("AGW_PORT", "abc", "give a whole number from 0 to 65535"),
        ("AGW_PORT", "70000", "give a whole number from 0 to 65535"),
        ("AGW_WORKERS", "0", "give a whole number from 1 to 8"),
        ("AGW_RETENTION_EVENTS", "1k", "give a whole number of 0 or more"),
        ("AGW_RATE_LIMIT", "-1", "give requests a second, such as 25 or 25/s, or 0"),
        ("AGW_EXPIRE_AFTER", "soon", f"{TIMES}, or off"),
        ("AGW_CORS_ORIGINS", "https://a.example/path", "write it like https://"),
        ("AGW_PUBLIC_URL", "graphs.example.org", "write it like https://"),
        ("AGW_PUBLIC_URL", "https://graphs.example.org:https", "write it like https://"),
        ("AGW_LOG_FORMAT", "xml", "give console or json"),
        ("AGW_LOG_LEVEL", "loud", "give debug, info, warning or error"),
        ("AGW_INTROSPECTION", "maybe", "give true or false"),
        ("AGW_DEADLINE", "0", TIMES),
        ("AGW_DEADLINE", "10 minutes", TIMES),
        ("AGW_DEADLINE", "inf", TIMES),
        ("AGW_BODY_BYTES", "8MiB", "give a whole number of bytes"),
        ("AGW_STORE_MEMORY", "2G", "give MiB as a whole number of 128 or more"),
        ("AGW_URL", "http://127.0.0.1:70000", "write it like http://127.0.0.1:8080"),
        ("AGW_URL", "http://[::1", "write it like http://127.0.0.1:8080"),
        ("AGW_KEY", "é", "a key is ag_sk_live_ or ag_rk_live_ and 32 letters or digits"),
        ("NEO4J_URI", "http://localhost:7474", "write it like neo4j://"),
        ("NEO4J_URI", "bolt://localhost:99999", "write it like neo4j://"),
    ],
)
def test_a_wrong_value_names_its_variable_and_the_form(monkeypatch: pytest.MonkeyPatch, variable: str, value: str, form: str) -> None:
    """O15: a wrong value stops the start with a message that names the variable, and what would do."""
    monkeypatch.setenv(variable, value)
    with pytest.raises(WrongValue) as told:
        load_settings()
    assert str(told.value).startswith(variable)
    assert f"cannot be used: {form}" in str(told.value)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("field", [name for name, field in Settings.model_fields.items() if field.annotation in (int, float, bool)])
def test_each_number_and_switch_says_its_form(monkeypatch: pytest.MonkeyPatch, field: str) -> None:
    """O15: in words of ours, whatever the library says."""
    monkeypatch.setenv(variable_of(field), "much")
    with pytest.raises(WrongValue, match=rf"^{variable_of(field)} 'much' cannot be used: give (?!.*[Ii]nput)"):
        load_settings()


def test_secrets_are_never_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """O21: keys never in logs."""
    monkeypatch.setenv("AGW_ADMIN_KEY", "my-secret")
    with pytest.raises(SettingsProblem, match=r"^AGW_ADMIN_KEY") as told:
        load_settings()
    assert "my-secret" not in str(told.value)
    monkeypatch.setenv("AGW_ADMIN_KEY", KEY)
    monkeypatch.setenv("NEO4J_URI", "neo4j+s://db.example")
    monkeypatch.setenv("NEO4J_PASSWORD", "my-secret")
    settings = load_settings()
    assert KEY not in repr(settings)
    assert "my-secret" not in repr(settings) + repr(settings.store_address)
    assert settings.store_address is not None
    assert settings.store_address.password == "my-secret"


def test_the_variable_wins_over_the_file_and_an_option_over_both(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """O15: a `.env` file; the variable wins."""
    (tmp_path / ".env").write_text("AGW_PORT=9001\nAGW_HOST=0.0.0.0\nAGW_SOMETHING_ELSE=1\n")
    assert (load_settings().port, load_settings().host) == (9001, "0.0.0.0")
    monkeypatch.setenv("AGW_PORT", "9002")
    assert load_settings().port == 9002
    assert load_settings(port=9003).port == 9003
