//! `trapeza application add|list|key|secret|certificate`: how an operator lets a third party in, and changes what programs
//! prove themselves and the bank by. A key is printed once; the bank keeps only its keyed hash.

use super::{on_the_bank, told};
use crate::admin::{Answer, Command};
use crate::cli::Application;
use std::fmt::Write;
use std::path::Path;
use trapeza_app::application::{IssuedKey, TppOrder};
use trapeza_app::{App, certificate, format_timestamp};
use trapeza_domain::application::{ApplicationOwner, CertificateStatus, ParsedCertificate};
use trapeza_domain::id::ApplicationId;

/// How its commands begin on the admin socket.
pub const PREFIX: &str = "application ";

pub fn run(application: &Application) -> (String, bool) {
    // Files are read here: the server may run elsewhere, as somebody else.
    let (bank, name, arguments) = match application {
        Application::Add(add) => match pem(&add.certificate) {
            Ok(pem) => {
                let uris = add.redirect_uri.iter().cloned();
                (&add.bank, "add", [add.name.clone(), pem].into_iter().chain(uris).collect())
            }
            Err(problem) => return (problem, false),
        },
        Application::List(bank) => (bank, "list", Vec::new()),
        Application::Key(key) if key.replace => (&key.bank, "key replace", vec![key.id.clone()]),
        Application::Key(key) => (&key.bank, "key", vec![key.id.clone()]),
        Application::Secret(secret) if secret.retire => {
            (&secret.bank, "secret retire", vec![secret.id.clone()])
        }
        Application::Secret(secret) => (&secret.bank, "secret", vec![secret.id.clone()]),
        Application::Certificate(change) => match pem(&change.certificate) {
            Ok(pem) => {
                (&change.bank, "certificate", vec![change.id.clone(), pem, change.standing.name().to_owned()])
            }
            Err(problem) => return (problem, false),
        },
    };
    let command = Command { command: format!("{PREFIX}{name}"), arguments: arguments.clone() };
    on_the_bank(bank, command, |app| report(app, name, &arguments))
}

fn pem(file: &Path) -> Result<String, String> {
    std::fs::read_to_string(file).map_err(|error| format!("{}: {error}\n", file.display()))
}

/// Does it. Blocks until it is done.
pub fn report(app: &App, name: &str, arguments: &[String]) -> Answer {
    let done = super::runtime().and_then(|runtime| {
        runtime.block_on(async {
            match (name, arguments) {
                ("add", [name, pem, uris @ ..]) => add(app, name, pem, uris).await,
                ("list", []) => list(app).await,
                ("key replace", [id]) => issued(app.key_replace(parse(id)?).await.map_err(told)?),
                ("key", [id]) => issued(app.key_issue(parse(id)?).await.map_err(told)?),
                ("secret", [id]) => {
                    let secret = app.webhook_secret_rotate(parse(id)?).await.map_err(told)?;
                    Ok(format!("webhook secret  {}   (shown this once)\n", secret.expose()))
                }
                ("secret retire", [id]) => {
                    app.webhook_secret_retire(parse(id)?).await.map_err(told)?;
                    Ok("only the newest webhook secret signs from now on\n".to_owned())
                }
                ("certificate", [id, pem, standing]) => put(app, id, pem, standing).await,
                _ => Err(format!("a bank does not know the command {PREFIX}{name}")),
            }
        })
    });
    match done {
        Ok(text) => Answer { text, exit: 0 },
        Err(problem) => Answer { text: format!("{problem}\n"), exit: 1 },
    }
}

async fn add(app: &App, name: &str, pem: &str, uris: &[String]) -> Result<String, String> {
    let facts = read(pem)?;
    let shown = describe(&facts);
    let order = TppOrder {
        name: name.to_owned(),
        certificates: vec![(facts, CertificateStatus::Active)],
        redirect_uris: uris.to_vec(),
    };
    let key = app.tpp_register(order).await.map_err(told)?;
    Ok(format!("{shown}{}", issued(key)?))
}

async fn list(app: &App) -> Result<String, String> {
    let mut text = String::new();
    for record in app.application_list().await.map_err(told)? {
        let holder = match record.application.owner {
            ApplicationOwner::ThirdParty => "third party",
            ApplicationOwner::Merchant(_) => "merchant",
        };
        let since = format_timestamp(record.created_at);
        let _ = writeln!(
            text,
            "{}  {holder:11}  since {since}  {}",
            record.application.id, record.application.name
        );
    }
    Ok(if text.is_empty() { "there are no applications yet\n".to_owned() } else { text })
}

async fn put(app: &App, id: &str, pem: &str, standing: &str) -> Result<String, String> {
    let standing = match standing {
        "active" => CertificateStatus::Active,
        "blocked" => CertificateStatus::Blocked,
        "revoked" => CertificateStatus::Revoked,
        other => return Err(format!("a certificate is active, blocked or revoked, not {other}")),
    };
    let (id, facts) = (parse(id)?, read(pem)?);
    let shown = describe(&facts);
    let known = app.application_list().await.map_err(told)?;
    if !known
        .iter()
        .any(|record| record.application.id == id && record.application.owner == ApplicationOwner::ThirdParty)
    {
        return Err("there is no third party's application with this id".to_owned());
    }
    app.certificate_register(id, facts, standing).await.map_err(told)?;
    Ok(format!("{shown}standing  {}\n", format!("{standing:?}").to_lowercase()))
}

fn read(pem: &str) -> Result<ParsedCertificate, String> {
    let der = certificate::decode_header(&pem.trim().replace(['\r', '\n'], " "))
        .map_err(|error| error.to_string())?;
    certificate::parse(&der).map_err(|error| error.to_string())
}

fn describe(facts: &ParsedCertificate) -> String {
    let roles: Vec<&str> = facts.roles.iter().map(|role| role.name()).collect();
    let until = format_timestamp(facts.not_after);
    format!(
        "holder    {} ({})\nroles     {}\nuntil     {until}\n",
        facts.name,
        facts.organisation,
        roles.join(" ")
    )
}

fn issued(key: IssuedKey) -> Result<String, String> {
    let (id, key) = (key.application, key.subscription_key);
    Ok(format!("ClientId  {id}\nkey       {}   (shown this once)\n", key.expose()))
}

fn parse(id: &str) -> Result<ApplicationId, String> {
    ApplicationId::parse(id).ok_or_else(|| format!("{id} is not the id of an application"))
}
