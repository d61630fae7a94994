// Generated from docs/openapi.json by `cargo xtask gen`; do not edit.

/** The address of a card acceptor. */
export interface AcceptorAddress {
  /** The street. */
  street?: string;
  /** The building number. */
  buildingNumber?: string;
  /** The city. */
  city?: string;
  /** The postal code. */
  postalCode?: string;
  /** Two letters of ISO 3166-1. */
  country: string;
}

/** A payment account. */
export interface Account {
  /** The id in paths; it never changes. */
  resourceId: string;
  /** The IBAN. */
  iban: string;
  /** The currency, ISO 4217. */
  currency: string;
  /** The owner's name for the account. */
  name: string;
  /** The names of the owners, if the consent grants them. */
  ownerName?: string;
  /** The name of the product. */
  product: string;
  /** ISO 20022: CACC current, SVGS savings. */
  cashAccountType: "CACC" | "SVGS";
  /** 0 enabled, 1 deleted, 2 blocked */
  status: 0 | 1 | 2;
  /** The bank's BIC. */
  bic: string;
  /** 0 PRIV, 1 ORGA */
  usage: 0 | 1;
  /** The balances, if requested and covered by the consent. */
  balances?: Array<Balance>;
  /** Links to what the consent covers. */
  _links: Links;
}

/** The accounts and cards and what may be read of them. The lists are empty where a flag covers all accounts. */
export interface AccountAccess {
  /** Accounts whose details may be read. */
  accounts: Array<AccountReference>;
  /** Accounts whose balances may be read. */
  balances: Array<AccountReference>;
  /** Accounts whose transactions may be read. */
  transactions: Array<AccountReference>;
  /** All accounts may be listed, without balances. */
  availableAccounts?: "allAccounts";
  /** All accounts may be listed with their balances. */
  availableAccountsWithBalance?: "allAccounts";
  /** Details, balances and transactions of all accounts and cards. */
  allPsd2?: "allAccounts";
}

/** The accounts and cards and what may be read of them: three lists, or one of the flags. */
export interface AccountAccessRequest {
  /** Accounts whose details may be read. */
  accounts?: Array<AccountReferenceRequest>;
  /** Accounts whose balances may be read. */
  balances?: Array<AccountReferenceRequest>;
  /** Accounts whose transactions may be read. */
  transactions?: Array<AccountReferenceRequest>;
  /** All accounts may be listed, without balances. */
  availableAccounts?: "allAccounts";
  /** All accounts may be listed with their balances. */
  availableAccountsWithBalance?: "allAccounts";
  /** Details, balances and transactions of all accounts and cards. */
  allPsd2?: "allAccounts";
}

/** The balances of an account. */
export interface AccountBalances {
  /** The account. */
  account: AccountReference;
  /** The balances. */
  balances: Array<Balance>;
  /** The possible next steps. */
  _links: Links;
  /** Always empty. */
  authenticationSchemes: unknown[];
  /** Always empty. */
  properties: Record<string, unknown>;
  /** 0 success, 1 refusal */
  statusCode: 0 | 1;
  /** Messages about the request. */
  tppMessages: Array<TppMessage>;
}

/** A payment account. */
export interface AccountDetails {
  /** The id in paths; it never changes. */
  resourceId: string;
  /** The IBAN. */
  iban: string;
  /** The currency, ISO 4217. */
  currency: string;
  /** The owner's name for the account. */
  name: string;
  /** The names of the owners, if the consent grants them. */
  ownerName?: string;
  /** The name of the product. */
  product: string;
  /** ISO 20022: CACC current, SVGS savings. */
  cashAccountType: "CACC" | "SVGS";
  /** 0 enabled, 1 deleted, 2 blocked */
  status: 0 | 1 | 2;
  /** The bank's BIC. */
  bic: string;
  /** 0 PRIV, 1 ORGA */
  usage: 0 | 1;
  /** The balances, if requested and covered by the consent. */
  balances?: Array<Balance>;
  /** Links to what the consent covers. */
  _links: Links;
  /** Always empty. */
  authenticationSchemes: unknown[];
  /** Always empty. */
  properties: Record<string, unknown>;
  /** 0 success, 1 refusal */
  statusCode: 0 | 1;
  /** Messages about the request. */
  tppMessages: Array<TppMessage>;
}

/** An account or card, by one identifier. Card numbers are masked. */
export interface AccountReference {
  /** The account's IBAN. */
  iban?: string;
  /** The account's number within its country. */
  bban?: string;
  /** The masked card number. */
  maskedPan?: string;
  /** The phone number of the account. */
  msisdn?: string;
  /** The account's currency, ISO 4217. */
  currency?: string;
}

/** An account or card, by exactly one identifier, and by its currency where an account has several. */
export interface AccountReferenceRequest {
  /** The account's IBAN. */
  iban?: string;
  /** The account's number within its country. */
  bban?: string;
  /** The card's number. */
  pan?: string;
  /** The masked card number. */
  maskedPan?: string;
  /** The phone number of the account. */
  msisdn?: string;
  /** The account's currency, ISO 4217. */
  currency?: string;
}

/** A page of an account's statement. */
export interface AccountTransactions {
  /** The account. */
  account: AccountReference;
  /** The transactions. */
  transactions: {
    /** Booked transactions, newest first, if requested. */
    booked?: Array<Transaction>;
    /** Pending transactions, newest first, if requested. */
    pending?: Array<Transaction>;
    /** `next` is the link to the next page. */
    _links: Links;
  };
  /** The balances, if requested and covered by the consent. */
  balances?: Array<Balance>;
  /** The possible next steps. */
  _links: Links;
  /** Always empty. */
  authenticationSchemes: unknown[];
  /** Always empty. */
  properties: Record<string, unknown>;
  /** 0 success, 1 refusal */
  statusCode: 0 | 1;
  /** Messages about the request. */
  tppMessages: Array<TppMessage>;
}

/** The accounts of a consent. */
export interface Accounts {
  /** The accounts, in the order they were opened. */
  accounts: Array<Account>;
  /** The possible next steps. */
  _links: Links;
  /** Always empty. */
  authenticationSchemes: unknown[];
  /** Always empty. */
  properties: Record<string, unknown>;
  /** 0 success, 1 refusal */
  statusCode: 0 | 1;
  /** Messages about the request. */
  tppMessages: Array<TppMessage>;
}

/** An amount. Note the capital A. */
export interface Amount {
  /** ISO 4217. */
  currency: string;
  /** A decimal with a point and all its digits; negative for debits. */
  Amount: string;
}

/** A registered application with its URLs. */
export interface Application {
  /** The application's id. */
  applicationId: string;
  /** When it was registered. */
  created: string;
  /** The redirect URIs of a third party. */
  redirectURIs?: Array<string>;
  /** The callback URL for approvals. */
  successCallbackUrl?: string;
  /** The callback URL for all other outcomes. */
  failCallbackUrl?: string;
  /** The redirect URL after an approval. */
  successRedirectURI?: string;
  /** The redirect URL otherwise. */
  failureRedirectURI?: string;
}

/** A merchant sets its four URLs, a third party its redirect URIs. */
export type ApplicationChange = MerchantApplicationChange | ThirdPartyApplicationChange;

