//! Certificates of a third party: test certificates of the sandbox, and registration of one's own.

use super::{Section, application_page, id, path, refused, status};
use crate::portal_request::PortalRequest;
use trapeza_app::UseCaseError;
use trapeza_app::organisation::{PortalApplication, TestCertificate};
use trapeza_domain::application::Role;
use trapeza_domain::field::Field;
use trapeza_domain::organisation::MemberRole;
use trapeza_domain::refusal::Refusal;
use trapeza_web::site::route::PageResult;
use trapeza_web::site::{Block, Cell, Form, Input, Page, Table, attachment, format_time, is_form_error};

/// The roles of a third party: name of the input, role, label.
const ROLES: [(&str, Role, &str); 3] = [
    ("account_information", Role::AccountInformation, "AISP: reads accounts (PSP_AI)"),
    ("payment_initiation", Role::PaymentInitiation, "PISP: initiates payments (PSP_PI)"),
    ("card_issuing", Role::CardIssuing, "CBPII: confirms funds (PSP_IC)"),
];

pub async fn issue(request: &PortalRequest) -> PageResult {
    let (caller, id, web) = (request.signed_in()?, id(request)?, &request.web);
    let roles =
        ROLES.iter().filter(|(name, _, _)| web.field(name) == "on").map(|(_, role, _)| *role).collect();
    let name = web.field("certificate_name");
    match request.app().portal_certificate_issue(caller, id, name, roles).await {
        Ok(issued) => Ok(issued_page(request, id, &issued).ok(request)),
        Err(UseCaseError::Refused(refusal)) if is_form_error(&refusal) => {
            let names = [(Field::Name, "certificate_name"), (Field::CertificateRoles, ROLES[0].0)];
            let form = issue_form(request, &path(id, "/certificates/issue"), "");
            refused(request, Section::Certificates, form.filled(&request.web).refused(&refusal, &names)).await
        }
        Err(error) => Err(error),
    }
}

pub async fn register(request: &PortalRequest) -> PageResult {
    let (caller, id) = (request.signed_in()?, id(request)?);
    let pem = request.web.field("certificate");
    match request.app().portal_certificate_register(caller, id, pem).await {
        Ok(certificate) => {
            let roles: Vec<&str> = certificate.roles.iter().map(|role| role.name()).collect();
            let text =
                format!("The certificate of {} is registered: {}.", certificate.name, roles.join(", "));
            Ok(application_page(request, vec![Block::Good(text)], None).await?.ok(request))
        }
        Err(UseCaseError::Refused(refusal)) if is_form_error(&refusal) => {
            let form = register_form(request, &path(id, "/certificates/register"));
            let form = form.filled(&request.web).refused(&refusal, &[(Field::Certificate, "certificate")]);
            refused(request, Section::OwnCertificate, form).await
        }
        Err(error) => Err(error),
    }
}

/// A file with what the page of a new certificate shows. The browser sends it, because the bank does not store the key.
pub async fn download(request: &PortalRequest) -> PageResult {
    let (caller, id) = (request.signed_in()?, id(request)?);
    request.app().portal_application(caller, id, MemberRole::Developer).await?;
    // A browser sends line ends as CRLF.
    let file = request.web.secret("file").expose().replace('\r', "");
    let name = match pem_kind(&file) {
        Some(PemKind::Key) => "key",
        Some(PemKind::Certificate) => "certificate",
        Some(PemKind::Both) => "key-and-certificate",
        None => {
            return Err(
                Refusal::malformed(Field::Certificate, "must be a certificate or a key in PEM").into()
            );
        }
    };
    Ok(attachment("application/x-pem-file", &format!("{id}-{name}.pem"), file))
}

/// What a PEM file contains.
enum PemKind {
    Key,
    Certificate,
    Both,
}

