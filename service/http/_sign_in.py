"""The token as a browser keeps it: asked for once, in a cookie that no script reads."""

from base64 import b64encode
from hashlib import sha256
from html import escape
from typing import Final
from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from ..runs import Callers

COOKIE: Final = "codemode_token"
CSP: Final = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
# Its style is in the page itself: nothing else answers without a token.
_STYLE: Final = (
    ":root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}"
    "main{max-width:24rem;margin:15vh auto;padding:0 1rem}"
    "label,input,button{display:block;box-sizing:border-box;width:100%;margin:.5rem 0;font:inherit}"
    "input,button{padding:.5rem;min-height:2.75rem}[role=alert]{font-weight:600}"
)
_HASH: Final = b64encode(sha256(_STYLE.encode()).digest()).decode()
_CSP_HERE: Final = CSP.replace("style-src 'self'", f"style-src 'sha256-{_HASH}'")
_PAGE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sign in · codemode</title>
<style>{style}</style>
</head>
<body class="sign-in">
<main>
<h1>codemode</h1>
<form method="post" action="/sign-in">
<label for="token">Token</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus {described}>
{problem}<button>Sign in</button>
</form>
<p>A token is made with <code>codemode token new NAME</code>.</p>
</main>
</body>
</html>
"""


def sign_in_page(status: int, problem: str = "") -> HTMLResponse:
    """The page that asks for a token."""
    shown = f'<p id="problem" role="alert">{escape(problem)}</p>\n' if problem else ""
    described = 'aria-describedby="problem" aria-invalid="true"' if problem else ""
    page = _PAGE.format(problem=shown, described=described, style=_STYLE)
    return HTMLResponse(page, status, {"Content-Security-Policy": _CSP_HERE})


def router_of(callers: Callers) -> APIRouter:
    """``POST /sign-in`` and ``POST /sign-out``; forms, for browsers alone."""
    router = APIRouter(include_in_schema=False)

    @router.post("/sign-in")
    async def sign_in(request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        given = parse_qs((await request.body()).decode("utf-8", "replace")).get("token", [""])[0]
        if await callers.of(given.strip()) is None:
            return sign_in_page(401, "This token is not valid.")
        response = RedirectResponse("/", 303)
        response.set_cookie(
            COOKIE,
            given.strip(),
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
        return response

    @router.post("/sign-out")
    async def sign_out() -> Response:  # pyright: ignore[reportUnusedFunction]
        response = RedirectResponse("/", 303)
        response.delete_cookie(COOKIE, httponly=True, samesite="strict")
        return response

    return router
