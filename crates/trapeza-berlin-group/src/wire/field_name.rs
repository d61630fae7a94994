//! The names of the domain's fields in the standard.

use trapeza_domain::field::{Field, FieldPath, PathSegment};

/// The path of a field as responses show it; empty when no single field is wrong.
pub fn spell(path: &FieldPath) -> String {
    let segments = match path {
        FieldPath::Spelled(name) => return name.clone(),
        FieldPath::Fields(segments) => segments,
    };
    let mut out = String::new();
    for PathSegment { field, index } in segments {
        let name = name(*field);
        if !out.is_empty() && !name.is_empty() {
            out.push('.');
        }
        out.push_str(name);
        if let Some(index) = index {
            out.push_str(&format!("[{index}]"));
        }
    }
    out
}

/// The name of a field that requests of this dialect can have; empty for any other.
const fn name(field: Field) -> &'static str {
    match field {
        Field::Certificate => "TPP-QWAC-Certificate",
        Field::RequestId => "X-Request-ID",
        Field::AccountId => "account-id",
        Field::AuthorisationId => "authorisationId",
        Field::CardId => "card-id",
        Field::ConsentId => "consentId",
        Field::PaymentId => "paymentId",
        Field::PaymentProduct => "payment-product",
        Field::SigningBasketId => "basketId",
        Field::PaymentIds => "paymentIds",
        Field::ConsentIds => "consentIds",
        Field::TransactionId => "transactionId",
        Field::UsedConsent | Field::UsedFundsConsent => "Consent-ID",
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
        Field::AmountValue => "amount",
        Field::CreditorAccount => "creditorAccount",
        Field::CreditorAgent => "creditorAgent",
        Field::CreditorAgentName => "creditorAgentName",
        Field::CreditorName => "creditorName",
        Field::CreditorAddress => "creditorAddress",
        Field::BuildingNumber => "buildingNumber",
        Field::City => "townName",
        Field::Country => "country",
        Field::PostalCode => "postCode",
        Field::Street => "streetName",
        Field::Payments => "payments",
        Field::ExecutionDate => "requestedExecutionDate",
        Field::StartDate => "startDate",
        Field::EndDate => "endDate",
        Field::Frequency => "frequency",
        Field::DayOfExecution => "dayOfExecution",
        Field::MonthsOfExecution => "monthsOfExecution",
        Field::ExecutionRule => "executionRule",
        Field::Remittance => "remittanceInformationUnstructured",
        Field::ScaMethodId => "authenticationMethodId",
        Field::RedirectUri => "TPP-Redirect-URI",
        Field::NokRedirectUri => "TPP-Nok-Redirect-URI",
        Field::NotificationUri => "TPP-Notification-URI",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spell_uses_the_names_of_the_standard() {
        let iban = FieldPath::from(Field::Iban).inside(Field::Accounts.element(1));
        assert_eq!(spell(&iban), "accounts[1].iban");
        assert_eq!(spell(&[Field::InstructedAmount, Field::AmountValue].into()), "instructedAmount.amount");
        assert_eq!(spell(&[Field::CreditorAddress, Field::City].into()), "creditorAddress.townName");
        assert_eq!(spell(&Field::UsedConsent.into()), "Consent-ID");
        assert_eq!(spell(&FieldPath::REQUEST), "");
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
            (Field::BuildingNumber, "buildingNumber"),
            (Field::PostalCode, "postCode"),
            (Field::Street, "streetName"),
        ] {
            assert_eq!(spell(&field.into()), name);
        }
    }
}
