"""The bodies of requests and responses."""

# Generated from docs/openapi.json by `cargo xtask gen`; do not edit.

from __future__ import annotations

from decimal import Decimal
from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

#: An amount or rate. Responses have int or Decimal.
Number = Union[int, Decimal]
#: An amount in a request.
NumberInput = Union[int, float, Decimal]

_AcceptorAddressRequired = TypedDict(
    "_AcceptorAddressRequired",
    {
        "country": "str",
    },
    total=True,
)

_AcceptorAddressOptional = TypedDict(
    "_AcceptorAddressOptional",
    {
        "street": "str",
        "buildingNumber": "str",
        "city": "str",
        "postalCode": "str",
    },
    total=False,
)


class AcceptorAddress(_AcceptorAddressRequired, _AcceptorAddressOptional):
    """The address of a card acceptor."""


_AccountRequired = TypedDict(
    "_AccountRequired",
    {
        "resourceId": "str",
        "iban": "str",
        "currency": "str",
        "name": "str",
        "product": "str",
        "cashAccountType": "Literal['CACC', 'SVGS']",
        "status": "Literal[0, 1, 2]",
        "bic": "str",
        "usage": "Literal[0, 1]",
        "_links": "Links",
    },
    total=True,
)

_AccountOptional = TypedDict(
    "_AccountOptional",
    {
        "ownerName": "str",
        "balances": "List[Balance]",
    },
    total=False,
)


class Account(_AccountRequired, _AccountOptional):
    """A payment account."""


_AccountAccessRequired = TypedDict(
    "_AccountAccessRequired",
    {
        "accounts": "List[AccountReference]",
        "balances": "List[AccountReference]",
        "transactions": "List[AccountReference]",
    },
    total=True,
)

_AccountAccessOptional = TypedDict(
    "_AccountAccessOptional",
    {
        "availableAccounts": "Literal['allAccounts']",
        "availableAccountsWithBalance": "Literal['allAccounts']",
        "allPsd2": "Literal['allAccounts']",
    },
    total=False,
)


class AccountAccess(_AccountAccessRequired, _AccountAccessOptional):
    """The accounts and cards and what may be read of them. The lists are empty where a flag covers all accounts."""


_AccountAccessRequestFields = TypedDict(
    "_AccountAccessRequestFields",
    {
        "accounts": "List[AccountReferenceRequest]",
        "balances": "List[AccountReferenceRequest]",
        "transactions": "List[AccountReferenceRequest]",
        "availableAccounts": "Literal['allAccounts']",
        "availableAccountsWithBalance": "Literal['allAccounts']",
        "allPsd2": "Literal['allAccounts']",
    },
    total=False,
)


class AccountAccessRequest(_AccountAccessRequestFields):
    """The accounts and cards and what may be read of them: three lists, or one of the flags."""


_AccountBalancesFields = TypedDict(
    "_AccountBalancesFields",
    {
        "account": "AccountReference",
        "balances": "List[Balance]",
        "_links": "Links",
        "authenticationSchemes": "List[Any]",
        "properties": "Dict[str, Any]",
        "statusCode": "Literal[0, 1]",
        "tppMessages": "List[TppMessage]",
    },
    total=True,
)


class AccountBalances(_AccountBalancesFields):
    """The balances of an account."""


_AccountDetailsRequired = TypedDict(
    "_AccountDetailsRequired",
    {
        "resourceId": "str",
        "iban": "str",
        "currency": "str",
        "name": "str",
        "product": "str",
        "cashAccountType": "Literal['CACC', 'SVGS']",
        "status": "Literal[0, 1, 2]",
        "bic": "str",
        "usage": "Literal[0, 1]",
        "_links": "Links",
        "authenticationSchemes": "List[Any]",
        "properties": "Dict[str, Any]",
        "statusCode": "Literal[0, 1]",
        "tppMessages": "List[TppMessage]",
    },
    total=True,
)

_AccountDetailsOptional = TypedDict(
    "_AccountDetailsOptional",
    {
        "ownerName": "str",
        "balances": "List[Balance]",
    },
    total=False,
)


class AccountDetails(_AccountDetailsRequired, _AccountDetailsOptional):
    """A payment account."""


_AccountReferenceFields = TypedDict(
    "_AccountReferenceFields",
    {
        "iban": "str",
        "bban": "str",
        "maskedPan": "str",
        "msisdn": "str",
        "currency": "str",
    },
    total=False,
)


class AccountReference(_AccountReferenceFields):
    """An account or card, by one identifier. Card numbers are masked."""


_AccountReferenceRequestFields = TypedDict(
    "_AccountReferenceRequestFields",
    {
        "iban": "str",
        "bban": "str",
        "pan": "str",
        "maskedPan": "str",
        "msisdn": "str",
        "currency": "str",
    },
    total=False,
)


class AccountReferenceRequest(_AccountReferenceRequestFields):
    """An account or card, by exactly one identifier, and by its currency where an account has several."""


_AccountTransactionsTransactionsRequired = TypedDict(
    "_AccountTransactionsTransactionsRequired",
    {
        "_links": "Links",
    },
    total=True,
)

_AccountTransactionsTransactionsOptional = TypedDict(
    "_AccountTransactionsTransactionsOptional",
    {
        "booked": "List[Transaction]",
        "pending": "List[Transaction]",
    },
    total=False,
)


class AccountTransactionsTransactions(_AccountTransactionsTransactionsRequired, _AccountTransactionsTransactionsOptional):
    """The transactions."""


_AccountTransactionsRequired = TypedDict(
    "_AccountTransactionsRequired",
    {
        "account": "AccountReference",
        "transactions": "AccountTransactionsTransactions",
        "_links": "Links",
        "authenticationSchemes": "List[Any]",
        "properties": "Dict[str, Any]",
        "statusCode": "Literal[0, 1]",
        "tppMessages": "List[TppMessage]",
    },
    total=True,
)

_AccountTransactionsOptional = TypedDict(
    "_AccountTransactionsOptional",
    {
        "balances": "List[Balance]",
    },
    total=False,
)


class AccountTransactions(_AccountTransactionsRequired, _AccountTransactionsOptional):
    """A page of an account's statement."""


_AccountsFields = TypedDict(
    "_AccountsFields",
    {
        "accounts": "List[Account]",
        "_links": "Links",
        "authenticationSchemes": "List[Any]",
        "properties": "Dict[str, Any]",
        "statusCode": "Literal[0, 1]",
        "tppMessages": "List[TppMessage]",
    },
    total=True,
)


class Accounts(_AccountsFields):
    """The accounts of a consent."""


_AmountFields = TypedDict(
    "_AmountFields",
    {
        "currency": "str",
        "Amount": "str",
    },
    total=True,
)


class Amount(_AmountFields):
    """An amount. Note the capital A."""


_ApplicationRequired = TypedDict(
    "_ApplicationRequired",
    {
        "applicationId": "str",
        "created": "str",
    },
    total=True,
)

_ApplicationOptional = TypedDict(
    "_ApplicationOptional",
    {
        "redirectURIs": "List[str]",
        "successCallbackUrl": "str",
        "failCallbackUrl": "str",
        "successRedirectURI": "str",
        "failureRedirectURI": "str",
    },
    total=False,
)


class Application(_ApplicationRequired, _ApplicationOptional):
    """A registered application with its URLs."""


