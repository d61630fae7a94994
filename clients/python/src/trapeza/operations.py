"""A method for every operation, by caller."""

# Generated from docs/openapi.json by `cargo xtask gen`; do not edit.

from __future__ import annotations

from typing import Literal, Optional, cast

from . import models
from ._transport import Client, segment


class ThirdPartyOperations(Client):
    """Open banking, for third parties."""

    def create_consent(
        self,
        body: models.ConsentRequest,
        *,
        psu_id: str,
        request_id: Optional[str] = None,
    ) -> models.ConsentCreated:
        """Create an account-access consent: `POST /v1/consents`."""
        return cast(models.ConsentCreated, self._send(
            "POST",
            "/v1/consents",
            headers={
                "PSU_ID": psu_id,
            },
            body=body,
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        ))

    def get_consent(
        self,
        consent_id: str,
        *,
        request_id: Optional[str] = None,
    ) -> models.Consent:
        """Get a consent: `GET /v1/consents/{consentId}`."""
        return cast(models.Consent, self._send(
            "GET",
            f"/v1/consents/{segment(consent_id)}",
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        ))

    def delete_consent(
        self,
        consent_id: str,
        *,
        request_id: Optional[str] = None,
    ) -> None:
        """Revoke a consent: `DELETE /v1/consents/{consentId}`."""
        self._send(
            "DELETE",
            f"/v1/consents/{segment(consent_id)}",
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        )

    def get_consent_status(
        self,
        consent_id: str,
        *,
        request_id: Optional[str] = None,
    ) -> models.ConsentStatusResponse:
        """Get a consent's status: `GET /v1/consents/{consentId}/status`."""
        return cast(models.ConsentStatusResponse, self._send(
            "GET",
            f"/v1/consents/{segment(consent_id)}/status",
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        ))

    def start_consent_authorisation(
        self,
        consent_id: str,
        body: Optional[models.AuthorisationStep] = None,
        *,
        psu_id: str,
        tpp_redirect_preferred: Optional[bool] = None,
        tpp_decoupled_preferred: Optional[bool] = None,
        tpp_redirect_uri: Optional[str] = None,
        tpp_nok_redirect_uri: Optional[str] = None,
        request_id: Optional[str] = None,
    ) -> models.Authorisation:
        """Start an authorisation: `POST /v1/consents/{consentId}/authorisations`."""
        return cast(models.Authorisation, self._send(
            "POST",
            f"/v1/consents/{segment(consent_id)}/authorisations",
            headers={
                "PSU_ID": psu_id,
                "TPP-Redirect-Preferred": tpp_redirect_preferred,
                "TPP-Decoupled-Preferred": tpp_decoupled_preferred,
                "TPP-Redirect-URI": tpp_redirect_uri,
                "TPP-Nok-Redirect-URI": tpp_nok_redirect_uri,
            },
            body=body,
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        ))

    def list_consent_authorisations(
        self,
        consent_id: str,
        *,
        request_id: Optional[str] = None,
    ) -> models.AuthorisationIds:
        """List the authorisations: `GET /v1/consents/{consentId}/authorisations`."""
        return cast(models.AuthorisationIds, self._send(
            "GET",
            f"/v1/consents/{segment(consent_id)}/authorisations",
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        ))

    def get_consent_authorisation(
        self,
        consent_id: str,
        authorisation_id: str,
        *,
        request_id: Optional[str] = None,
    ) -> models.AuthorisationStatusResponse:
        """Get an authorisation's status: `GET /v1/consents/{consentId}/authorisations/{authorisationId}`."""
        return cast(models.AuthorisationStatusResponse, self._send(
            "GET",
            f"/v1/consents/{segment(consent_id)}/authorisations/{segment(authorisation_id)}",
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        ))

    def update_consent_authorisation(
        self,
        consent_id: str,
        authorisation_id: str,
        body: models.AuthorisationStep,
        *,
        request_id: Optional[str] = None,
    ) -> models.Authorisation:
        """Update an authorisation with the customer's password, method or OTP: `PUT /v1/consents/{consentId}/authorisations/{authorisationId}`."""
        return cast(models.Authorisation, self._send(
            "PUT",
            f"/v1/consents/{segment(consent_id)}/authorisations/{segment(authorisation_id)}",
            body=body,
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        ))

    def create_funds_consent(
        self,
        body: models.FundsConsentRequest,
        *,
        psu_id: str,
        request_id: Optional[str] = None,
    ) -> models.ConsentCreated:
        """Create a funds consent: `POST /v2/consents/confirmation-of-funds`."""
        return cast(models.ConsentCreated, self._send(
            "POST",
            "/v2/consents/confirmation-of-funds",
            headers={
                "PSU_ID": psu_id,
            },
            body=body,
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        ))

    def get_funds_consent(
        self,
        consent_id: str,
        *,
        request_id: Optional[str] = None,
    ) -> models.FundsConsent:
        """Get a funds consent: `GET /v2/consents/confirmation-of-funds/{consentId}`."""
        return cast(models.FundsConsent, self._send(
            "GET",
            f"/v2/consents/confirmation-of-funds/{segment(consent_id)}",
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        ))

    def delete_funds_consent(
        self,
        consent_id: str,
        *,
        request_id: Optional[str] = None,
    ) -> None:
        """Revoke a funds consent: `DELETE /v2/consents/confirmation-of-funds/{consentId}`."""
        self._send(
            "DELETE",
            f"/v2/consents/confirmation-of-funds/{segment(consent_id)}",
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        )

    def get_funds_consent_status(
        self,
        consent_id: str,
        *,
        request_id: Optional[str] = None,
    ) -> models.FundsConsentStatusResponse:
        """Get the status of a funds consent and of its newest authorisation: `GET /v2/consents/confirmation-of-funds/{consentId}/status`."""
        return cast(models.FundsConsentStatusResponse, self._send(
            "GET",
            f"/v2/consents/confirmation-of-funds/{segment(consent_id)}/status",
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        ))

    def start_funds_consent_authorisation(
        self,
        consent_id: str,
        body: Optional[models.AuthorisationStep] = None,
        *,
        psu_id: str,
        tpp_redirect_preferred: Optional[bool] = None,
        tpp_decoupled_preferred: Optional[bool] = None,
        tpp_redirect_uri: Optional[str] = None,
        tpp_nok_redirect_uri: Optional[str] = None,
        request_id: Optional[str] = None,
    ) -> models.Authorisation:
        """Start an authorisation: `POST /v2/consents/confirmation-of-funds/{consentId}/authorisations`."""
        return cast(models.Authorisation, self._send(
            "POST",
            f"/v2/consents/confirmation-of-funds/{segment(consent_id)}/authorisations",
            headers={
                "PSU_ID": psu_id,
                "TPP-Redirect-Preferred": tpp_redirect_preferred,
                "TPP-Decoupled-Preferred": tpp_decoupled_preferred,
                "TPP-Redirect-URI": tpp_redirect_uri,
                "TPP-Nok-Redirect-URI": tpp_nok_redirect_uri,
            },
            body=body,
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        ))

    def list_funds_consent_authorisations(
        self,
        consent_id: str,
        *,
        request_id: Optional[str] = None,
    ) -> models.AuthorisationIds:
        """List the authorisations: `GET /v2/consents/confirmation-of-funds/{consentId}/authorisations`."""
        return cast(models.AuthorisationIds, self._send(
            "GET",
            f"/v2/consents/confirmation-of-funds/{segment(consent_id)}/authorisations",
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        ))

    def get_funds_consent_authorisation(
        self,
        consent_id: str,
        authorisation_id: str,
        *,
        request_id: Optional[str] = None,
    ) -> models.AuthorisationStatusResponse:
        """Get an authorisation's status: `GET /v2/consents/confirmation-of-funds/{consentId}/authorisations/{authorisationId}`."""
        return cast(models.AuthorisationStatusResponse, self._send(
            "GET",
            f"/v2/consents/confirmation-of-funds/{segment(consent_id)}/authorisations/{segment(authorisation_id)}",
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        ))

    def update_funds_consent_authorisation(
        self,
        consent_id: str,
        authorisation_id: str,
        body: models.AuthorisationStep,
        *,
        request_id: Optional[str] = None,
    ) -> models.Authorisation:
        """Update an authorisation with the customer's password, method or OTP: `PUT /v2/consents/confirmation-of-funds/{consentId}/authorisations/{authorisationId}`."""
        return cast(models.Authorisation, self._send(
            "PUT",
            f"/v2/consents/confirmation-of-funds/{segment(consent_id)}/authorisations/{segment(authorisation_id)}",
            body=body,
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        ))

    def confirm_funds(
        self,
        body: models.FundsConfirmationRequest,
        *,
        consent_id: str,
        request_id: Optional[str] = None,
    ) -> models.FundsConfirmation:
        """Confirm funds: `POST /v1/funds-confirmations`."""
        return cast(models.FundsConfirmation, self._send(
            "POST",
            "/v1/funds-confirmations",
            headers={
                "consentId": consent_id,
            },
            body=body,
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        ))

    def initiate_payment(
        self,
        payment_product: Literal['internal-transfers', 'sepa-credit-transfers'],
        body: models.PaymentRequest,
        *,
        psu_id: str,
        psu_ip_address: str,
        consent_id: Optional[str] = None,
        request_id: Optional[str] = None,
    ) -> models.PaymentInitiated:
        """Initiate a payment: `POST /v1/{payment-service}/{payment-product}`."""
        return cast(models.PaymentInitiated, self._send(
            "POST",
            f"/v1/payments/{segment(payment_product)}",
            headers={
                "PSU_ID": psu_id,
                "pSUIPAddress": psu_ip_address,
                "consentID": consent_id,
            },
            body=body,
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        ))

    def get_payment(
        self,
        payment_product: Literal['internal-transfers', 'sepa-credit-transfers'],
        payment_id: str,
        *,
        request_id: Optional[str] = None,
    ) -> models.Payment:
        """Get a payment: `GET /v1/{payment-service}/{payment-product}/{paymentId}`."""
        return cast(models.Payment, self._send(
            "GET",
            f"/v1/payments/{segment(payment_product)}/{segment(payment_id)}",
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        ))

    def cancel_payment(
        self,
        payment_product: Literal['internal-transfers', 'sepa-credit-transfers'],
        payment_id: str,
        *,
        request_id: Optional[str] = None,
    ) -> models.PaymentCancellation:
        """Cancel a payment: `DELETE /v1/{payment-service}/{payment-product}/{paymentId}`."""
        return cast(models.PaymentCancellation, self._send(
            "DELETE",
            f"/v1/payments/{segment(payment_product)}/{segment(payment_id)}",
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        ))

    def get_payment_status(
        self,
        payment_product: Literal['internal-transfers', 'sepa-credit-transfers'],
        payment_id: str,
        *,
        request_id: Optional[str] = None,
    ) -> models.PaymentStatusResponse:
        """Get a payment's status: `GET /v1/{payment-service}/{payment-product}/{paymentId}/status`."""
        return cast(models.PaymentStatusResponse, self._send(
            "GET",
            f"/v1/payments/{segment(payment_product)}/{segment(payment_id)}/status",
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        ))

    def start_payment_authorisation(
        self,
        payment_product: Literal['internal-transfers', 'sepa-credit-transfers'],
        payment_id: str,
        body: Optional[models.AuthorisationStep] = None,
        *,
        tpp_redirect_preferred: Optional[bool] = None,
        tpp_decoupled_preferred: Optional[bool] = None,
        tpp_redirect_uri: Optional[str] = None,
        tpp_nok_redirect_uri: Optional[str] = None,
        request_id: Optional[str] = None,
    ) -> models.PaymentAuthorisation:
        """Start an authorisation: `POST /v1/{payment-service}/{payment-product}/{paymentId}/authorisations`."""
        return cast(models.PaymentAuthorisation, self._send(
            "POST",
            f"/v1/payments/{segment(payment_product)}/{segment(payment_id)}/authorisations",
            headers={
                "TPP-Redirect-Preferred": tpp_redirect_preferred,
                "TPP-Decoupled-Preferred": tpp_decoupled_preferred,
                "TPP-Redirect-URI": tpp_redirect_uri,
                "TPP-Nok-Redirect-URI": tpp_nok_redirect_uri,
            },
            body=body,
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        ))

    def list_payment_authorisations(
        self,
        payment_product: Literal['internal-transfers', 'sepa-credit-transfers'],
        payment_id: str,
        *,
        request_id: Optional[str] = None,
    ) -> models.AuthorisationIds:
        """List the authorisations: `GET /v1/{payment-service}/{payment-product}/{paymentId}/authorisations`."""
        return cast(models.AuthorisationIds, self._send(
            "GET",
            f"/v1/payments/{segment(payment_product)}/{segment(payment_id)}/authorisations",
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        ))

    def get_payment_authorisation(
        self,
        payment_product: Literal['internal-transfers', 'sepa-credit-transfers'],
        payment_id: str,
        authorisation_id: str,
        *,
        request_id: Optional[str] = None,
    ) -> models.AuthorisationStatusResponse:
        """Get an authorisation's status: `GET /v1/{payment-service}/{payment-product}/{paymentId}/authorisations/{authorisationId}`."""
        return cast(models.AuthorisationStatusResponse, self._send(
            "GET",
            f"/v1/payments/{segment(payment_product)}/{segment(payment_id)}/authorisations/{segment(authorisation_id)}",
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        ))

    def update_payment_authorisation(
        self,
        payment_product: Literal['internal-transfers', 'sepa-credit-transfers'],
        payment_id: str,
        authorisation_id: str,
        body: models.AuthorisationStep,
        *,
        request_id: Optional[str] = None,
    ) -> models.PaymentAuthorisation:
        """Update an authorisation with the customer's password, method or OTP: `PUT /v1/{payment-service}/{payment-product}/{paymentId}/authorisations/{authorisationId}`."""
        return cast(models.PaymentAuthorisation, self._send(
            "PUT",
            f"/v1/payments/{segment(payment_product)}/{segment(payment_id)}/authorisations/{segment(authorisation_id)}",
            body=body,
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        ))

    def start_cancellation_authorisation(
        self,
        payment_product: Literal['internal-transfers', 'sepa-credit-transfers'],
        payment_id: str,
        body: Optional[models.AuthorisationStep] = None,
        *,
        tpp_redirect_preferred: Optional[bool] = None,
        tpp_decoupled_preferred: Optional[bool] = None,
        tpp_redirect_uri: Optional[str] = None,
        tpp_nok_redirect_uri: Optional[str] = None,
        request_id: Optional[str] = None,
    ) -> models.CancellationAuthorisation:
        """Start an authorisation of a cancellation: `POST /v1/{payment-service}/{payment-product}/{paymentId}/cancellation-authorisations`."""
        return cast(models.CancellationAuthorisation, self._send(
            "POST",
            f"/v1/payments/{segment(payment_product)}/{segment(payment_id)}/cancellation-authorisations",
            headers={
                "TPP-Redirect-Preferred": tpp_redirect_preferred,
                "TPP-Decoupled-Preferred": tpp_decoupled_preferred,
                "TPP-Redirect-URI": tpp_redirect_uri,
                "TPP-Nok-Redirect-URI": tpp_nok_redirect_uri,
            },
            body=body,
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        ))

    def list_cancellation_authorisations(
        self,
        payment_product: Literal['internal-transfers', 'sepa-credit-transfers'],
        payment_id: str,
        *,
        request_id: Optional[str] = None,
    ) -> models.AuthorisationIds:
        """List the authorisations of a cancellation: `GET /v1/{payment-service}/{payment-product}/{paymentId}/cancellation-authorisations`."""
        return cast(models.AuthorisationIds, self._send(
            "GET",
            f"/v1/payments/{segment(payment_product)}/{segment(payment_id)}/cancellation-authorisations",
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        ))

    def get_cancellation_authorisation(
        self,
        payment_product: Literal['internal-transfers', 'sepa-credit-transfers'],
        payment_id: str,
        authorisation_id: str,
        *,
        request_id: Optional[str] = None,
    ) -> models.AuthorisationStatusResponse:
        """Get the status of a cancellation's authorisation: `GET /v1/{payment-service}/{payment-product}/{paymentId}/cancellation-authorisations/{authorisationId}`."""
        return cast(models.AuthorisationStatusResponse, self._send(
            "GET",
            f"/v1/payments/{segment(payment_product)}/{segment(payment_id)}/cancellation-authorisations/{segment(authorisation_id)}",
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        ))

    def update_cancellation_authorisation(
        self,
        payment_product: Literal['internal-transfers', 'sepa-credit-transfers'],
        payment_id: str,
        authorisation_id: str,
        body: models.AuthorisationStep,
        *,
        request_id: Optional[str] = None,
    ) -> models.CancellationAuthorisation:
        """Update an authorisation with the customer's password, method or OTP: `PUT /v1/{payment-service}/{payment-product}/{paymentId}/cancellation-authorisations/{authorisationId}`."""
        return cast(models.CancellationAuthorisation, self._send(
            "PUT",
            f"/v1/payments/{segment(payment_product)}/{segment(payment_id)}/cancellation-authorisations/{segment(authorisation_id)}",
            body=body,
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        ))

    def list_accounts(
        self,
        *,
        consent_id: str,
        psu_ip_address: Optional[str] = None,
        with_balance: Optional[bool] = None,
        request_id: Optional[str] = None,
    ) -> models.Accounts:
        """List the accounts of a consent: `GET /v1/accounts`."""
        return cast(models.Accounts, self._send(
            "GET",
            "/v1/accounts",
            headers={
                "consentID": consent_id,
                "pSUIPAddress": psu_ip_address,
            },
            query={
                "withBalance": with_balance,
            },
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        ))

    def get_account(
        self,
        account_id: str,
        *,
        consent_id: str,
        psu_ip_address: Optional[str] = None,
        with_balance: Optional[bool] = None,
        request_id: Optional[str] = None,
    ) -> models.AccountDetails:
        """Get an account: `GET /v1/accounts/{account-id}`."""
        return cast(models.AccountDetails, self._send(
            "GET",
            f"/v1/accounts/{segment(account_id)}",
            headers={
                "consentID": consent_id,
                "pSUIPAddress": psu_ip_address,
            },
            query={
                "withBalance": with_balance,
            },
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        ))

    def get_account_balances(
        self,
        account_id: str,
        *,
        consent_id: str,
        psu_ip_address: Optional[str] = None,
        request_id: Optional[str] = None,
    ) -> models.AccountBalances:
        """Get an account's balances: `GET /v1/accounts/{account-id}/balances`."""
        return cast(models.AccountBalances, self._send(
            "GET",
            f"/v1/accounts/{segment(account_id)}/balances",
            headers={
                "consentID": consent_id,
                "pSUIPAddress": psu_ip_address,
            },
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        ))

    def list_transactions(
        self,
        account_id: str,
        *,
        consent_id: str,
        psu_ip_address: Optional[str] = None,
        date_from: Optional[str] = None,
        date_to: Optional[str] = None,
        entry_reference_from: Optional[str] = None,
        booking_status: Optional[Literal['booked', 'pending', 'both']] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        with_balance: Optional[bool] = None,
        request_id: Optional[str] = None,
    ) -> models.AccountTransactions:
        """Get an account's transactions, newest first, in pages: `GET /v1/accounts/{account-id}/transactions`."""
        return cast(models.AccountTransactions, self._send(
            "GET",
            f"/v1/accounts/{segment(account_id)}/transactions",
            headers={
                "consentID": consent_id,
                "pSUIPAddress": psu_ip_address,
            },
            query={
                "dateFrom": date_from,
                "dateTo": date_to,
                "entryReferenceFrom": entry_reference_from,
                "bookingStatus": booking_status,
                "limit": limit,
                "cursor": cursor,
                "withBalance": with_balance,
            },
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        ))

    def get_transaction(
        self,
        account_id: str,
        transaction_id: str,
        *,
        consent_id: str,
        psu_ip_address: Optional[str] = None,
        request_id: Optional[str] = None,
    ) -> models.TransactionDetails:
        """Get a transaction: `GET /v1/accounts/{account-id}/transactions/{transactionId}`."""
        return cast(models.TransactionDetails, self._send(
            "GET",
            f"/v1/accounts/{segment(account_id)}/transactions/{segment(transaction_id)}",
            headers={
                "consentID": consent_id,
                "pSUIPAddress": psu_ip_address,
            },
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        ))

    def list_cards(
        self,
        *,
        consent_id: str,
        psu_ip_address: Optional[str] = None,
        with_balance: Optional[bool] = None,
        request_id: Optional[str] = None,
    ) -> models.Cards:
        """List the cards of a consent: `GET /v1/cards`."""
        return cast(models.Cards, self._send(
            "GET",
            "/v1/cards",
            headers={
                "consentID": consent_id,
                "pSUIPAddress": psu_ip_address,
            },
            query={
                "withBalance": with_balance,
            },
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        ))

    def get_card(
        self,
        card_id: str,
        *,
        consent_id: str,
        psu_ip_address: Optional[str] = None,
        with_balance: Optional[bool] = None,
        request_id: Optional[str] = None,
    ) -> models.CardDetails:
        """Get a card: `GET /v1/cards/{card-id}`."""
        return cast(models.CardDetails, self._send(
            "GET",
            f"/v1/cards/{segment(card_id)}",
            headers={
                "consentID": consent_id,
                "pSUIPAddress": psu_ip_address,
            },
            query={
                "withBalance": with_balance,
            },
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        ))

    def get_card_balances(
        self,
        card_id: str,
        *,
        consent_id: str,
        psu_ip_address: Optional[str] = None,
        request_id: Optional[str] = None,
    ) -> models.CardBalances:
        """Get a card's balances: `GET /v1/cards/{card-id}/balances`."""
        return cast(models.CardBalances, self._send(
            "GET",
            f"/v1/cards/{segment(card_id)}/balances",
            headers={
                "consentID": consent_id,
                "pSUIPAddress": psu_ip_address,
            },
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        ))

    def list_card_transactions(
        self,
        card_id: str,
        *,
        consent_id: str,
        psu_ip_address: Optional[str] = None,
        date_from: Optional[str] = None,
        date_to: Optional[str] = None,
        entry_reference_from: Optional[str] = None,
        booking_status: Optional[Literal['booked', 'pending', 'both']] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        with_balance: Optional[bool] = None,
        request_id: Optional[str] = None,
    ) -> models.CardTransactions:
        """Get a card's transactions, newest first, in pages: `GET /v1/cards/{card-id}/transactions`."""
        return cast(models.CardTransactions, self._send(
            "GET",
            f"/v1/cards/{segment(card_id)}/transactions",
            headers={
                "consentID": consent_id,
                "pSUIPAddress": psu_ip_address,
            },
            query={
                "dateFrom": date_from,
                "dateTo": date_to,
                "entryReferenceFrom": entry_reference_from,
                "bookingStatus": booking_status,
                "limit": limit,
                "cursor": cursor,
                "withBalance": with_balance,
            },
            request_id=request_id,
            has_request_id=True,
            repeatable=True,
        ))

    def change_application(
        self,
        application_id: str,
        body: models.ApplicationChange,
    ) -> models.Application:
        """Update the calling application's callback and redirect URLs: `PATCH /sandbox/applications/{applicationId}`."""
        return cast(models.Application, self._send(
            "PATCH",
            f"/sandbox/applications/{segment(application_id)}",
            body=body,
            repeatable=True,
        ))


