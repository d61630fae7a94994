//! Samples of every template context, with markup in names.

mod review;

pub(super) use review::{help, income_sources};

use super::layout::{Back, Form, Layout};
use super::script::Script;
use super::styleguide::StyleGuide;
use super::summary::{Summary, SummaryRow};
use super::templates::{
    AccountToChoose, Answer, AnswerMode, Choose, ChooseAccounts, DemoCustomer, End, ErrorPage, Home,
    Messages, Method, Notice, SandboxStart, SentMessage, SignIn, Start,
};
use askama::Template;
use trapeza_app::bank_profile::BankProfile;
use trapeza_app::sca::{ApprovalAccount, ApprovalBulk, ApprovalPayment, ApprovalRequest};
use trapeza_domain::account::AccountName;
use trapeza_domain::consent::Scope;
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::payee_verification::{PayeeVerification, VerifiedPayee};
use trapeza_domain::payment::PaymentTiming;
use trapeza_domain::time::Date;
use trapeza_texts::page::{PageTexts, fill};

/// A third party's name with hostile markup.
pub const EVIL: &str = "Best Pay <script>alert('pay')</script> \"AE\"";
const ACCOUNT: &str = "Holidays <img src=x onerror=alert(1)>";
const PLACE: &str = "/sca/7d3f.token";

/// A page that can render itself.
pub trait Samples: Template + Sized {
    fn samples(texts: &'static PageTexts) -> Vec<Self>;
}

pub(super) fn layout(texts: &'static PageTexts, title: &str) -> Layout {
    Layout::new(texts, &BankProfile::default(), true, title)
}

pub(super) fn form() -> Form {
    Form { action: PLACE.to_owned(), csrf: "a-token".to_owned() }
}

fn back(texts: &PageTexts) -> Option<Back> {
    let href = "https://tpp.example/back?state=1&more=\"2\"".to_owned();
    Some(Back { href, label: fill(texts.back_to, EVIL) })
}

fn account(name: Option<&str>, balances: bool, transactions: bool) -> ApprovalAccount {
    ApprovalAccount {
        number: "GR1601101250000000012300695".to_owned(),
        currency: Some("EUR"),
        name: name.map(AccountName::own),
        balances,
        transactions,
        owner_name: balances && transactions,
    }
}

fn access(scope: Scope, recurring: bool, accounts: Vec<ApprovalAccount>) -> ApprovalRequest {
    ApprovalRequest::Access { scope, accounts, recurring, until: Date(20_818), frequency_per_day: 4 }
}

fn payment(cancellation: bool, result: Option<PayeeVerification>) -> ApprovalRequest {
    let verified = result.map(|result| VerifiedPayee::new(result, Some(ACCOUNT.to_owned())));
    ApprovalRequest::Payment(Box::new(paid(cancellation, verified)))
}

fn paid(cancellation: bool, payee_verification: Option<VerifiedPayee>) -> ApprovalPayment {
    ApprovalPayment {
        cancellation,
        amount: Money::new(123_456, Currency::EUR),
        fee: Money::new(35, Currency::EUR),
        payee: ACCOUNT.to_owned(),
        payee_account: "DE89370400440532013000".to_owned(),
        from: account(Some("Current"), false, false),
        remittance: Some("Rent <b>November</b>".to_owned()),
        timing: PaymentTiming::OnDate(Date(20_818)),
        payee_verification,
        bulk: None,
    }
}

fn bulk(cancellation: bool) -> ApprovalRequest {
    let line = (Money::new(1_234, Currency::EUR), ACCOUNT.to_owned(), "DE89370400440532013000".to_owned());
    let bulk = ApprovalBulk { count: 500, fingerprint: "A1B2-C3D4".to_owned(), lines: vec![line; 3] };
    ApprovalRequest::Payment(Box::new(ApprovalPayment { bulk: Some(bulk), ..paid(cancellation, None) }))
}

pub(super) fn all_facts(texts: &'static PageTexts) -> Vec<Summary> {
    let approvals = [
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
        bulk(false),
        bulk(true),
        ApprovalRequest::Basket(vec![
            payment(false, Some(PayeeVerification::NoMatch)),
            access(Scope::Listed, true, vec![account(Some(ACCOUNT), true, true)]),
        ]),
    ];
    approvals.iter().map(|approval| Summary::new(texts, EVIL, "PSDGR-BOG-000001", approval)).collect()
}

pub(super) fn summary(texts: &'static PageTexts) -> Summary {
    all_facts(texts).swap_remove(0)
}

/// The pages with a third party's and a payee's name: the first of a link, the summary, and the end.
pub fn named(texts: &'static PageTexts, name: &str) -> Vec<String> {
    let approval = ApprovalRequest::Payment(Box::new(ApprovalPayment {
        payee: name.to_owned(),
        remittance: Some(name.to_owned()),
        ..paid(false, None)
    }));
    let summary = Summary::new(texts, name, "PSDGR-BOG-000001", &approval);
    let start = Start {
        layout: layout(texts, &fill(texts.start_title, name)),
        form: form(),
        about: texts.start_payment,
        back: Some(Back { href: "https://tpp.example/".to_owned(), label: fill(texts.back_to, name) }),
    };
    let choose = Choose {
        layout: layout(texts, &summary.headline),
        form: form(),
        summary,
        methods: vec![Method { id: "1".to_owned(), kind: texts.method_sms, chosen: true }],
        error: None,
    };
    let end = End {
        layout: layout(texts, texts.end_granted),
        good: true,
        text: fill(texts.end_paid_text, name),
        then: fill(texts.on_the_way, name),
        back: None,
        more: None,
        documents: Vec::new(),
    };
    let rendered = [start.render(), choose.render(), end.render()];
    rendered.into_iter().map(|page| page.expect("a page is rendered into a String")).collect()
}

impl Samples for Start {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let title = fill(texts.start_title, EVIL);
        let one = |about, back| Self { layout: layout(texts, &title), form: form(), about, back };
        vec![
            one(texts.start_consent, back(texts)),
            one(texts.start_funds, None),
            one(texts.start_payment, None),
            one(texts.start_cancellation, None),
        ]
    }
}