/** An authorisation of a consent. Its status is a name here and a number elsewhere. */
export interface Authorisation {
  /** The status of the authorisation. */
  scaStatus: "received" | "psuIdentified" | "psuAuthenticated" | "scaMethodSelected" | "started" | "finalised" | "failed" | "exempted";
  /** The authorisation's id. */
  authorisationId: string;
  /** The customer's SCA methods. */
  scaMethods: Array<ScaMethod>;
  /** The selected SCA method. */
  chosenScaMethod?: ScaMethod;
  /** The challenge of that method. */
  challengeData?: ChallengeData;
  /** A message for the customer. */
  psuMessage?: string;
  /** The possible next steps. */
  _links: Links;
  /** Always empty. */
  authenticationSchemes: unknown[];
  /** Always empty. */
  properties: Record<string, unknown>;
  /** 0 success, 1 refusal */
  statusCode: 0 | 1;
  /** Messages about the request. */
  tppMessages: Array<TppMessage>;
}

/** The authorisations of an object. */
export interface AuthorisationIds {
  /** The ids of the authorisations, oldest first. */
  authorisationIds: Array<string>;
  /** The possible next steps. */
  _links: Links;
  /** Always empty. */
  authenticationSchemes: unknown[];
  /** Always empty. */
  properties: Record<string, unknown>;
  /** 0 success, 1 refusal */
  statusCode: 0 | 1;
  /** Messages about the request. */
  tppMessages: Array<TppMessage>;
}

/** The status of an authorisation. */
export interface AuthorisationStatusResponse {
  /** The status. */
  scaStatus: ScaStatus;
  /** The possible next steps. */
  _links: Links;
  /** Always empty. */
  authenticationSchemes: unknown[];
  /** Always empty. */
  properties: Record<string, unknown>;
  /** 0 success, 1 refusal */
  statusCode: 0 | 1;
  /** Messages about the request. */
  tppMessages: Array<TppMessage>;
}

/** A step of the customer on the third party's screen: exactly one of these. */
export interface AuthorisationStep {
  /** The customer's password. */
  psuData?: {
    /** The customer's password. */
    password: string;
  };
  /** The selected SCA method; the current one again sends a new OTP. */
  authenticationMethodId?: string;
  /** The customer's OTP. */
  scaAuthenticationData?: string;
}

/** A balance. The meaning of its type depends on the response. */
export interface Balance {
  /** The amount. */
  balanceAmount: Amount;
  /** In lists, beside transactions and with cards: 0 closingBooked, 2 authorised, 4 interimAvailable, 5 interimBooked, 7 nonInvoiced. In the details of an account: 0 available, 1 current, 2 credit limit. In the balances of an account: 1 current, 2 credit limit, 3 credit available, 4 savings balance, 5 savings available. */
  balanceType: number;
  /** Whether the credit limit is included. */
  creditLimitIncluded: boolean;
  /** The date of the balance, unless it is current. */
  referenceDate?: string;
  /** The id of the last booked transaction. */
  lastCommittedTransaction?: string;
}

/** A basket. */
export interface Basket {
  /** The basket's number. */
  id: number;
  /** The public id of the basket. */
  publicBasketId: string;
  /** When the basket was created. */
  dateCreated: string;
  /** The total amount. */
  basketValue: number;
  /** The merchant's number. */
  merchantId: number;
  /** The merchant's name. */
  merchantName: string;
  /** Your idempotency key. */
  requestId: string;
  /** Your identifier of the order. */
  orderIdentifier: string;
  /** The financed amount, less refunds. */
  bnplAmount: number;
  /** The lines. */
  basketProducts: Array<BasketProduct>;
  /** The merchant's code. */
  merchantCode: string;
  /** The application that created it. */
  merchantApplication: MerchantApplication;
  /** When the basket expires. */
  expirationDate: string;
  /** A QR code with the checkout's URL, as a PNG in base64. */
  qrCodeData: string;
  /** The URL of the same image. */
  qrCodeDataLink: string;
  /** Your own data, returned unchanged. */
  "Merchant Data"?: string;
  /** The shopper's phone number in E.164. */
  phoneNumber?: string;
  /** The shopper's e-mail address. */
  email?: string;
}

/** A new basket with the links to its checkout. */
export interface BasketCreated {
  /** The idempotency key that was sent. */
  requestId: string;
  /** The basket's number, for POST /bnplsandbox/createbnpl only. All other operations take publicBasketId. */
  basketId: number;
  /** The public id of the basket: the basketId of all other operations. */
  publicBasketId: string;
  /** A QR code with redirectUrl, as a PNG in base64. */
  qrCodeData: string;
  /** The checkout, to which the shopper is redirected. */
  redirectUrl: string;
  /** A description of the result. */
  message: string;
  /** Always empty. */
  errors: unknown[];
}

/** A basket that ended without a loan. */
export interface BasketEnded {
  /** Your idempotency key. */
  requestId: string;
  /** The basket's publicBasketId. */
  basketId: string;
  /** Your identifier of the order. */
  orderIdentifier: string;
  /** The outcome. */
  status: "declined";
  /** A description of the result. */
  message: string;
  /** Always empty. */
  errors: unknown[];
}

/** A basket with its installments. */
export interface BasketFound {
  /** The basket. */
  basket: Basket;
  /** The installments: of the contract less refunds, or of your default plan from today while there is no contract. */
  monthlyInstallments: Array<MonthlyInstallment>;
  /** A description of the result. */
  message: string;
  /** Always empty. */
  errors: unknown[];
}

/** A basket request. Numbers are read exactly as written. */
export interface BasketOrder {
  /** Your idempotency key. A repeated request gets the first response. */
  requestId?: string;
  /** The total amount, which is the sum of the lines if there are any. Within the merchant's limits. */
  basketValue: number;
  /** Your identifier of the order. */
  orderIdentifier: string;
  /** The lines. */
  basketProducts?: Array<BasketProductRequest>;
  /** Your own data, stored and returned unchanged. At most 4096 bytes. */
  "Merchant Data"?: string;
  /** The shopper's phone number in E.164: +306900000001. */
  phoneNumber?: string;
  /** The shopper's e-mail address. */
  email?: string;
  /** The endpoint of the callback after an approval, instead of the application's. On one of the application's hosts. */
  successCallbackUrl?: string;
  /** The endpoint of the callback otherwise. */
  failCallbackUrl?: string;
  /** Where the shopper returns to after an approval, instead of the application's address. On one of the application's hosts. */
  successRedirectURI?: string;
  /** Where the shopper returns to otherwise. */
  failureRedirectURI?: string;
}

/** A line of a basket. Prices include tax. */
export interface BasketProduct {
  /** The merchant's number of the product. */
  "Product Number"?: string;
  /** The name of the product. */
  name: string;
  /** The quantity. */
  quantity: number;
  /** The unit of the quantity. */
  "Quantity Units"?: string;
  /** The price of one unit, including tax. */
  "Unit Price": number;
  /** The tax rate in percent. */
  "Tax Rate"?: number;
  /** quantity × Unit Price less Total Discount Amount. */
  "Total Amount": number;
  /** The discount of the line. */
  "Total Discount Amount"?: number;
  /** The tax in Total Amount. */
  "Total Tax Amount"?: number;
  /** The URL of the product page. */
  "Product URL"?: string;
  /** The URL of an image. */
  "Product Image URL"?: string;
}