_AuthorisationRequired = TypedDict(
    "_AuthorisationRequired",
    {
        "scaStatus": "Literal['received', 'psuIdentified', 'psuAuthenticated', 'scaMethodSelected', 'started', 'finalised', 'failed', 'exempted']",
        "authorisationId": "str",
        "scaMethods": "List[ScaMethod]",
        "_links": "Links",
        "authenticationSchemes": "List[Any]",
        "properties": "Dict[str, Any]",
        "statusCode": "Literal[0, 1]",
        "tppMessages": "List[TppMessage]",
    },
    total=True,
)

_AuthorisationOptional = TypedDict(
    "_AuthorisationOptional",
    {
        "chosenScaMethod": "ScaMethod",
        "challengeData": "ChallengeData",
        "psuMessage": "str",
    },
    total=False,
)


class Authorisation(_AuthorisationRequired, _AuthorisationOptional):
    """An authorisation of a consent. Its status is a name here and a number elsewhere."""


_AuthorisationIdsFields = TypedDict(
    "_AuthorisationIdsFields",
    {
        "authorisationIds": "List[str]",
        "_links": "Links",
        "authenticationSchemes": "List[Any]",
        "properties": "Dict[str, Any]",
        "statusCode": "Literal[0, 1]",
        "tppMessages": "List[TppMessage]",
    },
    total=True,
)


class AuthorisationIds(_AuthorisationIdsFields):
    """The authorisations of an object."""


_AuthorisationStatusResponseFields = TypedDict(
    "_AuthorisationStatusResponseFields",
    {
        "scaStatus": "ScaStatus",
        "_links": "Links",
        "authenticationSchemes": "List[Any]",
        "properties": "Dict[str, Any]",
        "statusCode": "Literal[0, 1]",
        "tppMessages": "List[TppMessage]",
    },
    total=True,
)


class AuthorisationStatusResponse(_AuthorisationStatusResponseFields):
    """The status of an authorisation."""


_AuthorisationStepPsuDataFields = TypedDict(
    "_AuthorisationStepPsuDataFields",
    {
        "password": "str",
    },
    total=True,
)


class AuthorisationStepPsuData(_AuthorisationStepPsuDataFields):
    """The customer's password."""


_AuthorisationStepFields = TypedDict(
    "_AuthorisationStepFields",
    {
        "psuData": "AuthorisationStepPsuData",
        "authenticationMethodId": "str",
        "scaAuthenticationData": "str",
    },
    total=False,
)


class AuthorisationStep(_AuthorisationStepFields):
    """A step of the customer on the third party's screen: exactly one of these."""


_BalanceRequired = TypedDict(
    "_BalanceRequired",
    {
        "balanceAmount": "Amount",
        "balanceType": "int",
        "creditLimitIncluded": "bool",
    },
    total=True,
)

_BalanceOptional = TypedDict(
    "_BalanceOptional",
    {
        "referenceDate": "str",
        "lastCommittedTransaction": "str",
    },
    total=False,
)


class Balance(_BalanceRequired, _BalanceOptional):
    """A balance. The meaning of its type depends on the response."""


_BasketRequired = TypedDict(
    "_BasketRequired",
    {
        "id": "int",
        "publicBasketId": "str",
        "dateCreated": "str",
        "basketValue": "Number",
        "merchantId": "int",
        "merchantName": "str",
        "requestId": "str",
        "orderIdentifier": "str",
        "bnplAmount": "Number",
        "basketProducts": "List[BasketProduct]",
        "merchantCode": "str",
        "merchantApplication": "MerchantApplication",
        "expirationDate": "str",
        "qrCodeData": "str",
        "qrCodeDataLink": "str",
    },
    total=True,
)

_BasketOptional = TypedDict(
    "_BasketOptional",
    {
        "Merchant Data": "str",
        "phoneNumber": "str",
        "email": "str",
    },
    total=False,
)


class Basket(_BasketRequired, _BasketOptional):
    """A basket."""


_BasketCreatedFields = TypedDict(
    "_BasketCreatedFields",
    {
        "requestId": "str",
        "basketId": "int",
        "publicBasketId": "str",
        "qrCodeData": "str",
        "redirectUrl": "str",
        "message": "str",
        "errors": "List[Any]",
    },
    total=True,
)


class BasketCreated(_BasketCreatedFields):
    """A new basket with the links to its checkout."""


_BasketEndedFields = TypedDict(
    "_BasketEndedFields",
    {
        "requestId": "str",
        "basketId": "str",
        "orderIdentifier": "str",
        "status": "Literal['declined']",
        "message": "str",
        "errors": "List[Any]",
    },
    total=True,
)


class BasketEnded(_BasketEndedFields):
    """A basket that ended without a loan."""


_BasketFoundFields = TypedDict(
    "_BasketFoundFields",
    {
        "basket": "Basket",
        "monthlyInstallments": "List[MonthlyInstallment]",
        "message": "str",
        "errors": "List[Any]",
    },
    total=True,
)


class BasketFound(_BasketFoundFields):
    """A basket with its installments."""


_BasketOrderRequired = TypedDict(
    "_BasketOrderRequired",
    {
        "basketValue": "NumberInput",
        "orderIdentifier": "str",
    },
    total=True,
)

_BasketOrderOptional = TypedDict(
    "_BasketOrderOptional",
    {
        "requestId": "str",
        "basketProducts": "List[BasketProductRequest]",
        "Merchant Data": "str",
        "phoneNumber": "str",
        "email": "str",
        "successCallbackUrl": "str",
        "failCallbackUrl": "str",
        "successRedirectURI": "str",
        "failureRedirectURI": "str",
    },
    total=False,
)


class BasketOrder(_BasketOrderRequired, _BasketOrderOptional):
    """A basket request. Numbers are read exactly as written."""


_BasketProductRequired = TypedDict(
    "_BasketProductRequired",
    {
        "name": "str",
        "quantity": "Number",
        "Unit Price": "Number",
        "Total Amount": "Number",
    },
    total=True,
)

_BasketProductOptional = TypedDict(
    "_BasketProductOptional",
    {
        "Product Number": "str",
        "Quantity Units": "str",
        "Tax Rate": "Number",
        "Total Discount Amount": "Number",
        "Total Tax Amount": "Number",
        "Product URL": "str",
        "Product Image URL": "str",
    },
    total=False,
)


class BasketProduct(_BasketProductRequired, _BasketProductOptional):
    """A line of a basket. Prices include tax."""


_BasketProductRequestRequired = TypedDict(
    "_BasketProductRequestRequired",
    {
        "name": "str",
        "quantity": "NumberInput",
        "Unit Price": "NumberInput",
        "Total Amount": "NumberInput",
    },
    total=True,
)

_BasketProductRequestOptional = TypedDict(
    "_BasketProductRequestOptional",
    {
        "Product Number": "str",
        "Quantity Units": "str",
        "Tax Rate": "NumberInput",
        "Total Discount Amount": "NumberInput",
        "Total Tax Amount": "NumberInput",
        "Product URL": "str",
        "Product Image URL": "str",
    },
    total=False,
)


class BasketProductRequest(_BasketProductRequestRequired, _BasketProductRequestOptional):
    """A line of a basket. Prices include tax."""