impl Samples for SignIn {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let one = |error| Self {
            layout: layout(texts, texts.sign_in_title),
            form: form(),
            why: fill(texts.sign_in_for, EVIL),
            user: "<b>eleni</b>".to_owned(),
            asks_user: false,
            error,
        };
        let with_user = |user: &str| Self { user: user.to_owned(), asks_user: true, ..one(None) };
        vec![one(None), one(Some(texts.password_wrong)), with_user(""), with_user("<b>eleni</b>")]
    }
}

impl Samples for Choose {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let method = |id: &str, kind| Method { id: id.to_owned(), kind, chosen: id == "2" };
        let methods = vec![
            method("1", texts.method_sms),
            method("2", texts.method_chip),
            method("3", texts.method_photo),
            method("4", texts.method_push),
        ];
        let one = |summary| Self {
            layout: layout(texts, texts.check_title),
            form: form(),
            summary,
            methods: methods.clone(),
            error: None,
        };
        let mut all: Vec<Self> = all_facts(texts).into_iter().map(one).collect();
        all[1].error = Some(texts.too_many);
        all
    }
}

impl Samples for ChooseAccounts {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let account = |id: &str, name: &str| AccountToChoose {
            id: id.to_owned(),
            name: name.to_owned(),
            number: "GR16 0110 1250 0000 0001 2300 695 · EUR".to_owned(),
        };
        let full = Self {
            layout: layout(texts, &fill(texts.headline.see_chosen, EVIL)),
            form: form(),
            accounts: vec![account("1", "Current"), account("2", ACCOUNT)],
            balances: true,
            transactions: true,
            rows: vec![SummaryRow::new(texts.until, "31 January 2027")],
            error: None,
        };
        let none = Self { accounts: Vec::new(), ..full.clone() };
        vec![full.clone(), Self { balances: false, error: Some(texts.choose_none), ..full }, none]
    }
}

