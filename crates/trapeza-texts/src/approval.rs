//! What a customer approves, as the end of a sentence that begins with the name of the third party.

use crate::{Language, format, standing_order};
use trapeza_domain::consent::Scope;
use trapeza_domain::money::Money;
use trapeza_domain::payee_verification::{PayeeVerification, VerifiedPayee};
use trapeza_domain::payment::PaymentTiming;
use trapeza_domain::time::Date;

/// How many accounts a description names; the others are counted.
const MAX_NAMED: usize = 3;

/// The values of a description.
#[derive(Clone, Debug)]
pub enum Description<'a> {
    Access {
        scope: Scope,
        /// The accounts and cards that the consent lists.
        references: Vec<ShortReference>,
        /// Whether the names of owners are read as well.
        owner_names: bool,
        /// The last day of a recurring consent; `None` for a single read.
        until: Option<Date>,
    },
    Funds {
        account: ShortReference,
    },
    Payment {
        payment: PaymentSummary<'a>,
        verification: Option<&'a VerifiedPayee>,
    },
    Cancellation {
        payment: PaymentSummary<'a>,
    },
    /// Several payments from one account, or their cancellation.
    Bulk {
        is_cancellation: bool,
        sum: Money,
        count: u32,
        /// Some digits of the digest of all payments.
        fingerprint: String,
        timing: PaymentTiming,
    },
    /// Several of them, approved together.
    Basket(Vec<Description<'a>>),
}

/// An account or card by its last digits: enough for the owner, too little for anyone else who sees the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShortReference {
    Account(String),
    Card(String),
    /// All accounts that belong to a telephone number.
    Phone(String),
}

/// A payment in one line.
#[derive(Clone, Debug)]
pub struct PaymentSummary<'a> {
    pub amount: Money,
    pub payee: &'a str,
    pub account_digits: &'a str,
    pub timing: PaymentTiming,
}

/// The description after "<third party> asks to" (English) or "Το <third party> ζητά να" (Greek).
pub fn description(language: Language, description: &Description<'_>) -> String {
    match description {
        Description::Access { scope, references, owner_names, until } => {
            let what = access(language, *scope, references);
            let what = match (language, owner_names) {
                (_, false) => what,
                (Language::English, true) => format!("{what} with the names of the owners"),
                (Language::Greek, true) => format!("{what} με τα ονόματα των δικαιούχων"),
            };
            match (language, until.map(|day| format::day(language, day))) {
                (Language::English, Some(day)) => format!("{what} until {day}"),
                (Language::English, None) => format!("{what} once"),
                (Language::Greek, Some(day)) => format!("{what} έως {day}"),
                (Language::Greek, None) => format!("{what} μία φορά"),
            }
        }
        Description::Funds { account } => match language {
            Language::English => format!("ask whether amounts are available on {}", short(language, account)),
            Language::Greek => format!("ελέγχει αν υπάρχουν ποσά διαθέσιμα: {}", short(language, account)),
        },
        Description::Payment { payment, verification } => {
            let note = verification.map(|verified| payee_note(language, verified)).unwrap_or_default();
            match language {
                Language::English => format!("pay {}{note}", summary(language, payment)),
                Language::Greek => format!("πληρώσει {}{note}", summary(language, payment)),
            }
        }
        Description::Cancellation { payment } => match language {
            Language::English => format!("cancel the payment of {}", summary(language, payment)),
            Language::Greek => format!("ανακαλέσει την πληρωμή {}", summary(language, payment)),
        },
        Description::Bulk { is_cancellation, sum, count, fingerprint, timing } => {
            let (sum, when) = (format::money(language, *sum), when(language, *timing));
            match (language, is_cancellation) {
                (Language::English, false) => {
                    format!("make {count} payments of {sum} in total{when}, list {fingerprint}")
                }
                (Language::English, true) => {
                    format!("cancel {count} payments of {sum} in total{when}, list {fingerprint}")
                }
                (Language::Greek, false) => {
                    format!("κάνει {count} πληρωμές, συνολικά {sum}{when}, λίστα {fingerprint}")
                }
                (Language::Greek, true) => {
                    format!("ανακαλέσει {count} πληρωμές, συνολικά {sum}{when}, λίστα {fingerprint}")
                }
            }
        }
        Description::Basket(members) => {
            let each = members.iter().enumerate();
            let each: Vec<String> = each
                .map(|(index, member)| format!("({}) {}", index + 1, self::description(language, member)))
                .collect();
            each.join("; ")
        }
    }
}

