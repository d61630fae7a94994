"""A whole flow against a sandbox: `python tests/flow.py sandbox.json`."""

from __future__ import annotations

import json
import sys
import threading
import time
import uuid
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, Callable, Dict, List, Tuple, Type

import trapeza
from trapeza import models, webhook


def main(path: str) -> None:
    with open(path, encoding="utf-8") as file:
        sheet = json.load(file)
    third, shop = sheet["tpps"][0], sheet["merchants"][0]
    exchanges: List[trapeza.Exchange] = []
    tpp = trapeza.ThirdPartyClient(
        sheet["base_url"],
        subscription_key=third["subscription_key"],
        client_id=third["client_id"],
        certificate=third["certificate"],
        on_response=exchanges.append,
    )
    merchant = trapeza.MerchantClient(
        sheet["base_url"], subscription_key=shop["subscription_key"], application_id=shop["application_id"]
    )
    account = consent_to_balances(tpp, sheet, exchanges)
    pay(tpp, sheet, account)
    errors(tpp, merchant, sheet["psus"][0]["psu_id"])
    purchase(merchant, shop)
    retries()
    print("flow: ok")


TERMS: models.ConsentRequest = {
    "access": {"allPsd2": "allAccounts"},
    "recurringIndicator": True,
    "validUntil": "2099-12-31",
    "frequencyPerDay": 4,
}


def consent_to_balances(
    tpp: trapeza.ThirdPartyClient, sheet: Dict[str, Any], exchanges: List[trapeza.Exchange]
) -> models.Account:
    psu, request_id = sheet["psus"][0], str(uuid.uuid4())
    consent_id = tpp.create_consent(TERMS, psu_id=psu["psu_id"], request_id=request_id)["consentId"]
    again = tpp.create_consent(TERMS, psu_id=psu["psu_id"], request_id=request_id)
    assert again["consentId"] == consent_id, "the second request is a replay"
    assert exchanges[-1].headers["idempotent-replay"] == "true"
    started = tpp.start_consent_authorisation(
        consent_id, {"psuData": {"password": psu["password"]}}, psu_id=psu["psu_id"]
    )
    authorisation_id = started["authorisationId"]
    tpp.update_consent_authorisation(
        consent_id, authorisation_id, {"authenticationMethodId": psu["methods"][0]["id"]}
    )
    finalised = tpp.update_consent_authorisation(
        consent_id, authorisation_id, {"scaAuthenticationData": sheet["otp"]}
    )
    assert finalised["scaStatus"] == "finalised", finalised
    account = tpp.list_accounts(consent_id=consent_id)["accounts"][0]
    balances = tpp.get_account_balances(account["resourceId"], consent_id=consent_id)["balances"]
    assert Decimal(balances[0]["balanceAmount"]["Amount"]) == Decimal(balances[0]["balanceAmount"]["Amount"])
    page = tpp.list_transactions(account["resourceId"], consent_id=consent_id, date_from="2000-01-01", limit=1)
    cursor = trapeza.next_cursor(page["transactions"]["_links"])
    assert cursor, "there is a second page"
    tpp.list_transactions(
        account["resourceId"], consent_id=consent_id, date_from="2000-01-01", limit=1, cursor=cursor
    )
    return account


def pay(tpp: trapeza.ThirdPartyClient, sheet: Dict[str, Any], account: models.Account) -> None:
    payer, payee = sheet["psus"][0], sheet["psus"][1]
    order: models.PaymentRequest = {
        "debtorAccount": {"iban": account["iban"]},
        "instructedAmount": {"currency": "EUR", "Amount": "12.50"},
        "creditorAccount": {"iban": payee["accounts"][0]["iban"]},
        "creditorName": payee["name"],
    }
    payment = tpp.initiate_payment(
        "internal-transfers", order, psu_id=payer["psu_id"], psu_ip_address="192.0.2.1"
    )
    payment_id = payment["paymentId"]
    steps: List[models.AuthorisationStep] = [
        {"authenticationMethodId": payer["methods"][0]["id"]},
        {"scaAuthenticationData": sheet["otp"]},
    ]
    started = tpp.start_payment_authorisation(
        "internal-transfers", payment_id, {"psuData": {"password": payer["password"]}}
    )
    for step in steps:
        tpp.update_payment_authorisation("internal-transfers", payment_id, started["authorisationId"], step)
    assert tpp.get_payment_status("internal-transfers", payment_id)["transactionStatus"] == 4


def errors(tpp: trapeza.ThirdPartyClient, merchant: trapeza.MerchantClient, psu_id: str) -> None:
    wrong: models.ConsentRequest = {**TERMS, "validUntil": "tomorrow"}
    error = raised(trapeza.InvalidRequest, lambda: tpp.create_consent(wrong, psu_id=psu_id))
    assert (error.status, error.code, error.field) == (400, "FORMAT_ERROR", "validUntil"), error
    uuid.UUID(error.correlation_id)
    assert raised(trapeza.NotFound, lambda: merchant.get_loan(basket_id="0" * 32)).correlation_id


def purchase(merchant: trapeza.MerchantClient, shop: Dict[str, Any]) -> None:
    received: List[Tuple[Dict[str, str], bytes]] = []

    class Endpoint(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            received.append((dict(self.headers.items()), body))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Endpoint) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/paid"
        merchant.change_application(shop["application_id"], {"successCallbackUrl": url})
        basket = merchant.create_basket(
            {"basketValue": Decimal("120.30"), "orderIdentifier": f"order-{uuid.uuid4()}"}
        )
        merchant.simulate_loan(basket_id=basket["basketId"], is_success_callback=True)
        for _ in range(600):
            if received:
                break
            time.sleep(0.05)
        server.shutdown()
    headers, body = received[0]
    secret = shop["webhook_secret"]
    callback = webhook.verify(secret, headers, body)
    assert callback["type"] == "basket.approved" and callback["data"]["approvedLoanAmount"] == Decimal("120.3")
    assert callback["data"]["publicBasketId"] == basket["publicBasketId"]
    invalid = trapeza.WebhookInvalid
    raised(invalid, lambda: webhook.verify(secret, headers, body + b" "))
    raised(invalid, lambda: webhook.verify("whsec_b3RoZXI=", headers, body))
    raised(invalid, lambda: webhook.verify(secret, headers, body, now=time.time() + 301))
    raised(invalid, lambda: webhook.verify(secret, {}, body))
    webhook.verify(["whsec_b3RoZXI=", secret], headers, body)
    refund = merchant.refund_loan({"basketId": basket["publicBasketId"], "amount": Decimal("20.3")})
    assert (refund["refundedAmount"], refund["refundableAmount"]) == (Decimal("20.3"), 100), refund


def retries() -> None:
    """503 with Retry-After is repeated under the same key; what may not be repeated is not."""
    keys: List[str] = []

    class Busy(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            keys.append(self.headers.get("x-request-id", ""))
            self.send_response(503 if len(keys) < 3 else 200)
            self.send_header("Retry-After", "0")
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Busy) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        trapeza.ThirdPartyClient(url, subscription_key="k", client_id="c").create_consent(TERMS, psu_id="x")
        assert len(keys) == 3 and len(set(keys)) == 1, keys
        keys.clear()
        raised(trapeza.Unavailable, lambda: trapeza.BankClient(url).advance_clock({"advance": "P1D"}))
        assert len(keys) == 1, keys
        server.shutdown()


def raised(kind: Type[Exception], call: Callable[[], object]) -> Any:
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


if __name__ == "__main__":
    main(sys.argv[1])
