//! The documents of a credit agreement (Directive (EU) 2023/2225): what the pre-contractual information (Art. 10, Annex I) and the
//! agreement (Art. 21) have to say, as data. Amounts and dates are those of the offer; nothing is computed again.

use crate::installment::{Installment, Plan};
use crate::money::Money;
use crate::reference::{CreditorReference, Iban};
use crate::string_enum::string_enum;
use crate::time::Date;

string_enum! {
    /// A document that the borrower receives. Its name is part of addresses and file names.
    pub enum DocumentKind {
        /// The Standard European Consumer Credit Information form.
        Information = "credit-information",
        Agreement = "credit-agreement",
    }
}

/// The offer that both documents describe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreditOffer {
    pub creditor: Creditor,
    /// The merchant, at whose checkout the credit is offered.
    pub intermediary: String,
    pub order_identifier: String,
    /// The names of what is bought.
    pub goods: Vec<String>,
    /// What is lent, which is also the cash price of the goods.
    pub amount: Money,
    pub plan: Plan,
    pub apr_tenths_of_percent: i64,
    pub total_minor: i64,
    pub schedule: Vec<Installment>,
    /// The day the schedule is computed for.
    pub date: Date,
    pub repayment: RepaymentMethod,
}

/// Who lends, as far as the bank has said it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Creditor {
    pub name: String,
    pub postal_address: Option<String>,
    pub telephone: Option<String>,
    pub email: Option<String>,
    pub website: Option<String>,
    pub registration: Option<String>,
    pub supervisory_authority: Option<String>,
    /// The law of the agreement and the competent courts.
    pub applicable_law: Option<String>,
    /// The body for out-of-court settlement of disputes, with its contact.
    pub dispute_body: Option<String>,
}

/// How installments are paid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RepaymentMethod {
    /// The bank collects them from the borrower's account.
    Collection { account: Iban },
    /// The borrower transfers them to the bank.
    Transfer { iban: Iban, reference: CreditorReference },
}

/// Who borrows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DebtorDetails {
    /// The name, of a customer of the bank.
    pub name: Option<String>,
    pub telephone: String,
}

impl CreditOffer {
    /// What the credit costs.
    pub const fn interest(&self) -> Money {
        Money::new(self.total_minor - self.amount.minor, self.amount.currency)
    }

    pub const fn total(&self) -> Money {
        Money::new(self.total_minor, self.amount.currency)
    }

    /// The interest of one day before the first due date, which a withdrawal costs for each day.
    pub fn interest_per_day(&self) -> Money {
        Money::new(self.plan.days_of_interest(self.amount.minor, 1), self.amount.currency)
    }
}

impl Creditor {
    /// How the creditor can be reached, in one line.
    pub fn contact(&self) -> String {
        let ways = [&self.postal_address, &self.telephone, &self.email, &self.website];
        let known: Vec<&str> = ways.into_iter().flatten().map(String::as_str).collect();
        if known.is_empty() { self.name.clone() } else { known.join(" · ") }
    }
}
