//! What the summary of an approval says.

use super::*;
use trapeza_domain::account::AccountName;
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::time::Date;
use trapeza_texts::page::ENGLISH;

const LICENCE: (&str, &str) = ("Licence", "PSDGR-BOG-000001");

const fn eur(minor: i64) -> Money {
    Money::new(minor, Currency::EUR)
}

fn household() -> ApprovalAccount {
    ApprovalAccount {
        number: "GR1601101250000000012300695".to_owned(),
        currency: Some("EUR"),
        name: Some(AccountName::own("Household")),
        balances: false,
        transactions: false,
        owner_name: false,
    }
}

fn payment() -> ApprovalPayment {
    ApprovalPayment {
        cancellation: false,
        amount: eur(123_456),
        fee: eur(35),
        payee: "Anna Muster".to_owned(),
        payee_account: "DE89370400440532013000".to_owned(),
        from: household(),
        remittance: Some("Invoice 7".to_owned()),
        timing: PaymentTiming::OnDate(Date(20_818)),
        payee_verification: None,
        bulk: None,
    }
}

fn access(scope: Scope, accounts: Vec<ApprovalAccount>, recurring: bool) -> ApprovalRequest {
    ApprovalRequest::Access { scope, accounts, recurring, until: Date(20_818), frequency_per_day: 4 }
}

fn summary_of(approval: &ApprovalRequest) -> Summary {
    Summary::new(&ENGLISH, "Kyklos", LICENCE.1, approval)
}

fn rows(summary: &Summary) -> Vec<(&str, &str)> {
    summary.rows.iter().map(|row| (row.label, row.value.as_str())).collect()
}

fn accounts(summary: &Summary) -> Vec<(Option<&str>, &str, &str)> {
    summary
        .accounts
        .iter()
        .map(|row| (row.name.as_deref(), row.number.as_str(), row.rights.as_str()))
        .collect()
}

#[test]
fn only_ibans_are_grouped() {
    assert_eq!(format_iban("GR1601101250000000012300695"), "GR16 0110 1250 0000 0001 2300 695");
    assert_eq!(format_iban("411111******1111"), "411111******1111");
    assert_eq!(format_iban("+306912345678"), "+306912345678");
}

#[test]
fn payee_checks_differ_and_only_a_close_match_names_the_owner() {
    for texts in [&trapeza_texts::page::ENGLISH, &trapeza_texts::page::GREEK] {
        let checks: Vec<PayeeCheck> = PayeeVerification::ALL
            .iter()
            .map(|result| payee_check(texts, &VerifiedPayee::new(*result, Some("Eleni Papadaki".to_owned()))))
            .collect();
        for (index, check) in checks.iter().enumerate() {
            let is_close = PayeeVerification::ALL[index] == PayeeVerification::Close;
            assert_eq!(check.text.contains("Eleni Papadaki"), is_close, "{check:?}");
            let same = |other: &&PayeeCheck| {
                other.class == check.class || other.title == check.title || other.text == check.text
            };
            assert_eq!(checks.iter().filter(same).count(), 1, "{check:?}");
        }
    }
}

#[test]
fn payment_has_each_fact_at_its_place() {
    let own = (Some("Household"), "GR16 0110 1250 0000 0001 2300 695", "From this account");
    let other = (Some("Anna Muster"), "DE89 3704 0044 0532 0130 00", "To this account");
    let ordered = summary_of(&ApprovalRequest::Payment(Box::new(payment())));
    assert_eq!(ordered.headline, "€1,234.56 to Anna Muster");
    assert_eq!(ordered.heading, "Kyklos asks to make this payment");
    assert_eq!(
        rows(&ordered),
        [
            ("Amount", "€1,234.56"),
            ("To", "Anna Muster"),
            ("Fee", "€0.35"),
            ("Reference", "Invoice 7"),
            ("Execution date", "31 December 2026"),
            LICENCE
        ]
    );
    assert_eq!(accounts(&ordered), [own, other]);

    let cancelled = ApprovalPayment { cancellation: true, ..payment() };
    let cancelled = summary_of(&ApprovalRequest::Payment(Box::new(cancelled)));
    assert_eq!(cancelled.headline, "Cancel €1,234.56 to Anna Muster");
    assert_eq!(cancelled.heading, "Kyklos asks to cancel this payment");
    assert_eq!(accounts(&cancelled), [own, other]);

    let plain =
        ApprovalPayment { fee: eur(0), remittance: None, timing: PaymentTiming::Immediate, ..payment() };
    let plain = Summary::new(&ENGLISH, "", "", &ApprovalRequest::Payment(Box::new(plain)));
    assert_eq!(plain.heading, "You pay");
    assert_eq!(rows(&plain), [("Amount", "€1,234.56"), ("To", "Anna Muster")]);
}

