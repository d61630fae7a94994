// Generated from docs/openapi.json by `cargo xtask gen`; do not edit.

import { Client } from "./transport.js";
import type * as models from "./models.js";

/** Open banking, for third parties. */
export declare class ThirdPartyOperations extends Client {
  /** Create an account-access consent: `POST /v1/consents`. */
  createConsent(body: models.ConsentRequest, options: { psuId: string; requestId?: string }): Promise<models.ConsentCreated>;

  /** Get a consent: `GET /v1/consents/{consentId}`. */
  getConsent(consentId: string, options?: { requestId?: string }): Promise<models.Consent>;

  /** Revoke a consent: `DELETE /v1/consents/{consentId}`. */
  deleteConsent(consentId: string, options?: { requestId?: string }): Promise<void>;

  /** Get a consent's status: `GET /v1/consents/{consentId}/status`. */
  getConsentStatus(consentId: string, options?: { requestId?: string }): Promise<models.ConsentStatusResponse>;

  /** Start an authorisation: `POST /v1/consents/{consentId}/authorisations`. */
  startConsentAuthorisation(consentId: string, body: models.AuthorisationStep | undefined, options: { psuId: string; tppRedirectPreferred?: boolean; tppDecoupledPreferred?: boolean; tppRedirectUri?: string; tppNokRedirectUri?: string; requestId?: string }): Promise<models.Authorisation>;

  /** List the authorisations: `GET /v1/consents/{consentId}/authorisations`. */
  listConsentAuthorisations(consentId: string, options?: { requestId?: string }): Promise<models.AuthorisationIds>;

  /** Get an authorisation's status: `GET /v1/consents/{consentId}/authorisations/{authorisationId}`. */
  getConsentAuthorisation(consentId: string, authorisationId: string, options?: { requestId?: string }): Promise<models.AuthorisationStatusResponse>;

  /** Update an authorisation with the customer's password, method or OTP: `PUT /v1/consents/{consentId}/authorisations/{authorisationId}`. */
  updateConsentAuthorisation(consentId: string, authorisationId: string, body: models.AuthorisationStep, options?: { requestId?: string }): Promise<models.Authorisation>;

  /** Create a funds consent: `POST /v2/consents/confirmation-of-funds`. */
  createFundsConsent(body: models.FundsConsentRequest, options: { psuId: string; requestId?: string }): Promise<models.ConsentCreated>;

  /** Get a funds consent: `GET /v2/consents/confirmation-of-funds/{consentId}`. */
  getFundsConsent(consentId: string, options?: { requestId?: string }): Promise<models.FundsConsent>;

  /** Revoke a funds consent: `DELETE /v2/consents/confirmation-of-funds/{consentId}`. */
  deleteFundsConsent(consentId: string, options?: { requestId?: string }): Promise<void>;

  /** Get the status of a funds consent and of its newest authorisation: `GET /v2/consents/confirmation-of-funds/{consentId}/status`. */
  getFundsConsentStatus(consentId: string, options?: { requestId?: string }): Promise<models.FundsConsentStatusResponse>;

  /** Start an authorisation: `POST /v2/consents/confirmation-of-funds/{consentId}/authorisations`. */
  startFundsConsentAuthorisation(consentId: string, body: models.AuthorisationStep | undefined, options: { psuId: string; tppRedirectPreferred?: boolean; tppDecoupledPreferred?: boolean; tppRedirectUri?: string; tppNokRedirectUri?: string; requestId?: string }): Promise<models.Authorisation>;

  /** List the authorisations: `GET /v2/consents/confirmation-of-funds/{consentId}/authorisations`. */
  listFundsConsentAuthorisations(consentId: string, options?: { requestId?: string }): Promise<models.AuthorisationIds>;

  /** Get an authorisation's status: `GET /v2/consents/confirmation-of-funds/{consentId}/authorisations/{authorisationId}`. */
  getFundsConsentAuthorisation(consentId: string, authorisationId: string, options?: { requestId?: string }): Promise<models.AuthorisationStatusResponse>;

