//! `trapeza application`: applications of third parties, their keys and certificates. A key is printed once; the database
//! stores its keyed hash only.

use super::{describe_error, portal};
use crate::cli::{Application, ApplicationAdd, ApplicationCertificate, CertificateStatusArg};
use std::fmt::Write;
use trapeza_app::application::{IssuedKey, NewTpp, key_id};
use trapeza_app::{App, certificate, format_timestamp};
use trapeza_domain::application::{ApplicationOwner, CertificateStatus, ParsedCertificate};
use trapeza_domain::id::ApplicationId;
use trapeza_domain::time::TimeDelta;

pub async fn execute(app: &App, command: &Application) -> Result<String, String> {
    match command {
        Application::Add(arguments) => add(app, arguments).await,
        Application::List(_) => list(app).await,
        Application::Show(arguments) => show(app, parse(&arguments.id)?).await,
        Application::Key(key) if key.retire => {
            let retired = app.older_keys_retire(parse(&key.id)?).await.map_err(describe_error)?;
            Ok(format!("{retired} older keys are retired; the newest one stays active\n"))
        }
        Application::Key(key) if key.replace => {
            Ok(issued(&app.key_replace(parse(&key.id)?).await.map_err(describe_error)?))
        }
        Application::Key(key) => Ok(issued(&app.key_issue(parse(&key.id)?).await.map_err(describe_error)?)),
        Application::RemoveKey(arguments) => {
            let id = parse(&arguments.id)?;
            app.key_retire(id, &arguments.key, true).await.map_err(describe_error)?;
            show(app, id).await
        }
        Application::Secret(secret) if secret.retire => {
            app.webhook_secret_retire(parse(&secret.id)?).await.map_err(describe_error)?;
            Ok("only the newest webhook secret signs from now on\n".to_owned())
        }
        Application::Secret(secret) => {
            let secret = app.webhook_secret_rotate(parse(&secret.id)?).await.map_err(describe_error)?;
            Ok(format!("webhook secret  {}   (shown only once)\n", secret.expose()))
        }
        Application::Certificate(arguments) => register_certificate(app, arguments).await,
        Application::Set(arguments) => {
            let id = parse(&arguments.id)?;
            let uris = Some(arguments.redirect_uri.clone()).filter(|uris| !uris.is_empty());
            app.application_update(id, arguments.name.clone(), uris).await.map_err(describe_error)?;
            if let Some(organisation) = &arguments.organisation {
                let organisation =
                    if organisation.is_empty() { None } else { Some(portal::parse(organisation)?) };
                app.application_organisation_set(id, organisation).await.map_err(describe_error)?;
            }
            show(app, id).await
        }
        Application::Disable(one) => enabled_set(app, parse(&one.id)?, false).await,
        Application::Enable(one) => enabled_set(app, parse(&one.id)?, true).await,
    }
}

async fn add(app: &App, arguments: &ApplicationAdd) -> Result<String, String> {
    let certificate = read_certificate(&arguments.certificate)?;
    let description = describe(&certificate);
    let order = NewTpp {
        name: arguments.name.clone(),
        certificates: vec![(certificate, CertificateStatus::Active)],
        redirect_uris: arguments.redirect_uri.clone(),
    };
    let key = app.tpp_register(order).await.map_err(describe_error)?;
    Ok(format!("{description}{}", issued(&key)))
}

async fn list(app: &App) -> Result<String, String> {
    let mut text = String::new();
    for record in app.application_list().await.map_err(describe_error)? {
        let owner = match record.application.owner {
            ApplicationOwner::ThirdParty => "third party",
            ApplicationOwner::Merchant { .. } => "merchant",
        };
        let since = format_timestamp(record.created_at);
        let _ = writeln!(
            text,
            "{}  {owner:11}  since {since}  {}{}",
            record.application.id,
            record.application.name,
            if record.disabled_at.is_some() { "  (disabled)" } else { "" }
        );
    }
    Ok(if text.is_empty() { "no applications\n".to_owned() } else { text })
}

async fn show(app: &App, id: ApplicationId) -> Result<String, String> {
    let applications = app.application_list().await.map_err(describe_error)?;
    let found = applications.into_iter().find(|record| record.application.id == id);
    let record = found.ok_or_else(|| format!("{id} is not the id of an application"))?;
    let mut text = format!(
        "application  {id}\nname         {}\nsince        {}\n",
        record.application.name,
        format_timestamp(record.created_at)
    );
    if let Some(at) = record.disabled_at {
        let _ = writeln!(text, "disabled     {}", format_timestamp(at));
    }
    for uri in app.redirect_uri_list(id).await.map_err(describe_error)? {
        let _ = writeln!(text, "redirect     {uri}");
    }
    for key in app.key_list(id).await.map_err(describe_error)? {
        let used = key.last_used_at.map_or("never".to_owned(), format_timestamp);
        let status =
            key.retired_at.map_or("active".to_owned(), |at| format!("retired {}", format_timestamp(at)));
        let days = app.now().since(key.created_at).0 / TimeDelta::days(1).0;
        let _ = writeln!(
            text,
            "key          {}  since {} ({days} days)  last used {used}  {status}",
            key_id(&key),
            format_timestamp(key.created_at)
        );
    }
    Ok(text)
}

async fn enabled_set(app: &App, id: ApplicationId, enabled: bool) -> Result<String, String> {
    app.application_enabled_set(id, enabled).await.map_err(describe_error)?;
    show(app, id).await
}

async fn register_certificate(app: &App, arguments: &ApplicationCertificate) -> Result<String, String> {
    let (status, name) = match arguments.status {
        CertificateStatusArg::Active => (CertificateStatus::Active, "active"),
        CertificateStatusArg::Blocked => (CertificateStatus::Blocked, "blocked"),
        CertificateStatusArg::Revoked => (CertificateStatus::Revoked, "revoked"),
    };
    let (id, certificate) = (parse(&arguments.id)?, read_certificate(&arguments.certificate)?);
    let description = describe(&certificate);
    let applications = app.application_list().await.map_err(describe_error)?;
    let is_tpp = |owner| owner == ApplicationOwner::ThirdParty;
    if !applications.iter().any(|record| record.application.id == id && is_tpp(record.application.owner)) {
        return Err("no application of a third party has this id".to_owned());
    }
    app.certificate_register(id, certificate, status).await.map_err(describe_error)?;
    Ok(format!("{description}status    {name}\n"))
}

fn read_certificate(pem: &str) -> Result<ParsedCertificate, String> {
    let der = certificate::decode_header(&pem.trim().replace(['\r', '\n'], " "))
        .map_err(|error| error.to_string())?;
    certificate::parse(&der).map_err(|error| error.to_string())
}

fn describe(certificate: &ParsedCertificate) -> String {
    let roles: Vec<&str> = certificate.roles.iter().map(|role| role.name()).collect();
    let until = format_timestamp(certificate.not_after);
    format!(
        "owner     {} ({})\nroles     {}\nuntil     {until}\n",
        certificate.name,
        certificate.organisation,
        roles.join(" ")
    )
}

fn issued(key: &IssuedKey) -> String {
    let (id, key) = (key.application, &key.subscription_key);
    format!("ClientId  {id}\nkey       {}   (shown only once)\n", key.expose())
}

fn parse(id: &str) -> Result<ApplicationId, String> {
    ApplicationId::parse(id).ok_or_else(|| format!("{id} is not the id of an application"))
}