/** A line of a basket. Prices include tax. */
export interface BasketProductRequest {
  /** The merchant's number of the product. */
  "Product Number"?: string;
  /** The name of the product. */
  name: string;
  /** The quantity, greater than zero. */
  quantity: number;
  /** The unit of the quantity. */
  "Quantity Units"?: string;
  /** The price of one unit, including tax. */
  "Unit Price": number;
  /** The tax rate in percent. */
  "Tax Rate"?: number;
  /** quantity × Unit Price less Total Discount Amount, to less than a cent. */
  "Total Amount": number;
  /** The discount of the line. */
  "Total Discount Amount"?: number;
  /** The tax in Total Amount, to the cent. */
  "Total Tax Amount"?: number;
  /** The URL of the product page. */
  "Product URL"?: string;
  /** The URL of an image. */
  "Product Image URL"?: string;
}

/** A voided basket: its loan was refunded, or it ended without one. */
export type BasketVoided = LoanRefunded | BasketEnded;

/** The outcome of a basket. The fields are the same for all outcomes. */
export interface Callback {
  /** The kind of event. */
  type: "basket.approved" | "basket.declined" | "basket.expired";
  /** The time of the event. */
  timestamp: string;
  /** The basket. */
  data: {
    /** The basket. */
    publicBasketId: string;
    /** Your identifier of the order. */
    orderIdentifier: string;
    /** The idempotency key of the basket, as sent. */
    requestId: string;
    /** The id of the loan, if there is one. */
    bnplRequestId: string | null;
    /** The outcome. */
    status: "approved" | "declined" | "expired";
    /** The approved amount. */
    approvedLoanAmount: number | null;
    /** Why no loan was granted: the credit rule, CUSTOMER_LEFT, EXPIRED, VOIDED or SANDBOX. */
    reason: string | null;
    /** Increases with the events of a basket, to order callbacks. */
    sequence: number;
  };
}

/** Callbacks of an application, in their order. */
export interface CallbackList {
  /** The value of `after` in the next request. */
  cursor: string;
  /** At most 100. */
  callbacks: Array<ListedCallback>;
}

/** An authorisation of a payment's cancellation. Its status is a name here and a number elsewhere. */
export interface CancellationAuthorisation {
  /** The status of the authorisation. */
  scaStatus: "received" | "psuIdentified" | "psuAuthenticated" | "scaMethodSelected" | "started" | "finalised" | "failed" | "exempted";
  /** The authorisation's id. */
  authorisationId: string;
  /** The customer's SCA methods. */
  scaMethods: Array<CancellationScaMethod>;
  /** The selected SCA method. */
  chosenScaMethod?: CancellationScaMethod;
  /** The challenge of that method. */
  challengeData?: ChallengeData;
  /** A message for the customer. */
  psuMessage?: string;
  /** The possible next steps. */
  _links: Links;
  /** Always empty. */
  authenticationSchemes: unknown[];
  /** Always empty. */
  properties: Record<string, unknown>;
  /** 0 success, 1 refusal */
  statusCode: 0 | 1;
  /** Messages about the request. */
  tppMessages: Array<TppMessage>;
}

/** An SCA method of the customer. Cancellations have their own numbers (§2.1). */
export interface CancellationScaMethod {
  /** 0 SMS_OTP, 1 SMS_OTP_AND_PIN, 2 SMS_OTP_AND_PASSWORD, 3 SMS_OTP_AND_BIOMETRIC */
  authenticationType: 0 | 1 | 2 | 3;
  /** The id to send in order to select this method. */
  authenticationMethodId: string;
  /** The customer's name for it. */
  name: string;
}

/** A payment card. */
export interface Card {
  /** The id in paths; it never changes. */
  resourceId: string;
  /** The masked card number. */
  maskedPan: string;
  /** The currency, ISO 4217. */
  currency: string;
  /** The holder's name for the card. */
  name: string;
  /** The name of the product. */
  product: string;
  /** 0 enabled, 1 deleted, 2 blocked */
  status: 0 | 1 | 2;
  /** 0 PRIV, 1 ORGA */
  usage: 0 | 1;
  /** The balances, if requested and covered by the consent. */
  balances?: Array<Balance>;
  /** Links to what the consent covers. */
  _links: Links;
}

/** The balances of a card. */
export interface CardBalances {
  /** The card. */
  cardAccount: AccountReference;
  /** The balances. */
  balances: Array<Balance>;
  /** The possible next steps. */
  _links: Links;
  /** Always empty. */
  authenticationSchemes: unknown[];
  /** Always empty. */
  properties: Record<string, unknown>;
  /** 0 success, 1 refusal */
  statusCode: 0 | 1;
  /** Messages about the request. */
  tppMessages: Array<TppMessage>;
}

/** A payment card. */
export interface CardDetails {
  /** The id in paths; it never changes. */
  resourceId: string;
  /** The masked card number. */
  maskedPan: string;
  /** The currency, ISO 4217. */
  currency: string;
  /** The holder's name for the card. */
  name: string;
  /** The name of the product. */
  product: string;
  /** 0 enabled, 1 deleted, 2 blocked */
  status: 0 | 1 | 2;
  /** 0 PRIV, 1 ORGA */
  usage: 0 | 1;
  /** The balances, if requested and covered by the consent. */
  balances?: Array<Balance>;
  /** Links to what the consent covers. */
  _links: Links;
  /** Always empty. */
  authenticationSchemes: unknown[];
  /** Always empty. */
  properties: Record<string, unknown>;
  /** 0 success, 1 refusal */
  statusCode: 0 | 1;
  /** Messages about the request. */
  tppMessages: Array<TppMessage>;
}

/** A transaction of a card. */
export interface CardTransaction {
  /** The id. */
  cardTransactionId: string;
  /** The id of the terminal. */
  terminalId?: string;
  /** The date of the purchase. */
  transactionDate: string;
  /** The booking date; absent while the transaction is pending. */
  bookingDate?: string;
  /** The amount; negative for purchases. */
  transactionAmount: Amount;
  /** The currency exchanges of the transaction. */
  currencyExchange?: Array<CurrencyExchange>;
  /** The amount in the currency of the card acceptor. */
  originalAmount?: Amount;
  /** The bank's fee for the exchange. */
  markupFee?: Amount;
  /** The fee in percent. */
  markupFeePercentage?: string;
  /** The id of the card acceptor. */
  cardAcceptorId?: string;
  /** The address of the card acceptor. */
  cardAcceptorAddress?: AcceptorAddress;
  /** The merchant category, ISO 18245. */
  merchantCategoryCode?: string;
  /** The masked card number. */
  maskedPAN: string;
  /** The text of the transaction. */
  transactionDetails?: string;
  /** Whether the transaction was invoiced. */
  invoiced: boolean;
  /** The bank's own code of the transaction. */
  proprietaryBankTransactionCode?: string;
  /** Empty, on pending transactions. */
  _links?: Links;
}