_CallbackDataFields = TypedDict(
    "_CallbackDataFields",
    {
        "publicBasketId": "str",
        "orderIdentifier": "str",
        "requestId": "str",
        "bnplRequestId": "Optional[str]",
        "status": "Literal['approved', 'declined', 'expired']",
        "approvedLoanAmount": "Optional[Number]",
        "reason": "Optional[str]",
        "sequence": "int",
    },
    total=True,
)


class CallbackData(_CallbackDataFields):
    """The basket."""


_CallbackFields = TypedDict(
    "_CallbackFields",
    {
        "type": "Literal['basket.approved', 'basket.declined', 'basket.expired']",
        "timestamp": "str",
        "data": "CallbackData",
    },
    total=True,
)


class Callback(_CallbackFields):
    """The outcome of a basket. The fields are the same for all outcomes."""


_CallbackListFields = TypedDict(
    "_CallbackListFields",
    {
        "cursor": "str",
        "callbacks": "List[ListedCallback]",
    },
    total=True,
)


class CallbackList(_CallbackListFields):
    """Callbacks of an application, in their order."""


_CancellationAuthorisationRequired = TypedDict(
    "_CancellationAuthorisationRequired",
    {
        "scaStatus": "Literal['received', 'psuIdentified', 'psuAuthenticated', 'scaMethodSelected', 'started', 'finalised', 'failed', 'exempted']",
        "authorisationId": "str",
        "scaMethods": "List[CancellationScaMethod]",
        "_links": "Links",
        "authenticationSchemes": "List[Any]",
        "properties": "Dict[str, Any]",
        "statusCode": "Literal[0, 1]",
        "tppMessages": "List[TppMessage]",
    },
    total=True,
)

_CancellationAuthorisationOptional = TypedDict(
    "_CancellationAuthorisationOptional",
    {
        "chosenScaMethod": "CancellationScaMethod",
        "challengeData": "ChallengeData",
        "psuMessage": "str",
    },
    total=False,
)


class CancellationAuthorisation(_CancellationAuthorisationRequired, _CancellationAuthorisationOptional):
    """An authorisation of a payment's cancellation. Its status is a name here and a number elsewhere."""


_CancellationScaMethodFields = TypedDict(
    "_CancellationScaMethodFields",
    {
        "authenticationType": "Literal[0, 1, 2, 3]",
        "authenticationMethodId": "str",
        "name": "str",
    },
    total=True,
)


class CancellationScaMethod(_CancellationScaMethodFields):
    """An SCA method of the customer. Cancellations have their own numbers (§2.1)."""


_CardRequired = TypedDict(
    "_CardRequired",
    {
        "resourceId": "str",
        "maskedPan": "str",
        "currency": "str",
        "name": "str",
        "product": "str",
        "status": "Literal[0, 1, 2]",
        "usage": "Literal[0, 1]",
        "_links": "Links",
    },
    total=True,
)

_CardOptional = TypedDict(
    "_CardOptional",
    {
        "balances": "List[Balance]",
    },
    total=False,
)


class Card(_CardRequired, _CardOptional):
    """A payment card."""


_CardBalancesFields = TypedDict(
    "_CardBalancesFields",
    {
        "cardAccount": "AccountReference",
        "balances": "List[Balance]",
        "_links": "Links",
        "authenticationSchemes": "List[Any]",
        "properties": "Dict[str, Any]",
        "statusCode": "Literal[0, 1]",
        "tppMessages": "List[TppMessage]",
    },
    total=True,
)


class CardBalances(_CardBalancesFields):
    """The balances of a card."""


_CardDetailsRequired = TypedDict(
    "_CardDetailsRequired",
    {
        "resourceId": "str",
        "maskedPan": "str",
        "currency": "str",
        "name": "str",
        "product": "str",
        "status": "Literal[0, 1, 2]",
        "usage": "Literal[0, 1]",
        "_links": "Links",
        "authenticationSchemes": "List[Any]",
        "properties": "Dict[str, Any]",
        "statusCode": "Literal[0, 1]",
        "tppMessages": "List[TppMessage]",
    },
    total=True,
)

_CardDetailsOptional = TypedDict(
    "_CardDetailsOptional",
    {
        "balances": "List[Balance]",
    },
    total=False,
)


class CardDetails(_CardDetailsRequired, _CardDetailsOptional):
    """A payment card."""


_CardTransactionRequired = TypedDict(
    "_CardTransactionRequired",
    {
        "cardTransactionId": "str",
        "transactionDate": "str",
        "transactionAmount": "Amount",
        "maskedPAN": "str",
        "invoiced": "bool",
    },
    total=True,
)

_CardTransactionOptional = TypedDict(
    "_CardTransactionOptional",
    {
        "terminalId": "str",
        "bookingDate": "str",
        "currencyExchange": "List[CurrencyExchange]",
        "originalAmount": "Amount",
        "markupFee": "Amount",
        "markupFeePercentage": "str",
        "cardAcceptorId": "str",
        "cardAcceptorAddress": "AcceptorAddress",
        "merchantCategoryCode": "str",
        "transactionDetails": "str",
        "proprietaryBankTransactionCode": "str",
        "_links": "Links",
    },
    total=False,
)


class CardTransaction(_CardTransactionRequired, _CardTransactionOptional):
    """A transaction of a card."""


_CardTransactionsCardTransactionsRequired = TypedDict(
    "_CardTransactionsCardTransactionsRequired",
    {
        "_links": "Links",
    },
    total=True,
)

_CardTransactionsCardTransactionsOptional = TypedDict(
    "_CardTransactionsCardTransactionsOptional",
    {
        "booked": "List[CardTransaction]",
        "pending": "List[CardTransaction]",
    },
    total=False,
)


class CardTransactionsCardTransactions(_CardTransactionsCardTransactionsRequired, _CardTransactionsCardTransactionsOptional):
    """The transactions."""


_CardTransactionsRequired = TypedDict(
    "_CardTransactionsRequired",
    {
        "cardAccount": "AccountReference",
        "cardTransactions": "CardTransactionsCardTransactions",
        "_links": "Links",
        "authenticationSchemes": "List[Any]",
        "properties": "Dict[str, Any]",
        "statusCode": "Literal[0, 1]",
        "tppMessages": "List[TppMessage]",
    },
    total=True,
)

_CardTransactionsOptional = TypedDict(
    "_CardTransactionsOptional",
    {
        "balances": "List[Balance]",
    },
    total=False,
)


class CardTransactions(_CardTransactionsRequired, _CardTransactionsOptional):
    """A page of a card's statement."""


_CardsFields = TypedDict(
    "_CardsFields",
    {
        "cards": "List[Card]",
        "_links": "Links",
        "authenticationSchemes": "List[Any]",
        "properties": "Dict[str, Any]",
        "statusCode": "Literal[0, 1]",
        "tppMessages": "List[TppMessage]",
    },
    total=True,
)


class Cards(_CardsFields):
    """The cards of a consent."""


_ChallengeDataRequired = TypedDict(
    "_ChallengeDataRequired",
    {
        "additionalInformation": "str",
    },
    total=True,
)

_ChallengeDataOptional = TypedDict(
    "_ChallengeDataOptional",
    {
        "image": "str",
        "data": "List[str]",
        "otpMaxLength": "int",
        "otpFormat": "Literal[0, 1]",
    },
    total=False,
)


class ChallengeData(_ChallengeDataRequired, _ChallengeDataOptional):
    """The challenge for the customer."""


_ClockFields = TypedDict(
    "_ClockFields",
    {
        "now": "str",
    },
    total=True,
)


