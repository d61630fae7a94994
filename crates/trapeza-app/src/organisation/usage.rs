//! What an application uses of its limits: requests per second, and reads per day under each consent.

use super::PortalMember;
use crate::request_log::{RequestFilter, first_id_of};
use crate::{App, UseCaseError};
use std::collections::HashMap;
use trapeza_domain::application::ApplicationOwner;
use trapeza_domain::consent::{ConsentKind, ConsentState};
use trapeza_domain::id::{ApplicationId, ConsentId};
use trapeza_domain::organisation::MemberRole;
use trapeza_domain::time::{TimeDelta, Timestamp};
use uuid::Uuid;

/// How many requests are counted; the log of an application has no more.
const MAX_REQUESTS: i64 = 5_000;
/// How many consents are shown, newest first.
const CONSENTS: i64 = 50;
const TOO_MANY_REQUESTS: i64 = 429;

/// What an application has used in the last 24 hours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageView {
    /// The requests in the log.
    pub requests: usize,
    /// The time of the oldest of them, when the log has no older ones because it is full.
    pub truncated_at: Option<Timestamp>,
    /// Those that were refused because the rate was exceeded.
    pub refused: usize,
    /// The most requests in one second.
    pub busiest_second: usize,
    /// The newest valid consents of a third party.
    pub consents: Vec<ConsentQuota>,
}

/// What of a consent's frequencyPerDay is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsentQuota {
    pub consent: ConsentId,
    pub allowed: i64,
    /// Endpoint, account or card (`None` for a list), and reads in the last 24 hours.
    pub used: Vec<(String, Option<Uuid>, i64)>,
}

impl App {
    pub async fn portal_usage(
        &self,
        caller: &PortalMember,
        application: ApplicationId,
    ) -> Result<UsageView, UseCaseError> {
        let record = self.portal_application(caller, application, MemberRole::Viewer).await?;
        let is_third_party = record.application.owner == ApplicationOwner::ThirdParty;
        let now = self.now();
        let since = now.minus(TimeDelta::days(1));
        let filter = RequestFilter { since: first_id_of(since), ..RequestFilter::default() };
        let requests = self.request_log_list(application, filter, MAX_REQUESTS).await?;
        let mut seconds: HashMap<i64, usize> = HashMap::new();
        for request in &requests {
            *seconds.entry(request.recorded_at.0 / 1_000_000).or_default() += 1;
        }
        let consents = if is_third_party { self.quotas(application, now, since).await? } else { Vec::new() };
        // Newest first.
        let is_full = requests.len() >= usize::try_from(MAX_REQUESTS).unwrap_or(usize::MAX);
        Ok(UsageView {
            requests: requests.len(),
            truncated_at: requests.last().filter(|_| is_full).map(|oldest| oldest.recorded_at),
            refused: requests.iter().filter(|request| request.status == TOO_MANY_REQUESTS).count(),
            busiest_second: seconds.into_values().max().unwrap_or_default(),
            consents,
        })
    }

    async fn quotas(
        &self,
        application: ApplicationId,
        now: Timestamp,
        since: Timestamp,
    ) -> Result<Vec<ConsentQuota>, UseCaseError> {
        self.store
            .read(move |tx| {
                let newest = (Timestamp(i64::MAX), ConsentId::new(Uuid::nil()));
                let mut quotas = Vec::new();
                for consent in tx.consent_page_by_application(application, newest, CONSENTS)? {
                    let consent = consent.as_of(now);
                    let is_valid = matches!(consent.state, ConsentState::Valid { .. });
                    if consent.kind != ConsentKind::Access || !is_valid {
                        continue;
                    }
                    let Some(allowed) = tx.consent_frequency(consent.id)? else { continue };
                    let used = tx.consent_usage_list(consent.id, since)?.into_iter();
                    let used = used.map(|(endpoint, subject, count)| {
                        (endpoint, Some(subject).filter(|subject| !subject.is_nil()), count)
                    });
                    quotas.push(ConsentQuota { consent: consent.id, allowed, used: used.collect() });
                }
                Ok(quotas)
            })
            .await
    }
}
