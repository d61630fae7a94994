"""The errors of the clients. All of them are `TrapezaError`s."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Type


class TrapezaError(Exception):
    """Any failure of a request."""


class ConnectionFailed(TrapezaError):
    """No response was received. The outcome of a write is unknown: send it again with the same idempotency key."""


@dataclass(frozen=True)
class FieldError:
    """One invalid field, header or parameter."""

    code: str
    message: str
    #: The path of the field (`access.accounts[0].iban`), or the name of the header.
    field: Optional[str] = None


class ApiError(TrapezaError):
    """The bank has answered with an error."""

    def __init__(
        self,
        status: int,
        errors: List[FieldError],
        correlation_id: Optional[str],
        retry_after: Optional[int],
        body: Any,
    ) -> None:
        self.status = status
        #: All errors of the request.
        self.errors = errors
        #: The bank's id of the request. Quote it when you ask for support.
        self.correlation_id = correlation_id
        #: Seconds to wait, with 429 and 503.
        self.retry_after = retry_after
        #: The body as received.
        self.body = body
        #: The code of the first error: `FORMAT_ERROR`, or `certificate-invalid` of a problem.
        self.code = errors[0].code if errors else ""
        #: The field of the first error.
        self.field = errors[0].field if errors else None
        message = errors[0].message if errors else "no description"
        where = f" at {self.field}" if self.field else ""
        super().__init__(f"{status} {self.code}{where}: {message} (correlation id {correlation_id})")


class InvalidRequest(ApiError):
    """400, 405, 406, 408, 413: correct the request."""


class Unauthorised(ApiError):
    """401: key, client, certificate, role or consent; or the customer's password or code."""


class NotFound(ApiError):
    """403 or 404: the object does not exist or belongs to another caller."""


class Conflict(ApiError):
    """409: the state of the object does not allow the request."""


class LimitExceeded(ApiError):
    """429: wait for `retry_after` seconds."""


class ServerError(ApiError):
    """500: report the correlation id to the bank."""


class Unavailable(ServerError):
    """503: send the same request with the same idempotency key again, after `retry_after` seconds."""


_CLASSES: Dict[int, Type[ApiError]] = {
    401: Unauthorised,
    403: NotFound,
    404: NotFound,
    409: Conflict,
    429: LimitExceeded,
    503: Unavailable,
}


def error_of(status: int, headers: Mapping[str, str], data: bytes) -> ApiError:
    """The error of a response, whichever shape it has."""
    try:
        body = json.loads(data)
    except ValueError:
        body = None
    retry_after = headers.get("retry-after", "")
    kind = _CLASSES.get(status, ServerError if status >= 500 else InvalidRequest)
    return kind(
        status,
        _field_errors(body if isinstance(body, dict) else {}),
        headers.get("x-correlation-id"),
        int(retry_after) if retry_after.isdigit() else None,
        body,
    )


def _field_errors(body: Mapping[str, Any]) -> List[FieldError]:
    if "tppMessages" in body:
        return [_of_message(message) for message in body["tppMessages"]]
    code = str(body.get("type", "")).rpartition(":")[2]
    errors = [
        FieldError(error.get("code") or code, error["message"], error.get("field"))
        for error in body.get("errors", [])
    ]
    return errors or [FieldError(code, str(body.get("detail", "")))]


def _of_message(message: Mapping[str, Any]) -> FieldError:
    code, _, text = str(message["text"]).partition(": ")
    return FieldError(code, text or code, message.get("path"))
