//! The work lists of the bank's staff: what waits for a person, and which role sees it.

use crate::field::Field;
use crate::refusal::{Refusal, RefusalReason};
use crate::staff::Staff;
use crate::staff::StaffRole::{self, Administrator, Auditor, Operations, Risk, Support};
use crate::string_enum::string_enum;

string_enum! {
    /// A list of work. The name is a segment of a path.
    pub enum WorkListKind {
        /// Payments that were rejected in the last 30 days, except those that the customer refused or did not authorise in time.
        RejectedPayments = "rejected-payments",
        /// Payments that should have been submitted to clearing a day ago, or that clearing has not answered for a day.
        StuckPayments = "stuck-payments",
        /// Incoming transfers on the suspense account that wait for a decision.
        SuspendedTransfers = "suspended-transfers",
        /// Problems with clearing files that no one has acknowledged.
        ClearingProblems = "clearing-problems",
        OverdueLoans = "overdue-loans",
        /// Reviews of declined purchases, and requests for longer plans, that wait for a decision.
        LoanReviews = "loan-reviews",
        /// Callbacks that were given up.
        DeadCallbacks = "dead-callbacks",
        /// Customers whose passwords or codes are not accepted in some channel.
        BlockedCustomers = "blocked-customers",
        /// Telephone numbers of customers and shoppers whose codes are not accepted at checkouts.
        BlockedPhones = "blocked-phones",
        /// Applications whose last certificate expires within 30 days, or has expired.
        ExpiringCertificates = "expiring-certificates",
        /// Jobs that have not run in time: a job that fails is repeated, so that it is late.
        LateJobs = "late-jobs",
        /// Requests of staff that wait for a second person, of those that the role sees.
        PendingRequests = "pending-requests",
    }
}

impl WorkListKind {
    pub const fn title(self) -> &'static str {
        match self {
            Self::RejectedPayments => "Rejected payments",
            Self::StuckPayments => "Stuck payments",
            Self::SuspendedTransfers => "Suspended transfers",
            Self::ClearingProblems => "Clearing problems",
            Self::OverdueLoans => "Overdue loans",
            Self::LoanReviews => "Reviews that customers asked for",
            Self::DeadCallbacks => "Dead callbacks",
            Self::BlockedCustomers => "Blocked customers",
            Self::BlockedPhones => "Blocked telephone numbers",
            Self::ExpiringCertificates => "Expiring certificates",
            Self::LateJobs => "Late jobs",
            Self::PendingRequests => "Requests that wait for approval",
        }
    }

    /// The roles that see it.
    pub const fn roles(self) -> &'static [StaffRole] {
        match self {
            Self::RejectedPayments | Self::BlockedCustomers | Self::BlockedPhones | Self::DeadCallbacks => {
                &[Support, Operations, Auditor]
            }
            Self::StuckPayments | Self::SuspendedTransfers | Self::ClearingProblems => &[Operations, Auditor],
            Self::OverdueLoans | Self::LoanReviews => &[Operations, Risk, Auditor],
            Self::ExpiringCertificates | Self::LateJobs => &[Operations, Auditor, Administrator],
            Self::PendingRequests => StaffRole::ALL,
        }
    }

    /// Whether it shows the data of persons, so that every look is recorded.
    pub const fn is_personal(self) -> bool {
        matches!(
            self,
            Self::RejectedPayments
                | Self::StuckPayments
                | Self::SuspendedTransfers
                | Self::OverdueLoans
                | Self::LoanReviews
                | Self::BlockedCustomers
                | Self::BlockedPhones
        )
    }
}

impl Staff {
    /// Refuses a work list that the role does not see.
    pub fn require_list(&self, list: WorkListKind) -> Result<(), Refusal> {
        self.require_active()?;
        if list.roles().contains(&self.role) {
            return Ok(());
        }
        let text = format!("the role {} does not see {}", self.role.name(), list.name());
        Err(Refusal::at(RefusalReason::RoleMissing, Field::StaffRole, text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::staff::StaffAction;

    #[test]
    fn list_with_personal_data_is_seen_only_by_roles_that_may_see_it() {
        let viewers = StaffAction::PersonalDataView.rule().request;
        for list in WorkListKind::ALL.iter().filter(|list| list.is_personal()) {
            assert!(list.roles().iter().all(|role| viewers.contains(role)), "{list:?}");
        }
    }

    #[test]
    fn auditor_sees_every_list() {
        assert!(WorkListKind::ALL.iter().all(|list| list.roles().contains(&Auditor)));
    }
}
