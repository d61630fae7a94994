"""Client of the Trapeza API: open banking for third parties, Pay Later for merchants."""

from __future__ import annotations

from typing import Any, Optional

from . import models, webhook
from ._transport import Exchange, Signer, next_cursor
from .errors import (
    ApiError,
    Conflict,
    ConnectionFailed,
    FieldError,
    InvalidRequest,
    LimitExceeded,
    NotFound,
    ServerError,
    TrapezaError,
    Unauthorised,
    Unavailable,
)
from .operations import BankOperations, MerchantOperations, ThirdPartyOperations
from .webhook import WebhookInvalid

__all__ = [
    "ApiError",
    "BankClient",
    "Conflict",
    "ConnectionFailed",
    "Exchange",
    "FieldError",
    "InvalidRequest",
    "LimitExceeded",
    "MerchantClient",
    "NotFound",
    "ServerError",
    "Signer",
    "ThirdPartyClient",
    "TrapezaError",
    "Unauthorised",
    "Unavailable",
    "WebhookInvalid",
    "models",
    "next_cursor",
    "webhook",
]


class ThirdPartyClient(ThirdPartyOperations):
    """Open banking, for third parties."""

    def __init__(
        self,
        base_url: str,
        *,
        subscription_key: str,
        client_id: str,
        certificate: Optional[str] = None,
        **options: Any,
    ) -> None:
        """`certificate` is required in the sandbox; in production the TLS connection proves it (`ssl_context`)."""
        super().__init__(base_url, **options)
        self._credentials = {"Ocp-Apim-Subscription-Key": subscription_key, "ClientId": client_id}
        if certificate is not None:
            self._credentials["Certificate"] = certificate


class MerchantClient(MerchantOperations):
    """Pay Later, for merchants."""

    def __init__(self, base_url: str, *, subscription_key: str, application_id: str, **options: Any) -> None:
        super().__init__(base_url, **options)
        self._credentials = {"Ocp-Apim-Subscription-Key": subscription_key, "X-Application-ID": application_id}


class BankClient(BankOperations):
    """Operations without authentication: the sandbox and the health checks."""