/** A page of a card's statement. */
export interface CardTransactions {
  /** The card. */
  cardAccount: AccountReference;
  /** The transactions. */
  cardTransactions: {
    /** Booked transactions, newest first, if requested. */
    booked?: Array<CardTransaction>;
    /** Pending transactions, newest first, if requested. */
    pending?: Array<CardTransaction>;
    /** `next` is the link to the next page. */
    _links: Links;
  };
  /** The balances, if requested and covered by the consent. */
  balances?: Array<Balance>;
  /** The possible next steps. */
  _links: Links;
  /** Always empty. */
  authenticationSchemes: unknown[];
  /** Always empty. */
  properties: Record<string, unknown>;
  /** 0 success, 1 refusal */
  statusCode: 0 | 1;
  /** Messages about the request. */
  tppMessages: Array<TppMessage>;
}

/** The cards of a consent. */
export interface Cards {
  /** The cards, in the order they were issued. */
  cards: Array<Card>;
  /** The possible next steps. */
  _links: Links;
  /** Always empty. */
  authenticationSchemes: unknown[];
  /** Always empty. */
  properties: Record<string, unknown>;
  /** 0 success, 1 refusal */
  statusCode: 0 | 1;
  /** Messages about the request. */
  tppMessages: Array<TppMessage>;
}

/** The challenge for the customer. */
export interface ChallengeData {
  /** An image, as a PNG in base64. */
  image?: string;
  /** Digits to type into the device, or to compare with those in the app. */
  data?: Array<string>;
  /** The length of the OTP. */
  otpMaxLength?: number;
  /** 0 CHARACTERS, 1 INTEGER */
  otpFormat?: 0 | 1;
  /** Instructions for the customer. */
  additionalInformation: string;
}

/** The bank's clock. */
export interface Clock {
  /** The bank's time. */
  now: string;
}

/** A step of the bank's clock, forward only. */
export interface ClockAdvance {
  /** An ISO 8601 duration such as P1D or PT20M; a month counts as 30 days, a year as 365. */
  advance: string;
}

/** A merchant's limits and installment plans. */
export interface Configuration {
  /** The limits of baskets. */
  limits: {
    /** The smallest allowed basketValue. */
    minimum: number;
    /** The largest allowed basketValue. */
    maximum: number;
    /** The merchant's currency, ISO 4217. */
    currency: string;
  };
  /** The plans that a shopper may select. */
  plans: Array<{
    /** The number of monthly payments. */
    installments: number;
    /** The yearly interest rate in percent. */
    yearlyRate: number;
    /** Whether baskets show this plan before the shopper selects one. */
    default: boolean;
  }>;
  /** What a purchase of `amount` costs; only with that parameter. */
  quote?: {
    /** The amount that was asked for. */
    amount: number;
    /** The cost with each plan. */
    plans: Array<{
      /** The number of monthly payments. */
      installments: number;
      /** The payments in their order; the last one contains what rounding leaves. */
      payments: Array<number>;
      /** The sum of all interest. */
      interest: number;
      /** The sum of all payments. */
      total: number;
      /** The annual percentage rate of charge (APR), in percent with one decimal. */
      apr: number;
    }>;
  };
}

/** A consent with its granted terms, which may be narrower than the requested ones. */
export interface Consent {
  /** The accounts and cards and what may be read of them. */
  access: AccountAccess;
  /** Whether the consent may be used repeatedly; otherwise each read is possible once. */
  recurringIndicator: boolean;
  /** The last day in the bank's time zone, or the end as a date-time. */
  validUntil: string;
  /** The number of reads in 24 hours without the customer present. */
  frequencyPerDay: number;
  /** When the consent last changed. */
  lastActionDate: string;
  /** The status of the consent. */
  consentStatus: ConsentStatus;
  /** The possible next steps. */
  _links: Links;
  /** Always empty. */
  authenticationSchemes: unknown[];
  /** Always empty. */
  properties: Record<string, unknown>;
  /** 0 success, 1 refusal */
  statusCode: 0 | 1;
  /** Messages about the request. */
  tppMessages: Array<TppMessage>;
}

/** A new consent. Its status is a name here and a number elsewhere. */
export interface ConsentCreated {
  /** The status of the consent. */
  consentStatus: "received" | "rejected" | "valid" | "revokedByPsu" | "expired" | "terminatedByTpp";
  /** The consent's id. */
  consentId: string;
  /** The customer's SCA methods. */
  scaMethods: Array<ScaMethod>;
  /** A message for the customer. */
  message: string;
  /** The possible next steps. */
  _links: Links;
  /** Always empty. */
  authenticationSchemes: unknown[];
  /** Always empty. */
  properties: Record<string, unknown>;
  /** 0 success, 1 refusal */
  statusCode: 0 | 1;
  /** Messages about the request. */
  tppMessages: Array<TppMessage>;
}

/** A request for access to a customer's accounts. */
export interface ConsentRequest {
  /** The accounts and cards and what may be read of them. */
  access: AccountAccessRequest;
  /** Whether the consent may be used repeatedly; otherwise each read is possible once. */
  recurringIndicator: boolean;
  /** The last day (2027-03-31, in the bank's time zone) or the end as a date-time. At most 180 days are granted. */
  validUntil: string;
  /** The number of reads in 24 hours without the customer present. At most 4 are granted, and 1 for a consent that is not recurring. */
  frequencyPerDay: number;
  /** Whether a payment follows in the same session. Stored without effect. */
  combinedServiceIndicator?: boolean;
}

/** 0 received, 1 rejected, 2 valid, 3 revokedByPsu, 4 expired, 5 terminatedByTpp */
export type ConsentStatus = 0 | 1 | 2 | 3 | 4 | 5;

/** The status of a consent. */
export interface ConsentStatusResponse {
  /** The status of the consent. */
  consentStatus: ConsentStatus;
  /** The possible next steps. */
  _links: Links;
  /** Always empty. */
  authenticationSchemes: unknown[];
  /** Always empty. */
  properties: Record<string, unknown>;
  /** 0 success, 1 refusal */
  statusCode: 0 | 1;
  /** Messages about the request. */
  tppMessages: Array<TppMessage>;
}

/** The address of the payee. */
export interface CreditorAddress {
  /** The building number. */
  buildingNumber?: string;
  /** The city. */
  city?: string;
  /** The country. */
  country?: string;
  /** The postal code. */
  postalCode?: string;
  /** The street. */
  street?: string;
}

/** The address of the payee. */
export interface CreditorAddressRequest {
  /** The building number. */
  buildingNumber?: string;
  /** The city. */
  city?: string;
  /** The country. */
  country?: string;
  /** The postal code. */
  postalCode?: string;
  /** The street. */
  street?: string;
  /** The city, in the spelling of the Berlin Group. */
  townName?: string;
  /** The postal code, in the spelling of the Berlin Group. */
  postCode?: string;
  /** The street, in the spelling of the Berlin Group. */
  streetName?: string;
}

/** A currency exchange of an amount. */
export interface CurrencyExchange {
  /** Source currency. */
  sourceCurrency: string;
  /** Exchange rate. */
  exchangeRate: string;
  /** The currency in which the rate is expressed. */
  unitCurrency: string;
  /** Target currency. */
  targetCurrency: string;
  /** The date of the rate. */
  quotationDate: string;
  /** The id of the exchange contract. */
  contractIdentification?: string;
}