/// Recognises a certificate, a private key, or both. Nothing else is sent back as a file.
fn pem_kind(text: &str) -> Option<PemKind> {
    let (mut key, mut certificate) = (false, false);
    for line in text.lines() {
        match line {
            "-----BEGIN PRIVATE KEY-----" | "-----END PRIVATE KEY-----" => key = true,
            "-----BEGIN CERTIFICATE-----" | "-----END CERTIFICATE-----" => certificate = true,
            _ if line.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)) => {}
            _ => return None,
        }
    }
    match (key, certificate) {
        (true, true) => Some(PemKind::Both),
        (true, false) => Some(PemKind::Key),
        (false, true) => Some(PemKind::Certificate),
        (false, false) => None,
    }
}

/// The certificate and its key. The key is on this page only.
fn issued_page(
    request: &PortalRequest,
    id: trapeza_domain::id::ApplicationId,
    issued: &TestCertificate,
) -> Page {
    let (certificate, key) = (&issued.certificate_pem, issued.key_pem.expose());
    let download = |label: &str, file: &str| {
        Form::new(&request.web, &path(id, "/certificates/download"), label)
            .field(Input::hidden("file", file))
            .class("plain")
    };
    let files = vec![
        download("Download both as one file", &format!("{}\n{}\n", key.trim_end(), certificate.trim_end())),
        download("Download the key", key),
        download("Download the certificate", certificate),
    ];
    let body: String = issued.certificate_pem.lines().filter(|line| !line.starts_with("-----")).collect();
    Page::new("Test certificate")
        .with(Block::text(
            "The certificate is registered for the application. Store its key now: it is shown only on this page.",
        ))
        .with(Block::Forms(files))
        .with(Block::heading("Certificate"))
        .with(Block::Code("Certificate".to_owned(), issued.certificate_pem.clone()))
        .with(Block::heading("Private key"))
        .with(Block::Code("Private key".to_owned(), key.clone()))
        .with(Block::heading("For the header Certificate"))
        .with(Block::text("In the sandbox the certificate is sent in this header; TLS is not required."))
        .with(Block::Code("Header".to_owned(), body))
        .with(Block::Links(vec![(path(id, ""), "Back to the application".to_owned())]))
}

pub fn blocks(
    request: &PortalRequest,
    view: &PortalApplication,
    can_change: bool,
    issue: Option<Form>,
    register: Option<Form>,
) -> Vec<Block> {
    let application = &view.record.application;
    let rows = view.certificates.iter().map(|certificate| {
        let fingerprint: String =
            certificate.fingerprint[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        vec![
            Cell::text(&certificate.organisation),
            Cell::text(fingerprint),
            Cell::text(format_time(certificate.expires_at)),
            Cell::text(status(certificate.status)),
        ]
    });
    let table = Table {
        label: "Certificates".to_owned(),
        head: vec!["Company", "SHA-256 begins with", "Valid until", "Status"],
        rows: rows.collect(),
        empty: "No certificate is registered: the application cannot call yet.",
    };
    let mut blocks = vec![Block::heading("Certificates"), Block::Table(table)];
    if !can_change {
        return blocks;
    }
    if request.app().is_sandbox() {
        let action = path(application.id, "/certificates/issue");
        let form = issue.unwrap_or_else(|| issue_form(request, &action, &application.name));
        blocks.extend([Block::heading("Get a test certificate"), Block::form(form)]);
    }
    let action = path(application.id, "/certificates/register");
    let form = register.unwrap_or_else(|| register_form(request, &action));
    blocks.extend([Block::heading("Register your own certificate"), Block::form(form)]);
    blocks
}

fn issue_form(request: &PortalRequest, action: &str, name: &str) -> Form {
    let form = Form::new(&request.web, action, "Issue a test certificate")
        .field(Input::text("certificate_name", "Company").value(name));
    ROLES.iter().fold(form, |form, (name, _, label)| form.field(Input::check(name, label).value("on")))
}

fn register_form(request: &PortalRequest, action: &str) -> Form {
    Form::new(&request.web, action, "Register")
        .field(Input::area("certificate", "Certificate in PEM").hint("The certificate alone, never its key."))
}
