"""Requests over HTTP: headers, idempotency keys, retries and errors. Uses only the standard library."""

from __future__ import annotations

import http.client
import json
import ssl
import time
import urllib.parse
import uuid
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Callable, Dict, Mapping, Optional

from . import models
from .errors import ConnectionFailed, error_of

#: Statuses after which a repeatable request is sent again.
_UNAVAILABLE = 503


@dataclass(frozen=True)
class Exchange:
    """One attempt of a request and its response, for logs. It has no bodies and no request headers."""

    method: str
    path: str
    status: int
    attempt: int
    #: The headers of the response, by lower-case name.
    headers: Mapping[str, str]

    @property
    def correlation_id(self) -> Optional[str]:
        return self.headers.get("x-correlation-id")


#: Receives method, target, headers and body, and returns the headers of a signature (`Digest`, `Signature`, …).
Signer = Callable[[str, str, Mapping[str, str], bytes], Mapping[str, str]]


class Client:
    """What the clients of all callers share."""

    def __init__(
        self,
        base_url: str,
        *,
        timeout: float = 40.0,
        retries: int = 3,
        max_retry_after: float = 30.0,
        ssl_context: Optional[ssl.SSLContext] = None,
        signer: Optional[Signer] = None,
        on_response: Optional[Callable[[Exchange], None]] = None,
    ) -> None:
        """`ssl_context` has the client certificate in production. A request that may be repeated is sent again, with the same
        idempotency key, up to `retries` times after 503 or a lost connection."""
        url = urllib.parse.urlsplit(base_url)
        if url.scheme not in ("http", "https") or not url.hostname:
            raise ValueError("base_url must be an http or https URL")
        self._url = url
        self._timeout = timeout
        self._retries = retries
        self._max_retry_after = max_retry_after
        self._ssl_context = ssl_context
        self._signer = signer
        self._on_response = on_response
        self._credentials: Dict[str, str] = {}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._url.scheme}://{self._url.netloc})"

    def _send(
        self,
        method: str,
        path: str,
        *,
        headers: Optional[Mapping[str, object]] = None,
        query: Optional[Mapping[str, object]] = None,
        body: Optional[Mapping[str, Any]] = None,
        has_key: bool = False,
        request_id: Optional[str] = None,
        has_request_id: bool = False,
        is_text: bool = False,
        repeatable: bool = False,
    ) -> Any:
        target = self._url.path.rstrip("/") + path
        present = {name: _text(value) for name, value in (query or {}).items() if value is not None}
        if present:
            target += "?" + urllib.parse.urlencode(present)
        sent = dict(self._credentials)
        sent["Accept"] = "*/*" if is_text else "application/json"
        sent.update({name: _text(value) for name, value in (headers or {}).items() if value is not None})
        if has_request_id:
            sent["x-Request-ID"] = request_id or str(uuid.uuid4())
        content = b""
        if body is not None:
            if has_key and body.get("requestId") is None:
                body = {**body, "requestId": str(uuid.uuid4())}
            content = json.dumps(body, default=_number, ensure_ascii=False).encode()
            sent["Content-Type"] = "application/json"
        if self._signer is not None:
            sent.update(self._signer(method, target, dict(sent), content))
        status, received, data = self._attempts(method, target, sent, content, repeatable)
        if not 200 <= status < 300:
            raise error_of(status, received, data)
        if is_text:
            return data.decode()
        return json.loads(data, parse_float=Decimal) if data else None

    def _attempts(
        self, method: str, target: str, headers: Mapping[str, str], content: bytes, repeatable: bool
    ) -> "tuple[int, Dict[str, str], bytes]":
        attempt = 0
        while True:
            attempt += 1
            may_repeat = repeatable and attempt <= self._retries
            try:
                status, received, data = self._attempt(method, target, headers, content)
            except (OSError, http.client.HTTPException) as error:
                if not may_repeat:
                    raise ConnectionFailed(f"{method} {target.partition('?')[0]}: {error}") from error
                time.sleep(min(2.0 ** (attempt - 1) / 4, self._max_retry_after))
                continue
            if self._on_response is not None:
                self._on_response(Exchange(method, target.partition("?")[0], status, attempt, received))
            wait = _seconds(received.get("retry-after"))
            if status != _UNAVAILABLE or not may_repeat or wait is None or wait > self._max_retry_after:
                return status, received, data
            time.sleep(wait)

    def _attempt(
        self, method: str, target: str, headers: Mapping[str, str], content: bytes
    ) -> "tuple[int, Dict[str, str], bytes]":
        host, port = self._url.hostname or "", self._url.port
        connection: http.client.HTTPConnection
        if self._url.scheme == "https":
            context = self._ssl_context or ssl.create_default_context()
            connection = http.client.HTTPSConnection(host, port, timeout=self._timeout, context=context)
        else:
            connection = http.client.HTTPConnection(host, port, timeout=self._timeout)
        try:
            body = content if content or method in ("POST", "PUT", "PATCH") else None
            connection.request(method, target, body=body, headers=dict(headers))
            response = connection.getresponse()
            received = {name.lower(): value for name, value in response.getheaders()}
            return response.status, received, response.read()
        finally:
            connection.close()


def segment(value: object) -> str:
    """One segment of a path."""
    return urllib.parse.quote(_text(value), safe="")


def next_cursor(links: "models.Links") -> Optional[str]:
    """The `cursor` of the next page, from the `_links` of a page of transactions; None after the last page."""
    link = links.get("next")
    if link is None:
        return None
    query = urllib.parse.urlsplit(link["href"]).query
    return urllib.parse.parse_qs(query).get("cursor", [None])[0]


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _number(value: object) -> object:
    """Amounts have few digits, so that the shortest form of the float is the amount."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    raise TypeError(f"cannot be sent as JSON: {type(value).__name__}")


def _seconds(text: Optional[str]) -> Optional[float]:
    return float(text) if text is not None and text.isdigit() else None