class MerchantOperations(Client):
    """Pay Later, for merchants."""

    def create_basket(
        self,
        body: models.BasketOrder,
        *,
        api_version: Optional[Literal['2.0', '2']] = None,
    ) -> models.BasketCreated:
        """Create a basket: `POST /createbasket`."""
        return cast(models.BasketCreated, self._send(
            "POST",
            "/createbasket",
            query={
                "api-version": api_version,
            },
            body=body,
            has_key=True,
            repeatable=True,
        ))

    def get_basket(
        self,
        *,
        basket_id: str,
        api_version: Optional[Literal['2.0', '2']] = None,
    ) -> models.BasketFound:
        """Get a basket with its installments: `GET /basket/id`."""
        return cast(models.BasketFound, self._send(
            "GET",
            "/basket/id",
            query={
                "basketId": basket_id,
                "api-version": api_version,
            },
            repeatable=True,
        ))

    def simulate_loan(
        self,
        *,
        basket_id: int,
        is_success_callback: bool,
        api_version: Optional[Literal['1.0', '1']] = None,
    ) -> models.LoanSimulated:
        """Simulate the decision on a basket (test applications only): `POST /bnplsandbox/createbnpl`."""
        return cast(models.LoanSimulated, self._send(
            "POST",
            "/bnplsandbox/createbnpl",
            query={
                "basketId": basket_id,
                "isSuccessCallback": is_success_callback,
                "api-version": api_version,
            },
            repeatable=False,
        ))

    def get_loan(
        self,
        *,
        basket_id: str,
        order_identifier: Optional[str] = None,
        api_version: Optional[Literal['2.0', '2']] = None,
    ) -> models.LoanFound:
        """Get the loan of a basket: `GET /loans/bnpl`."""
        return cast(models.LoanFound, self._send(
            "GET",
            "/loans/bnpl",
            query={
                "basketId": basket_id,
                "orderIdentifier": order_identifier,
                "api-version": api_version,
            },
            repeatable=True,
        ))

    def refund_loan(
        self,
        body: models.RefundOrder,
        *,
        api_version: Optional[Literal['2.0', '2']] = None,
    ) -> models.LoanRefunded:
        """Refund a loan, partially or fully: `POST /loans/bnpl/refund`."""
        return cast(models.LoanRefunded, self._send(
            "POST",
            "/loans/bnpl/refund",
            query={
                "api-version": api_version,
            },
            body=body,
            has_key=True,
            repeatable=True,
        ))

    def void_basket(
        self,
        body: models.VoidOrder,
        *,
        api_version: Optional[Literal['2.0', '2']] = None,
    ) -> models.BasketVoided:
        """Void a basket: it ends, or its loan is fully refunded: `POST /basket/void`."""
        return cast(models.BasketVoided, self._send(
            "POST",
            "/basket/void",
            query={
                "api-version": api_version,
            },
            body=body,
            has_key=True,
            repeatable=True,
        ))

    def get_configuration(
        self,
        *,
        amount: Optional[str] = None,
    ) -> models.Configuration:
        """Get the merchant's limits and installment plans: `GET /configuration`."""
        return cast(models.Configuration, self._send(
            "GET",
            "/configuration",
            query={
                "amount": amount,
            },
            repeatable=True,
        ))

    def change_application(
        self,
        application_id: str,
        body: models.ApplicationChange,
    ) -> models.Application:
        """Update the calling application's callback and redirect URLs: `PATCH /sandbox/applications/{applicationId}`."""
        return cast(models.Application, self._send(
            "PATCH",
            f"/sandbox/applications/{segment(application_id)}",
            body=body,
            repeatable=True,
        ))

    def list_callbacks(
        self,
        *,
        after: Optional[str] = None,
        wait: Optional[int] = None,
    ) -> models.CallbackList:
        """List the calling application's callbacks, or wait for one: `GET /sandbox/callbacks`."""
        return cast(models.CallbackList, self._send(
            "GET",
            "/sandbox/callbacks",
            query={
                "after": after,
                "wait": wait,
            },
            repeatable=True,
        ))