impl Samples for Answer {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let sms = Self {
            layout: layout(texts, texts.confirm_title),
            form: form(),
            summary: summary(texts),
            prompt: texts.prompt_sms,
            shown: None,
            picture: None,
            mode: AnswerMode::Code,
            again: Some(("1".to_owned(), texts.code_again)),
            choose: Some(format!("{PLACE}?choose=1")),
            error: None,
        };
        let shown = Some("48201734".to_owned());
        vec![
            Self { prompt: texts.prompt_chip, shown, error: Some(texts.code_wrong), ..sms.clone() },
            Self {
                prompt: texts.prompt_photo,
                picture: Some(trapeza_qr::png_base64("48201734")),
                ..sms.clone()
            },
            Self {
                layout: layout(texts, texts.confirm_title).with(Script::Wait),
                prompt: texts.prompt_push,
                shown: Some("42".to_owned()),
                mode: AnswerMode::App,
                ..sms.clone()
            },
            Self { prompt: texts.code_over, mode: AnswerMode::Over, ..sms.clone() },
            Self {
                prompt: texts.code_none,
                mode: AnswerMode::Over,
                again: None,
                choose: None,
                ..sms.clone()
            },
            sms,
        ]
    }
}

impl Samples for End {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let one = |title, text, good, back: Option<Back>| {
            let then =
                if back.is_some() { fill(texts.on_the_way, EVIL) } else { texts.close_window.to_owned() };
            let layout = layout(texts, title);
            let layout = match &back {
                Some(_) => layout.with(Script::End),
                None => layout,
            };
            Self { layout, good, text: fill(text, EVIL), then, back, more: None, documents: Vec::new() }
        };
        vec![
            one(texts.end_granted, texts.end_granted_text, true, back(texts)),
            one(texts.end_foreign, texts.end_foreign_text, false, back(texts)),
            one(texts.end_failed, texts.end_failed_text, false, None),
        ]
    }
}

impl Samples for Notice {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let one = |title, text, back| Self { layout: layout(texts, title), text, back };
        let again = Some(Back { href: PLACE.to_owned(), label: texts.try_again.to_owned() });
        vec![
            one(texts.gone_title, texts.gone_text, back(texts)),
            one(texts.gone_title, texts.gone_text, None),
            one(texts.form_title, texts.form_text, again.clone()),
            one(texts.trouble_title, texts.trouble_text, again),
        ]
    }
}

impl Samples for ErrorPage {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let one = |title, text| Self { layout: layout(texts, title), text, detail: format!("401: {EVIL}") };
        vec![
            one(texts.unknown_title, texts.unknown_path_text),
            one(texts.program_title, texts.program_text),
            one(texts.trouble_title, texts.trouble_text),
        ]
    }
}

impl Samples for StyleGuide {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        vec![Self::new(layout(texts, texts.home.styleguide))]
    }
}

impl Samples for Home {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let message = SentMessage {
            to: "+306900000001".to_owned(),
            channel: "SMS".to_owned(),
            sent: "1 March 2026, 14:05".to_owned(),
            text: EVIL.to_owned(),
            code: None,
        };
        let customer = |password: Option<&str>| DemoCustomer {
            name: EVIL.to_owned(),
            login: "maria".to_owned(),
            password: password.map(str::to_owned),
            ibans: vec!["GR16 0110 1250 0000 0001 2300 695".to_owned()],
        };
        let start = |messages| SandboxStart {
            clock: "1 March 2026, 14:05".to_owned(),
            customers: vec![customer(Some(EVIL)), customer(None)],
            messages,
        };
        let one = |sandbox| Self { layout: layout(texts, &fill(texts.home_title, "Trapeza")), sandbox };
        vec![one(None), one(Some(start(Vec::new()))), one(Some(start(vec![message])))]
    }
}

impl Samples for Messages {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let message = |code: Option<&str>| SentMessage {
            to: "+306900000001".to_owned(),
            channel: "SMS".to_owned(),
            sent: "1 March 2026, 14:05".to_owned(),
            text: EVIL.to_owned(),
            code: code.map(str::to_owned),
        };
        let one = |messages| Self { layout: layout(texts, texts.messages_title), messages };
        vec![one(Vec::new()), one(vec![message(Some("123456")), message(None)])]
    }
}