  /** Update an authorisation with the customer's password, method or OTP: `PUT /v2/consents/confirmation-of-funds/{consentId}/authorisations/{authorisationId}`. */
  updateFundsConsentAuthorisation(consentId: string, authorisationId: string, body: models.AuthorisationStep, options?: { requestId?: string }): Promise<models.Authorisation>;

  /** Confirm funds: `POST /v1/funds-confirmations`. */
  confirmFunds(body: models.FundsConfirmationRequest, options: { consentId: string; requestId?: string }): Promise<models.FundsConfirmation>;

  /** Initiate a payment: `POST /v1/{payment-service}/{payment-product}`. */
  initiatePayment(paymentProduct: "internal-transfers" | "sepa-credit-transfers", body: models.PaymentRequest, options: { psuId: string; psuIpAddress: string; consentId?: string; requestId?: string }): Promise<models.PaymentInitiated>;

  /** Get a payment: `GET /v1/{payment-service}/{payment-product}/{paymentId}`. */
  getPayment(paymentProduct: "internal-transfers" | "sepa-credit-transfers", paymentId: string, options?: { requestId?: string }): Promise<models.Payment>;

  /** Cancel a payment: `DELETE /v1/{payment-service}/{payment-product}/{paymentId}`. */
  cancelPayment(paymentProduct: "internal-transfers" | "sepa-credit-transfers", paymentId: string, options?: { requestId?: string }): Promise<models.PaymentCancellation>;

  /** Get a payment's status: `GET /v1/{payment-service}/{payment-product}/{paymentId}/status`. */
  getPaymentStatus(paymentProduct: "internal-transfers" | "sepa-credit-transfers", paymentId: string, options?: { requestId?: string }): Promise<models.PaymentStatusResponse>;

  /** Start an authorisation: `POST /v1/{payment-service}/{payment-product}/{paymentId}/authorisations`. */
  startPaymentAuthorisation(paymentProduct: "internal-transfers" | "sepa-credit-transfers", paymentId: string, body?: models.AuthorisationStep, options?: { tppRedirectPreferred?: boolean; tppDecoupledPreferred?: boolean; tppRedirectUri?: string; tppNokRedirectUri?: string; requestId?: string }): Promise<models.PaymentAuthorisation>;

  /** List the authorisations: `GET /v1/{payment-service}/{payment-product}/{paymentId}/authorisations`. */
  listPaymentAuthorisations(paymentProduct: "internal-transfers" | "sepa-credit-transfers", paymentId: string, options?: { requestId?: string }): Promise<models.AuthorisationIds>;

  /** Get an authorisation's status: `GET /v1/{payment-service}/{payment-product}/{paymentId}/authorisations/{authorisationId}`. */
  getPaymentAuthorisation(paymentProduct: "internal-transfers" | "sepa-credit-transfers", paymentId: string, authorisationId: string, options?: { requestId?: string }): Promise<models.AuthorisationStatusResponse>;

  /** Update an authorisation with the customer's password, method or OTP: `PUT /v1/{payment-service}/{payment-product}/{paymentId}/authorisations/{authorisationId}`. */
  updatePaymentAuthorisation(paymentProduct: "internal-transfers" | "sepa-credit-transfers", paymentId: string, authorisationId: string, body: models.AuthorisationStep, options?: { requestId?: string }): Promise<models.PaymentAuthorisation>;

  /** Start an authorisation of a cancellation: `POST /v1/{payment-service}/{payment-product}/{paymentId}/cancellation-authorisations`. */
  startCancellationAuthorisation(paymentProduct: "internal-transfers" | "sepa-credit-transfers", paymentId: string, body?: models.AuthorisationStep, options?: { tppRedirectPreferred?: boolean; tppDecoupledPreferred?: boolean; tppRedirectUri?: string; tppNokRedirectUri?: string; requestId?: string }): Promise<models.CancellationAuthorisation>;

  /** List the authorisations of a cancellation: `GET /v1/{payment-service}/{payment-product}/{paymentId}/cancellation-authorisations`. */
  listCancellationAuthorisations(paymentProduct: "internal-transfers" | "sepa-credit-transfers", paymentId: string, options?: { requestId?: string }): Promise<models.AuthorisationIds>;

