//! The names of the domain's fields in this API. A path is dotted, with indices: `access.accounts[0].iban`; a header has its
//! name in the specification.

use trapeza_domain::field::{Field, FieldPath, PathSegment};

/// The path of a field as responses show it; empty when no single field is wrong.
pub fn spell(path: &FieldPath) -> String {
    let segments = match path {
        FieldPath::Spelled(name) => return name.clone(),
        FieldPath::Fields(segments) => segments,
    };
    let mut out = String::new();
    for PathSegment { field, index } in segments {
        if !out.is_empty() {
            out.push('.');
        }
        out.push_str(name(*field));
        if let Some(index) = index {
            out.push_str(&format!("[{index}]"));
        }
    }
    out
}

const fn name(field: Field) -> &'static str {
    match field {
        Field::SubscriptionKey => "Ocp-Apim-Subscription-Key",
        Field::ClientId => "ClientId",
        Field::Certificate => "Certificate",
        Field::ApplicationId => "X-Application-ID",
        Field::RequestId => "x-Request-ID",
        Field::MerchantRequestId => "requestId",
        Field::AccountId => "account-id",
        Field::AuthorisationId => "authorisationId",
        Field::BasketId => "basketId",
        Field::CallbackId => "callbackId",
        Field::CardId => "card-id",
        Field::ConsentId | Field::UsedFundsConsent => "consentId",
        Field::LoanId => "loan",
        Field::PaymentId => "paymentId",
        Field::PaymentProduct => "payment-product",
        Field::PermissionId => "permission",
        Field::SigningBasketId => "basketId",
        Field::Payments => "payments",
        Field::PaymentIds => "paymentIds",
        Field::ConsentIds => "consentIds",
        Field::TransactionId => "transactionId",
        Field::UsedConsent => "consentID",
        Field::Account => "account",
        Field::Iban => "iban",
        Field::Bban => "bban",
        Field::Pan => "pan",
        Field::MaskedPan => "maskedPan",
        Field::Msisdn => "msisdn",
        Field::Currency => "currency",
        Field::Accounts => "accounts",
        Field::Balances => "balances",
        Field::Transactions => "transactions",
        Field::AvailableAccounts => "availableAccounts",
        Field::AvailableAccountsWithBalance => "availableAccountsWithBalance",
        Field::AllPsd2 => "allPsd2",
        Field::ValidUntil => "validUntil",
        Field::FrequencyPerDay => "frequencyPerDay",
        Field::CardNumber => "cardNumber",
        Field::CardExpiry => "cardExpiryDate",
        Field::CardInformation => "cardInformation",
        Field::RegistrationInformation => "registrationInformation",
        Field::DateFrom => "dateFrom",
        Field::EntryReferenceFrom => "entryReferenceFrom",
        Field::Cursor => "cursor",
        Field::EndToEndId => "endToEndIdentification",
        Field::DebtorAccount => "debtorAccount",
        Field::InstructedAmount => "instructedAmount",
        Field::AmountValue => "Amount",
        Field::CreditorAccount => "creditorAccount",
        Field::CreditorAgent => "creditorAgent",
        Field::CreditorAgentName => "creditorAgentName",
        Field::CreditorName => "creditorName",
        Field::CreditorAddress => "creditorAddress",
        Field::BuildingNumber => "buildingNumber",
        Field::City => "city",
        Field::Country => "country",
        Field::PostalCode => "postalCode",
        Field::Street => "street",
        Field::Remittance => "remittanceInformationUnstructured",
        Field::ExecutionDate => "requestedExecutionDate",
        Field::StartDate => "startDate",
        Field::EndDate => "endDate",
        Field::Frequency => "frequency",
        Field::DayOfExecution => "dayOfExecution",
        Field::MonthsOfExecution => "monthsOfExecution",
        Field::ExecutionRule => "executionRule",
        Field::Payee => "payee",
        Field::ScaMethodId => "authenticationMethodId",
        Field::RedirectUri => "TPP-Redirect-URI",
        Field::NokRedirectUri => "TPP-Nok-Redirect-URI",
        Field::NotificationUri => "TPP-Notification-URI",
        Field::DeviceKey => "key",
        Field::DeviceSignature => "signature",
        Field::BasketValue => "basketValue",
        Field::OrderIdentifier => "orderIdentifier",
        Field::BasketProducts => "basketProducts",
        Field::MerchantData => "Merchant Data",
        Field::PhoneNumber => "phoneNumber",
        Field::Email => "email",
        Field::ProductNumber => "Product Number",
        Field::Name => "name",
        Field::Quantity => "quantity",
        Field::QuantityUnits => "Quantity Units",
        Field::UnitPrice => "Unit Price",
        Field::TaxRate => "Tax Rate",
        Field::TotalAmount => "Total Amount",
        Field::TotalDiscountAmount => "Total Discount Amount",
        Field::TotalTaxAmount => "Total Tax Amount",
        Field::ProductUrl => "Product URL",
        Field::ProductImageUrl => "Product Image URL",
        Field::Amount => "amount",
        Field::Login => "psuId",
        Field::Password => "password",
        Field::ScaMethods => "methods",
        Field::MerchantCode => "merchantCode",
        Field::MerchantNumber => "merchantId",
        Field::Limits => "limits",
        Field::Plans => "plans",
        Field::Discount => "discount",
        Field::SuccessCallback => "successCallbackUrl",
        Field::FailCallback => "failCallbackUrl",
        Field::SuccessRedirect => "successRedirectURI",
        Field::FailureRedirect => "failureRedirectURI",
        Field::RedirectUris => "redirectURIs",
        Field::Note => "note",
        Field::SettlementAccount => "settlementAccount",
        Field::OrganisationName => "organisation",
        Field::MemberRole => "role",
        Field::MemberId => "member",
        Field::StaffId => "staff",
        Field::StaffRole => "role",
        Field::Reason => "reason",
        Field::Object => "object",
        Field::ObjectId => "id",
        Field::IncomingTransferId => "transfer",
        Field::ReasonCode => "reason_code",
        Field::ProblemId => "problem",
        Field::ReviewId => "review",
        Field::Explanation => "explanation",
        Field::ManualPostingId => "posting",
        Field::DebitAccount => "debit",
        Field::CreditAccount => "credit",
        Field::StatementText => "text",
        Field::CertificateRoles => "roles",
        Field::SignInCode => "code",
        Field::SearchText => "q",
        Field::Month => "month",
        Field::TokenDays => "days",
        Field::Invitation => "invitation",
        Field::ClockAdvance => "advance",
        Field::Customers => "customers",
        Field::Cards => "cards",
        Field::Owners => "owners",
        Field::OpeningBalance => "openingBalance",
        Field::OpenedOn => "openedOn",
        Field::BookingDate => "bookingDate",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spell_joins_fields_with_dots_and_indices() {
        let iban = FieldPath::from(Field::Iban).inside(Field::Accounts.element(1));
        assert_eq!(spell(&iban), "accounts[1].iban");
        assert_eq!(spell(&[Field::InstructedAmount, Field::AmountValue].into()), "instructedAmount.Amount");
        assert_eq!(spell(&FieldPath::REQUEST), "");
        assert_eq!(spell(&FieldPath::spelled("a.b")), "a.b");
    }

    #[test]
    fn similar_fields_have_their_own_names() {
        for (field, name) in [
            (Field::AccountId, "account-id"),
            (Field::CardId, "card-id"),
            (Field::ConsentId, "consentId"),
            (Field::PaymentId, "paymentId"),
            (Field::ConsentIds, "consentIds"),
            (Field::PaymentIds, "paymentIds"),
            (Field::Balances, "balances"),
            (Field::Transactions, "transactions"),
            (Field::AvailableAccounts, "availableAccounts"),
            (Field::AvailableAccountsWithBalance, "availableAccountsWithBalance"),
            (Field::CardInformation, "cardInformation"),
            (Field::RegistrationInformation, "registrationInformation"),
            (Field::DebtorAccount, "debtorAccount"),
            (Field::CreditorAccount, "creditorAccount"),
            (Field::CreditorAgent, "creditorAgent"),
            (Field::CreditorName, "creditorName"),
            (Field::ExecutionDate, "requestedExecutionDate"),
            (Field::StartDate, "startDate"),
            (Field::EndDate, "endDate"),
            (Field::DayOfExecution, "dayOfExecution"),
            (Field::MonthsOfExecution, "monthsOfExecution"),
            (Field::RedirectUri, "TPP-Redirect-URI"),
            (Field::NokRedirectUri, "TPP-Nok-Redirect-URI"),
            (Field::City, "city"),
            (Field::PostalCode, "postalCode"),
            (Field::Street, "street"),
            (Field::UnitPrice, "Unit Price"),
            (Field::TotalAmount, "Total Amount"),
            (Field::TotalDiscountAmount, "Total Discount Amount"),
            (Field::TotalTaxAmount, "Total Tax Amount"),
            (Field::SuccessCallback, "successCallbackUrl"),
            (Field::FailCallback, "failCallbackUrl"),
            (Field::SuccessRedirect, "successRedirectURI"),
            (Field::FailureRedirect, "failureRedirectURI"),
        ] {
            assert_eq!(spell(&field.into()), name);
        }
    }
}
