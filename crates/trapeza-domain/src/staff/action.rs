//! The actions of the console with their rules: one list for the console, the command line and the admin API.

use super::StaffRole::{self, Administrator, Auditor, Operations, Risk, Support};
use crate::string_enum::string_enum;
use crate::time::TimeDelta;

/// How often blocks of one customer or telephone number are lifted by one person alone within [`UNBLOCK_PERIOD`].
pub const UNBLOCKS_WITHOUT_SECOND_PERSON: i64 = 2;
pub const UNBLOCK_PERIOD: TimeDelta = TimeDelta::days(30);

string_enum! {
    /// What staff can do.
    pub enum StaffAction {
        /// Work lists, the ledger, the health of the bank, objects without the data of a person.
        ConsoleView = "console.view",
        /// Customers, shoppers, accounts, payments and loans with the data of a person.
        PersonalDataView = "personal_data.view",
        PsuUnblock = "psu.unblock",
        PhoneUnblock = "phone.unblock",
        ApplicationDisable = "application.disable",
        ApplicationEnable = "application.enable",
        CallbackReplay = "callback.replay",
        ClearingReturn = "clearing.return",
        ClearingMatch = "clearing.match",
        ClearingAcknowledge = "clearing.acknowledge",
        LoanWriteOff = "loan.write_off",
        LoanReviewGrant = "loan_review.grant",
        LoanReviewReject = "loan_review.reject",
        RefundPayout = "refund.payout",
        MerchantTerms = "merchant.terms",
        MerchantSettlementAccount = "merchant.settlement_account",
        MerchantPayout = "merchant.payout",
        LedgerPostManual = "ledger.post_manual",
        LedgerReverseManual = "ledger.reverse_manual",
        StaffCreate = "staff.create",
        StaffConfirm = "staff.confirm",
        StaffDisable = "staff.disable",
        StaffEnable = "staff.enable",
        StaffReset = "staff.reset",
        StaffRoleChange = "staff.role_change",
    }
}

/// When an action needs a second person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecondPerson {
    Never,
    Always,
    /// When the same subject was unblocked [`UNBLOCKS_WITHOUT_SECOND_PERSON`] times within [`UNBLOCK_PERIOD`].
    AfterUnblocks,
    /// When there is another active administrator.
    WithAdministrators,
}

/// Who may request an action and who may approve it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActionRule {
    pub request: &'static [StaffRole],
    pub second_person: SecondPerson,
    /// Empty for actions that never need a second person.
    pub approve: &'static [StaffRole],
}

const fn alone(request: &'static [StaffRole]) -> ActionRule {
    ActionRule { request, second_person: SecondPerson::Never, approve: &[] }
}

const fn four_eyes(request: &'static [StaffRole], approve: &'static [StaffRole]) -> ActionRule {
    ActionRule { request, second_person: SecondPerson::Always, approve }
}

impl StaffAction {
    /// What the action does, for buttons and lists.
    pub const fn title(self) -> &'static str {
        match self {
            Self::ConsoleView => "View the console",
            Self::PersonalDataView => "View the data of a person",
            Self::PsuUnblock => "Unblock a customer",
            Self::PhoneUnblock => "Unblock a telephone number",
            Self::ApplicationDisable => "Disable an application",
            Self::ApplicationEnable => "Enable an application",
            Self::CallbackReplay => "Send a callback again",
            Self::ClearingReturn => "Return a suspended transfer",
            Self::ClearingMatch => "Book a suspended transfer",
            Self::ClearingAcknowledge => "Acknowledge a problem of a clearing file",
            Self::LoanWriteOff => "Write off a loan",
            Self::LoanReviewGrant => "Decide a review for the customer",
            Self::LoanReviewReject => "Confirm the decision after a review",
            Self::RefundPayout => "Pay out a refund",
            Self::MerchantTerms => "Change the terms of a merchant",
            Self::MerchantSettlementAccount => "Change the settlement account of a merchant",
            Self::MerchantPayout => "Pay out a merchant",
            Self::LedgerPostManual => "Post manually",
            Self::LedgerReverseManual => "Reverse a manual posting",
            Self::StaffCreate => "Create a login",
            Self::StaffConfirm => "Confirm a login",
            Self::StaffDisable => "Disable a login",
            Self::StaffEnable => "Enable a login",
            Self::StaffReset => "Reset a login",
            Self::StaffRoleChange => "Change a role",
        }
    }

    pub const fn rule(self) -> ActionRule {
        match self {
            Self::ConsoleView => alone(StaffRole::ALL),
            Self::PersonalDataView => alone(&[Support, Operations, Risk, Auditor]),
            Self::PsuUnblock | Self::PhoneUnblock => ActionRule {
                request: &[Support, Operations],
                second_person: SecondPerson::AfterUnblocks,
                approve: &[Operations, Risk],
            },
            Self::ApplicationDisable | Self::ApplicationEnable => {
                four_eyes(&[Operations, Risk], &[Operations, Risk])
            }
            Self::CallbackReplay => alone(&[Support, Operations]),
            // A return gives money back to its sender; an acknowledgement moves none.
            Self::ClearingReturn | Self::ClearingAcknowledge => alone(&[Operations]),
            Self::LoanWriteOff => four_eyes(&[Operations, Risk], &[Risk]),
            // The machine decided first; the person who reviews is the second one.
            Self::LoanReviewGrant | Self::LoanReviewReject => alone(&[Risk]),
            Self::ClearingMatch
            | Self::RefundPayout
            | Self::MerchantSettlementAccount
            | Self::MerchantPayout
            | Self::LedgerPostManual
            | Self::LedgerReverseManual => four_eyes(&[Operations], &[Operations, Risk]),
            Self::MerchantTerms => four_eyes(&[Operations, Risk], &[Risk]),
            // Disabling takes access away at once; a second person would delay it.
            Self::StaffDisable => alone(&[Administrator]),
            // The second person of an enrolment: never the one who has seen the link.
            Self::StaffConfirm => alone(&[Administrator]),
            Self::StaffCreate | Self::StaffEnable | Self::StaffReset | Self::StaffRoleChange => ActionRule {
                request: &[Administrator],
                second_person: SecondPerson::WithAdministrators,
                approve: &[Administrator],
            },
        }
    }
}