  /** Get the status of a cancellation's authorisation: `GET /v1/{payment-service}/{payment-product}/{paymentId}/cancellation-authorisations/{authorisationId}`. */
  getCancellationAuthorisation(paymentProduct: "internal-transfers" | "sepa-credit-transfers", paymentId: string, authorisationId: string, options?: { requestId?: string }): Promise<models.AuthorisationStatusResponse>;

  /** Update an authorisation with the customer's password, method or OTP: `PUT /v1/{payment-service}/{payment-product}/{paymentId}/cancellation-authorisations/{authorisationId}`. */
  updateCancellationAuthorisation(paymentProduct: "internal-transfers" | "sepa-credit-transfers", paymentId: string, authorisationId: string, body: models.AuthorisationStep, options?: { requestId?: string }): Promise<models.CancellationAuthorisation>;

  /** List the accounts of a consent: `GET /v1/accounts`. */
  listAccounts(options: { consentId: string; psuIpAddress?: string; withBalance?: boolean; requestId?: string }): Promise<models.Accounts>;

  /** Get an account: `GET /v1/accounts/{account-id}`. */
  getAccount(accountId: string, options: { consentId: string; psuIpAddress?: string; withBalance?: boolean; requestId?: string }): Promise<models.AccountDetails>;

  /** Get an account's balances: `GET /v1/accounts/{account-id}/balances`. */
  getAccountBalances(accountId: string, options: { consentId: string; psuIpAddress?: string; requestId?: string }): Promise<models.AccountBalances>;

  /** Get an account's transactions, newest first, in pages: `GET /v1/accounts/{account-id}/transactions`. */
  listTransactions(accountId: string, options: { consentId: string; psuIpAddress?: string; dateFrom?: string; dateTo?: string; entryReferenceFrom?: string; bookingStatus?: "booked" | "pending" | "both"; limit?: number; cursor?: string; withBalance?: boolean; requestId?: string }): Promise<models.AccountTransactions>;

  /** Get a transaction: `GET /v1/accounts/{account-id}/transactions/{transactionId}`. */
  getTransaction(accountId: string, transactionId: string, options: { consentId: string; psuIpAddress?: string; requestId?: string }): Promise<models.TransactionDetails>;

  /** List the cards of a consent: `GET /v1/cards`. */
  listCards(options: { consentId: string; psuIpAddress?: string; withBalance?: boolean; requestId?: string }): Promise<models.Cards>;

  /** Get a card: `GET /v1/cards/{card-id}`. */
  getCard(cardId: string, options: { consentId: string; psuIpAddress?: string; withBalance?: boolean; requestId?: string }): Promise<models.CardDetails>;

  /** Get a card's balances: `GET /v1/cards/{card-id}/balances`. */
  getCardBalances(cardId: string, options: { consentId: string; psuIpAddress?: string; requestId?: string }): Promise<models.CardBalances>;

  /** Get a card's transactions, newest first, in pages: `GET /v1/cards/{card-id}/transactions`. */
  listCardTransactions(cardId: string, options: { consentId: string; psuIpAddress?: string; dateFrom?: string; dateTo?: string; entryReferenceFrom?: string; bookingStatus?: "booked" | "pending" | "both"; limit?: number; cursor?: string; withBalance?: boolean; requestId?: string }): Promise<models.CardTransactions>;

  /** Update the calling application's callback and redirect URLs: `PATCH /sandbox/applications/{applicationId}`. */
  changeApplication(applicationId: string, body: models.ApplicationChange): Promise<models.Application>;
}

/** Pay Later, for merchants. */
export declare class MerchantOperations extends Client {
  /** Create a basket: `POST /createbasket`. */
  createBasket(body: models.BasketOrder, options?: { apiVersion?: "2.0" | "2" }): Promise<models.BasketCreated>;

  /** Get a basket with its installments: `GET /basket/id`. */
  getBasket(options: { basketId: string; apiVersion?: "2.0" | "2" }): Promise<models.BasketFound>;