class BankOperations(Client):
    """Operations without authentication."""

    def get_clock(
        self,
    ) -> models.Clock:
        """Get the bank's time: `GET /sandbox/clock`."""
        return cast(models.Clock, self._send(
            "GET",
            "/sandbox/clock",
            repeatable=True,
        ))

    def advance_clock(
        self,
        body: models.ClockAdvance,
    ) -> models.Clock:
        """Advance the bank's clock: `POST /sandbox/clock`."""
        return cast(models.Clock, self._send(
            "POST",
            "/sandbox/clock",
            body=body,
            repeatable=False,
        ))

    def list_messages(
        self,
    ) -> models.Messages:
        """List the newest hundred messages to customers: `GET /sandbox/messages`."""
        return cast(models.Messages, self._send(
            "GET",
            "/sandbox/messages",
            repeatable=True,
        ))

    def list_outcomes(
        self,
    ) -> models.Outcomes:
        """List the inputs that force an outcome: `GET /sandbox/outcomes`."""
        return cast(models.Outcomes, self._send(
            "GET",
            "/sandbox/outcomes",
            repeatable=True,
        ))

    def list_customers(
        self,
    ) -> models.SandboxCustomers:
        """List the customers with passwords, accounts and cards: `GET /sandbox/customers`."""
        return cast(models.SandboxCustomers, self._send(
            "GET",
            "/sandbox/customers",
            repeatable=True,
        ))

    def create_customer(
        self,
        body: models.SandboxCustomerRequest,
    ) -> models.SandboxCustomer:
        """Create a customer: `POST /sandbox/customers`."""
        return cast(models.SandboxCustomer, self._send(
            "POST",
            "/sandbox/customers",
            body=body,
            repeatable=False,
        ))

    def create_account(
        self,
        body: models.SandboxAccountRequest,
    ) -> models.SandboxAccount:
        """Create an account with an opening balance: `POST /sandbox/accounts`."""
        return cast(models.SandboxAccount, self._send(
            "POST",
            "/sandbox/accounts",
            body=body,
            repeatable=False,
        ))

    def create_card(
        self,
        body: models.SandboxCardRequest,
    ) -> models.SandboxCard:
        """Create a card: `POST /sandbox/cards`."""
        return cast(models.SandboxCard, self._send(
            "POST",
            "/sandbox/cards",
            body=body,
            repeatable=False,
        ))

    def create_transaction(
        self,
        body: models.SandboxTransactionRequest,
    ) -> models.SandboxTransaction:
        """Book a transaction on an account or a card: `POST /sandbox/transactions`."""
        return cast(models.SandboxTransaction, self._send(
            "POST",
            "/sandbox/transactions",
            body=body,
            repeatable=False,
        ))

    def list_sandbox_transactions(
        self,
        *,
        account: str,
        currency: Optional[str] = None,
        after: Optional[str] = None,
    ) -> models.SandboxTransactions:
        """List the transactions of an account: `GET /sandbox/transactions`."""
        return cast(models.SandboxTransactions, self._send(
            "GET",
            "/sandbox/transactions",
            query={
                "account": account,
                "currency": currency,
                "after": after,
            },
            repeatable=True,
        ))

    def export_bank(
        self,
    ) -> models.SandboxBank:
        """Export the bank as one document: `GET /sandbox/bank`."""
        return cast(models.SandboxBank, self._send(
            "GET",
            "/sandbox/bank",
            repeatable=True,
        ))

    def import_bank(
        self,
        body: models.SandboxBankRequest,
    ) -> models.SandboxBankCount:
        """Replace the bank by an exported document; keys stay valid: `POST /sandbox/bank`."""
        return cast(models.SandboxBankCount, self._send(
            "POST",
            "/sandbox/bank",
            body=body,
            repeatable=False,
        ))

    def reset_bank(
        self,
    ) -> models.SandboxBankCount:
        """Replace the bank by the demo bank; keys stay valid: `POST /sandbox/reset`."""
        return cast(models.SandboxBankCount, self._send(
            "POST",
            "/sandbox/reset",
            repeatable=False,
        ))

    def livez(
        self,
    ) -> models.Health:
        """Check whether the process is alive: `GET /livez`."""
        return cast(models.Health, self._send(
            "GET",
            "/livez",
            repeatable=True,
        ))

    def readyz(
        self,
    ) -> models.Health:
        """Check whether the process is ready: `GET /readyz`."""
        return cast(models.Health, self._send(
            "GET",
            "/readyz",
            repeatable=True,
        ))

    def metrics(
        self,
    ) -> str:
        """Get metrics in the format of Prometheus: `GET /metrics`."""
        return cast(str, self._send(
            "GET",
            "/metrics",
            is_text=True,
            repeatable=True,
        ))

    def openapi(
        self,
    ) -> dict[str, object]:
        """Get this document: `GET /openapi.json`."""
        return cast(dict[str, object], self._send(
            "GET",
            "/openapi.json",
            repeatable=True,
        ))

    def docs(
        self,
        *,
        q: Optional[str] = None,
    ) -> str:
        """Get the index of this documentation, or search it: `GET /docs`."""
        return cast(str, self._send(
            "GET",
            "/docs",
            query={
                "q": q,
            },
            is_text=True,
            repeatable=True,
        ))

    def docs_page(
        self,
        page: str,
    ) -> str:
        """Get a page of this documentation: `GET /docs/{page}`."""
        return cast(str, self._send(
            "GET",
            f"/docs/{segment(page)}",
            is_text=True,
            repeatable=True,
        ))