class Clock(_ClockFields):
    """The bank's clock."""


_ClockAdvanceFields = TypedDict(
    "_ClockAdvanceFields",
    {
        "advance": "str",
    },
    total=True,
)


class ClockAdvance(_ClockAdvanceFields):
    """A step of the bank's clock, forward only."""


_ConfigurationLimitsFields = TypedDict(
    "_ConfigurationLimitsFields",
    {
        "minimum": "Number",
        "maximum": "Number",
        "currency": "str",
    },
    total=True,
)


class ConfigurationLimits(_ConfigurationLimitsFields):
    """The limits of baskets."""


_ConfigurationPlansItemFields = TypedDict(
    "_ConfigurationPlansItemFields",
    {
        "installments": "int",
        "yearlyRate": "Number",
        "default": "bool",
    },
    total=True,
)


class ConfigurationPlansItem(_ConfigurationPlansItemFields):
    """An installment plan."""


_ConfigurationQuotePlansItemFields = TypedDict(
    "_ConfigurationQuotePlansItemFields",
    {
        "installments": "int",
        "payments": "List[Number]",
        "interest": "Number",
        "total": "Number",
        "apr": "Number",
    },
    total=True,
)


class ConfigurationQuotePlansItem(_ConfigurationQuotePlansItemFields):
    """What a purchase costs with one plan."""


_ConfigurationQuoteFields = TypedDict(
    "_ConfigurationQuoteFields",
    {
        "amount": "Number",
        "plans": "List[ConfigurationQuotePlansItem]",
    },
    total=True,
)


class ConfigurationQuote(_ConfigurationQuoteFields):
    """What a purchase of `amount` costs; only with that parameter."""


_ConfigurationRequired = TypedDict(
    "_ConfigurationRequired",
    {
        "limits": "ConfigurationLimits",
        "plans": "List[ConfigurationPlansItem]",
    },
    total=True,
)

_ConfigurationOptional = TypedDict(
    "_ConfigurationOptional",
    {
        "quote": "ConfigurationQuote",
    },
    total=False,
)


class Configuration(_ConfigurationRequired, _ConfigurationOptional):
    """A merchant's limits and installment plans."""


_ConsentFields = TypedDict(
    "_ConsentFields",
    {
        "access": "AccountAccess",
        "recurringIndicator": "bool",
        "validUntil": "str",
        "frequencyPerDay": "int",
        "lastActionDate": "str",
        "consentStatus": "ConsentStatus",
        "_links": "Links",
        "authenticationSchemes": "List[Any]",
        "properties": "Dict[str, Any]",
        "statusCode": "Literal[0, 1]",
        "tppMessages": "List[TppMessage]",
    },
    total=True,
)


class Consent(_ConsentFields):
    """A consent with its granted terms, which may be narrower than the requested ones."""


_ConsentCreatedFields = TypedDict(
    "_ConsentCreatedFields",
    {
        "consentStatus": "Literal['received', 'rejected', 'valid', 'revokedByPsu', 'expired', 'terminatedByTpp']",
        "consentId": "str",
        "scaMethods": "List[ScaMethod]",
        "message": "str",
        "_links": "Links",
        "authenticationSchemes": "List[Any]",
        "properties": "Dict[str, Any]",
        "statusCode": "Literal[0, 1]",
        "tppMessages": "List[TppMessage]",
    },
    total=True,
)


class ConsentCreated(_ConsentCreatedFields):
    """A new consent. Its status is a name here and a number elsewhere."""


_ConsentRequestRequired = TypedDict(
    "_ConsentRequestRequired",
    {
        "access": "AccountAccessRequest",
        "recurringIndicator": "bool",
        "validUntil": "str",
        "frequencyPerDay": "int",
    },
    total=True,
)

_ConsentRequestOptional = TypedDict(
    "_ConsentRequestOptional",
    {
        "combinedServiceIndicator": "bool",
    },
    total=False,
)


class ConsentRequest(_ConsentRequestRequired, _ConsentRequestOptional):
    """A request for access to a customer's accounts."""


_ConsentStatusResponseFields = TypedDict(
    "_ConsentStatusResponseFields",
    {
        "consentStatus": "ConsentStatus",
        "_links": "Links",
        "authenticationSchemes": "List[Any]",
        "properties": "Dict[str, Any]",
        "statusCode": "Literal[0, 1]",
        "tppMessages": "List[TppMessage]",
    },
    total=True,
)


class ConsentStatusResponse(_ConsentStatusResponseFields):
    """The status of a consent."""


_CreditorAddressFields = TypedDict(
    "_CreditorAddressFields",
    {
        "buildingNumber": "str",
        "city": "str",
        "country": "str",
        "postalCode": "str",
        "street": "str",
    },
    total=False,
)


class CreditorAddress(_CreditorAddressFields):
    """The address of the payee."""


_CreditorAddressRequestFields = TypedDict(
    "_CreditorAddressRequestFields",
    {
        "buildingNumber": "str",
        "city": "str",
        "country": "str",
        "postalCode": "str",
        "street": "str",
        "townName": "str",
        "postCode": "str",
        "streetName": "str",
    },
    total=False,
)


class CreditorAddressRequest(_CreditorAddressRequestFields):
    """The address of the payee."""


_CurrencyExchangeRequired = TypedDict(
    "_CurrencyExchangeRequired",
    {
        "sourceCurrency": "str",
        "exchangeRate": "str",
        "unitCurrency": "str",
        "targetCurrency": "str",
        "quotationDate": "str",
    },
    total=True,
)

_CurrencyExchangeOptional = TypedDict(
    "_CurrencyExchangeOptional",
    {
        "contractIdentification": "str",
    },
    total=False,
)


class CurrencyExchange(_CurrencyExchangeRequired, _CurrencyExchangeOptional):
    """A currency exchange of an amount."""


_EntryDetailRequired = TypedDict(
    "_EntryDetailRequired",
    {
        "transactionAmount": "Amount",
    },
    total=True,
)

_EntryDetailOptional = TypedDict(
    "_EntryDetailOptional",
    {
        "endToEndId": "str",
        "mandateId": "str",
        "checkId": "str",
        "creditorId": "str",
        "currencyExchange": "List[CurrencyExchange]",
        "creditorName": "str",
        "creditorAccount": "AccountReference",
        "ultimateCreditor": "str",
        "debtorName": "str",
        "debtorAccount": "AccountReference",
        "ultimateDebtor": "str",
        "remittanceInformationUnstructured": "str",
        "remittanceInformationStructured": "str",
        "purposeCode": "int",
    },
    total=False,
)


class EntryDetail(_EntryDetailRequired, _EntryDetailOptional):
    """One payment inside a batch booking."""


_FundsAccountReferenceRequestRequired = TypedDict(
    "_FundsAccountReferenceRequestRequired",
    {
        "currency": "str",
    },
    total=True,
)

_FundsAccountReferenceRequestOptional = TypedDict(
    "_FundsAccountReferenceRequestOptional",
    {
        "iban": "str",
        "bban": "str",
        "pan": "str",
        "maskedPan": "str",
        "msisdn": "str",
    },
    total=False,
)


class FundsAccountReferenceRequest(_FundsAccountReferenceRequestRequired, _FundsAccountReferenceRequestOptional):
    """The account of a funds consent, by exactly one identifier and its currency."""


