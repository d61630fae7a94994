//! The applications of the organisation: list, creation in the sandbox, one application with keys, addresses and limits.

mod address;
mod certificate;
pub mod example;
mod key;
pub mod object;
pub mod price;
pub mod request_log;
pub mod settlement;
pub mod usage;
mod webhook;

pub use address::{merchant_addresses, redirects};
pub use certificate::{
    download as certificate_download, issue as certificate_issue, register as certificate_register,
};
pub use key::{create as key_create, retire as key_retire, webhook_secret_create, webhook_secret_retire};
pub use webhook::{
    list as webhook_list, resend as webhook_resend, show as webhook_show, test_event as webhook_test_event,
};

use crate::portal_request::PortalRequest;
use axum::http::StatusCode;
use trapeza_app::UseCaseError;
use trapeza_app::organisation::PortalApplication;
use trapeza_domain::application::{ApplicationOwner, CertificateStatus};
use trapeza_domain::field::Field;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::organisation::MemberRole;
use trapeza_web::site::route::PageResult;
use trapeza_web::site::{Block, Cell, Form, Input, Page, Table, format_time, is_form_error};

pub const PATH: &str = "/portal/applications";
const THIRD_PARTY: &str = "/portal/applications/third-party";
const MERCHANT: &str = "/portal/applications/merchant";
const NAMES: [(Field, &str); 2] = [(Field::Name, "name"), (Field::RedirectUris, "redirect_uris")];
/// Maximum number of redirect URIs and active keys of an application, as the use cases limit them.
const MAX_REDIRECT_URIS: usize = 20;
const MAX_KEYS: usize = 2;

/// The path of an application's page, or of a page below it.
pub fn path(id: ApplicationId, rest: &str) -> String {
    format!("{PATH}/{id}{rest}")
}

/// The application in the path.
pub fn id(request: &PortalRequest) -> Result<ApplicationId, UseCaseError> {
    Ok(request.id("application", ApplicationId::parse)?)
}

pub async fn list(request: &PortalRequest) -> PageResult {
    Ok(list_page(request, third_party_form(request), merchant_form(request)).await?.ok(request))
}

pub async fn third_party_create(request: &PortalRequest) -> PageResult {
    let web = &request.web;
    let uris = lines(web.field("redirect_uris"));
    match request.app().portal_tpp_create(request.signed_in()?, web.field("name"), uris).await {
        Ok(key) => {
            let page = Page::new("Third party created").with(Block::Secrets(vec![
                ("ClientId".to_owned(), key.application.to_string()),
                ("Key, shown only now".to_owned(), key.subscription_key.expose().clone()),
            ]));
            Ok(created(page, key.application, "Continue to its test certificate").ok(request))
        }
        Err(UseCaseError::Refused(refusal)) if is_form_error(&refusal) => {
            let form = third_party_form(request).filled(&request.web).refused(&refusal, &NAMES);
            let page = list_page(request, form, merchant_form(request)).await?;
            Ok(page.respond(request, StatusCode::BAD_REQUEST))
        }
        Err(error) => Err(error),
    }
}

pub async fn merchant_create(request: &PortalRequest) -> PageResult {
    let name = request.web.field("merchant_name");
    match request.app().portal_merchant_create(request.signed_in()?, name).await {
        Ok((key, secret)) => {
            let page = Page::new("Merchant created").with(Block::Secrets(vec![
                ("X-Application-ID".to_owned(), key.application.to_string()),
                ("Key, shown only now".to_owned(), key.subscription_key.expose().clone()),
                ("Webhook secret, shown only now".to_owned(), secret.expose().clone()),
            ]));
            Ok(created(page, key.application, "Continue to its callback addresses").ok(request))
        }
        Err(UseCaseError::Refused(refusal)) if is_form_error(&refusal) => {
            let names = [(Field::Name, "merchant_name")];
            let form = merchant_form(request).filled(&request.web).refused(&refusal, &names);
            let page = list_page(request, third_party_form(request), form).await?;
            Ok(page.respond(request, StatusCode::BAD_REQUEST))
        }
        Err(error) => Err(error),
    }
}

pub async fn show(request: &PortalRequest) -> PageResult {
    Ok(application_page(request, Vec::new(), None).await?.ok(request))
}

fn created(page: Page, id: ApplicationId, label: &str) -> Page {
    page.with(Block::text(
        "Store the values now: the bank keeps only their hashes and cannot show them again.",
    ))
    .with(Block::Links(vec![(path(id, ""), label.to_owned())]))
}

async fn list_page(request: &PortalRequest, third_party: Form, merchant: Form) -> Result<Page, UseCaseError> {
    let caller = request.signed_in()?;
    let applications = request.app().portal_application_list(caller).await?;
    let rows = applications.into_iter().map(|record| {
        let application = record.application;
        vec![
            Cell::link(path(application.id, ""), application.name),
            Cell::text(kind(application.owner)),
            Cell::text(application.id.to_string()),
            Cell::text(if record.disabled_at.is_some() { "disabled" } else { "active" }),
        ]
    });
    let table = Table {
        label: "Applications".to_owned(),
        head: vec!["Name", "Kind", "Id", "Status"],
        rows: rows.collect(),
        empty: "Your organisation has no applications yet.",
    };
    let page = Page::new("Applications").with(Block::Table(table));
    if !request.app().is_sandbox() {
        return Ok(page
            .with(Block::text("The bank registers applications and connects them with your organisation.")));
    }
    if !caller.member.role.includes(MemberRole::Developer) {
        return Ok(page);
    }
    Ok(page
        .with(Block::heading("Create a third party"))
        .with(Block::text(
            "It reads accounts, initiates payments and confirms funds with the consent of customers.",
        ))
        .with(Block::form(third_party))
        .with(Block::heading("Create a merchant"))
        .with(Block::text("It sells baskets of 30 to 1,500 € in 3, 4, 6 or 12 installments."))
        .with(Block::form(merchant)))
}