/** One payment inside a batch booking. */
export interface EntryDetail {
  /** The payer's reference. */
  endToEndId?: string;
  /** The mandate of a direct debit. */
  mandateId?: string;
  /** The number of a cheque. */
  checkId?: string;
  /** The creditor's id in a direct debit. */
  creditorId?: string;
  /** The amount; negative for debits. */
  transactionAmount: Amount;
  /** The currency exchanges of the transaction. */
  currencyExchange?: Array<CurrencyExchange>;
  /** The name of the payee. */
  creditorName?: string;
  /** The account of the payee. */
  creditorAccount?: AccountReference;
  /** The ultimate payee. */
  ultimateCreditor?: string;
  /** The name of the payer. */
  debtorName?: string;
  /** The account of the payer. */
  debtorAccount?: AccountReference;
  /** The ultimate payer. */
  ultimateDebtor?: string;
  /** Unstructured remittance information. */
  remittanceInformationUnstructured?: string;
  /** Structured remittance information. */
  remittanceInformationStructured?: string;
  /** The purpose: the index of the ISO 20022 code in the list. */
  purposeCode?: number;
}

/** The account of a funds consent, by exactly one identifier and its currency. */
export interface FundsAccountReferenceRequest {
  /** The account's currency, ISO 4217. */
  currency: string;
  /** The account's IBAN. */
  iban?: string;
  /** The account's number within its country. */
  bban?: string;
  /** The card's number. */
  pan?: string;
  /** The masked card number. */
  maskedPan?: string;
  /** The phone number of the account. */
  msisdn?: string;
}

/** The result of a funds confirmation. */
export interface FundsConfirmation {
  /** Whether the amount is available now; reserved amounts are not. */
  fundsAvailable: boolean;
  /** Always empty. */
  tppMessages: unknown[];
  /** Always empty. */
  _links: Record<string, unknown>;
  /** 0 success, 1 refusal */
  statusCode: 0 | 1;
}

/** A request to confirm funds on the account of a funds consent. */
export interface FundsConfirmationRequest {
  /** The account of the consent, with its currency. */
  account: FundsAccountReferenceRequest;
  /** The number of the card in use. */
  cardNumber?: string;
  /** The amount to confirm. */
  instructedAmount: PositiveAmount;
  /** The payee. */
  payee?: string;
}

/** A funds consent. */
export interface FundsConsent {
  /** The account. */
  account: AccountReference;
  /** The masked number of the card. */
  cardNumber?: string;
  /** The last day of the card, or its end as a date-time. */
  cardExpiryDate?: string;
  /** A name for the card. */
  cardInformation?: string;
  /** Information about the registration. */
  registrationInformation?: string;
  /** When the consent last changed. */
  lastActionDate: string;
  /** The status of the consent. */
  consentStatus: ConsentStatus;
  /** The possible next steps. */
  _links: Links;
  /** Always empty. */
  authenticationSchemes: unknown[];
  /** Always empty. */
  properties: Record<string, unknown>;
  /** 0 success, 1 refusal */
  statusCode: 0 | 1;
  /** Messages about the request. */
  tppMessages: Array<TppMessage>;
}

/** A request of a card issuer for consent to confirm funds on an account. */
export interface FundsConsentRequest {
  /** The account. */
  account: AccountReferenceRequest;
  /** The number of the card, which must belong to the account. */
  cardNumber?: string;
  /** The last day of the card, or its end as a date-time. */
  cardExpiryDate?: string;
  /** A name for the card. */
  cardInformation?: string;
  /** Information about the registration. */
  registrationInformation?: string;
}

/** The status of a funds consent and of its newest authorisation (endpoint 4). */
export interface FundsConsentStatusResponse {
  /** The status of the newest authorisation; 0 without one. */
  scaStatus: ScaStatus;
  /** The status of the consent. */
  consentStatus: ConsentStatus;
  /** The possible next steps. */
  _links: Links;
  /** Always empty. */
  authenticationSchemes: unknown[];
  /** Always empty. */
  properties: Record<string, unknown>;
  /** 0 success, 1 refusal */
  statusCode: 0 | 1;
  /** Messages about the request. */
  tppMessages: Array<TppMessage>;
}

/** The state of the process. */
export interface Health {
  /** The state in a few words. */
  status: string;
}

/** The possible next steps, by name. */
export type Links = Record<string, {
  /** The URL; relative to this server unless it is a page. */
  href: string;
}>;

/** A callback with everything that is sent to the merchant. */
export interface ListedCallback {
  /** The `webhook-id`, by which duplicates are recognised. */
  id: string;
  /** The kind of event. */
  type: "basket.approved" | "basket.declined" | "basket.expired";
  /** The time of the event. */
  createdAt: string;
  /** The headers with the signature as of now. Without a webhook secret there are none. */
  headers: Record<string, string>;
  /** The body, byte for byte: the signature covers it. */
  body: string;
}

/** A loan as its merchant sees it, without its repayments. */
export interface Loan {
  /** The loan's id. */
  bnplRequestId: string;
  /** The status. */
  status: "pending" | "approved" | "rejected";
  /** Your identifier of the order. */
  orderIdentifier: string;
  /** The basket's publicBasketId. */
  basketId: string;
  /** The approved amount. */
  approvedLoanAmount?: number;
  /** The refunded amount. */
  refundedAmount?: number;
}

/** A loan. */
export interface LoanFound {
  /** True. */
  success: boolean;
  /** The result. */
  data: {
    /** The loan. */
    payLaterInformation: Loan;
  };
  /** A description of the status. */
  message: string;
  /** Always empty. */
  errors: unknown[];
  /** Always empty. */
  metadata: Record<string, unknown>;
}

/** A refund: the amount of this request, the total so far, and the remaining amount. */
export interface LoanRefunded {
  /** Your idempotency key. */
  requestId: string;
  /** The refund's id. */
  refundId: string;
  /** The basket's publicBasketId. */
  basketId: string;
  /** Your identifier of the order. */
  orderIdentifier: string;
  /** The loan's id. */
  bnplRequestId: string;
  /** The amount of this refund. */
  amount: number;
  /** The total of all refunds of the loan. */
  refundedAmount: number;
  /** The amount that can still be refunded. */
  refundableAmount: number;
  /** A description of the result. */
  message: string;
  /** Always empty. */
  errors: unknown[];
  /** The outcome, where the basket was voided. */
  status?: "refunded";
}

/** The result of a simulated purchase. */
export interface LoanSimulated {
  /** A description of the result. */
  message: string;
}

/** The application that created the basket. */
export interface MerchantApplication {
  /** Its X-Application-ID. */
  applicationId: string;
  /** When it was registered. */
  created: string;
  /** The callback URL for approvals. */
  successCallbackUrl?: string;
  /** The callback URL for all other outcomes. */
  failCallbackUrl?: string;
  /** The redirect URL after an approval. */
  successRedirectURI?: string;
  /** The redirect URL otherwise. */
  failureRedirectURI?: string;
}

/** The URLs that a merchant's application changes; absent ones stay as they are. */
export interface MerchantApplicationChange {
  /** The callback URL for approved baskets. */
  successCallbackUrl?: string;
  /** The callback URL for declined and expired baskets. */
  failCallbackUrl?: string;
  /** The redirect URL after a purchase. */
  successRedirectURI?: string;
  /** The redirect URL otherwise. */
  failureRedirectURI?: string;
}

/** A message to a customer. */
export interface Message {
  /** The phone number, or the customer's user name. */
  to: string;
  /** The channel. */
  channel: "SMS" | "PUSH";
  /** The text. */
  text: string;
  /** The OTP in the text. */
  code?: string;
  /** When it was sent. */
  sentAt: string;
}

