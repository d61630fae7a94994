//! People who were on a page before the database failed, and what they do then.

use super::super::{CREDENTIAL, PLANTED};
use super::Answer;
use super::object::Objects;
use crate::http::payment::{ELENI, OTHER_BANK_IBAN, text};
use crate::process::production::now;
use trapeza_app::login::totp;
use trapeza_testkit::portal_user::{PASSWORD, base32_decode};
use trapeza_testkit::process::ServerProcess;
use trapeza_testkit::{Browser, Page};

/// The name of a member of an organisation, which the pages of the portal show to them.
pub(super) const MEMBER: &str = "Member of the test";

/// Browsers that were on a page before the database failed.
pub(super) struct Visitors {
    /// The app of a customer.
    app: Browser,
    /// A member of an organisation, who is signed in to the portal.
    member: Browser,
    /// The secret of the member's authenticator app, as it is shown.
    pub(super) member_secret: String,
    forms: Vec<FilledForm>,
}

/// A browser on a page with a form, and what is typed into it.
struct FilledForm {
    browser: Browser,
    page: Page,
    fields: Vec<(&'static str, String)>,
}

impl Visitors {
    pub(super) async fn new(program: &ServerProcess, objects: &Objects) -> Self {
        let psu = &program.sandbox_file["psus"][ELENI];
        let (user, password) = (text(&psu["psu_id"]).to_owned(), text(&psu["password"]).to_owned());
        let mut app = Browser::new(&program.base_url);
        let asked = app.app_sign_in(&user, &password).await;
        let otp = text(&program.sandbox_file["otp"]);
        let open = app.send(&asked, &[("step", "code"), ("code", otp)]).await;
        assert_eq!(open.status, 200, "{open:?}");
        let typed = |name: &'static str, value: &str| (name, value.to_owned());
        let email = |password: &str| {
            vec![
                typed("email", "planted-secret@example.org"),
                typed("password", password),
                typed("code", "000000"),
            ]
        };
        let organisation = vec![
            typed("organisation", PLANTED),
            typed("name", PLANTED),
            typed("email", "planted-secret@example.org"),
            typed("password", CREDENTIAL),
        ];
        let (mut forms, checkout) = (Vec::new(), objects.checkout());
        let mut payer = copy(program, &app);
        let shown = payer.get("/app/pay").await;
        let order = vec![
            typed("step", "pay"),
            typed("idempotency_key", "00000000-0000-4000-8000-000000000001"),
            typed("from", &shown.attributes("<option value=\"")[1]),
            typed("iban", OTHER_BANK_IBAN),
            typed("name", PLANTED),
            typed("amount", "7.50"),
            typed("remittance", PLANTED),
        ];
        forms.push(FilledForm { browser: payer, page: shown, fields: order });
        let (mut member, member_secret) = sign_up(program).await;
        let shown = member.get("/portal/members").await;
        let fields = vec![typed("email", "planted-secret@example.org"), typed("role", "viewer")];
        let browser = copy(program, &member);
        forms.push(FilledForm { browser, page: form(shown, "/portal/members/invite"), fields });
        for (page, fields) in [
            ("/app", vec![typed("step", "sign-in"), typed("user", &user), typed("password", &password)]),
            ("/portal/sign-in", email(CREDENTIAL)),
            ("/portal/sign-up", organisation),
            ("/console/sign-in", email(CREDENTIAL)),
            (checkout.as_str(), vec![typed("step", "open")]),
            (&objects.redirect_page(), vec![typed("step", "open")]),
        ] {
            let mut browser = Browser::new(&program.base_url);
            let shown = browser.get(page).await;
            forms.push(FilledForm { browser, page: shown, fields });
        }
        Self { app, member, member_secret, forms }
    }

    /// Loads every page and sends every form.
    pub(super) async fn visit(mut self, objects: &Objects) -> Vec<Answer> {
        let (mut pages, checkout) = (Vec::new(), objects.checkout());
        self.app.headers.push(("accept", "text/html".to_owned()));
        for page in [
            "/",
            "/app",
            "/app/accounts",
            "/app/pay",
            "/app/payments",
            "/app/loans",
            "/app/permissions",
            "/app/devices",
            "/loan/RF18539007547034",
            "/statistics",
            "/price/1001?amount=90",
            "/sandbox",
            "/sandbox/messages",
            "/sample/tpp",
            "/sample/shop",
            &checkout,
            &format!("{checkout}/qr.png"),
            &objects.redirect_page(),
        ] {
            pages.push(Answer::of_page(format!("GET {page}"), self.app.get(page).await));
        }
        for page in ["/portal/account", "/portal/applications", "/portal/members", "/portal/examples"] {
            pages.push(Answer::of_page(format!("GET {page} as member"), self.member.get(page).await));
        }
        // A session is looked up by its token, whether or not there is one.
        for name in ["trapeza-portal", "trapeza-console"] {
            self.app.cookies.insert(name.to_owned(), format!("{CREDENTIAL:A<43}"));
        }
        self.app.headers.push(("authorization", format!("Bearer {CREDENTIAL:A<43}")));
        for page in [
            "/portal/account",
            "/portal/sign-up?invitation=planted-secret",
            "/console",
            "/console/search?q=planted-secret",
            "/console/ledger",
            "/console/enrol?token=planted-secret",
        ] {
            pages.push(Answer::of_page(format!("GET {page}"), self.app.get(page).await));
        }
        // Programs get JSON.
        self.app.headers.retain(|(name, _)| *name != "accept");
        for path in ["/admin/v1/search?q=planted-secret", "/admin/v1/requests", "/sandbox/messages"] {
            pages.push(Answer::of_page(format!("GET {path} as program"), self.app.get(path).await));
        }
        for FilledForm { mut browser, page, fields } in self.forms {
            let fields: Vec<(&str, &str)> =
                fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
            let place = format!("POST {}", page.attribute("<form method=\"post\" action=\""));
            pages.push(Answer::of_page(place, browser.send_only(&page, &fields).await));
        }
        pages
    }
}

/// A browser with the same cookies.
fn copy(program: &ServerProcess, browser: &Browser) -> Browser {
    let mut copy = Browser::new(&program.base_url);
    copy.cookies.clone_from(&browser.cookies);
    copy
}

/// The page from a form with this action on: a page of the portal has several.
fn form(page: Page, action: &str) -> Page {
    let start = page.html.find(&format!("<form method=\"post\" action=\"{action}\""));
    Page { html: page.html[start.expect("the page has the form")..].to_owned(), ..page }
}

/// Signs up in the portal, which signs the member in. Returns the browser and the secret of the authenticator app.
async fn sign_up(program: &ServerProcess) -> (Browser, String) {
    const EMAIL: &str = "owner@example.org";
    let mut browser = Browser::new(&program.base_url);
    let page = browser.get("/portal/sign-up").await;
    let fields = [("organisation", "Shop"), ("name", MEMBER), ("email", EMAIL), ("password", PASSWORD)];
    let enrolment = browser.send(&page, &fields).await;
    let secret = enrolment.text("<dt>Key</dt><dd><code>").to_owned();
    let code = totp::code(&base32_decode(&secret), totp::step(now()));
    let done = browser.send(&enrolment, &[("code", &code)]).await;
    assert_eq!((done.status, done.title().as_str()), (200, "Keep your recovery codes"), "{done:?}");
    (browser, secret)
}
