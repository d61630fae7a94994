//! Samples of every page: what a template may be given, with names that try to be markup.

use super::facts::Facts;
use super::frame::{Back, Form, Frame};
use super::script::Script;
use super::view::{Answer, AnswerWay, Choose, End, Method, Notice, SignIn, Start};
use super::words::{Words, fill};
use askama::Template;
use trapeza_app::sca::{ApprovalAccount, ApprovalPayment, ApprovalRequest};
use trapeza_domain::consent::Scope;
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::payee_verification::PayeeVerification;
use trapeza_domain::time::Date;
use trapeza_http::qr;

/// A third party whose certificate was filled in by somebody with bad manners.
pub const EVIL: &str = "Best Pay <script>alert('pay')</script> \"AE\"";
const ACCOUNT: &str = "Holidays <img src=x onerror=alert(1)>";
const PLACE: &str = "/sca/7d3f.token";

/// A page that can show itself.
pub trait Samples: Template + Sized {
    fn samples(words: &'static Words) -> Vec<Self>;
}

pub(super) fn frame(words: &'static Words, title: &str) -> Frame {
    Frame::new(words, true, title)
}

pub(super) fn form() -> Form {
    Form { action: PLACE.to_owned(), mark: "a-mark".to_owned() }
}

fn back(words: &Words) -> Option<Back> {
    let href = "https://tpp.example/back?state=1&more=\"2\"".to_owned();
    Some(Back { href, label: fill(words.back_to, EVIL) })
}

fn account(name: Option<&str>, balances: bool, transactions: bool) -> ApprovalAccount {
    ApprovalAccount {
        number: "GR1601101250000000012300695".to_owned(),
        currency: Some("EUR"),
        name: name.map(str::to_owned),
        balances,
        transactions,
    }
}

fn access(scope: Scope, recurring: bool, accounts: Vec<ApprovalAccount>) -> ApprovalRequest {
    ApprovalRequest::Access { scope, accounts, recurring, until: Date(20_818), frequency_per_day: 4 }
}

fn payment(cancellation: bool, payee_verification: Option<PayeeVerification>) -> ApprovalRequest {
    ApprovalRequest::Payment(Box::new(paid(cancellation, payee_verification)))
}

fn paid(cancellation: bool, payee_verification: Option<PayeeVerification>) -> ApprovalPayment {
    ApprovalPayment {
        cancellation,
        amount: Money::new(123_456, Currency::EUR),
        fee: Money::new(35, Currency::EUR),
        payee: ACCOUNT.to_owned(),
        payee_account: "DE89370400440532013000".to_owned(),
        from: account(Some("Current"), false, false),
        remittance: Some("Rent <b>November</b>".to_owned()),
        payee_verification,
    }
}

pub(super) fn all_facts(words: &'static Words) -> Vec<Facts> {
    let asked = [
        access(Scope::Listed, true, vec![account(Some("Current"), true, true), account(None, false, false)]),
        access(Scope::Listed, false, vec![account(Some(ACCOUNT), true, false)]),
        access(Scope::AvailableAccounts, true, Vec::new()),
        access(Scope::AvailableAccountsWithBalance, true, vec![account(Some("Current"), true, false)]),
        access(Scope::AllPsd2, true, vec![account(Some(ACCOUNT), true, true)]),
        ApprovalRequest::Funds {
            account: account(Some("Current"), false, false),
            card: Some("411111******1111".to_owned()),
        },
        payment(false, Some(PayeeVerification::Close)),
        payment(false, Some(PayeeVerification::NoMatch)),
        payment(false, Some(PayeeVerification::NotPossible)),
        payment(false, Some(PayeeVerification::Match)),
        payment(true, None),
    ];
    asked.iter().map(|asked| Facts::new(words, EVIL, "PSDGR-BOG-000001", asked)).collect()
}

pub(super) fn facts(words: &'static Words) -> Facts {
    all_facts(words).swap_remove(0)
}

/// Pages that show a third party's name and a payee's: the first of a link, what is asked, and the end.
pub fn named(words: &'static Words, name: &str) -> Vec<String> {
    let asked = ApprovalRequest::Payment(Box::new(ApprovalPayment {
        payee: name.to_owned(),
        remittance: Some(name.to_owned()),
        ..paid(false, None)
    }));
    let facts = Facts::new(words, name, "PSDGR-BOG-000001", &asked);
    let start = Start {
        frame: frame(words, &fill(words.start_title, name)),
        form: form(),
        about: words.start_payment,
        back: Some(Back { href: "https://tpp.example/".to_owned(), label: fill(words.back_to, name) }),
    };
    let choose = Choose {
        frame: frame(words, words.check_title),
        form: form(),
        facts,
        methods: vec![Method { id: "1".to_owned(), kind: words.method_sms, name: name.to_owned() }],
        fault: None,
    };
    let end = End {
        frame: frame(words, words.end_granted),
        good: true,
        text: fill(words.end_paid_text, name),
        then: fill(words.on_the_way, name),
        back: None,
    };
    let rendered = [start.render(), choose.render(), end.render()];
    rendered.into_iter().map(|page| page.expect("a page is rendered into a String")).collect()
}

impl Samples for Start {
    fn samples(words: &'static Words) -> Vec<Self> {
        let title = fill(words.start_title, EVIL);
        let one = |about, back| Self { frame: frame(words, &title), form: form(), about, back };
        vec![
            one(words.start_consent, back(words)),
            one(words.start_funds, None),
            one(words.start_payment, None),
            one(words.start_cancellation, None),
        ]
    }
}

impl Samples for SignIn {
    fn samples(words: &'static Words) -> Vec<Self> {
        let one = |fault| Self {
            frame: frame(words, words.sign_in_title),
            form: form(),
            why: fill(words.sign_in_for, EVIL),
            user: "<b>eleni</b>".to_owned(),
            fault,
        };
        vec![one(None), one(Some(words.password_wrong))]
    }
}

impl Samples for Choose {
    fn samples(words: &'static Words) -> Vec<Self> {
        let method =
            |id: &str, kind| Method { id: id.to_owned(), kind, name: "My <i>own</i> one".to_owned() };
        let methods = vec![
            method("1", words.method_sms),
            method("2", words.method_chip),
            method("3", words.method_photo),
            method("4", words.method_push),
        ];
        let one = |facts| Self {
            frame: frame(words, words.check_title),
            form: form(),
            facts,
            methods: methods.clone(),
            fault: None,
        };
        let mut all: Vec<Self> = all_facts(words).into_iter().map(one).collect();
        all[1].fault = Some(words.too_many);
        all
    }
}

impl Samples for Answer {
    fn samples(words: &'static Words) -> Vec<Self> {
        let sms = Self {
            frame: frame(words, words.confirm_title),
            form: form(),
            facts: facts(words),
            prompt: words.prompt_sms,
            shown: None,
            picture: None,
            way: AnswerWay::Code,
            again: Some("1".to_owned()),
            choose: Some(format!("{PLACE}?choose=1")),
            fault: None,
        };
        let shown = Some("48201734".to_owned());
        vec![
            Self { prompt: words.prompt_chip, shown, fault: Some(words.code_wrong), ..sms.clone() },
            Self { prompt: words.prompt_photo, picture: Some(qr::png_base64("48201734")), ..sms.clone() },
            Self {
                frame: frame(words, words.confirm_title).with(Script::Wait),
                prompt: words.prompt_push,
                shown: Some("42".to_owned()),
                way: AnswerWay::App,
                ..sms.clone()
            },
            Self { prompt: words.code_over, way: AnswerWay::Over, ..sms.clone() },
            Self { prompt: words.code_none, way: AnswerWay::Over, again: None, choose: None, ..sms.clone() },
            sms,
        ]
    }
}

impl Samples for End {
    fn samples(words: &'static Words) -> Vec<Self> {
        let one = |title, text, good, back: Option<Back>| {
            let then =
                if back.is_some() { fill(words.on_the_way, EVIL) } else { words.close_window.to_owned() };
            let frame = frame(words, title);
            let frame = match &back {
                Some(_) => frame.with(Script::End),
                None => frame,
            };
            Self { frame, good, text: fill(text, EVIL), then, back }
        };
        vec![
            one(words.end_granted, words.end_granted_text, true, back(words)),
            one(words.end_foreign, words.end_foreign_text, false, back(words)),
            one(words.end_failed, words.end_failed_text, false, None),
        ]
    }
}

impl Samples for Notice {
    fn samples(words: &'static Words) -> Vec<Self> {
        let one = |title, text, back| Self { frame: frame(words, title), text, back };
        let again = Some(Back { href: PLACE.to_owned(), label: words.try_again.to_owned() });
        vec![
            one(words.gone_title, words.gone_text, back(words)),
            one(words.gone_title, words.gone_text, None),
            one(words.form_title, words.form_text, again.clone()),
            one(words.trouble_title, words.trouble_text, again),
        ]
    }
}
