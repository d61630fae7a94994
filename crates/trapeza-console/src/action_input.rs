//! The fields of the actions' forms.

use trapeza_domain::field::Field;
use trapeza_domain::search::SearchKind;
use trapeza_domain::staff::{StaffAction, StaffRole};
use trapeza_web::site::Input;

/// Which field of a form an error of the domain belongs to.
pub const FIELDS: &[(Field, &str)] = &[
    (Field::Login, "login"),
    (Field::PhoneNumber, "phone"),
    (Field::ApplicationId, "application"),
    (Field::CallbackId, "callback"),
    (Field::LoanId, "loan"),
    (Field::Iban, "iban"),
    (Field::Name, "name"),
    (Field::CreditorAgent, "bic"),
    (Field::MerchantCode, "code"),
    (Field::Discount, "discount_basis_points"),
    (Field::Plans, "plans"),
    (Field::Email, "email"),
    (Field::SignInCode, "code"),
    (Field::StaffRole, "role"),
    (Field::StaffId, "staff"),
    (Field::IncomingTransferId, "transfer"),
    (Field::ReasonCode, "reason_code"),
    (Field::ProblemId, "problem"),
    (Field::ReviewId, "review"),
    (Field::Explanation, "explanation"),
    (Field::Note, "note"),
    (Field::ManualPostingId, "posting"),
    (Field::DebitAccount, "debit"),
    (Field::CreditAccount, "credit"),
    (Field::Amount, "amount"),
    (Field::Currency, "currency"),
    (Field::StatementText, "text"),
    (Field::SettlementAccount, "iban"),
    (Field::Reason, "reason"),
];

/// The field of a parameter.
pub fn input(action: StaffAction, name: &'static str) -> Input {
    if name == "role" {
        let roles = StaffRole::ALL.iter().map(|role| (role.name(), role.name().to_owned()));
        return Input::choice(name, "Role", roles.collect());
    }
    let (label, hint) = text(action, name);
    let input = Input::text(name, label);
    if hint.is_empty() { input } else { input.hint(hint) }
}

/// The kind of object that a parameter names by its id.
pub fn object_kind(name: &str) -> Option<SearchKind> {
    match name {
        "loan" => Some(SearchKind::Loan),
        "application" => Some(SearchKind::Application),
        "callback" => Some(SearchKind::Callback),
        "transfer" => Some(SearchKind::IncomingTransfer),
        _ => None,
    }
}

/// Whether the search finds an object by the value of a parameter.
pub fn is_searchable(name: &str) -> bool {
    matches!(name, "login" | "phone" | "iban" | "code")
}

/// The label of a parameter and a hint, which may be empty.
pub fn text(action: StaffAction, name: &str) -> (&str, &'static str) {
    match name {
        "login" => ("Login of the customer", ""),
        "phone" => ("Telephone number", "With the code of the country, for example +306900000000."),
        "application" => ("Id of the application", ""),
        "callback" => ("Id of the callback", ""),
        "loan" if action == StaffAction::ClearingMatch => ("Id of the loan", "Instead of an IBAN."),
        "loan" => ("Id of the loan", ""),
        "transfer" => ("Id of the transfer", ""),
        "reason_code" => (
            "Reason of the return",
            "An ISO 20022 code, for example AC01. Empty: the reason for which the transfer was suspended.",
        ),
        "posting" if action == StaffAction::LedgerPostManual => {
            ("Id of the posting", "A new UUID, under which it is booked once.")
        }
        "posting" => ("Id of the posting", ""),
        "debit" => ("Account that is debited", "An IBAN, or the code of an account of the bank."),
        "credit" => ("Account that is credited", "An IBAN, or the code of an account of the bank."),
        "currency" => ("Currency", "For example EUR."),
        "text" => ("Text on the statement", "Customers read it."),
        "review" => ("Id of the review", ""),
        "explanation" => (
            "Explanation for the customer",
            "The customer reads it in a message: the decision and its reasons in plain words.",
        ),
        "problem" => ("Number of the problem", ""),
        "note" => ("Note", "What was found."),
        "iban" if action == StaffAction::ClearingMatch => ("IBAN of the customer", ""),
        "bic" => ("BIC of the payee's bank", "Only where the IBAN does not determine it."),
        "code" if action == StaffAction::StaffConfirm => (
            "Confirmation code",
            "The person was shown it at the end of the enrolment. Ask for it in person or by telephone.",
        ),
        "code" => ("Code of the merchant", ""),
        "minimum" => ("Smallest basket", "An amount, for example 30.00. Empty: unchanged."),
        "maximum" => ("Largest basket", "An amount, for example 1500.00. Empty: unchanged."),
        "discount_basis_points" => ("Merchant discount", "In hundredths of a percent. Empty: unchanged."),
        "plans" => (
            "Plans",
            "Months and yearly rates in hundredths of a percent, for example 3:0,6:990. Empty: unchanged.",
        ),
        "email" => ("E-mail address", ""),
        "staff" => ("Id of the member of the staff", ""),
        "amount" if action == StaffAction::MerchantPayout => {
            ("Amount", "In the merchant's currency, for example 30.00. At most the payable balance.")
        }
        "iban" if action == StaffAction::MerchantSettlementAccount => ("IBAN of the merchant", ""),
        "name" if action == StaffAction::MerchantSettlementAccount => ("Name of the account holder", ""),
        "name" if action == StaffAction::StaffCreate => ("Name of the person", ""),
        "name" => ("Name of the payee", ""),
        "amount" => ("Amount", "For example 30.00."),
        "iban" => ("IBAN of the payee", ""),
        other => (other, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trapeza_app::staff::parameter_names;

    #[test]
    fn every_parameter_of_every_action_has_a_label() {
        for action in StaffAction::ALL.iter().filter(|action| **action != StaffAction::PersonalDataView) {
            for name in parameter_names(*action).unwrap_or_default() {
                assert!(*name == "role" || text(*action, name).0 != *name, "{} {name}", action.name());
            }
        }
    }
}
