// Generated from docs/openapi.json by `cargo xtask gen`; do not edit.

import { Client } from "./transport.js";

export class ThirdPartyOperations extends Client {
  createConsent(body, options = {}) {
    return this.send({
      method: "POST",
      path: "/v1/consents",
      headers: { PSU_ID: options.psuId },
      body,
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  getConsent(consentId, options = {}) {
    return this.send({
      method: "GET",
      path: `/v1/consents/${encodeURIComponent(consentId)}`,
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  deleteConsent(consentId, options = {}) {
    return this.send({
      method: "DELETE",
      path: `/v1/consents/${encodeURIComponent(consentId)}`,
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  getConsentStatus(consentId, options = {}) {
    return this.send({
      method: "GET",
      path: `/v1/consents/${encodeURIComponent(consentId)}/status`,
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  startConsentAuthorisation(consentId, body, options = {}) {
    return this.send({
      method: "POST",
      path: `/v1/consents/${encodeURIComponent(consentId)}/authorisations`,
      headers: { PSU_ID: options.psuId, "TPP-Redirect-Preferred": options.tppRedirectPreferred, "TPP-Decoupled-Preferred": options.tppDecoupledPreferred, "TPP-Redirect-URI": options.tppRedirectUri, "TPP-Nok-Redirect-URI": options.tppNokRedirectUri },
      body,
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  listConsentAuthorisations(consentId, options = {}) {
    return this.send({
      method: "GET",
      path: `/v1/consents/${encodeURIComponent(consentId)}/authorisations`,
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  getConsentAuthorisation(consentId, authorisationId, options = {}) {
    return this.send({
      method: "GET",
      path: `/v1/consents/${encodeURIComponent(consentId)}/authorisations/${encodeURIComponent(authorisationId)}`,
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  updateConsentAuthorisation(consentId, authorisationId, body, options = {}) {
    return this.send({
      method: "PUT",
      path: `/v1/consents/${encodeURIComponent(consentId)}/authorisations/${encodeURIComponent(authorisationId)}`,
      body,
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  createFundsConsent(body, options = {}) {
    return this.send({
      method: "POST",
      path: "/v2/consents/confirmation-of-funds",
      headers: { PSU_ID: options.psuId },
      body,
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  getFundsConsent(consentId, options = {}) {
    return this.send({
      method: "GET",
      path: `/v2/consents/confirmation-of-funds/${encodeURIComponent(consentId)}`,
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  deleteFundsConsent(consentId, options = {}) {
    return this.send({
      method: "DELETE",
      path: `/v2/consents/confirmation-of-funds/${encodeURIComponent(consentId)}`,
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  getFundsConsentStatus(consentId, options = {}) {
    return this.send({
      method: "GET",
      path: `/v2/consents/confirmation-of-funds/${encodeURIComponent(consentId)}/status`,
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  startFundsConsentAuthorisation(consentId, body, options = {}) {
    return this.send({
      method: "POST",
      path: `/v2/consents/confirmation-of-funds/${encodeURIComponent(consentId)}/authorisations`,
      headers: { PSU_ID: options.psuId, "TPP-Redirect-Preferred": options.tppRedirectPreferred, "TPP-Decoupled-Preferred": options.tppDecoupledPreferred, "TPP-Redirect-URI": options.tppRedirectUri, "TPP-Nok-Redirect-URI": options.tppNokRedirectUri },
      body,
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  listFundsConsentAuthorisations(consentId, options = {}) {
    return this.send({
      method: "GET",
      path: `/v2/consents/confirmation-of-funds/${encodeURIComponent(consentId)}/authorisations`,
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  getFundsConsentAuthorisation(consentId, authorisationId, options = {}) {
    return this.send({
      method: "GET",
      path: `/v2/consents/confirmation-of-funds/${encodeURIComponent(consentId)}/authorisations/${encodeURIComponent(authorisationId)}`,
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  updateFundsConsentAuthorisation(consentId, authorisationId, body, options = {}) {
    return this.send({
      method: "PUT",
      path: `/v2/consents/confirmation-of-funds/${encodeURIComponent(consentId)}/authorisations/${encodeURIComponent(authorisationId)}`,
      body,
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  confirmFunds(body, options = {}) {
    return this.send({
      method: "POST",
      path: "/v1/funds-confirmations",
      headers: { consentId: options.consentId },
      body,
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  initiatePayment(paymentProduct, body, options = {}) {
    return this.send({
      method: "POST",
      path: `/v1/payments/${encodeURIComponent(paymentProduct)}`,
      headers: { PSU_ID: options.psuId, pSUIPAddress: options.psuIpAddress, consentID: options.consentId },
      body,
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  getPayment(paymentProduct, paymentId, options = {}) {
    return this.send({
      method: "GET",
      path: `/v1/payments/${encodeURIComponent(paymentProduct)}/${encodeURIComponent(paymentId)}`,
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  cancelPayment(paymentProduct, paymentId, options = {}) {
    return this.send({
      method: "DELETE",
      path: `/v1/payments/${encodeURIComponent(paymentProduct)}/${encodeURIComponent(paymentId)}`,
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  getPaymentStatus(paymentProduct, paymentId, options = {}) {
    return this.send({
      method: "GET",
      path: `/v1/payments/${encodeURIComponent(paymentProduct)}/${encodeURIComponent(paymentId)}/status`,
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  startPaymentAuthorisation(paymentProduct, paymentId, body, options = {}) {
    return this.send({
      method: "POST",
      path: `/v1/payments/${encodeURIComponent(paymentProduct)}/${encodeURIComponent(paymentId)}/authorisations`,
      headers: { "TPP-Redirect-Preferred": options.tppRedirectPreferred, "TPP-Decoupled-Preferred": options.tppDecoupledPreferred, "TPP-Redirect-URI": options.tppRedirectUri, "TPP-Nok-Redirect-URI": options.tppNokRedirectUri },
      body,
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  listPaymentAuthorisations(paymentProduct, paymentId, options = {}) {
    return this.send({
      method: "GET",
      path: `/v1/payments/${encodeURIComponent(paymentProduct)}/${encodeURIComponent(paymentId)}/authorisations`,
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  getPaymentAuthorisation(paymentProduct, paymentId, authorisationId, options = {}) {
    return this.send({
      method: "GET",
      path: `/v1/payments/${encodeURIComponent(paymentProduct)}/${encodeURIComponent(paymentId)}/authorisations/${encodeURIComponent(authorisationId)}`,
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  updatePaymentAuthorisation(paymentProduct, paymentId, authorisationId, body, options = {}) {
    return this.send({
      method: "PUT",
      path: `/v1/payments/${encodeURIComponent(paymentProduct)}/${encodeURIComponent(paymentId)}/authorisations/${encodeURIComponent(authorisationId)}`,
      body,
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  startCancellationAuthorisation(paymentProduct, paymentId, body, options = {}) {
    return this.send({
      method: "POST",
      path: `/v1/payments/${encodeURIComponent(paymentProduct)}/${encodeURIComponent(paymentId)}/cancellation-authorisations`,
      headers: { "TPP-Redirect-Preferred": options.tppRedirectPreferred, "TPP-Decoupled-Preferred": options.tppDecoupledPreferred, "TPP-Redirect-URI": options.tppRedirectUri, "TPP-Nok-Redirect-URI": options.tppNokRedirectUri },
      body,
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  listCancellationAuthorisations(paymentProduct, paymentId, options = {}) {
    return this.send({
      method: "GET",
      path: `/v1/payments/${encodeURIComponent(paymentProduct)}/${encodeURIComponent(paymentId)}/cancellation-authorisations`,
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  getCancellationAuthorisation(paymentProduct, paymentId, authorisationId, options = {}) {
    return this.send({
      method: "GET",
      path: `/v1/payments/${encodeURIComponent(paymentProduct)}/${encodeURIComponent(paymentId)}/cancellation-authorisations/${encodeURIComponent(authorisationId)}`,
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  updateCancellationAuthorisation(paymentProduct, paymentId, authorisationId, body, options = {}) {
    return this.send({
      method: "PUT",
      path: `/v1/payments/${encodeURIComponent(paymentProduct)}/${encodeURIComponent(paymentId)}/cancellation-authorisations/${encodeURIComponent(authorisationId)}`,
      body,
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  listAccounts(options = {}) {
    return this.send({
      method: "GET",
      path: "/v1/accounts",
      headers: { consentID: options.consentId, pSUIPAddress: options.psuIpAddress },
      query: { withBalance: options.withBalance },
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  getAccount(accountId, options = {}) {
    return this.send({
      method: "GET",
      path: `/v1/accounts/${encodeURIComponent(accountId)}`,
      headers: { consentID: options.consentId, pSUIPAddress: options.psuIpAddress },
      query: { withBalance: options.withBalance },
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  getAccountBalances(accountId, options = {}) {
    return this.send({
      method: "GET",
      path: `/v1/accounts/${encodeURIComponent(accountId)}/balances`,
      headers: { consentID: options.consentId, pSUIPAddress: options.psuIpAddress },
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  listTransactions(accountId, options = {}) {
    return this.send({
      method: "GET",
      path: `/v1/accounts/${encodeURIComponent(accountId)}/transactions`,
      headers: { consentID: options.consentId, pSUIPAddress: options.psuIpAddress },
      query: { dateFrom: options.dateFrom, dateTo: options.dateTo, entryReferenceFrom: options.entryReferenceFrom, bookingStatus: options.bookingStatus, limit: options.limit, cursor: options.cursor, withBalance: options.withBalance },
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  getTransaction(accountId, transactionId, options = {}) {
    return this.send({
      method: "GET",
      path: `/v1/accounts/${encodeURIComponent(accountId)}/transactions/${encodeURIComponent(transactionId)}`,
      headers: { consentID: options.consentId, pSUIPAddress: options.psuIpAddress },
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  listCards(options = {}) {
    return this.send({
      method: "GET",
      path: "/v1/cards",
      headers: { consentID: options.consentId, pSUIPAddress: options.psuIpAddress },
      query: { withBalance: options.withBalance },
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  getCard(cardId, options = {}) {
    return this.send({
      method: "GET",
      path: `/v1/cards/${encodeURIComponent(cardId)}`,
      headers: { consentID: options.consentId, pSUIPAddress: options.psuIpAddress },
      query: { withBalance: options.withBalance },
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  getCardBalances(cardId, options = {}) {
    return this.send({
      method: "GET",
      path: `/v1/cards/${encodeURIComponent(cardId)}/balances`,
      headers: { consentID: options.consentId, pSUIPAddress: options.psuIpAddress },
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  listCardTransactions(cardId, options = {}) {
    return this.send({
      method: "GET",
      path: `/v1/cards/${encodeURIComponent(cardId)}/transactions`,
      headers: { consentID: options.consentId, pSUIPAddress: options.psuIpAddress },
      query: { dateFrom: options.dateFrom, dateTo: options.dateTo, entryReferenceFrom: options.entryReferenceFrom, bookingStatus: options.bookingStatus, limit: options.limit, cursor: options.cursor, withBalance: options.withBalance },
      requestId: options.requestId,
      hasRequestId: true,
      repeatable: true,
    });
  }

  changeApplication(applicationId, body) {
    return this.send({
      method: "PATCH",
      path: `/sandbox/applications/${encodeURIComponent(applicationId)}`,
      body,
      repeatable: true,
    });
  }
}

export class MerchantOperations extends Client {
  createBasket(body, options = {}) {
    return this.send({
      method: "POST",
      path: "/createbasket",
      query: { "api-version": options.apiVersion },
      body,
      hasKey: true,
      repeatable: true,
    });
  }

  getBasket(options = {}) {
    return this.send({
      method: "GET",
      path: "/basket/id",
      query: { basketId: options.basketId, "api-version": options.apiVersion },
      repeatable: true,
    });
  }

  simulateLoan(options = {}) {
    return this.send({
      method: "POST",
      path: "/bnplsandbox/createbnpl",
      query: { basketId: options.basketId, isSuccessCallback: options.isSuccessCallback, "api-version": options.apiVersion },
      repeatable: false,
    });
  }

  getLoan(options = {}) {
    return this.send({
      method: "GET",
      path: "/loans/bnpl",
      query: { basketId: options.basketId, orderIdentifier: options.orderIdentifier, "api-version": options.apiVersion },
      repeatable: true,
    });
  }

  refundLoan(body, options = {}) {
    return this.send({
      method: "POST",
      path: "/loans/bnpl/refund",
      query: { "api-version": options.apiVersion },
      body,
      hasKey: true,
      repeatable: true,
    });
  }

  voidBasket(body, options = {}) {
    return this.send({
      method: "POST",
      path: "/basket/void",
      query: { "api-version": options.apiVersion },
      body,
      hasKey: true,
      repeatable: true,
    });
  }

  getConfiguration(options = {}) {
    return this.send({
      method: "GET",
      path: "/configuration",
      query: { amount: options.amount },
      repeatable: true,
    });
  }

  changeApplication(applicationId, body) {
    return this.send({
      method: "PATCH",
      path: `/sandbox/applications/${encodeURIComponent(applicationId)}`,
      body,
      repeatable: true,
    });
  }

  listCallbacks(options = {}) {
    return this.send({
      method: "GET",
      path: "/sandbox/callbacks",
      query: { after: options.after, wait: options.wait },
      repeatable: true,
    });
  }
}

export class BankOperations extends Client {
  getClock() {
    return this.send({
      method: "GET",
      path: "/sandbox/clock",
      repeatable: true,
    });
  }

  advanceClock(body) {
    return this.send({
      method: "POST",
      path: "/sandbox/clock",
      body,
      repeatable: false,
    });
  }

  listMessages() {
    return this.send({
      method: "GET",
      path: "/sandbox/messages",
      repeatable: true,
    });
  }

  listOutcomes() {
    return this.send({
      method: "GET",
      path: "/sandbox/outcomes",
      repeatable: true,
    });
  }

  listCustomers() {
    return this.send({
      method: "GET",
      path: "/sandbox/customers",
      repeatable: true,
    });
  }

  createCustomer(body) {
    return this.send({
      method: "POST",
      path: "/sandbox/customers",
      body,
      repeatable: false,
    });
  }

  createAccount(body) {
    return this.send({
      method: "POST",
      path: "/sandbox/accounts",
      body,
      repeatable: false,
    });
  }

  createCard(body) {
    return this.send({
      method: "POST",
      path: "/sandbox/cards",
      body,
      repeatable: false,
    });
  }

  createTransaction(body) {
    return this.send({
      method: "POST",
      path: "/sandbox/transactions",
      body,
      repeatable: false,
    });
  }

  listSandboxTransactions(options = {}) {
    return this.send({
      method: "GET",
      path: "/sandbox/transactions",
      query: { account: options.account, currency: options.currency, after: options.after },
      repeatable: true,
    });
  }

  exportBank() {
    return this.send({
      method: "GET",
      path: "/sandbox/bank",
      repeatable: true,
    });
  }

  importBank(body) {
    return this.send({
      method: "POST",
      path: "/sandbox/bank",
      body,
      repeatable: false,
    });
  }

  resetBank() {
    return this.send({
      method: "POST",
      path: "/sandbox/reset",
      repeatable: false,
    });
  }

  livez() {
    return this.send({
      method: "GET",
      path: "/livez",
      repeatable: true,
    });
  }

  readyz() {
    return this.send({
      method: "GET",
      path: "/readyz",
      repeatable: true,
    });
  }

  metrics() {
    return this.send({
      method: "GET",
      path: "/metrics",
      isText: true,
      repeatable: true,
    });
  }

  openapi() {
    return this.send({
      method: "GET",
      path: "/openapi.json",
      repeatable: true,
    });
  }

  docs(options = {}) {
    return this.send({
      method: "GET",
      path: "/docs",
      query: { q: options.q },
      isText: true,
      repeatable: true,
    });
  }

  docsPage(page) {
    return this.send({
      method: "GET",
      path: `/docs/${encodeURIComponent(page)}`,
      isText: true,
      repeatable: true,
    });
  }
}