/** Messages sent to the SMS gateway and the push service. */
export interface Messages {
  /** Newest first. */
  messages: Array<Message>;
}

/** One installment of a plan. */
export interface MonthlyInstallment {
  /** The day of collection: the due date, or the next TARGET day. */
  paymentDay: string;
  /** The amount, including interest. */
  paymentAmount: number;
  /** The due date. */
  originalDueDate: string;
}

/** An error. All field errors are reported at once, one message each. */
export interface OpenBankingError {
  /** The errors and their fields. */
  tppMessages: Array<TppMessage>;
  /** 0 success, 1 refusal */
  statusCode: 0 | 1;
  /** Always empty. */
  _links: Record<string, unknown>;
}

/** An input with a fixed outcome. */
export interface Outcome {
  /** The field. */
  input: string;
  /** Its value. */
  value: string;
  /** What happens then. */
  outcome: string;
}

/** Inputs with a fixed outcome. */
export interface Outcomes {
  /** The table. */
  outcomes: Array<Outcome>;
}

/** A payment as it was ordered, and its status. */
export interface Payment {
  /** The payer's account. */
  debtorAccount: AccountReference;
  /** The amount. */
  instructedAmount: Amount;
  /** The payee's account, by its IBAN. */
  creditorAccount: AccountReference;
  /** The payee's name. */
  creditorName: string;
  /** The status of the payment. */
  transactionStatus: "ACCC" | "ACCP" | "ACSC" | "ACSP" | "ACTC" | "ACWC" | "ACWP" | "RCVD" | "PDNG" | "RJCT" | "CANC" | "ACFC" | "PATC" | "PART";
  /** The payer's reference. */
  endToEndIdentification?: string;
  /** The BIC of the payee's bank. */
  creditorAgent?: string;
  /** The name of the payee's bank. */
  creditorAgentName?: string;
  /** Remittance information for the payee. */
  remittanceInformationUnstructured?: string;
  /** The address of the payee. */
  creditorAddress?: CreditorAddress;
  /** The possible next steps. */
  _links: Links;
  /** Always empty. */
  authenticationSchemes: unknown[];
  /** Always empty. */
  properties: Record<string, unknown>;
  /** 0 success, 1 refusal */
  statusCode: 0 | 1;
  /** Messages about the request. */
  tppMessages: Array<TppMessage>;
}

/** An authorisation of a payment. Its status is a name here and a number elsewhere. */
export interface PaymentAuthorisation {
  /** The status of the authorisation. */
  scaStatus: "received" | "psuIdentified" | "psuAuthenticated" | "scaMethodSelected" | "started" | "finalised" | "failed" | "exempted";
  /** The authorisation's id. */
  authorisationId: string;
  /** The customer's SCA methods. */
  scaMethods: Array<ScaMethod>;
  /** The selected SCA method. */
  chosenScaMethod?: ScaMethod;
  /** The challenge of that method. */
  challengeData?: ChallengeData;
  /** A message for the customer. */
  psuMessage?: string;
  /** The payee's name is similar to that of the account owner, differs from it, or could not be verified. Reported once. */
  originalTransactionInformationAndVopStatus?: "CMTC" | "NMTC" | "NOAP";
  /** The possible next steps. */
  _links: Links;
  /** Always empty. */
  authenticationSchemes: unknown[];
  /** Always empty. */
  properties: Record<string, unknown>;
  /** 0 success, 1 refusal */
  statusCode: 0 | 1;
  /** Messages about the request. */
  tppMessages: Array<TppMessage>;
}

/** The result of a cancellation. */
export interface PaymentCancellation {
  /** CANCELLED: the payment is cancelled. RECEIVED: the customer must authorise the cancellation, and the payment is held back for 15 minutes. */
  transactionStatus: "RECEIVED" | "CANCELLED";
  /** The customer's SCA methods; empty unless the customer must authorise the cancellation. */
  scaMethods: Array<CancellationScaMethod>;
  /** The possible next steps. */
  _links: Links;
  /** Always empty. */
  authenticationSchemes: unknown[];
  /** Always empty. */
  properties: Record<string, unknown>;
  /** 0 success, 1 refusal */
  statusCode: 0 | 1;
  /** Messages about the request. */
  tppMessages: Array<TppMessage>;
}

/** A payment that waits for its customer. Nothing is known yet about funds or owners. */
export interface PaymentInitiated {
  /** The status of the payment. */
  transactionStatus: "ACCC" | "ACCP" | "ACSC" | "ACSP" | "ACTC" | "ACWC" | "ACWP" | "RCVD" | "PDNG" | "RJCT" | "CANC" | "ACFC" | "PATC" | "PART";
  /** The payment's id. */
  paymentId: string;
  /** The fee of the bank. */
  transactionFees: Amount;
  /** Whether there is a fee. */
  transactionFeeIndicator: boolean;
  /** The customer's SCA methods. */
  scaMethods: Array<ScaMethod>;
  /** A message for the customer. */
  psuMessage: string;
  /** The payment service. */
  paymentService: "payments";
  /** The payment product. */
  paymentProduct: "internal-transfers" | "sepa-credit-transfers";
  /** The customer's phone number, masked but for its last two digits. */
  customerPhone: string;
  /** The possible next steps. */
  _links: Links;
  /** Always empty. */
  authenticationSchemes: unknown[];
  /** Always empty. */
  properties: Record<string, unknown>;
  /** 0 success, 1 refusal */
  statusCode: 0 | 1;
  /** Messages about the request. */
  tppMessages: Array<TppMessage>;
}

/** A payment order from a customer's account. */
export interface PaymentRequest {
  /** The payer's reference. */
  endToEndIdentification?: string;
  /** The payer's account. */
  debtorAccount: AccountReferenceRequest;
  /** The amount. */
  instructedAmount: PositiveAmount;
  /** The payee's account, by its IBAN. */
  creditorAccount: AccountReferenceRequest;
  /** The BIC of the payee's bank. */
  creditorAgent?: string;
  /** The name of the payee's bank. */
  creditorAgentName?: string;
  /** The payee's name. */
  creditorName: string;
  /** The address of the payee. */
  creditorAddress?: CreditorAddressRequest;
  /** Remittance information for the payee. */
  remittanceInformationUnstructured?: string;
}

/** The status of a payment. */
export interface PaymentStatusResponse {
  /** 0 not known, 1 received, 2 accepted for execution, 3 rejected, 4 successful, 5 failed, 6 cancelled, 7 expired */
  transactionStatus: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7;
  /** Whether the funds were available, once the customer has authorised the payment. */
  fundsAvailable?: boolean;
  /** The possible next steps. */
  _links: Links;
  /** Always empty. */
  authenticationSchemes: unknown[];
  /** Always empty. */
  properties: Record<string, unknown>;
  /** 0 success, 1 refusal */
  statusCode: 0 | 1;
  /** Messages about the request. */
  tppMessages: Array<TppMessage>;
}

/** An amount greater than zero. Note the capital A. */
export interface PositiveAmount {
  /** ISO 4217. */
  currency: string;
  /** A decimal with a point and at most the digits of the currency. */
  Amount: string;
}

