"""Signing in by a one-time link or a key, and signing out (O19)."""

from __future__ import annotations

from html import escape
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from app.domain.problems import Unauthenticated
from app.services.bundle import Services
from app.services.logins import CODE_MS, COOKIE, LOGIN_MS, cookie_names
from app.services.origin import same_origin
from app.settings import default_data_dir
from app.store.deadline import Deadline
from app.web.forms import FORM, MOST_BYTES, fields
from app.web.html import page, problem_page
from app.web.tool_login import ToolLogin

_SECONDS = 10.0


class Login:
    """The handlers; each finds its services as they are when it is asked."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._public_url = services.settings.public_url
        self._elsewhere = services.settings.data_dir != default_data_dir()
        self._tool = ToolLogin(services)

    def routes(self) -> list[Route]:
        """`/login`, `/login/code` and `/logout`."""
        return [
            Route("/login", self.enter, methods=["GET"]),
            Route("/login", self.enter_by_key, methods=["POST"]),
            Route("/login/code", self.new_code, methods=["POST"]),
            Route("/logout", self.leave, methods=["POST"]),
            *self._tool.routes(),
        ]

    async def enter(self, request: Request) -> Response:
        """The form, or, with `?code=`, the way in. Only a real visit uses a code up. Who is in already goes on to `?next=`."""
        if "cli" in request.query_params:
            return await self._tool.ask(request)
        request.state.log.update(door="pages", operation="login")
        code = request.query_params.get("code")
        target = own_path(request.query_params.get("next"))
        if code is None or request.method == "HEAD" or "prefetch" in request.headers.get("sec-purpose", ""):
            if target != "/" and await self._is_in(request):
                return RedirectResponse(target, 303, headers={"Cache-Control": "no-store"})
            return self._form(target)
        try:
            token = await self._services.logins.redeem(code, Deadline.after(_SECONDS))
        except Unauthenticated as problem:
            return self._form(target, problem.message)
        return self._signed_in(request, token, target)

    async def enter_by_key(self, request: Request) -> Response:
        """The form's answer."""
        request.state.log.update(door="pages", operation="login")
        if not same_origin(request.headers, self._public_url):
            return problem_page("This form was sent by another site's page.", 403)
        sent = await fields(request)
        if sent is None:
            return problem_page(f"A form of type {FORM} and at most {MOST_BYTES} bytes is needed.", 415)
        target = own_path(sent.get("next"))
        try:
            token = await self._services.logins.with_key(sent.get("key", "").strip(), Deadline.after(_SECONDS))
        except Unauthenticated as problem:
            return self._form(target, problem.message)
        return self._signed_in(request, token, target)

    async def new_code(self, request: Request) -> Response:
        """A one-time link for the rights of the key in `Authorization` (`agw open`)."""
        request.state.log.update(door="pages", operation="loginCode")
        deadline = Deadline.after(_SECONDS)
        viewer = await self._services.access.viewer(request.headers.get("authorization"), None, deadline)
        if viewer is None:
            return JSONResponse({"error": Unauthenticated().message}, 401)
        request.state.log["key"] = viewer.key_id
        code = await self._services.logins.code(viewer, deadline)
        base = (self._public_url or str(request.base_url)).rstrip("/")
        return JSONResponse({"url": login_link(base, code), "expires_in": CODE_MS // 1000}, 201, headers={"Cache-Control": "no-store"})

    async def leave(self, request: Request) -> Response:
        """Ends the logins of this browser here."""
        request.state.log.update(door="pages", operation="logout")
        if not same_origin(request.headers, self._public_url):
            return problem_page("This form was sent by another site's page.", 403)
        cookie = request.headers.get("cookie")
        await self._services.logins.sign_out(cookie, Deadline.after(_SECONDS))
        answer = RedirectResponse("/login", 303)
        for name in cookie_names(cookie):
            answer.delete_cookie(name)
        return answer

    async def _is_in(self, request: Request) -> bool:
        """Whether this browser is signed in, as by a link that was opened beside the form; a key that came too is the page's affair."""
        cookie = request.headers.get("cookie")
        return "authorization" not in request.headers and await self._services.access.viewer(None, cookie) is not None

    def _form(self, target: str, problem: str | None = None) -> HTMLResponse:
        said = f'<p class="problem">{escape(problem)}</p>' if problem else ""
        # whoever sees this page is nobody yet: where the gateway keeps its data is not told
        command, where = (
            ("agw open --data-dir …", ", with the directory that it named when it started,") if self._elsewhere else ("agw open", "")
        )
        link = "a link that signs you in" + ("." if target == "/" else "; then load this page again.")
        return page(
            "Sign in",
            f'<h1>Sign in</h1>{said}<form method="post" action="/login"><input type="hidden" name="next" value="{escape(target)}">'
            '<p><label>API key<br><input type="password" name="key" autocomplete="off" required autofocus></label></p>'
            "<p><button>Sign in</button></p></form>"
            f'<p class="quiet">Or run <code>{command}</code> on the machine of the gateway{where} to get {link}</p>',
            status=403 if problem else 200,
        )

    def _signed_in(self, request: Request, token: str, target: str) -> Response:
        # A page that goes on by itself, not a redirect: a link followed from another site is one chain of redirects of that site's, in
        # which a browser does not send a SameSite=Strict cookie.
        answer = page("Signed in", f'<p><a href="{escape(target)}">Signed in: go on</a></p>', refresh=target)
        port = request.url.port
        secure = (self._public_url or "").startswith("https://")
        name = COOKIE if port is None else f"{COOKIE}_{port}"
        answer.set_cookie(name, token, max_age=LOGIN_MS // 1000, httponly=True, samesite="strict", secure=secure)
        return answer


def login_link(base: str, code: str, target: str = "/") -> str:
    """The address that signs a person in once and shows `target`."""
    return f"{base}/login?code={code}" + ("" if target == "/" else f"&next={quote(target, safe='/')}")


def own_path(target: str | None) -> str:
    """`target` if it is a path of ours, else `/`: what follows a sign-in never leads elsewhere."""
    if not target or not target.startswith("/") or target.startswith("//") or "\\" in target or not target.isprintable():
        return "/"
    return target
