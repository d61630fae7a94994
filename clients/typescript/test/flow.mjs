// A whole flow against a sandbox: `node test/flow.mjs sandbox.json`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { BankClient, InvalidRequest, MerchantClient, NotFound, ThirdPartyClient, Unavailable, WebhookInvalid, nextCursor, verifyWebhook } from "../src/index.js";

const sheet = JSON.parse(readFileSync(process.argv[2], "utf8"));
const base = sheet.base_url;
const [{ psu_id: psuId, password, methods }] = sheet.psus;
const [third] = sheet.tpps;
const [shop] = sheet.merchants;

const exchanges = [];
const tpp = new ThirdPartyClient(
  base,
  { subscriptionKey: third.subscription_key, clientId: third.client_id, certificate: third.certificate },
  { onResponse: (exchange) => exchanges.push(exchange) },
);
const merchant = new MerchantClient(base, { subscriptionKey: shop.subscription_key, applicationId: shop.application_id });

// A consent, authorised on the third party's screen, up to balances.
const terms = { access: { allPsd2: "allAccounts" }, recurringIndicator: true, validUntil: "2099-12-31", frequencyPerDay: 4 };
const requestId = crypto.randomUUID();
const { consentId } = await tpp.createConsent(terms, { psuId, requestId });
assert.equal((await tpp.createConsent(terms, { psuId, requestId })).consentId, consentId, "the second request is a replay");
assert.equal(exchanges.at(-1).headers.get("idempotent-replay"), "true");
const { authorisationId } = await tpp.startConsentAuthorisation(consentId, { psuData: { password } }, { psuId });
await tpp.updateConsentAuthorisation(consentId, authorisationId, { authenticationMethodId: methods[0].id });
const finalised = await tpp.updateConsentAuthorisation(consentId, authorisationId, { scaAuthenticationData: sheet.otp });
assert.equal(finalised.scaStatus, "finalised");
const { accounts } = await tpp.listAccounts({ consentId });
const balances = await tpp.getAccountBalances(accounts[0].resourceId, { consentId });
assert.match(balances.balances[0].balanceAmount.Amount, /^-?\d+\.\d\d$/);
const page = await tpp.listTransactions(accounts[0].resourceId, { consentId, dateFrom: "2000-01-01", limit: 1 });
const cursor = nextCursor(page.transactions._links);
assert.ok(cursor, "there is a second page");
await tpp.listTransactions(accounts[0].resourceId, { consentId, dateFrom: "2000-01-01", limit: 1, cursor });

// A payment within the bank.
const order = {
  debtorAccount: { iban: accounts[0].iban },
  instructedAmount: { currency: "EUR", Amount: "12.50" },
  creditorAccount: { iban: sheet.psus[1].accounts[0].iban },
  creditorName: sheet.psus[1].name,
};
const { paymentId } = await tpp.initiatePayment("internal-transfers", order, { psuId, psuIpAddress: "192.0.2.1" });
const payment = await tpp.startPaymentAuthorisation("internal-transfers", paymentId, { psuData: { password } });
await tpp.updatePaymentAuthorisation("internal-transfers", paymentId, payment.authorisationId, { authenticationMethodId: methods[0].id });
await tpp.updatePaymentAuthorisation("internal-transfers", paymentId, payment.authorisationId, { scaAuthenticationData: sheet.otp });
assert.equal((await tpp.getPaymentStatus("internal-transfers", paymentId)).transactionStatus, 4);

// Errors have a code, a field and a correlation id.
await assert.rejects(tpp.createConsent({ ...terms, validUntil: "tomorrow" }, { psuId }), (error) => {
  assert.ok(error instanceof InvalidRequest);
  assert.deepEqual([error.status, error.code, error.field], [400, "FORMAT_ERROR", "validUntil"]);
  return /^[0-9a-f-]{36}$/.test(error.correlationId);
});
await assert.rejects(merchant.getLoan({ basketId: "0".repeat(32) }), (error) => error instanceof NotFound && error.code === "RESOURCE_UNKNOWN");

// A basket, its webhook, a refund.
const received = [];
const endpoint = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    received.push({ headers: request.headers, body: Buffer.concat(chunks) });
    response.end();
  });
});
await new Promise((resolve) => endpoint.listen(0, "127.0.0.1", resolve));
await merchant.changeApplication(shop.application_id, { successCallbackUrl: `http://127.0.0.1:${endpoint.address().port}/paid` });
const basket = await merchant.createBasket({ basketValue: 120.3, orderIdentifier: `order-${requestId}` });
await merchant.simulateLoan({ basketId: basket.basketId, isSuccessCallback: true });
for (let waited = 0; received.length === 0; waited += 1) {
  assert.ok(waited < 600, "no callback was received");
  await new Promise((resolve) => setTimeout(resolve, 50));
}
endpoint.close();
const [{ headers, body }] = received;
const callback = await verifyWebhook(shop.webhook_secret, headers, body);
assert.deepEqual([callback.type, callback.data.publicBasketId, callback.data.approvedLoanAmount], ["basket.approved", basket.publicBasketId, 120.3]);
await assert.rejects(verifyWebhook(shop.webhook_secret, headers, `${body} `), WebhookInvalid);
await assert.rejects(verifyWebhook(`whsec_${btoa("another secret of some length")}`, headers, body), WebhookInvalid);
const late = Date.now() / 1000 + 301;
await assert.rejects(verifyWebhook(shop.webhook_secret, headers, body, { nowSeconds: late }), /differs too much/);
await verifyWebhook(["whsec_b3RoZXI=", shop.webhook_secret], headers, body);
const refund = await merchant.refundLoan({ basketId: basket.publicBasketId, amount: 20.3 });
assert.deepEqual([refund.refundedAmount, refund.refundableAmount], [20.3, 100]);

// 503 with Retry-After is repeated under the same key; what may not be repeated is not.
const keys = [];
const busy = createServer((request, response) => {
  keys.push(request.headers["x-request-id"]);
  const status = keys.length < 3 ? 503 : 200;
  response.writeHead(status, { "Retry-After": "0", "Content-Type": "application/json" }).end("{}");
});
await new Promise((resolve) => busy.listen(0, "127.0.0.1", resolve));
const busyUrl = `http://127.0.0.1:${busy.address().port}`;
await new ThirdPartyClient(busyUrl, { subscriptionKey: "k", clientId: "c" }).createConsent(terms, { psuId });
assert.equal(keys.length, 3);
assert.equal(new Set(keys).size, 1, "every attempt has the same key");
keys.length = 0;
await assert.rejects(new BankClient(busyUrl).advanceClock({ advance: "P1D" }), Unavailable);
assert.equal(keys.length, 1);
busy.close();
busy.closeAllConnections();
console.log("flow: ok");
