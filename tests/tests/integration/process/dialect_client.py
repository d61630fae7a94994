"""Flows of the Berlin Group's dialect with a client that was generated from its OpenAPI document: requests are built by the generated
types, and every answer is parsed by them, strictly and without unknown members.

usage: dialect_client.py BASE_URL SANDBOX_FILE; the generated module `models` is in the folder of PYTHONPATH.
"""

import json
import sys
import urllib.error
import urllib.request
import uuid
from datetime import datetime, timedelta
from typing import Any, Union

import models
from pydantic import TypeAdapter

BASE = sys.argv[1] + "/berlin-group"
with open(sys.argv[2], encoding="utf-8") as file:
    SANDBOX = json.load(file)
PSU, PAYEE = SANDBOX["psus"][1], SANDBOX["psus"][0]
IBAN = PSU["accounts"][0]["iban"]
PAYMENT = "/v1/{payment-service}/{payment-product}"
SECOND = "DE89370400440532013000"


def read(address: str) -> Any:
    with urllib.request.urlopen(address) as answer:
        return json.load(answer)


DOCUMENT = read(BASE + "/openapi.json")
TODAY = datetime.fromisoformat(read(sys.argv[1] + "/sandbox/clock")["now"]).date()
SINCE, LATER = TODAY - timedelta(days=60), TODAY + timedelta(days=10)
parsed = 0


def parser(schema: dict[str, Any]) -> TypeAdapter[Any]:
    each = schema.get("anyOf", [schema])
    classes = [getattr(models, one["$ref"].rsplit("/", 1)[1]) for one in each]
    return TypeAdapter(Union[tuple(classes)])


def call(method: str, template: str, names: dict[str, Any], expected: int, body: Any = None, query: str = "", **headers: str) -> Any:
    """Sends a request and parses the answer by the type that the document names for its status."""
    global parsed
    path = template
    for name, value in names.items():
        path = path.replace("{" + name + "}", str(value))
    request = urllib.request.Request(BASE + path + query, method=method)
    request.add_header("X-Request-ID", str(uuid.uuid4()))
    for name, value in headers.items():
        request.add_header(name.replace("_", "-"), value)
    if body is not None:
        request.add_header("Content-Type", "application/json")
        text = body if isinstance(body, str) else body.model_dump_json(by_alias=True, exclude_none=True)
        request.data = text.encode()
    try:
        with urllib.request.urlopen(request) as answer:
            status, content = answer.status, answer.read()
    except urllib.error.HTTPError as refused:
        status, content = refused.code, refused.read()
    assert status == expected, (method, path, status, content)
    response = DOCUMENT["paths"][template][method.lower()]["responses"][str(status)]
    while "$ref" in response:
        response = DOCUMENT["components"]["responses"][response["$ref"].rsplit("/", 1)[1]]
    if status == 204:
        assert "content" not in response and not content
        return None
    parsed += 1
    return parser(response["content"]["application/json"]["schema"]).validate_json(content, strict=True)


def authorise(template: str, names: dict[str, Any]) -> None:
    started = call("POST", template + "/authorisations", names, 201, "{}", PSU_ID=PSU["psu_id"])
    own = names | {"authorisationId": started.authorisationId}
    template += "/authorisations/{authorisationId}"
    call("PUT", template, own, 200, json.dumps({"psuData": {"password": PSU["password"]}}))
    call("PUT", template, own, 401, json.dumps({"scaAuthenticationData": "000000"}))
    done = call("PUT", template, own, 200, json.dumps({"scaAuthenticationData": SANDBOX["otp"]}))
    assert done.scaStatus == "finalised"
    call("GET", template, own, 200)


CALLER = {"PSU_ID": PSU["psu_id"], "PSU_IP_Address": "192.0.2.1", "TPP_Explicit_Authorisation_Preferred": "true"}


def consent() -> Any:
    reference = {"iban": IBAN}
    order = models.ConsentRequest.model_validate({
        "access": {"balances": [reference], "transactions": [reference]},
        "recurringIndicator": True, "validUntil": "9999-12-31", "frequencyPerDay": 4, "combinedServiceIndicator": False,
    })
    created = call("POST", "/v1/consents", {}, 201, order, **CALLER)
    return created.consentId


REQUESTS = {
    "payments": models.PaymentRequest,
    "periodic-payments": models.PeriodicPaymentRequest,
    "bulk-payments": models.BulkPaymentRequest,
}


def payment(product: str, service: str, members: dict[str, Any]) -> dict[str, Any]:
    names = {"payment-service": service, "payment-product": product}
    created = call("POST", PAYMENT, names, 201, REQUESTS[service].model_validate(members), **CALLER)
    return names | {"paymentId": created.paymentId}


