//! Verification of payee (VoP): compares the name that the payer gave with the names of the account's owners. A name is split into
//! words (`token`), titles and legal forms are set apart (`name`, `vocabulary`), and words are compared in all their
//! spellings (`spelling`, `comparison`). The rules with examples are in docs/behaviour/payee-verification.md.

mod assignment;
mod comparison;
mod joint;
mod name;
mod spelling;
#[cfg(test)]
mod tests;
mod token;
mod vocabulary;

use crate::account::AccountUsage;
use crate::string_enum::string_enum;
use comparison::compare;
use joint::{compare_joint, owners_named};
use name::Name;
use token::{Token, tokens};

string_enum! {
    /// The result, in the codes of the interbank scheme.
    pub enum PayeeVerification {
        Match = "MTCH",
        Close = "CMTC",
        NoMatch = "NMTC",
        /// The owner of the account is not known here.
        NotPossible = "NOAP",
    }
}

impl PayeeVerification {
    /// Whether the payer must be warned.
    pub const fn is_warning(self) -> bool {
        !matches!(self, Self::Match)
    }
}

/// The result together with the owner's name where the payer may see it: only on a close match (Regulation (EU) 2024/886).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedPayee {
    result: PayeeVerification,
    owner_name: Option<String>,
}

impl VerifiedPayee {
    /// The name is dropped unless it is a close match.
    pub fn new(result: PayeeVerification, owner_name: Option<String>) -> Self {
        Self { result, owner_name: owner_name.filter(|_| result == PayeeVerification::Close) }
    }

    pub const fn result(&self) -> PayeeVerification {
        self.result
    }

    /// The account owner's name, on a close match.
    pub fn owner_name(&self) -> Option<&str> {
        self.owner_name.as_deref()
    }
}

/// The best result over all owners of the account; without owners no verification is possible.
pub fn verify_payee_name(given: &str, owners: &[String], usage: AccountUsage) -> VerifiedPayee {
    let given = tokens(given);
    let mut best: Option<(PayeeVerification, String)> = None;
    let mut consider = |result: PayeeVerification, name: String| {
        if best.as_ref().is_none_or(|(known, _)| result < *known) {
            best = Some((result, name));
        }
    };
    let mut persons = Vec::new();
    for owner in owners {
        let words = tokens(owner);
        if usage == AccountUsage::Organisation || vocabulary::is_certainly_organisation(&words) {
            consider(compare(&Name::new(&given, true), &Name::new(&words, true), true), owner.clone());
        } else {
            for words in owners_named(&words) {
                consider(compare_person(&given, &words), owner.clone());
                persons.push(words);
            }
        }
    }
    if persons.len() > 1 {
        consider(compare_joint(&given, &persons), owners.join(" / "));
    }
    best.map_or(VerifiedPayee::new(PayeeVerification::NotPossible, None), |(result, name)| {
        VerifiedPayee::new(result, Some(name))
    })
}

/// A company is never a person. Of several people whom the payer names, one at least must be the owner, and the others make
/// it a close match.
fn compare_person(given: &[Token], owner: &[Token]) -> PayeeVerification {
    let owner = Name::new(owner, false);
    let result = compare(&Name::new(given, false), &owner, false);
    if result == PayeeVerification::Match {
        return result;
    }
    if vocabulary::is_certainly_organisation(given) {
        return PayeeVerification::NoMatch;
    }
    let named = owners_named(given);
    if named.len() == 1 {
        return result;
    }
    let results = named.iter().map(|name| compare(&Name::new(name, false), &owner, false));
    results.min().unwrap_or(PayeeVerification::NoMatch).max(PayeeVerification::Close)
}
