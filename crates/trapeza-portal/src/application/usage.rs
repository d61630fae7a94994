//! What an application uses of its limits.

use super::{id, path};
use crate::portal_request::PortalRequest;
use trapeza_app::organisation::{ConsentQuota, UsageView};
use trapeza_domain::application::ApplicationOwner;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::organisation::MemberRole;
use trapeza_web::site::route::PageResult;
use trapeza_web::site::{Block, Cell, Page, Table, format_time};

pub async fn show(request: &PortalRequest) -> PageResult {
    let (caller, id) = (request.signed_in()?, id(request)?);
    let usage = request.app().portal_usage(caller, id).await?;
    let record = request.app().portal_application(caller, id, MemberRole::Viewer).await?;
    let mut page = Page::new("Usage and limits")
        .with(Block::Text(period(&usage)))
        .with(Block::Facts(facts(request, &usage)));
    if record.application.owner == ApplicationOwner::ThirdParty {
        let table = Table {
            label: "Reads under consents".to_owned(),
            head: vec!["Consent", "Read", "Account or card", "Used", "Allowed"],
            rows: usage.consents.iter().flat_map(|quota| rows(id, quota)).collect(),
            empty: "The application has no valid consents.",
        };
        page = page
            .with(Block::heading("Reads under consents"))
            .with(Block::text(
                "frequencyPerDay limits reads of each endpoint and account in 24 hours while the customer is absent.",
            ))
            .with(Block::Table(table));
    }
    Ok(page.with(Block::Links(vec![(path(id, ""), "Back to the application".to_owned())])).ok(request))
}

/// What the figures cover.
fn period(usage: &UsageView) -> String {
    match usage.truncated_at {
        None => "The last 24 hours, as the request log has them: it leaves requests out when thousands arrive in a second."
            .to_owned(),
        Some(time) => format!(
            "The request log has the newest {} requests of an application: the figures begin at {}.",
            usage.requests,
            format_time(time)
        ),
    }
}

fn facts(request: &PortalRequest, usage: &UsageView) -> Vec<(String, Cell)> {
    let limits = request.web.state.settings.rate_limits;
    let busiest = match limits {
        Some(limits) => format!(
            "{} used, {} allowed ({} after a pause)",
            usage.busiest_second, limits.per_second, limits.burst
        ),
        None => format!("{} used, no limit", usage.busiest_second),
    };
    vec![
        ("Requests".to_owned(), Cell::text(usage.requests.to_string())),
        ("Most requests in one second".to_owned(), Cell::text(busiest)),
        ("Refused with 429".to_owned(), Cell::text(usage.refused.to_string())),
    ]
}

/// One row for each endpoint that was read, or one for a consent that was not used.
fn rows(id: ApplicationId, quota: &ConsentQuota) -> Vec<Vec<Cell>> {
    let row = |endpoint: &str, subject: String, used: i64| {
        vec![
            Cell::link(path(id, &format!("/consents/{}", quota.consent)), quota.consent.to_string()),
            Cell::text(endpoint),
            Cell::text(subject),
            Cell::text(used.to_string()),
            Cell::text(quota.allowed.to_string()),
        ]
    };
    if quota.used.is_empty() {
        return vec![row("nothing", String::new(), 0)];
    }
    let subject = |subject: &Option<uuid::Uuid>| subject.map_or("list".to_owned(), |id| id.to_string());
    quota.used.iter().map(|(endpoint, account, used)| row(endpoint, subject(account), *used)).collect()
}