def transfer(creditor: str, amount: str) -> dict[str, Any]:
    return {
        "instructedAmount": {"currency": "EUR", "amount": amount},
        "creditorAccount": {"iban": creditor}, "creditorName": PAYEE["name"],
    }


def account_information() -> None:
    number = consent()
    names = {"consentId": number}
    authorise("/v1/consents/{consentId}", names)
    assert call("GET", "/v1/consents/{consentId}/status", names, 200).consentStatus == "valid"
    call("GET", "/v1/consents/{consentId}", names, 200)
    call("GET", "/v1/consents/{consentId}/authorisations", names, 200)
    under = {"Consent_ID": str(number), "PSU_IP_Address": "192.0.2.1"}
    accounts = call("GET", "/v1/accounts", {}, 200, query="?withBalance=true", **under).accounts
    assert len(accounts) == 1 and accounts[0].iban == IBAN
    account = {"account-id": accounts[0].resourceId}
    call("GET", "/v1/accounts/{account-id}", account, 200, **under)
    call("GET", "/v1/accounts/{account-id}/balances", account, 200, **under)
    listed = call("GET", "/v1/accounts/{account-id}/transactions", account, 200, query=f"?bookingStatus=both&dateFrom={SINCE}", **under)
    assert listed.transactions.booked
    first = account | {"transactionId": listed.transactions.booked[0].transactionId}
    call("GET", "/v1/accounts/{account-id}/transactions/{transactionId}", first, 200, **under)
    call("GET", "/v1/accounts/{account-id}/transactions", account, 400, **under)
    call("GET", "/v1/accounts", {}, 400, Consent_ID=str(uuid.uuid4()))
    call("DELETE", "/v1/consents/{consentId}", names, 204)
    call("GET", "/v1/accounts", {}, 401, **under)


def payments() -> None:
    debtor = {"debtorAccount": {"iban": IBAN}}
    inside = payment("internal-transfers", "payments", debtor | transfer(PAYEE["accounts"][0]["iban"], "1.10"))
    authorise(PAYMENT + "/{paymentId}", inside)
    assert call("GET", PAYMENT + "/{paymentId}/status", inside, 200).transactionStatus == "ACCC"
    call("GET", PAYMENT + "/{paymentId}", inside, 200)
    call("DELETE", PAYMENT + "/{paymentId}", inside, 405)
    periodic = {"startDate": str(LATER), "frequency": "Monthly", "dayOfExecution": "4", "executionRule": "following"}
    standing = payment("sepa-credit-transfers", "periodic-payments", debtor | transfer(SECOND, "2.20") | periodic)
    call("GET", PAYMENT + "/{paymentId}", standing, 200)
    call("DELETE", PAYMENT + "/{paymentId}", standing, 204)
    lines = {"batchBookingPreferred": True, "payments": [transfer(SECOND, "3.30"), transfer(SECOND, "4.40")]}
    bulk = payment("sepa-credit-transfers", "bulk-payments", debtor | lines)
    authorise(PAYMENT + "/{paymentId}", bulk)
    call("GET", PAYMENT + "/{paymentId}", bulk, 200)
    call("GET", PAYMENT + "/{paymentId}/extended-status", bulk, 200)
    call("GET", PAYMENT + "/{paymentId}", inside | {"payment-product": "unknown"}, 404)
    call("POST", PAYMENT, {"payment-service": "payments", "payment-product": "sepa-credit-transfers"}, 400, "{}", **CALLER)


def basket() -> None:
    member = payment("sepa-credit-transfers", "payments", {"debtorAccount": {"iban": IBAN}} | transfer(SECOND, "5.50"))
    order = models.SigningBasketRequest.model_validate({"paymentIds": [str(member["paymentId"])]})
    created = call("POST", "/v1/signing-baskets", {}, 201, order, **CALLER)
    names = {"basketId": created.basketId}
    authorise("/v1/signing-baskets/{basketId}", names)
    call("GET", "/v1/signing-baskets/{basketId}", names, 200)
    call("GET", "/v1/signing-baskets/{basketId}/status", names, 200)


def funds() -> None:
    terms = models.FundsConsentRequest.model_validate({"account": {"iban": IBAN}})
    path = "/v2/consents/confirmation-of-funds"
    created = call("POST", path, {}, 201, terms, **CALLER)
    names = {"consentId": created.consentId}
    authorise(path + "/{consentId}", names)
    call("GET", path + "/{consentId}", names, 200)
    order = models.FundsConfirmationRequest.model_validate(
        {"account": {"iban": IBAN}, "instructedAmount": {"currency": "EUR", "amount": "1.00"}}
    )
    call("POST", "/v1/funds-confirmations", {}, 200, order)


for flow in [account_information, payments, basket, funds]:
    flow()
print(f"flow: ok, {parsed} answers parsed")
