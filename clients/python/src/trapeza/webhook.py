"""Verification of callbacks (Standard Webhooks)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from decimal import Decimal
from typing import Mapping, Optional, Sequence, Union, cast

from .errors import TrapezaError
from .models import Callback

#: How far the timestamp of a callback may differ from the clock, in seconds.
TOLERANCE_SECONDS = 300


class WebhookInvalid(TrapezaError):
    """A callback that must not be used. Answer it with 400."""


def verify(
    secret: Union[str, Sequence[str]],
    headers: Mapping[str, str],
    body: bytes,
    *,
    tolerance_seconds: int = TOLERANCE_SECONDS,
    now: Optional[float] = None,
) -> Callback:
    """The callback, if its signature and timestamp are valid.

    `body` is the body as received, byte for byte. `secret` is one secret, or several during a rotation. Store the `webhook-id`s
    that you have processed: a callback may arrive twice.
    """
    received = {name.lower(): value for name, value in headers.items()}
    try:
        identifier, timestamp, signatures = (
            received[name] for name in ("webhook-id", "webhook-timestamp", "webhook-signature")
        )
    except KeyError as missing:
        raise WebhookInvalid(f"the header {missing.args[0]} is required") from None
    if not (timestamp.isascii() and timestamp.isdigit()):
        raise WebhookInvalid("webhook-timestamp must be a number of seconds")
    if abs((time.time() if now is None else now) - int(timestamp)) > tolerance_seconds:
        raise WebhookInvalid("webhook-timestamp differs too much from the clock")
    signed = f"{identifier}.{timestamp}.".encode() + body
    secrets = [secret] if isinstance(secret, str) else secret
    # Every combination is compared, so that the time does not depend on which one is valid.
    valid = False
    for key in secrets:
        expected = hmac.new(_key(key), signed, hashlib.sha256).digest()
        for signature in signatures.split(" "):
            valid |= hmac.compare_digest(expected, _signature(signature))
    if not valid:
        raise WebhookInvalid("no signature is valid")
    try:
        return cast(Callback, json.loads(body, parse_float=Decimal))
    except ValueError:
        raise WebhookInvalid("the body must be JSON") from None


def _key(secret: str) -> bytes:
    try:
        return base64.b64decode(secret[len("whsec_") :] if secret.startswith("whsec_") else secret, validate=True)
    except binascii.Error:
        raise ValueError("the secret must be whsec_ and base64") from None


def _signature(text: str) -> bytes:
    version, _, encoded = text.partition(",")
    try:
        return base64.b64decode(encoded, validate=True) if version == "v1" else b""
    except (binascii.Error, ValueError):
        return b""
