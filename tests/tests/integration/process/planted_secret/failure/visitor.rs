//! People who were on a page before the database failed, and what they do then.

use super::super::{CREDENTIAL, PLANTED};
use super::Answer;
use super::object::Objects;
use crate::http::payment::{ELENI, OTHER_BANK_IBAN, text};
use trapeza_testkit::process::ServerProcess;
use trapeza_testkit::{Browser, Page};

/// Browsers that were on a page before the database failed.
pub(super) struct Visitors {
    /// The app of a customer.
    app: Browser,
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
        let sign_up = vec![
            typed("organisation", PLANTED),
            typed("name", PLANTED),
            typed("email", "planted-secret@example.org"),
            typed("password", CREDENTIAL),
        ];
        let (mut forms, checkout) = (Vec::new(), objects.checkout());
        let mut payer = Browser::new(&program.base_url);
        payer.cookies.clone_from(&app.cookies);
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
        for (page, fields) in [
            ("/app", vec![typed("step", "sign-in"), typed("user", &user), typed("password", &password)]),
            ("/portal/sign-in", email(CREDENTIAL)),
            ("/portal/sign-up", sign_up),
            ("/console/sign-in", email(CREDENTIAL)),
            (checkout.as_str(), vec![typed("step", "open")]),
            (&objects.redirect_page(), vec![typed("step", "open")]),
        ] {
            let mut browser = Browser::new(&program.base_url);
            let shown = browser.get(page).await;
            forms.push(FilledForm { browser, page: shown, fields });
        }
        Self { app, forms }
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
        // A session is looked up by its token, whether or not there is one.
        for name in ["trapeza-portal", "trapeza-console"] {
            self.app.cookies.insert(name.to_owned(), format!("{CREDENTIAL:A<43}"));
        }
        self.app.headers.push(("authorization", format!("Bearer {CREDENTIAL:A<43}")));
        for page in [
            "/portal/account",
            "/portal/applications",
            "/portal/sign-up?invitation=planted-secret",
            "/console",
            "/console/search?q=planted-secret",
            "/console/ledger",
            "/console/enrol?token=planted-secret",
            "/admin/v1/search?q=planted-secret",
        ] {
            pages.push(Answer::of_page(format!("GET {page}"), self.app.get(page).await));
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