_FundsConfirmationFields = TypedDict(
    "_FundsConfirmationFields",
    {
        "fundsAvailable": "bool",
        "tppMessages": "List[Any]",
        "_links": "Dict[str, Any]",
        "statusCode": "Literal[0, 1]",
    },
    total=True,
)


class FundsConfirmation(_FundsConfirmationFields):
    """The result of a funds confirmation."""


_FundsConfirmationRequestRequired = TypedDict(
    "_FundsConfirmationRequestRequired",
    {
        "account": "FundsAccountReferenceRequest",
        "instructedAmount": "PositiveAmount",
    },
    total=True,
)

_FundsConfirmationRequestOptional = TypedDict(
    "_FundsConfirmationRequestOptional",
    {
        "cardNumber": "str",
        "payee": "str",
    },
    total=False,
)


class FundsConfirmationRequest(_FundsConfirmationRequestRequired, _FundsConfirmationRequestOptional):
    """A request to confirm funds on the account of a funds consent."""


_FundsConsentRequired = TypedDict(
    "_FundsConsentRequired",
    {
        "account": "AccountReference",
        "lastActionDate": "str",
        "consentStatus": "ConsentStatus",
        "_links": "Links",
        "authenticationSchemes": "List[Any]",
        "properties": "Dict[str, Any]",
        "statusCode": "Literal[0, 1]",
        "tppMessages": "List[TppMessage]",
    },
    total=True,
)

_FundsConsentOptional = TypedDict(
    "_FundsConsentOptional",
    {
        "cardNumber": "str",
        "cardExpiryDate": "str",
        "cardInformation": "str",
        "registrationInformation": "str",
    },
    total=False,
)


class FundsConsent(_FundsConsentRequired, _FundsConsentOptional):
    """A funds consent."""


_FundsConsentRequestRequired = TypedDict(
    "_FundsConsentRequestRequired",
    {
        "account": "AccountReferenceRequest",
    },
    total=True,
)

_FundsConsentRequestOptional = TypedDict(
    "_FundsConsentRequestOptional",
    {
        "cardNumber": "str",
        "cardExpiryDate": "str",
        "cardInformation": "str",
        "registrationInformation": "str",
    },
    total=False,
)


class FundsConsentRequest(_FundsConsentRequestRequired, _FundsConsentRequestOptional):
    """A request of a card issuer for consent to confirm funds on an account."""


_FundsConsentStatusResponseFields = TypedDict(
    "_FundsConsentStatusResponseFields",
    {
        "scaStatus": "ScaStatus",
        "consentStatus": "ConsentStatus",
        "_links": "Links",
        "authenticationSchemes": "List[Any]",
        "properties": "Dict[str, Any]",
        "statusCode": "Literal[0, 1]",
        "tppMessages": "List[TppMessage]",
    },
    total=True,
)


class FundsConsentStatusResponse(_FundsConsentStatusResponseFields):
    """The status of a funds consent and of its newest authorisation (endpoint 4)."""


_HealthFields = TypedDict(
    "_HealthFields",
    {
        "status": "str",
    },
    total=True,
)


class Health(_HealthFields):
    """The state of the process."""


_ListedCallbackFields = TypedDict(
    "_ListedCallbackFields",
    {
        "id": "str",
        "type": "Literal['basket.approved', 'basket.declined', 'basket.expired']",
        "createdAt": "str",
        "headers": "Dict[str, str]",
        "body": "str",
    },
    total=True,
)


class ListedCallback(_ListedCallbackFields):
    """A callback with everything that is sent to the merchant."""


_LoanRequired = TypedDict(
    "_LoanRequired",
    {
        "bnplRequestId": "str",
        "status": "Literal['pending', 'approved', 'rejected']",
        "orderIdentifier": "str",
        "basketId": "str",
    },
    total=True,
)

_LoanOptional = TypedDict(
    "_LoanOptional",
    {
        "approvedLoanAmount": "Number",
        "refundedAmount": "Number",
    },
    total=False,
)


class Loan(_LoanRequired, _LoanOptional):
    """A loan as its merchant sees it, without its repayments."""


_LoanFoundDataFields = TypedDict(
    "_LoanFoundDataFields",
    {
        "payLaterInformation": "Loan",
    },
    total=True,
)


class LoanFoundData(_LoanFoundDataFields):
    """The result."""


_LoanFoundFields = TypedDict(
    "_LoanFoundFields",
    {
        "success": "bool",
        "data": "LoanFoundData",
        "message": "str",
        "errors": "List[Any]",
        "metadata": "Dict[str, Any]",
    },
    total=True,
)


class LoanFound(_LoanFoundFields):
    """A loan."""


_LoanRefundedRequired = TypedDict(
    "_LoanRefundedRequired",
    {
        "requestId": "str",
        "refundId": "str",
        "basketId": "str",
        "orderIdentifier": "str",
        "bnplRequestId": "str",
        "amount": "Number",
        "refundedAmount": "Number",
        "refundableAmount": "Number",
        "message": "str",
        "errors": "List[Any]",
    },
    total=True,
)

_LoanRefundedOptional = TypedDict(
    "_LoanRefundedOptional",
    {
        "status": "Literal['refunded']",
    },
    total=False,
)


class LoanRefunded(_LoanRefundedRequired, _LoanRefundedOptional):
    """A refund: the amount of this request, the total so far, and the remaining amount."""


_LoanSimulatedFields = TypedDict(
    "_LoanSimulatedFields",
    {
        "message": "str",
    },
    total=True,
)


class LoanSimulated(_LoanSimulatedFields):
    """The result of a simulated purchase."""


_MerchantApplicationRequired = TypedDict(
    "_MerchantApplicationRequired",
    {
        "applicationId": "str",
        "created": "str",
    },
    total=True,
)

_MerchantApplicationOptional = TypedDict(
    "_MerchantApplicationOptional",
    {
        "successCallbackUrl": "str",
        "failCallbackUrl": "str",
        "successRedirectURI": "str",
        "failureRedirectURI": "str",
    },
    total=False,
)


class MerchantApplication(_MerchantApplicationRequired, _MerchantApplicationOptional):
    """The application that created the basket."""


_MerchantApplicationChangeFields = TypedDict(
    "_MerchantApplicationChangeFields",
    {
        "successCallbackUrl": "str",
        "failCallbackUrl": "str",
        "successRedirectURI": "str",
        "failureRedirectURI": "str",
    },
    total=False,
)


class MerchantApplicationChange(_MerchantApplicationChangeFields):
    """The URLs that a merchant's application changes; absent ones stay as they are."""


_MessageRequired = TypedDict(
    "_MessageRequired",
    {
        "to": "str",
        "channel": "Literal['SMS', 'PUSH']",
        "text": "str",
        "sentAt": "str",
    },
    total=True,
)

_MessageOptional = TypedDict(
    "_MessageOptional",
    {
        "code": "str",
    },
    total=False,
)


class Message(_MessageRequired, _MessageOptional):
    """A message to a customer."""


_MessagesFields = TypedDict(
    "_MessagesFields",
    {
        "messages": "List[Message]",
    },
    total=True,
)


class Messages(_MessagesFields):
    """Messages sent to the SMS gateway and the push service."""


_MonthlyInstallmentFields = TypedDict(
    "_MonthlyInstallmentFields",
    {
        "paymentDay": "str",
        "paymentAmount": "Number",
        "originalDueDate": "str",
    },
    total=True,
)