/** An error. All field errors are reported at once, one item of `errors` each. */
export interface Problem {
  /** The kind of problem. */
  type: string;
  /** The reason phrase of the status. */
  title: string;
  /** The HTTP status. */
  status: number;
  /** A description of the error. */
  detail: string;
  /** The id of this occurrence, for support. */
  instance: string;
  /** The same as `detail`. */
  message: string;
  /** The field errors. */
  errors: Array<{
    /** The field or header. */
    field?: string;
    /** The error code, on loans. */
    code?: string;
    /** What to change. */
    message: string;
  }>;
}

/** A refund of a loan. */
export interface RefundOrder {
  /** The amount, at most what is not yet refunded. */
  amount: number;
  /** The reason, for the bank's staff. */
  reason?: string;
  /** The basket's publicBasketId, not its number. */
  basketId: string;
  /** Your idempotency key. A repeated request gets the first response. */
  requestId?: string;
}

/** An account. */
export interface SandboxAccount {
  /** The psuId of each owner. */
  owners: Array<string>;
  /** The IBAN. */
  iban: string;
  /** The BIC, unless it is the bank's own. */
  bic?: string;
  /** ISO 4217. */
  currency: string;
  /** The opening balance. */
  openingBalance: string;
  /** The booking date of the opening balance, if it is not today. */
  openedOn?: string;
  /** How far the balance may fall below zero. */
  creditLimit: string;
  /** The name of the account. */
  name: string;
  /** The name of the product. */
  product: string;
  /** The kind of account. */
  kind: string;
  /** Whether it belongs to persons or to an organisation. */
  usage: string;
  /** The status. */
  status: string;
}

/** A payment account. */
export interface SandboxAccountRequest {
  /** The psuId of each owner. */
  owners: Array<string>;
  /** The IBAN. Without one the bank generates it. */
  iban?: string;
  /** The BIC. Without one it is the bank's own. */
  bic?: string;
  /** ISO 4217; EUR by default. */
  currency?: string;
  /** The opening balance, zero by default. */
  openingBalance?: string;
  /** The booking date of the opening balance, today by default. Transactions may follow from there. */
  openedOn?: string;
  /** How far the balance may fall below zero. */
  creditLimit?: string;
  /** The name of the account. */
  name?: string;
  /** The name of the product. */
  product?: string;
  /** The kind of account; current by default. */
  kind?: "current" | "savings";
  /** Whether it belongs to persons or to an organisation; private by default. */
  usage?: "private" | "organisation";
  /** The status; enabled by default. */
  status?: "enabled" | "blocked" | "deleted";
}

/** An account with its balances. */
export interface SandboxAccountView {
  /** The IBAN. */
  iban: string;
  /** ISO 4217. */
  currency: string;
  /** The name of the account. */
  name: string;
  /** The booked balance. */
  booked: string;
  /** The booked balance less what is held, plus the credit limit. */
  available: string;
}

/** The content of the bank, as `POST /sandbox/bank` takes it. */
export interface SandboxBank {
  /** The bank's time. */
  now?: string;
  /** The customers. */
  customers: Array<SandboxCustomer>;
  /** The accounts. */
  accounts: Array<SandboxAccount>;
  /** The cards. */
  cards: Array<SandboxCard>;
  /** The transactions in the order of their booking. */
  transactions: Array<SandboxTransaction>;
}

/** The number of objects that replace those of before. */
export interface SandboxBankCount {
  /** The number of customers. */
  customers: number;
  /** The number of accounts. */
  accounts: number;
  /** The number of cards. */
  cards: number;
}

/** The content of a bank. */
export interface SandboxBankRequest {
  /** The time of the export. The bank's clock is advanced to it when it is behind. */
  now?: string;
  /** The customers. */
  customers: Array<SandboxCustomerRequest>;
  /** The accounts. */
  accounts?: Array<SandboxAccountRequest>;
  /** The cards. */
  cards?: Array<SandboxCardRequest>;
  /** The transactions in the order of their booking. */
  transactions?: Array<SandboxTransactionRequest>;
}

/** A card. */
export interface SandboxCard {
  /** The holder. */
  psuId: string;
  /** The account that pays the card. */
  iban: string;
  /** ISO 4217. */
  currency: string;
  /** The card number. */
  pan: string;
  /** The credit limit. */
  creditLimit: string;
  /** The name of the product. */
  product: string;
  /** The name on the card. */
  name: string;
  /** The last day on which the card is valid. */
  expiryDate: string;
  /** The status. */
  status: string;
}

/** A card. */
export interface SandboxCardRequest {
  /** The holder. */
  psuId: string;
  /** The account of the holder that pays the card. */
  iban: string;
  /** The currency of that account; EUR by default. */
  currency?: string;
  /** The card number. Without one the bank generates it. */
  pan?: string;
  /** The credit limit, zero by default. */
  creditLimit?: string;
  /** The name of the product. */
  product?: string;
  /** The name on the card. */
  name?: string;
  /** The last day on which the card is valid. */
  expiryDate?: string;
  /** The status; enabled by default. */
  status?: "enabled" | "blocked" | "deleted";
}

/** A card with its number. */
export interface SandboxCardView {
  /** The card number. */
  pan?: string;
  /** The masked card number. */
  maskedPan: string;
  /** The name of the product. */
  product: string;
}

/** A customer with its password. */
export interface SandboxCustomer {
  /** The login. */
  psuId: string;
  /** The password, if there is one. */
  password?: string;
  /** The name. */
  name: string;
  /** The phone number. */
  phone: string;
  /** The language of messages, if it is known. */
  language?: string;
  /** The SCA methods. */
  methods: Array<string>;
}

/** A customer. A login, an IBAN or a card number exists once. */
export interface SandboxCustomerRequest {
  /** The login. */
  psuId: string;
  /** The password. Without one the customer cannot sign in. */
  password?: string;
  /** The name. */
  name: string;
  /** The phone number in E.164: +306900000200. */
  phone: string;
  /** The language of messages. */
  language?: "en" | "el";
  /** The SCA methods in the order in which they are offered: SMSOTP, CHIPOTP, PHOTOOTP, PUSHOTP. SMSOTP by default. */
  methods?: Array<string>;
}

/** A customer with accounts and cards. */
export interface SandboxCustomerView {
  /** The login. */
  psuId: string;
  /** The password, if there is one. */
  password?: string;
  /** The name. */
  name: string;
  /** The phone number. */
  phone: string;
  /** The SCA methods. */
  methods: Array<SandboxMethod>;
  /** The accounts with their balances. */
  accounts: Array<SandboxAccountView>;
  /** The cards. */
  cards: Array<SandboxCardView>;
}

/** The customers of the sandbox. */
export interface SandboxCustomers {
  /** By their psuId. */
  customers: Array<SandboxCustomerView>;
}

/** An SCA method. */
export interface SandboxMethod {
  /** The authenticationMethodId. */
  id: string;
  /** The type. */
  type: string;
}

/** A transaction. */
export interface SandboxTransaction {
  /** The account. */
  iban?: string;
  /** The card. */
  pan?: string;
  /** ISO 4217. */
  currency: string;
  /** The amount, negative for a debit. */
  amount: string;
  /** The booking date, if it is not today. */
  bookingDate?: string;
  /** The value date, if it is not the booking date. */
  valueDate?: string;
  /** The amount is held and not booked. */
  pending: boolean;
  /** The other party; of a card transaction the shop. */
  counterpartyName?: string;
  /** The IBAN of the other party. */
  counterpartyIban?: string;
  /** The remittance information. */
  remittance?: string;
  /** The end-to-end identification. */
  endToEndId?: string;
  /** The bank transaction code of ISO 20022. */
  bankTransactionCode?: string;
  /** Further information. */
  additionalInformation?: string;
  /** The merchant category code of a card transaction. */
  merchantCategoryCode?: string;
}

