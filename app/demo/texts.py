"""Invented words, tasks, titles and tools of the demo fleet."""

from random import Random

PROJECTS = (
    "tidepool-api", "lantern-web", "quarry-index", "ferry-billing", "moss-ledger", "kestrel-mobile", "anvil-build", "saffron-mail",
    "drift-search", "pebble-auth", "harvest-etl", "north-docs", "über-straße", "夜灯-console",
)  # fmt: skip
_VERBS = (
    ("Rework", "Reworking"), ("Untangle", "Untangling"), ("Measure", "Measuring"), ("Document", "Documenting"), ("Retire", "Retiring"),
    ("Rename", "Renaming"), ("Profile", "Profiling"), ("Cover", "Covering"), ("Split", "Splitting"), ("Review", "Reviewing"),
    ("Harden", "Hardening"), ("Port", "Porting"), ("Trace", "Tracing"), ("Simplify", "Simplifying"), ("Cache", "Caching"),
)  # fmt: skip
_THINGS = (
    "the invoice exporter", "the login throttle", "retry handling in the mailer", "the nightly import", "the pagination cursor",
    "the feature flags", "the tide table parser", "session cookies", "the price rounding", "the upload resume path", "webhook signatures",
    "the search ranking", "the map tiles", "old migrations", "the release notes", "error pages", "the audit trail", "the timezone picker",
    "the queue's dead letters", "the PDF footer", "the \"quoted\" & <escaped> labels", "the größte Tabelle", "the 地図 loader",
)  # fmt: skip
_TOOLS = (
    ("Bash", "pytest -q tests/unit"), ("Bash", "git diff --stat"), ("Bash", "ruff check ."), ("Read", "src/ledger/rounding.py"),
    ("Edit", "src/ledger/rounding.py"), ("Grep", "TODO|FIXME"), ("WebFetch", "https://docs.example.org/retries"), ("Write", "docs/plan.md"),
    ("Read", "package.json"), ("Edit", "web/pages/index.tsx"), ("Bash", "make bench"), ("Glob", "**/*.sql"),
)  # fmt: skip
COMMANDS = ("git push origin topic", "rm -rf build", "docker compose up -d", "psql -f fix.sql", "npm publish --dry-run", "terraform apply")
AGENT_TYPES = ("Explore", "Plan", "reviewer", "tester", "general-purpose", "writer")
AGENT_NAMES = ("scout", "reader", "mender", "tester", "critic", "scribe", "surveyor", "porter", "weaver", "pilot")
_FINDINGS = (
    "Two callers still use the old shape", "All tests pass", "The slow part is the second query", "Nothing depends on it any more",
    "One flaky test left", "Ready for a look", "Needs a decision on naming", "Three files changed", "The cause is a missing index",
)  # fmt: skip
QUESTIONS = (
    "Which of the two names should stay?", "Shall I delete the old table as well?", "May I bump the major version?",
    "Is the staging data safe to rewrite?", "Should the fix go to the release branch too?",
)  # fmt: skip
REASONS = ("Waiting for the new schema", "Waiting for the token format", "Waiting for the review", "Waiting for the shared branch")


def task(rng: Random) -> tuple[str, str]:
    """A task's text and its active text."""
    verb, doing = _VERBS[int(rng.random() * len(_VERBS))]
    thing = _THINGS[int(rng.random() * len(_THINGS))]
    return f"{verb} {thing}", f"{doing} {thing}"


def finding(rng: Random) -> str:
    """One sentence that sums work up."""
    return _FINDINGS[int(rng.random() * len(_FINDINGS))]


def tool(rng: Random) -> tuple[str, str]:
    """A tool and what it is used on."""
    return _TOOLS[int(rng.random() * len(_TOOLS))]


def cut(text: str, limit: int) -> str:
    """`text` in at most `limit` characters; a cut one ends in `…`, which counts (E138)."""
    return text if len(text) <= limit else text[: limit - 1] + "…"