class MonthlyInstallment(_MonthlyInstallmentFields):
    """One installment of a plan."""


_OpenBankingErrorFields = TypedDict(
    "_OpenBankingErrorFields",
    {
        "tppMessages": "List[TppMessage]",
        "statusCode": "Literal[0, 1]",
        "_links": "Dict[str, Any]",
    },
    total=True,
)


class OpenBankingError(_OpenBankingErrorFields):
    """An error. All field errors are reported at once, one message each."""


_OutcomeFields = TypedDict(
    "_OutcomeFields",
    {
        "input": "str",
        "value": "str",
        "outcome": "str",
    },
    total=True,
)


class Outcome(_OutcomeFields):
    """An input with a fixed outcome."""


_OutcomesFields = TypedDict(
    "_OutcomesFields",
    {
        "outcomes": "List[Outcome]",
    },
    total=True,
)


class Outcomes(_OutcomesFields):
    """Inputs with a fixed outcome."""


_PaymentRequired = TypedDict(
    "_PaymentRequired",
    {
        "debtorAccount": "AccountReference",
        "instructedAmount": "Amount",
        "creditorAccount": "AccountReference",
        "creditorName": "str",
        "transactionStatus": "Literal['ACCC', 'ACCP', 'ACSC', 'ACSP', 'ACTC', 'ACWC', 'ACWP', 'RCVD', 'PDNG', 'RJCT', 'CANC', 'ACFC', 'PATC', 'PART']",
        "_links": "Links",
        "authenticationSchemes": "List[Any]",
        "properties": "Dict[str, Any]",
        "statusCode": "Literal[0, 1]",
        "tppMessages": "List[TppMessage]",
    },
    total=True,
)

_PaymentOptional = TypedDict(
    "_PaymentOptional",
    {
        "endToEndIdentification": "str",
        "creditorAgent": "str",
        "creditorAgentName": "str",
        "remittanceInformationUnstructured": "str",
        "creditorAddress": "CreditorAddress",
    },
    total=False,
)


class Payment(_PaymentRequired, _PaymentOptional):
    """A payment as it was ordered, and its status."""


_PaymentAuthorisationRequired = TypedDict(
    "_PaymentAuthorisationRequired",
    {
        "scaStatus": "Literal['received', 'psuIdentified', 'psuAuthenticated', 'scaMethodSelected', 'started', 'finalised', 'failed', 'exempted']",
        "authorisationId": "str",
        "scaMethods": "List[ScaMethod]",
        "_links": "Links",
        "authenticationSchemes": "List[Any]",
        "properties": "Dict[str, Any]",
        "statusCode": "Literal[0, 1]",
        "tppMessages": "List[TppMessage]",
    },
    total=True,
)

_PaymentAuthorisationOptional = TypedDict(
    "_PaymentAuthorisationOptional",
    {
        "chosenScaMethod": "ScaMethod",
        "challengeData": "ChallengeData",
        "psuMessage": "str",
        "originalTransactionInformationAndVopStatus": "Literal['CMTC', 'NMTC', 'NOAP']",
    },
    total=False,
)


class PaymentAuthorisation(_PaymentAuthorisationRequired, _PaymentAuthorisationOptional):
    """An authorisation of a payment. Its status is a name here and a number elsewhere."""


_PaymentCancellationFields = TypedDict(
    "_PaymentCancellationFields",
    {
        "transactionStatus": "Literal['RECEIVED', 'CANCELLED']",
        "scaMethods": "List[CancellationScaMethod]",
        "_links": "Links",
        "authenticationSchemes": "List[Any]",
        "properties": "Dict[str, Any]",
        "statusCode": "Literal[0, 1]",
        "tppMessages": "List[TppMessage]",
    },
    total=True,
)


class PaymentCancellation(_PaymentCancellationFields):
    """The result of a cancellation."""


_PaymentInitiatedFields = TypedDict(
    "_PaymentInitiatedFields",
    {
        "transactionStatus": "Literal['ACCC', 'ACCP', 'ACSC', 'ACSP', 'ACTC', 'ACWC', 'ACWP', 'RCVD', 'PDNG', 'RJCT', 'CANC', 'ACFC', 'PATC', 'PART']",
        "paymentId": "str",
        "transactionFees": "Amount",
        "transactionFeeIndicator": "bool",
        "scaMethods": "List[ScaMethod]",
        "psuMessage": "str",
        "paymentService": "Literal['payments']",
        "paymentProduct": "Literal['internal-transfers', 'sepa-credit-transfers']",
        "customerPhone": "str",
        "_links": "Links",
        "authenticationSchemes": "List[Any]",
        "properties": "Dict[str, Any]",
        "statusCode": "Literal[0, 1]",
        "tppMessages": "List[TppMessage]",
    },
    total=True,
)


class PaymentInitiated(_PaymentInitiatedFields):
    """A payment that waits for its customer. Nothing is known yet about funds or owners."""


_PaymentRequestRequired = TypedDict(
    "_PaymentRequestRequired",
    {
        "debtorAccount": "AccountReferenceRequest",
        "instructedAmount": "PositiveAmount",
        "creditorAccount": "AccountReferenceRequest",
        "creditorName": "str",
    },
    total=True,
)

_PaymentRequestOptional = TypedDict(
    "_PaymentRequestOptional",
    {
        "endToEndIdentification": "str",
        "creditorAgent": "str",
        "creditorAgentName": "str",
        "creditorAddress": "CreditorAddressRequest",
        "remittanceInformationUnstructured": "str",
    },
    total=False,
)


class PaymentRequest(_PaymentRequestRequired, _PaymentRequestOptional):
    """A payment order from a customer's account."""


_PaymentStatusResponseRequired = TypedDict(
    "_PaymentStatusResponseRequired",
    {
        "transactionStatus": "Literal[0, 1, 2, 3, 4, 5, 6, 7]",
        "_links": "Links",
        "authenticationSchemes": "List[Any]",
        "properties": "Dict[str, Any]",
        "statusCode": "Literal[0, 1]",
        "tppMessages": "List[TppMessage]",
    },
    total=True,
)

_PaymentStatusResponseOptional = TypedDict(
    "_PaymentStatusResponseOptional",
    {
        "fundsAvailable": "bool",
    },
    total=False,
)


class PaymentStatusResponse(_PaymentStatusResponseRequired, _PaymentStatusResponseOptional):
    """The status of a payment."""


_PositiveAmountFields = TypedDict(
    "_PositiveAmountFields",
    {
        "currency": "str",
        "Amount": "str",
    },
    total=True,
)


class PositiveAmount(_PositiveAmountFields):
    """An amount greater than zero. Note the capital A."""


_ProblemErrorsItemRequired = TypedDict(
    "_ProblemErrorsItemRequired",
    {
        "message": "str",
    },
    total=True,
)

_ProblemErrorsItemOptional = TypedDict(
    "_ProblemErrorsItemOptional",
    {
        "field": "str",
        "code": "str",
    },
    total=False,
)


class ProblemErrorsItem(_ProblemErrorsItemRequired, _ProblemErrorsItemOptional):
    """A field error."""


_ProblemFields = TypedDict(
    "_ProblemFields",
    {
        "type": "str",
        "title": "str",
        "status": "int",
        "detail": "str",
        "instance": "str",
        "message": "str",
        "errors": "List[ProblemErrorsItem]",
    },
    total=True,
)


