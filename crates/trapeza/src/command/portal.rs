//! `trapeza portal`: invitations to the developers' portal, and its organisations.

use super::describe_error;
use crate::cli::{Portal, PortalInvite};
use std::fmt::Write;
use trapeza_app::{App, format_timestamp};
use trapeza_domain::id::OrganisationId;

pub async fn execute(app: &App, command: &Portal) -> Result<String, String> {
    match command {
        Portal::Invite(arguments) => invite(app, arguments).await,
        Portal::List(_) => list(app).await,
    }
}

async fn invite(app: &App, arguments: &PortalInvite) -> Result<String, String> {
    let organisation = arguments.organisation.as_deref().map(parse).transpose()?;
    let invited = app.invitation_create(organisation, &arguments.email, arguments.role.role()).await;
    let invited = invited.map_err(describe_error)?;
    Ok(format!(
        "invited  {} ({})\nuntil    {}\npath     /portal/sign-up?invitation={}   (shown only once)\n",
        invited.email.as_str(),
        invited.role.name(),
        format_timestamp(invited.expires_at),
        invited.token.expose()
    ))
}

async fn list(app: &App) -> Result<String, String> {
    let mut text = String::new();
    for organisation in app.organisation_list().await.map_err(describe_error)? {
        let since = format_timestamp(organisation.created_at);
        let _ = writeln!(text, "{}  since {since}  {}", organisation.id, organisation.name);
    }
    Ok(if text.is_empty() { "no organisations\n".to_owned() } else { text })
}

pub fn parse(id: &str) -> Result<OrganisationId, String> {
    OrganisationId::parse(id).ok_or_else(|| format!("{id} is not the id of an organisation"))
}