/// The matrix of actions and roles as a markdown table, for the documentation.
pub fn action_table() -> String {
    let roles: Vec<&str> = StaffRole::ALL.iter().map(|role| role.name()).collect();
    let mut table = format!(
        "| action | {} | second person |\n|---|{}---|\n",
        roles.join(" | "),
        "---|".repeat(roles.len())
    );
    for action in StaffAction::ALL {
        let rule = action.rule();
        let cell = |role: &StaffRole| match (rule.request.contains(role), rule.approve.contains(role)) {
            (true, true) => "requests, approves",
            (true, false) => "requests",
            (false, true) => "approves",
            (false, false) => "",
        };
        let cells: Vec<&str> = StaffRole::ALL.iter().map(cell).collect();
        let second = match rule.second_person {
            SecondPerson::Never => "no".to_owned(),
            SecondPerson::Always => "always".to_owned(),
            SecondPerson::AfterUnblocks => {
                let days = UNBLOCK_PERIOD.0 / TimeDelta::days(1).0;
                format!("after {UNBLOCKS_WITHOUT_SECOND_PERSON} times in {days} days")
            }
            SecondPerson::WithAdministrators => "when there is another administrator".to_owned(),
        };
        table.push_str(&format!("| `{}` | {} | {second} |\n", action.name(), cells.join(" | ")));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_can_be_requested_and_approved_where_that_is_needed() {
        for action in StaffAction::ALL {
            let rule = action.rule();
            assert!(!rule.request.is_empty(), "{action:?}");
            assert_eq!(rule.second_person == SecondPerson::Never, rule.approve.is_empty(), "{action:?}");
        }
    }

    #[test]
    fn auditor_only_views_and_administrator_touches_no_customer() {
        for action in StaffAction::ALL {
            let rule = action.rule();
            let of = |role| rule.request.contains(&role) || rule.approve.contains(&role);
            let views = matches!(action, StaffAction::ConsoleView | StaffAction::PersonalDataView);
            assert_eq!(of(Auditor), views, "{action:?}");
            let name = action.name();
            let is_administration = name.starts_with("staff.") || name == "console.view";
            assert_eq!(of(Administrator), is_administration, "{action:?}");
        }
    }

    #[test]
    fn what_moves_money_or_access_always_needs_a_second_person() {
        use StaffAction as A;
        for action in [
            A::LoanWriteOff,
            A::ClearingMatch,
            A::RefundPayout,
            A::MerchantSettlementAccount,
            A::MerchantPayout,
            A::LedgerPostManual,
            A::LedgerReverseManual,
            A::ApplicationDisable,
            A::MerchantTerms,
        ] {
            assert_eq!(action.rule().second_person, SecondPerson::Always, "{action:?}");
        }
    }

    #[test]
    fn table_has_a_row_for_every_action_and_a_column_for_every_role() {
        let table = action_table();
        assert_eq!(table.lines().count(), 2 + StaffAction::ALL.len());
        for line in table.lines() {
            assert_eq!(line.matches('|').count(), StaffRole::ALL.len() + 3, "{line}");
        }
    }
}