#[test]
fn bulk_payment_shows_its_sum_count_fingerprint_and_first_lines() {
    let line = |minor, payee: &str, account: &str| (eur(minor), payee.to_owned(), account.to_owned());
    let bulk = ApprovalBulk {
        count: 3,
        fingerprint: "A1B2-C3D4".to_owned(),
        lines: vec![
            line(1_000, "Anna Muster", "DE89370400440532013000"),
            line(2_000, "Paul Weber", "FR1420041010050500013M02606"),
        ],
    };
    let bulk = ApprovalPayment { bulk: Some(bulk), ..payment() };
    let summary = summary_of(&ApprovalRequest::Payment(Box::new(bulk)));
    assert_eq!(summary.headline, "€1,234.56 in 3 payments");
    assert_eq!(summary.heading, "Kyklos asks to make these payments");
    assert_eq!(
        rows(&summary),
        [
            ("Amount", "€1,234.56"),
            ("Payments", "3"),
            ("List", "A1B2-C3D4"),
            ("Not shown", "1 payments"),
            ("Fee", "€0.35"),
            ("Execution date", "31 December 2026"),
            LICENCE
        ]
    );
    assert_eq!(
        accounts(&summary),
        [
            (Some("Household"), "GR16 0110 1250 0000 0001 2300 695", "From this account"),
            (Some("Anna Muster"), "DE89 3704 0044 0532 0130 00", "€10.00"),
            (Some("Paul Weber"), "FR14 2004 1010 0505 0001 3M02 606", "€20.00")
        ]
    );
}

#[test]
fn each_right_is_listed_beside_the_account_that_it_is_for() {
    let listed = vec![
        ApprovalAccount { balances: true, ..household() },
        ApprovalAccount { currency: None, transactions: true, ..household() },
        ApprovalAccount { owner_name: true, ..household() },
    ];
    let summary = summary_of(&access(Scope::Listed, listed.clone(), true));
    let rights: Vec<&str> = accounts(&summary).into_iter().map(|(_, _, rights)| rights).collect();
    assert_eq!(
        rights,
        [
            "EUR · Name and number, balance",
            "Name and number, transactions",
            "EUR · Name and number, names of the owners"
        ]
    );
    let often = ("How often", "Whenever you use it, and up to 4 times a day without you");
    assert_eq!(rows(&summary), [("Until", "31 December 2026"), often, LICENCE]);
    let once = summary_of(&access(Scope::Listed, listed, false));
    assert_eq!(rows(&once), [("Until", "31 December 2026"), ("How often", "Once"), LICENCE]);
}

#[test]
fn each_scope_has_its_own_words_when_asked_for_and_when_given() {
    let later = Some("This includes accounts that you open later.");
    for (scope, what, note) in [
        (Scope::Listed, "read these accounts", None),
        (Scope::AvailableAccounts, "see which accounts you have", later),
        (Scope::AvailableAccountsWithBalance, "see your accounts and their balances", later),
        (Scope::AllPsd2, "read all your accounts and cards", later),
    ] {
        let approval = access(scope, vec![household()], true);
        let (asked, given) =
            (summary_of(&approval), Summary::permitted(&ENGLISH, "Kyklos", LICENCE.1, &approval));
        assert_eq!(asked.heading, format!("Kyklos asks to {what}"));
        assert_eq!(given.heading, format!("Kyklos may {what}"));
        assert_eq!((asked.note, given.note), (note, note), "{scope:?}");
    }
}

#[test]
fn funds_consent_names_its_account_and_card() {
    let card = Some("411111******1111".to_owned());
    let approval = ApprovalRequest::Funds { account: household(), card };
    let asked = summary_of(&approval);
    assert_eq!(asked.heading, "Kyklos asks to check whether an amount is available");
    assert_eq!(rows(&asked), [("Card", "411111******1111"), ("Until", "Until you withdraw it"), LICENCE]);
    let rights = "Yes or no to an amount, never the balance";
    assert_eq!(accounts(&asked), [(Some("Household"), "GR16 0110 1250 0000 0001 2300 695", rights)]);
    let given = Summary::permitted(&ENGLISH, "Kyklos", LICENCE.1, &approval);
    assert_eq!(given.heading, "Kyklos may check whether an amount is available");
}
