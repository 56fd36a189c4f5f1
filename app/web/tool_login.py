"""Handing a login over to the public tool on the same computer (I23): it opened this page, and listens for the answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from app.domain.problems import Problem
from app.services.bundle import Services
from app.services.origin import same_origin
from app.services.viewer import Viewer
from app.store.deadline import Deadline
from app.web.forms import FORM, fields
from app.web.html import STATUS, page, problem_page

_SECONDS = 10.0
_PORT = re.compile(r"[1-9][0-9]{0,4}", re.ASCII)
_STATE = re.compile(r"[\x21-\x7e]{1,200}", re.ASCII)
_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the tool said when it opened the page: where it listens, its state, and the challenge of its verifier (S256)."""

    port: int
    state: str
    challenge: str

    @classmethod
    def read(cls, said: dict[str, str]) -> _Asked | None:
        """None where anything is not of the form."""
        port, state, challenge = (said.get(name, "") for name in ("cli", "state", "challenge"))
        if not _PORT.fullmatch(port) or int(port) > 65_535 or not _STATE.fullmatch(state) or not _CHALLENGE.fullmatch(challenge):
            return None
        return cls(int(port), state, challenge)

    @property
    def pairs(self) -> dict[str, str]:
        """The same, as it was said."""
        return {"cli": str(self.port), "state": self.state, "challenge": self.challenge}

    def callback(self, code: str) -> str:
        """Where the tool waits for the code: on this computer, never elsewhere."""
        return f"http://127.0.0.1:{self.port}/callback?{urlencode({'code': code, 'state': self.state})}"


class ToolLogin:
    """`/login?cli=…`, and its form's answer. A person who is signed in says yes: no page or program can do so for them."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._public_url = services.settings.public_url

    def routes(self) -> list[Route]:
        """The route of the form; the page is `/login`'s."""
        return [Route("/login/cli", self.hand_over, methods=["POST"])]

    async def ask(self, request: Request) -> Response:
        """The question, once somebody is signed in."""
        request.state.log.update(door="pages", operation="toolLogin")
        asked = _Asked.read(dict(request.query_params))
        if asked is None:
            return problem_page("This is no link of the agent-graph tool: begin again there.", 400)
        viewer = await self._viewer(request)
        if viewer is None:
            return RedirectResponse(f"/login?next={quote('/login?' + urlencode(asked.pairs), safe='/')}", 303)
        hidden = "".join(f'<input type="hidden" name="{name}" value="{escape(value)}">' for name, value in asked.pairs.items())
        return page(
            "Let the tool in",
            "<h1>Let the agent-graph tool in?</h1>"
            f"<p>A program on this computer wants to send what your agents do to the account <strong>{escape(viewer.account)}</strong>. "
            "Go on only if you have just started <code>agent-graph</code> yourself.</p>"
            f'<form method="post" action="/login/cli">{hidden}<p><button>Let it in</button></p></form>',
            signed_in=True,
        )

    async def hand_over(self, request: Request) -> Response:
        """The person said yes: the browser takes a code to the tool."""
        request.state.log.update(door="pages", operation="toolLogin")
        if not same_origin(request.headers, self._public_url):
            return problem_page("This form was sent by another site's page.", 403)
        sent = await fields(request)
        asked = None if sent is None else _Asked.read(sent)
        if asked is None:
            return problem_page(f"A form of type {FORM} with what the tool said is needed.", 400)
        viewer = await self._viewer(request)
        if viewer is None:
            return problem_page("You are no longer signed in: begin again in the tool.", 401)
        try:
            code = await self._services.logins.code_for_tool(viewer, asked.challenge, Deadline.after(_SECONDS))
        except Problem as problem:
            return problem_page(problem.message, STATUS.get(problem.code, 500), signed_in=True)
        # A page that goes on by itself: the policy forbids a form's answer to lead to another origin.
        target = asked.callback(code)
        return page("Let in", f'<p><a href="{escape(target)}">Back to the tool</a></p>', refresh=target)

    async def _viewer(self, request: Request) -> Viewer | None:
        viewer = await self._services.access.viewer(None, request.headers.get("cookie"))
        if viewer is not None:
            request.state.log["key"] = viewer.login_id
        return viewer