class Problem(_ProblemFields):
    """An error. All field errors are reported at once, one item of `errors` each."""


_RefundOrderRequired = TypedDict(
    "_RefundOrderRequired",
    {
        "amount": "NumberInput",
        "basketId": "str",
    },
    total=True,
)

_RefundOrderOptional = TypedDict(
    "_RefundOrderOptional",
    {
        "reason": "str",
        "requestId": "str",
    },
    total=False,
)


class RefundOrder(_RefundOrderRequired, _RefundOrderOptional):
    """A refund of a loan."""


_SandboxAccountRequired = TypedDict(
    "_SandboxAccountRequired",
    {
        "owners": "List[str]",
        "iban": "str",
        "currency": "str",
        "openingBalance": "str",
        "creditLimit": "str",
        "name": "str",
        "product": "str",
        "kind": "str",
        "usage": "str",
        "status": "str",
    },
    total=True,
)

_SandboxAccountOptional = TypedDict(
    "_SandboxAccountOptional",
    {
        "bic": "str",
        "openedOn": "str",
    },
    total=False,
)


class SandboxAccount(_SandboxAccountRequired, _SandboxAccountOptional):
    """An account."""


_SandboxAccountRequestRequired = TypedDict(
    "_SandboxAccountRequestRequired",
    {
        "owners": "List[str]",
    },
    total=True,
)

_SandboxAccountRequestOptional = TypedDict(
    "_SandboxAccountRequestOptional",
    {
        "iban": "str",
        "bic": "str",
        "currency": "str",
        "openingBalance": "str",
        "openedOn": "str",
        "creditLimit": "str",
        "name": "str",
        "product": "str",
        "kind": "Literal['current', 'savings']",
        "usage": "Literal['private', 'organisation']",
        "status": "Literal['enabled', 'blocked', 'deleted']",
    },
    total=False,
)


class SandboxAccountRequest(_SandboxAccountRequestRequired, _SandboxAccountRequestOptional):
    """A payment account."""


_SandboxAccountViewFields = TypedDict(
    "_SandboxAccountViewFields",
    {
        "iban": "str",
        "currency": "str",
        "name": "str",
        "booked": "str",
        "available": "str",
    },
    total=True,
)


class SandboxAccountView(_SandboxAccountViewFields):
    """An account with its balances."""


_SandboxBankRequired = TypedDict(
    "_SandboxBankRequired",
    {
        "customers": "List[SandboxCustomer]",
        "accounts": "List[SandboxAccount]",
        "cards": "List[SandboxCard]",
        "transactions": "List[SandboxTransaction]",
    },
    total=True,
)

_SandboxBankOptional = TypedDict(
    "_SandboxBankOptional",
    {
        "now": "str",
    },
    total=False,
)


class SandboxBank(_SandboxBankRequired, _SandboxBankOptional):
    """The content of the bank, as `POST /sandbox/bank` takes it."""


_SandboxBankCountFields = TypedDict(
    "_SandboxBankCountFields",
    {
        "customers": "int",
        "accounts": "int",
        "cards": "int",
    },
    total=True,
)


class SandboxBankCount(_SandboxBankCountFields):
    """The number of objects that replace those of before."""


_SandboxBankRequestRequired = TypedDict(
    "_SandboxBankRequestRequired",
    {
        "customers": "List[SandboxCustomerRequest]",
    },
    total=True,
)

_SandboxBankRequestOptional = TypedDict(
    "_SandboxBankRequestOptional",
    {
        "now": "str",
        "accounts": "List[SandboxAccountRequest]",
        "cards": "List[SandboxCardRequest]",
        "transactions": "List[SandboxTransactionRequest]",
    },
    total=False,
)


class SandboxBankRequest(_SandboxBankRequestRequired, _SandboxBankRequestOptional):
    """The content of a bank."""


_SandboxCardFields = TypedDict(
    "_SandboxCardFields",
    {
        "psuId": "str",
        "iban": "str",
        "currency": "str",
        "pan": "str",
        "creditLimit": "str",
        "product": "str",
        "name": "str",
        "expiryDate": "str",
        "status": "str",
    },
    total=True,
)


class SandboxCard(_SandboxCardFields):
    """A card."""


_SandboxCardRequestRequired = TypedDict(
    "_SandboxCardRequestRequired",
    {
        "psuId": "str",
        "iban": "str",
    },
    total=True,
)

_SandboxCardRequestOptional = TypedDict(
    "_SandboxCardRequestOptional",
    {
        "currency": "str",
        "pan": "str",
        "creditLimit": "str",
        "product": "str",
        "name": "str",
        "expiryDate": "str",
        "status": "Literal['enabled', 'blocked', 'deleted']",
    },
    total=False,
)


class SandboxCardRequest(_SandboxCardRequestRequired, _SandboxCardRequestOptional):
    """A card."""


_SandboxCardViewRequired = TypedDict(
    "_SandboxCardViewRequired",
    {
        "maskedPan": "str",
        "product": "str",
    },
    total=True,
)

_SandboxCardViewOptional = TypedDict(
    "_SandboxCardViewOptional",
    {
        "pan": "str",
    },
    total=False,
)


class SandboxCardView(_SandboxCardViewRequired, _SandboxCardViewOptional):
    """A card with its number."""


_SandboxCustomerRequired = TypedDict(
    "_SandboxCustomerRequired",
    {
        "psuId": "str",
        "name": "str",
        "phone": "str",
        "methods": "List[str]",
    },
    total=True,
)

_SandboxCustomerOptional = TypedDict(
    "_SandboxCustomerOptional",
    {
        "password": "str",
        "language": "str",
    },
    total=False,
)


class SandboxCustomer(_SandboxCustomerRequired, _SandboxCustomerOptional):
    """A customer with its password."""


_SandboxCustomerRequestRequired = TypedDict(
    "_SandboxCustomerRequestRequired",
    {
        "psuId": "str",
        "name": "str",
        "phone": "str",
    },
    total=True,
)

_SandboxCustomerRequestOptional = TypedDict(
    "_SandboxCustomerRequestOptional",
    {
        "password": "str",
        "language": "Literal['en', 'el']",
        "methods": "List[str]",
    },
    total=False,
)


class SandboxCustomerRequest(_SandboxCustomerRequestRequired, _SandboxCustomerRequestOptional):
    """A customer. A login, an IBAN or a card number exists once."""


_SandboxCustomerViewRequired = TypedDict(
    "_SandboxCustomerViewRequired",
    {
        "psuId": "str",
        "name": "str",
        "phone": "str",
        "methods": "List[SandboxMethod]",
        "accounts": "List[SandboxAccountView]",
        "cards": "List[SandboxCardView]",
    },
    total=True,
)

_SandboxCustomerViewOptional = TypedDict(
    "_SandboxCustomerViewOptional",
    {
        "password": "str",
    },
    total=False,
)


class SandboxCustomerView(_SandboxCustomerViewRequired, _SandboxCustomerViewOptional):
    """A customer with accounts and cards."""


_SandboxCustomersFields = TypedDict(
    "_SandboxCustomersFields",
    {
        "customers": "List[SandboxCustomerView]",
    },
    total=True,
)


class SandboxCustomers(_SandboxCustomersFields):
    """The customers of the sandbox."""


_SandboxMethodFields = TypedDict(
    "_SandboxMethodFields",
    {
        "id": "str",
        "type": "str",
    },
    total=True,
)