fn access(language: Language, scope: Scope, references: &[ShortReference]) -> String {
    let text = match (language, scope) {
        (Language::English, Scope::Listed) => return format!("read {}", listed(language, references)),
        (Language::Greek, Scope::Listed) => return format!("διαβάσει: {}", listed(language, references)),
        (Language::English, Scope::AvailableAccounts) => "see the list of your accounts",
        (Language::Greek, Scope::AvailableAccounts) => "δει τη λίστα των λογαριασμών σας",
        (Language::English, Scope::AvailableAccountsWithBalance) => {
            "see the list of your accounts with balances"
        }
        (Language::Greek, Scope::AvailableAccountsWithBalance) => {
            "δει τη λίστα των λογαριασμών σας με τα υπόλοιπα"
        }
        (Language::English, Scope::Offered) => "read accounts that you choose",
        (Language::Greek, Scope::Offered) => "διαβάσει λογαριασμούς που θα επιλέξετε",
        (Language::English, Scope::AllPsd2) => "read all your accounts and cards",
        (Language::Greek, Scope::AllPsd2) => "διαβάσει όλους τους λογαριασμούς και τις κάρτες σας",
    };
    text.to_owned()
}

fn listed(language: Language, references: &[ShortReference]) -> String {
    let named: Vec<String> =
        references.iter().take(MAX_NAMED).map(|reference| short(language, reference)).collect();
    let named = named.join(", ");
    match (language, references.len().saturating_sub(MAX_NAMED)) {
        (_, 0) => named,
        (Language::English, more) => format!("{named} and {more} more"),
        (Language::Greek, more) => format!("{named} και {more} ακόμη"),
    }
}

fn short(language: Language, reference: &ShortReference) -> String {
    match (language, reference) {
        (Language::English, ShortReference::Account(digits)) => format!("account …{digits}"),
        (Language::Greek, ShortReference::Account(digits)) => format!("λογαριασμός …{digits}"),
        (Language::English, ShortReference::Card(digits)) => format!("card …{digits}"),
        (Language::Greek, ShortReference::Card(digits)) => format!("κάρτα …{digits}"),
        (Language::English, ShortReference::Phone(digits)) => format!("the accounts of telephone …{digits}"),
        (Language::Greek, ShortReference::Phone(digits)) => format!("οι λογαριασμοί του τηλεφώνου …{digits}"),
    }
}

fn summary(language: Language, payment: &PaymentSummary<'_>) -> String {
    let PaymentSummary { amount, payee, account_digits, timing } = payment;
    let (amount, when) = (format::money(language, *amount), when(language, *timing));
    match language {
        Language::English => format!("{amount} to {payee}, account …{account_digits}{when}"),
        Language::Greek => format!("{amount} προς {payee}, λογαριασμός …{account_digits}{when}"),
    }
}

/// When the payment is made, after its payee. Empty when it is made at once.
fn when(language: Language, timing: PaymentTiming) -> String {
    match (language, timing) {
        (_, PaymentTiming::Immediate) => String::new(),
        (_, PaymentTiming::Standing(order)) => format!(", {}", standing_order::terms(language, &order)),
        (Language::English, PaymentTiming::OnDate(date)) => format!(", on {}", format::day(language, date)),
        (Language::Greek, PaymentTiming::OnDate(date)) => format!(", στις {}", format::day(language, date)),
    }
}

/// The warning about the payee's name inside a description. Empty when the name matches.
fn payee_note(language: Language, verified: &VerifiedPayee) -> String {
    let note = match (language, verified.result(), verified.owner_name()) {
        (_, PayeeVerification::Match, _) => "",
        (Language::English, PayeeVerification::Close, Some(name)) => {
            return format!(" (the name is similar, but the account belongs to {name})");
        }
        (Language::Greek, PayeeVerification::Close, Some(name)) => {
            return format!(" (το όνομα μοιάζει, αλλά δικαιούχος του λογαριασμού είναι: {name})");
        }
        (Language::English, PayeeVerification::Close, None) => {
            " (the name of the account owner is similar, but not the same)"
        }
        (Language::Greek, PayeeVerification::Close, None) => {
            " (το όνομα του δικαιούχου του λογαριασμού μοιάζει, αλλά δεν είναι το ίδιο)"
        }
        (Language::English, PayeeVerification::NoMatch, _) => {
            " (warning: the account belongs to someone with another name)"
        }
        (Language::Greek, PayeeVerification::NoMatch, _) => " (προσοχή: ο λογαριασμός ανήκει σε άλλο όνομα)",
        (Language::English, PayeeVerification::NotPossible, _) => {
            " (the name of the account owner could not be verified)"
        }
        (Language::Greek, PayeeVerification::NotPossible, _) => {
            " (δεν ήταν δυνατό να επαληθευτεί το όνομα του δικαιούχου)"
        }
    };
    note.to_owned()
}

