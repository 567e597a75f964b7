"""An OpenID provider that people sign in at: Authlib's authorization code grant, with PKCE required, on loopback."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import flask
from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749 import grants
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oidc.core.grants import OpenIDCode
from joserfc import jwt
from joserfc.jwk import RSAKey
from werkzeug.serving import make_server

CLIENT: Final = "headwater-page"
AUDIENCE: Final = "headwater"
_FORM: Final = """<!doctype html><title>Provider</title><link rel="icon" href="data:,">
<form method="post"><label>Name <input name="name"></label><button>Enter</button>
<button name="denied" value="yes">Deny</button></form>"""


@dataclass
class Provider:
    """The provider, from outside."""

    address: str = ""
    roles: dict[str, list[str]] = field(default_factory=dict)
    """The roles of each person."""
    lasts: int = 300
    """Seconds until a token expires."""
    codes: dict[str, _Code] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    """The addresses that were asked for, with their queries."""


@contextmanager
def provider() -> Iterator[Provider]:
    """A running provider."""
    os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"  # plain HTTP, which is loopback's only
    found = Provider()
    server = make_server("127.0.0.1", 0, _application(found), threaded=True)
    found.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        thread.join()


class _Client:
    """The page: a public client, without a secret."""

    client_id = CLIENT

    def get_client_id(self) -> str:
        return CLIENT

    def get_default_redirect_uri(self) -> None:
        return None

    def get_allowed_scope(self, scope: str) -> str:
        return scope

    def check_redirect_uri(self, address: str) -> bool:
        return address.startswith("http://127.0.0.1:") and address.endswith("/")

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        return method == "none"

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type == "authorization_code"


@dataclass(frozen=True)
class _Code:
    """An authorization code that was given out, with what it was asked for."""

    name: str
    asked: Mapping[str, str]

    @property
    def code_challenge(self) -> str:
        return self.asked["code_challenge"]

    @property
    def code_challenge_method(self) -> str:
        return self.asked["code_challenge_method"]

    def get_redirect_uri(self) -> str:
        return self.asked["redirect_uri"]

    def get_scope(self) -> str:
        return self.asked["scope"]

    def get_nonce(self) -> str | None:
        return self.asked.get("nonce")

    def get_auth_time(self) -> None:
        return None

    get_acr = get_amr = get_auth_time


def _application(found: Provider) -> flask.Flask:
    key = RSAKey.generate_key(2048, {"kid": "of the provider", "use": "sig", "alg": "RS256"})
    application = flask.Flask(__name__)
    server = AuthorizationServer(application, lambda _: _Client(), lambda token, request: None)

    def claims(name: str, audience: str) -> dict[str, Any]:
        now = int(time.time())
        times = {"iat": now, "exp": now + found.lasts}
        return {"iss": found.address, "sub": name, "aud": audience, "roles": found.roles[name], **times}

    class Codes(grants.AuthorizationCodeGrant):  # type: ignore[misc]  # Authlib has no types
        TOKEN_ENDPOINT_AUTH_METHODS: Final = ["none"]

        def save_authorization_code(self, code: str, request: Any) -> None:
            found.codes[code] = _Code(request.user, dict(request.payload.data))

        def query_authorization_code(self, code: str, client: object) -> _Code | None:
            return found.codes.get(code)

        def delete_authorization_code(self, authorization_code: _Code) -> None:
            found.codes = {code: each for code, each in found.codes.items() if each != authorization_code}

        def authenticate_user(self, authorization_code: _Code) -> str:
            return authorization_code.name

    class Tokens(OpenIDCode):  # type: ignore[misc]  # Authlib has no types
        def exists_nonce(self, nonce: str, request: object) -> bool:
            return any(code.get_nonce() == nonce for code in found.codes.values())

        def encode_id_token(self, token: dict[str, Any], request: Any) -> str:
            nonce = {"nonce": request.authorization_code.get_nonce()}
            return encoded({**claims(request.user, CLIENT), **nonce})

    def encoded(given: dict[str, Any]) -> str:
        return jwt.encode({"alg": "RS256", "kid": key.kid}, given, key)

    def access_token(client: object, grant_type: str, user: str, scope: str) -> str:
        return encoded(claims(user, AUDIENCE))

    application.config["OAUTH2_ACCESS_TOKEN_GENERATOR"] = access_token
    server.load_config(application.config)
    server.register_grant(Codes, [CodeChallenge(required=True), Tokens(require_nonce=True)])

    @application.before_request
    def note() -> None:
        found.asked.append(flask.request.url)

    @application.after_request
    def for_every_page(response: flask.Response) -> flask.Response:
        if flask.request.path == "/token":
            response.headers["Access-Control-Allow-Origin"] = "*"
        return response

    @application.get("/.well-known/openid-configuration")
    def discovery() -> Any:
        addresses = {"jwks_uri": "keys", "authorization_endpoint": "authorize", "token_endpoint": "token"}
        return {"issuer": found.address, **{k: f"{found.address}/{path}" for k, path in addresses.items()}}

    @application.get("/keys")
    def keys() -> Any:
        return {"keys": [key.as_dict(private=False)]}

    @application.route("/authorize", methods=["GET", "POST"])
    def authorize() -> Any:
        person = flask.request.form.get("name")
        grant = server.get_consent_grant(end_user=person)
        if flask.request.method == "GET":
            return _FORM
        denied = "denied" in flask.request.form
        return server.create_authorization_response(grant_user=None if denied else person, grant=grant)

    @application.post("/token")
    def token() -> Any:
        return server.create_token_response()

    return application