/** A transaction of an account (`iban`), of a card (`pan`), or a payment from an account to a card (both). */
export interface SandboxTransactionRequest {
  /** The account. */
  iban?: string;
  /** The card. */
  pan?: string;
  /** The currency of the account or card; EUR by default. */
  currency?: string;
  /** The amount, negative for a debit: -12.50. Card transactions are negative. */
  amount: string;
  /** The booking date, today by default. It is not before the newest transaction of the account or card. */
  bookingDate?: string;
  /** The value date, or the date on which a card was used; the booking date by default. */
  valueDate?: string;
  /** The amount is held and not booked. */
  pending?: boolean;
  /** The other party; of a card transaction the shop. */
  counterpartyName?: string;
  /** The IBAN of the other party. */
  counterpartyIban?: string;
  /** The remittance information. */
  remittance?: string;
  /** The end-to-end identification. */
  endToEndId?: string;
  /** The bank transaction code of ISO 20022: PMNT-ICDT-ESCT. */
  bankTransactionCode?: string;
  /** Further information. */
  additionalInformation?: string;
  /** The merchant category code of a card transaction, four digits. */
  merchantCategoryCode?: string;
}

/** Transactions of an account, newest first. */
export interface SandboxTransactions {
  /** At most 100 that are booked; on the first page after at most 100 that are pending. */
  transactions: Array<SandboxTransaction>;
  /** The value of `after` for the next page, if there is one. */
  cursor?: string;
}

/** An SCA method of the customer. */
export interface ScaMethod {
  /** 0 SMSOTP, 1 CHIPOTP, 2 PHOTOOTP, 3 PUSHOTP */
  authenticationType: 0 | 1 | 2 | 3;
  /** The id to send in order to select this method. */
  authenticationMethodId: string;
  /** The customer's name for it. */
  name: string;
}

/** 0 received, 1 psuIdentified, 2 psuAuthenticated, 3 scaMethodSelected, 4 started, 5 finalised, 6 failed, 7 exempted */
export type ScaStatus = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7;

/** The redirect URIs that a third party's application changes. */
export interface ThirdPartyApplicationChange {
  /** The redirect URIs, which replace the present ones. */
  redirectURIs?: Array<string>;
}

/** A message about a request. */
export interface TppMessage {
  /** 0 ERROR, 1 WARNING */
  category: 0 | 1;
  /** The index of the code in its list, which depends on status and service. The text begins with its name. */
  code: number;
  /** The field or header: `access.accounts[0].iban`. */
  path?: string;
  /** The name of the code and what to change. */
  text: string;
}

/** A transaction of an account. */
export interface Transaction {
  /** The id. */
  transactionId: string;
  /** The position in the statement, for entryReferenceFrom; absent while the transaction is pending. */
  entryReference?: string;
  /** The payer's reference. */
  endToEndId?: string;
  /** The mandate of a direct debit. */
  mandateId?: string;
  /** The number of a cheque. */
  checkId?: string;
  /** The creditor's id in a direct debit. */
  creditorId?: string;
  /** The amount; negative for debits. */
  transactionAmount: Amount;
  /** The currency exchanges of the transaction. */
  currencyExchange?: Array<CurrencyExchange>;
  /** The name of the payee. */
  creditorName?: string;
  /** The account of the payee. */
  creditorAccount?: AccountReference;
  /** The ultimate payee. */
  ultimateCreditor?: string;
  /** The name of the payer. */
  debtorName?: string;
  /** The account of the payer. */
  debtorAccount?: AccountReference;
  /** The ultimate payer. */
  ultimateDebtor?: string;
  /** Unstructured remittance information. */
  remittanceInformationUnstructured?: string;
  /** Structured remittance information. */
  remittanceInformationStructured?: string;
  /** The purpose: the index of the ISO 20022 code in the list. */
  purposeCode?: number;
  /** The booking date; absent while the transaction is pending. */
  bookingDate?: string;
  /** The value date. */
  valueDate: string;
  /** Additional information. */
  additionalInformation?: string;
  /** The ISO 20022 code of the transaction. */
  bankTransactionCode?: string;
  /** The bank's own code of the transaction. */
  proprietaryBankTransactionCode: string;
  /** Whether the entry books several payments. */
  batchIndicator?: boolean;
  /** The number of payments. */
  batchNumberOfTransactions?: number;
  /** The payments of the batch. */
  entryDetails?: Array<EntryDetail>;
  /** A link to the details of a booked transaction. */
  _links: Links;
}

/** A transaction of an account. */
export interface TransactionDetails {
  /** The id. */
  transactionId: string;
  /** The position in the statement, for entryReferenceFrom; absent while the transaction is pending. */
  entryReference?: string;
  /** The payer's reference. */
  endToEndId?: string;
  /** The mandate of a direct debit. */
  mandateId?: string;
  /** The number of a cheque. */
  checkId?: string;
  /** The creditor's id in a direct debit. */
  creditorId?: string;
  /** The amount; negative for debits. */
  transactionAmount: Amount;
  /** The currency exchanges of the transaction. */
  currencyExchange?: Array<CurrencyExchange>;
  /** The name of the payee. */
  creditorName?: string;
  /** The account of the payee. */
  creditorAccount?: AccountReference;
  /** The ultimate payee. */
  ultimateCreditor?: string;
  /** The name of the payer. */
  debtorName?: string;
  /** The account of the payer. */
  debtorAccount?: AccountReference;
  /** The ultimate payer. */
  ultimateDebtor?: string;
  /** Unstructured remittance information. */
  remittanceInformationUnstructured?: string;
  /** Structured remittance information. */
  remittanceInformationStructured?: string;
  /** The purpose: the index of the ISO 20022 code in the list. */
  purposeCode?: number;
  /** The booking date; absent while the transaction is pending. */
  bookingDate?: string;
  /** The value date. */
  valueDate: string;
  /** Additional information. */
  additionalInformation?: string;
  /** The ISO 20022 code of the transaction. */
  bankTransactionCode?: string;
  /** The bank's own code of the transaction. */
  proprietaryBankTransactionCode: string;
  /** Whether the entry books several payments. */
  batchIndicator?: boolean;
  /** The number of payments. */
  batchNumberOfTransactions?: number;
  /** The payments of the batch. */
  entryDetails?: Array<EntryDetail>;
  /** A link to the details of a booked transaction. */
  _links: Links;
  /** Always empty. */
  authenticationSchemes: unknown[];
  /** Always empty. */
  properties: Record<string, unknown>;
  /** 0 success, 1 refusal */
  statusCode: 0 | 1;
  /** Messages about the request. */
  tppMessages: Array<TppMessage>;
}

/** A request to void a basket. */
export interface VoidOrder {
  /** The basket's publicBasketId, not its number. */
  basketId: string;
  /** Your idempotency key. A repeated request gets the first response. */
  requestId?: string;
}