/// What the payer must know about the payee's name before authorising, as a sentence. Empty when the name matches. The owner's
/// name is shown on a close match only (Regulation (EU) 2024/886).
pub fn payee_warning(language: Language, verified: &VerifiedPayee) -> String {
    let text = match (language, verified.result(), verified.owner_name()) {
        (_, PayeeVerification::Match, _) => "",
        (Language::English, PayeeVerification::Close, Some(name)) => {
            return format!(
                "The name is similar, but the account belongs to {name}. Check it before you continue."
            );
        }
        (Language::Greek, PayeeVerification::Close, Some(name)) => {
            return format!(
                "Το όνομα μοιάζει, αλλά δικαιούχος του λογαριασμού είναι: {name}. Ελέγξτε το πριν συνεχίσετε."
            );
        }
        (Language::English, PayeeVerification::Close, None) => {
            "The name is similar to the name of the account owner, but not the same. Check it before you continue."
        }
        (Language::Greek, PayeeVerification::Close, None) => {
            "Το όνομα μοιάζει με του δικαιούχου του λογαριασμού, αλλά δεν είναι το ίδιο. Ελέγξτε το πριν συνεχίσετε."
        }
        (Language::English, PayeeVerification::NoMatch, _) => {
            "Warning: the account does not belong to this name. If you continue, the money may go to another person."
        }
        (Language::Greek, PayeeVerification::NoMatch, _) => {
            "Προσοχή: ο λογαριασμός δεν ανήκει σε αυτό το όνομα. Αν συνεχίσετε, τα χρήματα μπορεί να πάνε σε άλλον."
        }
        (Language::English, PayeeVerification::NotPossible, _) => {
            "The name could not be compared with the name of the account owner. If you continue, the money may go to another \
             person."
        }
        (Language::Greek, PayeeVerification::NotPossible, _) => {
            "Δεν ήταν δυνατό να συγκριθεί το όνομα με του δικαιούχου του λογαριασμού. Αν συνεχίσετε, τα χρήματα μπορεί να πάνε \
             σε άλλον."
        }
    };
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use trapeza_domain::money::Currency;

    #[test]
    fn listed_accounts_beyond_three_are_counted() {
        let references = (0..5).map(|n| ShortReference::Account(format!("000{n}"))).collect();
        let access =
            Description::Access { scope: Scope::Listed, references, owner_names: false, until: None };
        assert_eq!(
            description(Language::English, &access),
            "read account …0000, account …0001, account …0002 and 2 more once"
        );
    }

    #[test]
    fn payment_names_amount_payee_and_warning_in_both_languages() {
        let payment = PaymentSummary {
            amount: Money::new(1250, Currency::EUR),
            payee: "Eleni",
            account_digits: "2345",
            timing: PaymentTiming::OnDate(Date(20_818)),
        };
        let verified = VerifiedPayee::new(PayeeVerification::NoMatch, None);
        let text = Description::Payment { payment, verification: Some(&verified) };
        for language in Language::ALL {
            let text = description(language, &text);
            let amount = format::money(language, Money::new(1250, Currency::EUR));
            let date = format::day(language, Date(20_818));
            assert!(text.contains(&amount) && text.contains("Eleni") && text.contains('('), "{text}");
            assert!(text.contains(&date), "{text}");
        }
    }

    #[test]
    fn payee_warnings_differ_and_only_a_close_match_names_the_owner() {
        for language in Language::ALL {
            let texts: Vec<String> = PayeeVerification::ALL
                .iter()
                .map(|result| {
                    payee_warning(language, &VerifiedPayee::new(*result, Some("Eleni Papadaki".to_owned())))
                })
                .collect();
            for (index, text) in texts.iter().enumerate() {
                assert!(!texts[..index].contains(text), "{text}");
                let is_close = PayeeVerification::ALL[index] == PayeeVerification::Close;
                assert_eq!(text.contains("Eleni Papadaki"), is_close, "{text}");
            }
        }
    }
}
