//! The list of pairs in `tests/pairs.txt`, and properties that hold for all names.

use super::PayeeVerification::{Close, Match, NoMatch, NotPossible};
use super::*;
use proptest::prelude::*;

fn check(given: &str, owners: &[&str], usage: AccountUsage) -> PayeeVerification {
    let owners: Vec<String> = owners.iter().map(|owner| (*owner).to_owned()).collect();
    verify_payee_name(given, &owners, usage).result()
}

#[test]
fn pair_has_the_listed_result() {
    let mut wrong = Vec::new();
    let lines = include_str!("tests/pairs.txt").lines();
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let columns: Vec<&str> = line.split('|').map(str::trim).collect();
        let &[result, usage, given, owners] = &columns[..] else { panic!("{line}") };
        let expected = match result {
            "match" => Match,
            "close" => Close,
            "none" => NoMatch,
            _ => panic!("{line}"),
        };
        let usage = match usage {
            "person" => AccountUsage::Private,
            "organisation" => AccountUsage::Organisation,
            _ => panic!("{line}"),
        };
        let owners: Vec<&str> = owners.split(';').map(str::trim).collect();
        let found = check(given, &owners, usage);
        if found != expected {
            wrong.push(format!("{line}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} pairs:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn account_without_owners_cannot_be_verified() {
    assert_eq!(check("Nikos Georgiou", &[], AccountUsage::Private), NotPossible);
}

#[test]
fn owner_name_is_returned_on_a_close_match_only() {
    let verified = |given: &str| {
        verify_payee_name(given, &["Jean Pierre Dupont".to_owned()], AccountUsage::Private)
            .owner_name()
            .map(str::to_owned)
    };
    assert_eq!(verified("Jean Dupont").as_deref(), Some("Jean Pierre Dupont"));
    assert_eq!(verified("Jean Pierre Dupont"), None);
    assert_eq!(verified("Maxime Martin"), None);
    for result in [Match, NoMatch, NotPossible] {
        assert_eq!(VerifiedPayee::new(result, Some("Jean Dupont".to_owned())).owner_name(), None);
    }
}

/// Words that are neither titles nor particles nor conjunctions, and two of which are never one word.
fn word() -> impl Strategy<Value = String> {
    prop_oneof!["[b-df-hj-np-tv-z]{6}", "[α-ο]{5}", "[б-ж]{6}", "[äöüß]{2}[b-d]{3}"]
}

fn words() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(word(), 2..7)
}

proptest! {
    #[test]
    fn order_and_case_never_matter(
        (given, shuffled) in words().prop_flat_map(|words| (Just(words.clone()), Just(words).prop_shuffle())),
        owner in words(),
        shared in 0..4usize,
    ) {
        let owner: Vec<String> = given.iter().take(shared).cloned().chain(owner).collect();
        let result = check(&given.join(" "), &[&owner.join(" ")], AccountUsage::Private);
        let shuffled = shuffled.join(" ").to_uppercase();
        prop_assert_eq!(check(&shuffled, &[&owner.join(" ")], AccountUsage::Private), result);
        prop_assert_eq!(check(&owner.join(" "), &[&shuffled], AccountUsage::Private), result);
        prop_assert_eq!(check(&shuffled, &[&given.join(" ")], AccountUsage::Private), Match);
    }

    #[test]
    fn word_without_partner_is_never_a_match(
        name in words(),
        extra in "[qxz]{7}",
        usage in prop_oneof![Just(AccountUsage::Private), Just(AccountUsage::Organisation)],
    ) {
        let longer = format!("{} {extra}", name.join(" "));
        prop_assert_ne!(check(&longer, &[&name.join(" ")], usage), Match);
        prop_assert_ne!(check(&name.join(" "), &[&longer], usage), Match);
        let mut replaced = name.clone();
        replaced[0] = extra;
        prop_assert_eq!(check(&replaced.join(" "), &[&name.join(" ")], usage), NoMatch);
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_text_is_compared_without_panic(given in ".{0,70}", owner in ".{0,70}") {
        let result = check(&given, &[&owner, &given], AccountUsage::Private);
        prop_assert_ne!(result, NotPossible);
    }
}