/// The page of one application: `first` is shown above, `replaced` is a form with errors instead of the usual one.
async fn application_page(
    request: &PortalRequest,
    first: Vec<Block>,
    replaced: Option<(Section, Form)>,
) -> Result<Page, UseCaseError> {
    let caller = request.signed_in()?;
    let view = request.app().portal_application_view(caller, id(request)?).await?;
    let can_change = caller.member.role.includes(MemberRole::Developer);
    let is_merchant = view.merchant.is_some();
    let mut page =
        Page::new(&view.record.application.name).with_all(first).with(Block::Facts(facts(request, &view)));
    let mut sections = vec![Section::Keys];
    sections.extend(if is_merchant {
        [Section::Addresses, Section::Secrets]
    } else {
        [Section::Redirects, Section::Certificates]
    });
    let mut replaced = replaced;
    let mut form_of = |section| replaced.take_if(|(of, _)| *of == section).map(|(_, form)| form);
    for section in sections {
        let form = form_of(section);
        page = page.with_all(match section {
            Section::Keys => key::blocks(request, &view, can_change),
            Section::Redirects => address::redirect_blocks(request, &view, can_change, form),
            Section::Addresses => address::merchant_blocks(request, &view, can_change, form),
            Section::Certificates | Section::OwnCertificate => {
                let own = form_of(Section::OwnCertificate);
                certificate::blocks(request, &view, can_change, form, own)
            }
            Section::Secrets => key::webhook_secret_blocks(request, &view, can_change),
        });
    }
    let link = |rest: &str, label: &str| (path(view.record.application.id, rest), label.to_owned());
    let mut sent = vec![link("/requests", "Request log"), link("/usage", "Usage and limits")];
    if !is_merchant {
        sent.push(link("/webhooks", "Status notifications"));
    }
    page = page
        .with(Block::heading("What it has sent and created"))
        .with(Block::Links(sent))
        .with(object::links(view.record.application.id, is_merchant));
    if is_merchant {
        let links = vec![
            link("/webhooks", "Webhook log"),
            link("/price", "Price quote and widget"),
            link("/settlement", "Settlement report"),
        ];
        page = page.with(Block::heading("Webhooks, prices and settlement")).with(Block::Links(links));
    }
    Ok(page)
}

/// A part of the page of an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    Keys,
    Redirects,
    Addresses,
    Certificates,
    OwnCertificate,
    Secrets,
}

/// Shows the application again with the errors of one of its forms.
async fn refused(request: &PortalRequest, section: Section, form: Form) -> PageResult {
    let page = application_page(request, Vec::new(), Some((section, form))).await?;
    Ok(page.respond(request, StatusCode::BAD_REQUEST))
}

fn facts(request: &PortalRequest, view: &PortalApplication) -> Vec<(String, Cell)> {
    let application = &view.record.application;
    let fact = |label: &str, value: String| (label.to_owned(), Cell::text(value));
    let mut facts = vec![
        fact("Kind", kind(application.owner).to_owned()),
        fact(
            if view.merchant.is_some() { "X-Application-ID" } else { "ClientId" },
            application.id.to_string(),
        ),
        fact("Created", format_time(view.record.created_at)),
    ];
    if let Some(at) = view.record.disabled_at {
        facts.push(fact("Disabled", format_time(at)));
    }
    if let Some(merchant) = &view.merchant {
        facts.push(fact("Merchant code", merchant.code.clone()));
        facts.push(fact("merchantId", merchant.number.to_string()));
    }
    let active = view.keys.iter().filter(|key| key.retired_at.is_none()).count();
    facts.push(fact("Active keys", format!("{active} of {MAX_KEYS}")));
    if view.merchant.is_none() {
        facts.push(fact("Redirect URIs", format!("{} of {MAX_REDIRECT_URIS}", view.redirect_uris.len())));
    }
    let limit = request.web.state.settings.rate_limits.map_or("none".to_owned(), |limits| {
        format!("{} requests per second, {} at once", limits.per_second, limits.burst)
    });
    facts.push(fact("Rate limit of a key", limit));
    facts
}

fn third_party_form(request: &PortalRequest) -> Form {
    Form::new(&request.web, THIRD_PARTY, "Create a third party")
        .field(Input::text("name", "Name that customers see"))
        .field(redirect_input())
}

fn redirect_input() -> Input {
    Input::area("redirect_uris", "Redirect URIs")
        .hint("One per line: where customers return after they have approved or rejected.")
}

fn merchant_form(request: &PortalRequest) -> Form {
    Form::new(&request.web, MERCHANT, "Create a merchant")
        .field(Input::text("merchant_name", "Name that shoppers see"))
}

const fn kind(owner: ApplicationOwner) -> &'static str {
    match owner {
        ApplicationOwner::ThirdParty => "third party",
        ApplicationOwner::Merchant { .. } => "merchant",
    }
}

const fn status(status: CertificateStatus) -> &'static str {
    match status {
        CertificateStatus::Active => "active",
        CertificateStatus::Blocked => "blocked",
        CertificateStatus::Revoked => "revoked",
    }
}

/// The lines of a text that are not empty.
fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}
