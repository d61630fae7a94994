//! Availability and performance of the bank's interfaces, as Art. 32(4) of Delegated Regulation (EU) 2018/389 and guidelines 2
//! and 3 of EBA/GL/2018/07 ask for them: per day, for the dedicated interface and for the customers' own.

mod availability;
mod figures;
mod quarter;

pub use availability::{AvailabilityTracker, Downtime, ServingPeriod, downtime};
pub use figures::{BUCKETS, CallCounts, InterfaceDay, bucket_of};
pub use quarter::Quarter;

use crate::string_enum::string_enum;

string_enum! {
    /// An interface whose figures are published side by side.
    pub enum Interface {
        /// What third parties call.
        Dedicated = "dedicated",
        /// The pages on which customers use their accounts themselves.
        Customer = "customer",
    }

    /// What a request is about. Every request counts in the error rate; the response times of the first three are published.
    pub enum Service {
        /// Reads of accounts, cards, balances and transactions (guideline 2.3 b).
        AccountInformation = "ais",
        /// Payments and their status (guideline 2.3 a).
        PaymentInitiation = "pis",
        /// The answer yes or no to an amount (guideline 2.3 c).
        FundsConfirmation = "cbpii",
        /// Consents, authorisations, sign-in: no information about an account or a payment is provided.
        Other = "other",
    }
}

/// The interface and the service of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MeasuredCall {
    pub interface: Interface,
    pub service: Service,
}

impl MeasuredCall {
    /// The number of different calls.
    pub const COUNT: usize = 8;

    /// All calls in the order of their indexes.
    pub fn all() -> impl Iterator<Item = Self> {
        let of = |&interface| Service::ALL.iter().map(move |&service| Self { interface, service });
        Interface::ALL.iter().flat_map(of)
    }

    /// A number below [`Self::COUNT`].
    pub const fn index(self) -> usize {
        self.interface as usize * 4 + self.service as usize
    }
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallResult {
    /// With all the information that was requested: its time counts.
    Answered,
    /// With a refusal, or a redirect to another page: the time says nothing about providing information.
    Refused,
    /// With an error of the bank.
    Failed,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_counts_all_calls_from_zero() {
        let indexes: Vec<usize> = MeasuredCall::all().map(MeasuredCall::index).collect();
        assert_eq!(indexes, (0..MeasuredCall::COUNT).collect::<Vec<_>>());
    }
}