class SandboxMethod(_SandboxMethodFields):
    """An SCA method."""


_SandboxTransactionRequired = TypedDict(
    "_SandboxTransactionRequired",
    {
        "currency": "str",
        "amount": "str",
        "pending": "bool",
    },
    total=True,
)

_SandboxTransactionOptional = TypedDict(
    "_SandboxTransactionOptional",
    {
        "iban": "str",
        "pan": "str",
        "bookingDate": "str",
        "valueDate": "str",
        "counterpartyName": "str",
        "counterpartyIban": "str",
        "remittance": "str",
        "endToEndId": "str",
        "bankTransactionCode": "str",
        "additionalInformation": "str",
        "merchantCategoryCode": "str",
    },
    total=False,
)


class SandboxTransaction(_SandboxTransactionRequired, _SandboxTransactionOptional):
    """A transaction."""


_SandboxTransactionRequestRequired = TypedDict(
    "_SandboxTransactionRequestRequired",
    {
        "amount": "str",
    },
    total=True,
)

_SandboxTransactionRequestOptional = TypedDict(
    "_SandboxTransactionRequestOptional",
    {
        "iban": "str",
        "pan": "str",
        "currency": "str",
        "bookingDate": "str",
        "valueDate": "str",
        "pending": "bool",
        "counterpartyName": "str",
        "counterpartyIban": "str",
        "remittance": "str",
        "endToEndId": "str",
        "bankTransactionCode": "str",
        "additionalInformation": "str",
        "merchantCategoryCode": "str",
    },
    total=False,
)


class SandboxTransactionRequest(_SandboxTransactionRequestRequired, _SandboxTransactionRequestOptional):
    """A transaction of an account (`iban`), of a card (`pan`), or a payment from an account to a card (both)."""


_SandboxTransactionsRequired = TypedDict(
    "_SandboxTransactionsRequired",
    {
        "transactions": "List[SandboxTransaction]",
    },
    total=True,
)

_SandboxTransactionsOptional = TypedDict(
    "_SandboxTransactionsOptional",
    {
        "cursor": "str",
    },
    total=False,
)


class SandboxTransactions(_SandboxTransactionsRequired, _SandboxTransactionsOptional):
    """Transactions of an account, newest first."""


_ScaMethodFields = TypedDict(
    "_ScaMethodFields",
    {
        "authenticationType": "Literal[0, 1, 2, 3]",
        "authenticationMethodId": "str",
        "name": "str",
    },
    total=True,
)


class ScaMethod(_ScaMethodFields):
    """An SCA method of the customer."""


_ThirdPartyApplicationChangeFields = TypedDict(
    "_ThirdPartyApplicationChangeFields",
    {
        "redirectURIs": "List[str]",
    },
    total=False,
)


class ThirdPartyApplicationChange(_ThirdPartyApplicationChangeFields):
    """The redirect URIs that a third party's application changes."""


_TppMessageRequired = TypedDict(
    "_TppMessageRequired",
    {
        "category": "Literal[0, 1]",
        "code": "int",
        "text": "str",
    },
    total=True,
)

_TppMessageOptional = TypedDict(
    "_TppMessageOptional",
    {
        "path": "str",
    },
    total=False,
)


class TppMessage(_TppMessageRequired, _TppMessageOptional):
    """A message about a request."""


_TransactionRequired = TypedDict(
    "_TransactionRequired",
    {
        "transactionId": "str",
        "transactionAmount": "Amount",
        "valueDate": "str",
        "proprietaryBankTransactionCode": "str",
        "_links": "Links",
    },
    total=True,
)

_TransactionOptional = TypedDict(
    "_TransactionOptional",
    {
        "entryReference": "str",
        "endToEndId": "str",
        "mandateId": "str",
        "checkId": "str",
        "creditorId": "str",
        "currencyExchange": "List[CurrencyExchange]",
        "creditorName": "str",
        "creditorAccount": "AccountReference",
        "ultimateCreditor": "str",
        "debtorName": "str",
        "debtorAccount": "AccountReference",
        "ultimateDebtor": "str",
        "remittanceInformationUnstructured": "str",
        "remittanceInformationStructured": "str",
        "purposeCode": "int",
        "bookingDate": "str",
        "additionalInformation": "str",
        "bankTransactionCode": "str",
        "batchIndicator": "bool",
        "batchNumberOfTransactions": "int",
        "entryDetails": "List[EntryDetail]",
    },
    total=False,
)


class Transaction(_TransactionRequired, _TransactionOptional):
    """A transaction of an account."""


_TransactionDetailsRequired = TypedDict(
    "_TransactionDetailsRequired",
    {
        "transactionId": "str",
        "transactionAmount": "Amount",
        "valueDate": "str",
        "proprietaryBankTransactionCode": "str",
        "_links": "Links",
        "authenticationSchemes": "List[Any]",
        "properties": "Dict[str, Any]",
        "statusCode": "Literal[0, 1]",
        "tppMessages": "List[TppMessage]",
    },
    total=True,
)

_TransactionDetailsOptional = TypedDict(
    "_TransactionDetailsOptional",
    {
        "entryReference": "str",
        "endToEndId": "str",
        "mandateId": "str",
        "checkId": "str",
        "creditorId": "str",
        "currencyExchange": "List[CurrencyExchange]",
        "creditorName": "str",
        "creditorAccount": "AccountReference",
        "ultimateCreditor": "str",
        "debtorName": "str",
        "debtorAccount": "AccountReference",
        "ultimateDebtor": "str",
        "remittanceInformationUnstructured": "str",
        "remittanceInformationStructured": "str",
        "purposeCode": "int",
        "bookingDate": "str",
        "additionalInformation": "str",
        "bankTransactionCode": "str",
        "batchIndicator": "bool",
        "batchNumberOfTransactions": "int",
        "entryDetails": "List[EntryDetail]",
    },
    total=False,
)


class TransactionDetails(_TransactionDetailsRequired, _TransactionDetailsOptional):
    """A transaction of an account."""


_VoidOrderRequired = TypedDict(
    "_VoidOrderRequired",
    {
        "basketId": "str",
    },
    total=True,
)

_VoidOrderOptional = TypedDict(
    "_VoidOrderOptional",
    {
        "requestId": "str",
    },
    total=False,
)


class VoidOrder(_VoidOrderRequired, _VoidOrderOptional):
    """A request to void a basket."""


#: A merchant sets its four URLs, a third party its redirect URIs.
ApplicationChange = Union[MerchantApplicationChange, ThirdPartyApplicationChange]

#: A voided basket: its loan was refunded, or it ended without one.
BasketVoided = Union[LoanRefunded, BasketEnded]

#: 0 received, 1 rejected, 2 valid, 3 revokedByPsu, 4 expired, 5 terminatedByTpp
ConsentStatus = Literal[0, 1, 2, 3, 4, 5]

_LinksValueFields = TypedDict(
    "_LinksValueFields",
    {
        "href": "str",
    },
    total=True,
)


class LinksValue(_LinksValueFields):
    """`LinksValue`."""


#: The possible next steps, by name.
Links = Dict[str, LinksValue]

#: 0 received, 1 psuIdentified, 2 psuAuthenticated, 3 scaMethodSelected, 4 started, 5 finalised, 6 failed, 7 exempted
ScaStatus = Literal[0, 1, 2, 3, 4, 5, 6, 7]
