"""The desk as a web application for one user on this machine."""

import asyncio
import json
import secrets
import socket
from importlib.resources import files
from urllib.parse import unquote

import uvicorn
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

from sklearn_nrcdt._commands.console import Problem
from sklearn_nrcdt._commands.report import POLICY
from sklearn_nrcdt.catalogue import CatalogueError

# A sheet of A3 in color at 600 dpi takes 210 MB if it is not compressed.
MAX_UPLOAD = 256 * 2**20
MAX_DATA = 2**16
PAGES = {"page.html": "text/html", "page.css": "text/css", "page.js": "text/javascript"}
HEADERS = {
    "Content-Security-Policy": f"{POLICY}; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",  # the address has the token
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Guard:
    """Let only the desk's own page talk to it.

    Any web page may send requests to this machine. So the address begins with a token that others
    do not know, the Host header must be the address that we gave (another name may be made to lead
    here), and what another page sends is refused.
    """

    def __init__(self, app, host, token):
        self.app, self.host, self.token = app, host, token

    async def __call__(self, scope, receive, send):
        if scope["type"] == "http" and not self._is_own(scope):
            response = _json({"problem": "This desk answers only to its own page."}, 403)
            await response(scope, receive, send)
        elif scope["type"] != "websocket":
            await self.app(scope, receive, send)

    def _is_own(self, scope):
        headers, host = dict(scope["headers"]), self.host.encode()
        token = scope["path"].removeprefix("/").partition("/")[0]  # a path may be just *
        return (
            secrets.compare_digest(token.encode(), self.token.encode())
            and headers.get(b"host") == host
            and headers.get(b"origin", b"http://" + host) == b"http://" + host
        )


def _json(data, status=200):
    # In ASCII, since names may have halves of characters.
    return Response(json.dumps(data), status, HEADERS, "application/json")


def _endpoint(function):
    """Run a function of a request and its body on a thread; problems become answers."""

    async def endpoint(request):
        try:
            body = await _body(request)
            answer = await asyncio.to_thread(function, request, body)
        except (Problem, CatalogueError) as problem:
            return _json({"problem": str(problem)}, 400)
        except (LookupError, OverflowError):  # no number, or one that no picture can have
            return _json({"problem": "There is no such picture."}, 404)
        except OSError as error:
            return _json({"problem": f"It could not be kept: {error.strerror or error}."}, 507)
        answer = _json({}) if answer is None else answer
        answer.headers.update(HEADERS)
        return answer

    return endpoint


async def _body(request):
    most = MAX_UPLOAD if request.url.path.endswith("/pictures") else MAX_DATA
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise Problem(f"This is larger than {most // 2**20 or 1} MB.")
        parts.append(part)
    return b"".join(parts)


def _values(body, types):
    """Yield values of a JSON object, after a check of their types."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        data = None
    for name, kind in types.items():
        if not isinstance(data, dict) or type(data.get(name)) is not kind:
            raise Problem(f"{name} is missing or wrong.")
        yield data[name]


def make_app(desk, host, token):
    """Return the application, for requests to ``http://host/token/...``."""

    def page(request, body):
        name = request.path_params.get("name", "page.html")
        kind = PAGES[name]  # before anything of another name is read
        return Response((files(__package__) / name).read_bytes(), media_type=kind)

    def state(request, body):
        fresh = desk.state(request.query_params.get("since"))
        return Response(status_code=204) if fresh is None else _json(fresh)

    def image(request, body):
        data = desk.image(**request.path_params)
        kind = "image/png" if data.startswith(b"\x89PNG") else "image/jpeg"
        return Response(data, media_type=kind)

    def add(request, body):
        name = unquote(request.headers.get("x-name", ""))
        desk.add(name, body, request.query_params.get("kind"))

    def act(request, body):
        action, types = actions[request.path_params["action"]]
        action(*_values(body, types))

    def export_csv(request, body):
        table = desk.csv(request.query_params.get("separator", ","))
        return Response(table, 200, _attachment("decisions.csv"), "text/csv")

    def export_html(request, body):
        return Response(desk.html(), 200, _attachment("decisions.html"), "text/html")

    gets = {
        "": page,
        "state": state,
        "{what}/{picture:int}/{place:int}": image,
        "decisions.csv": export_csv,
        "decisions.html": export_html,
        "{name}": page,
    }
    posts = {"pictures": add, "{action}": act}
    actions = {
        "decide": (desk.decide, {"picture": int, "decision": str, "drawing": str}),
        "note": (desk.note, {"picture": int, "note": str}),
        "reference": (desk.add_reference, {"picture": int, "box": list, "name": str}),
        "forget": (desk.forget, {"picture": int}),
        "undo": (desk.undo, {}),
    }
    routes = [
        Route(f"/{token}/{path}", _endpoint(function), methods=[method])
        for method, functions in {"POST": posts, "GET": gets}.items()
        for path, function in functions.items()
    ]
    return Guard(Starlette(routes=routes), host, token)


def _attachment(name):
    return {"Content-Disposition": f'attachment; filename="{name}"'}


class Server:
    """Answers to an address on this machine that nobody else knows."""

    def __init__(self, desk, port=0):
        self._socket = socket.socket()
        try:
            self._socket.bind(("127.0.0.1", port))
        except OSError:
            self._socket.close()
            raise
        self._socket.listen()  # from now on a browser waits until it is answered
        token, host = secrets.token_urlsafe(24), "{}:{}".format(*self._socket.getsockname())
        self.address = f"http://{host}/{token}/"
        app = make_app(desk, host, token)
        config = uvicorn.Config(app, log_level="error", lifespan="off", ws="none")
        self._server = uvicorn.Server(config)

    def run(self):
        """Answer until Ctrl-C."""
        with self._socket:
            self._server.run(sockets=[self._socket])

    def stop(self):
        """End `run`, from another thread."""
        self._server.should_exit = True