  /** Simulate the decision on a basket (test applications only): `POST /bnplsandbox/createbnpl`. */
  simulateLoan(options: { basketId: number; isSuccessCallback: boolean; apiVersion?: "1.0" | "1" }): Promise<models.LoanSimulated>;

  /** Get the loan of a basket: `GET /loans/bnpl`. */
  getLoan(options: { basketId: string; orderIdentifier?: string; apiVersion?: "2.0" | "2" }): Promise<models.LoanFound>;

  /** Refund a loan, partially or fully: `POST /loans/bnpl/refund`. */
  refundLoan(body: models.RefundOrder, options?: { apiVersion?: "2.0" | "2" }): Promise<models.LoanRefunded>;

  /** Void a basket: it ends, or its loan is fully refunded: `POST /basket/void`. */
  voidBasket(body: models.VoidOrder, options?: { apiVersion?: "2.0" | "2" }): Promise<models.BasketVoided>;

  /** Get the merchant's limits and installment plans: `GET /configuration`. */
  getConfiguration(options?: { amount?: string }): Promise<models.Configuration>;

  /** Update the calling application's callback and redirect URLs: `PATCH /sandbox/applications/{applicationId}`. */
  changeApplication(applicationId: string, body: models.ApplicationChange): Promise<models.Application>;

  /** List the calling application's callbacks, or wait for one: `GET /sandbox/callbacks`. */
  listCallbacks(options?: { after?: string; wait?: number }): Promise<models.CallbackList>;
}

/** Operations without authentication. */
export declare class BankOperations extends Client {
  /** Get the bank's time: `GET /sandbox/clock`. */
  getClock(): Promise<models.Clock>;

  /** Advance the bank's clock: `POST /sandbox/clock`. */
  advanceClock(body: models.ClockAdvance): Promise<models.Clock>;

  /** List the newest hundred messages to customers: `GET /sandbox/messages`. */
  listMessages(): Promise<models.Messages>;

  /** List the inputs that force an outcome: `GET /sandbox/outcomes`. */
  listOutcomes(): Promise<models.Outcomes>;

  /** List the customers with passwords, accounts and cards: `GET /sandbox/customers`. */
  listCustomers(): Promise<models.SandboxCustomers>;

  /** Create a customer: `POST /sandbox/customers`. */
  createCustomer(body: models.SandboxCustomerRequest): Promise<models.SandboxCustomer>;

  /** Create an account with an opening balance: `POST /sandbox/accounts`. */
  createAccount(body: models.SandboxAccountRequest): Promise<models.SandboxAccount>;

  /** Create a card: `POST /sandbox/cards`. */
  createCard(body: models.SandboxCardRequest): Promise<models.SandboxCard>;

  /** Book a transaction on an account or a card: `POST /sandbox/transactions`. */
  createTransaction(body: models.SandboxTransactionRequest): Promise<models.SandboxTransaction>;

  /** List the transactions of an account: `GET /sandbox/transactions`. */
  listSandboxTransactions(options: { account: string; currency?: string; after?: string }): Promise<models.SandboxTransactions>;

  /** Export the bank as one document: `GET /sandbox/bank`. */
  exportBank(): Promise<models.SandboxBank>;

  /** Replace the bank by an exported document; keys stay valid: `POST /sandbox/bank`. */
  importBank(body: models.SandboxBankRequest): Promise<models.SandboxBankCount>;

  /** Replace the bank by the demo bank; keys stay valid: `POST /sandbox/reset`. */
  resetBank(): Promise<models.SandboxBankCount>;

  /** Check whether the process is alive: `GET /livez`. */
  livez(): Promise<models.Health>;

  /** Check whether the process is ready: `GET /readyz`. */
  readyz(): Promise<models.Health>;

  /** Get metrics in the format of Prometheus: `GET /metrics`. */
  metrics(): Promise<string>;

  /** Get this document: `GET /openapi.json`. */
  openapi(): Promise<Record<string, unknown>>;

  /** Get the index of this documentation, or search it: `GET /docs`. */
  docs(options?: { q?: string }): Promise<string>;

  /** Get a page of this documentation: `GET /docs/{page}`. */
  docsPage(page: string): Promise<string>;
}
